/** The visible days of a chart, and the buttons that choose them. */
import { createElement } from './dom.ts';

/** The last days, all days, or the days between two day numbers. */
export type Zoom = { lastDays: number } | 'all' | { from: number; to: number };

const BUTTONS: readonly { label: string; zoom: Zoom }[] = [
  { label: '30 days', zoom: { lastDays: 30 } },
  { label: '90 days', zoom: { lastDays: 90 } },
  { label: '1 year', zoom: { lastDays: 365 } },
  { label: 'All', zoom: 'all' },
];

/** With fewer days there is no zoom. */
const MIN_DAYS_TO_ZOOM = 8;
const MIN_VISIBLE_DAYS = 2;

export function canZoom(days: number): boolean {
  return days >= MIN_DAYS_TO_ZOOM;
}

/** The first and last visible day: integers within `first` and `last`. */
function getVisibleDays(zoom: Zoom, first: number, last: number): { from: number; to: number } {
  if (zoom === 'all') return { from: first, to: last };
  if ('lastDays' in zoom) return { from: Math.max(first, last - zoom.lastDays + 1), to: last };
  const from = Math.min(Math.max(first, Math.round(zoom.from)), Math.max(first, last - MIN_VISIBLE_DAYS));
  return { from, to: Math.min(last, Math.max(from + MIN_VISIBLE_DAYS, Math.round(zoom.to))) };
}

/** The visible days with a margin, so that the first and last day are not cut off. */
export function getWindow(zoom: Zoom, first: number, last: number): [min: number, max: number] {
  const { from, to } = getVisibleDays(zoom, first, last);
  const margin = from === to ? 0.5 : (to - from) * 0.015;
  return [from - margin, to + margin];
}

export interface ZoomButtons {
  root: HTMLElement;
  /** Shows the buttons that fit this number of days, with the one of `zoom` pressed; `name` is for screen readers. */
  show(days: number, zoom: Zoom, name: string): void;
  press(zoom: Zoom): void;
}

export function createZoomButtons(onZoom: (zoom: Zoom) => void): ZoomButtons {
  const root = createElement('div', 'chart-ranges');
  root.setAttribute('role', 'group');
  const buttons = BUTTONS.map(({ label, zoom }) => {
    const button = createElement('button', '', label);
    button.type = 'button';
    button.addEventListener('click', () => onZoom(zoom));
    return { button, zoom };
  });
  root.append(...buttons.map(({ button }) => button));
  const press = (zoom: Zoom) => {
    for (const { button, zoom: own } of buttons)
      button.setAttribute('aria-pressed', String(isSame(own, zoom)));
  };
  return {
    root,
    press,
    show: (days, zoom, name) => {
      root.setAttribute('aria-label', name);
      root.hidden = !canZoom(days);
      for (const { button, zoom: own } of buttons)
        button.hidden = typeof own === 'object' && 'lastDays' in own && own.lastDays >= days;
      press(zoom);
    },
  };
}

function isSame(one: Zoom, other: Zoom): boolean {
  if (one === 'all' || other === 'all') return one === other;
  return 'lastDays' in one && 'lastDays' in other && one.lastDays === other.lastDays;
}
