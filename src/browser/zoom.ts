/** The visible days of a chart, and the buttons that choose them. */
import { createElement } from './dom.ts';

/** The number of the last days, or the days between two day numbers. */
export type Zoom = number | { from: number; to: number };

export const ALL_DAYS = Infinity;

const BUTTONS = [
  { label: '30 days', lastDays: 30 },
  { label: '90 days', lastDays: 90 },
  { label: '1 year', lastDays: 365 },
  { label: 'All', lastDays: ALL_DAYS },
];

/** With fewer days there is no zoom. */
const MIN_DAYS_TO_ZOOM = 8;
const MIN_VISIBLE_DAYS = 2;

export function canZoom(days: number): boolean {
  return days >= MIN_DAYS_TO_ZOOM;
}

/** The first and last visible day: integers within `first` and `last`. */
function getVisibleDays(zoom: Zoom, first: number, last: number): { from: number; to: number } {
  if (typeof zoom === 'number') return { from: Math.max(first, last - zoom + 1), to: last };
  const from = Math.min(Math.max(first, Math.round(zoom.from)), Math.max(first, last - MIN_VISIBLE_DAYS));
  return { from, to: Math.min(last, Math.max(from + MIN_VISIBLE_DAYS, Math.round(zoom.to))) };
}

/** Day numbers, with fractions. */
export type Window = readonly [min: number, max: number];

/** The visible days with a margin, so that the first and last day are not cut off. */
export function getWindow(zoom: Zoom, first: number, last: number): Window {
  const { from, to } = getVisibleDays(zoom, first, last);
  const margin = from === to ? 0.5 : (to - from) * 0.015;
  return [from - margin, to + margin];
}

export function createZoomButtons(onZoom: (zoom: Zoom) => void) {
  const root = createElement('div', 'chart-ranges');
  root.setAttribute('role', 'group');
  const buttons = BUTTONS.map(({ label, lastDays }) => {
    const button = createElement('button', '', label);
    button.type = 'button';
    button.addEventListener('click', () => onZoom(lastDays));
    return { button, lastDays };
  });
  root.append(...buttons.map(({ button }) => button));
  const press = (zoom: Zoom) => {
    for (const { button, lastDays } of buttons)
      button.setAttribute('aria-pressed', String(lastDays === zoom));
  };
  return {
    root,
    press,
    /** Shows the buttons that fit this number of days, with the one of `zoom` pressed; `name` is for screen readers. */
    show: (days: number, zoom: Zoom, name: string) => {
      root.setAttribute('aria-label', name);
      root.hidden = !canZoom(days);
      for (const { button, lastDays } of buttons) button.hidden = lastDays !== ALL_DAYS && lastDays >= days;
      press(zoom);
    },
  };
}
