/** Which days are in sight, and the buttons that choose them. */
import { element } from './dom.ts';

/** The last days, as many; or everything; or from one day number to another. */
export type Zoom = { lastDays: number } | 'all' | { from: number; to: number };

const BUTTONS: readonly { words: string; zoom: Zoom }[] = [
  { words: '30 days', zoom: { lastDays: 30 } },
  { words: '90 days', zoom: { lastDays: 90 } },
  { words: '1 year', zoom: { lastDays: 365 } },
  { words: 'All', zoom: 'all' },
];

/** With fewer days than this there is nothing to look closer at. */
const LEAST_TO_ZOOM = 8;
const NARROWEST = 2;

/** Whether looking closer makes sense with as many days. */
export function canZoom(days: number): boolean {
  return days >= LEAST_TO_ZOOM;
}

/** The days at the two ends of what is in sight: whole numbers within `first` and `last`. */
export function endsOf(zoom: Zoom, first: number, last: number): { from: number; to: number } {
  if (zoom === 'all') return { from: first, to: last };
  if ('lastDays' in zoom) return { from: Math.max(first, last - zoom.lastDays + 1), to: last };
  const from = Math.min(Math.max(first, Math.round(zoom.from)), Math.max(first, last - NARROWEST));
  return { from, to: Math.min(last, Math.max(from + NARROWEST, Math.round(zoom.to))) };
}

/** The ends with some air beside them, so that a day at an end is seen whole. */
export function windowOf(zoom: Zoom, first: number, last: number): [min: number, max: number] {
  const { from, to } = endsOf(zoom, first, last);
  const air = from === to ? 0.5 : (to - from) * 0.015;
  return [from - air, to + air];
}

export interface Ranges {
  root: HTMLElement;
  /** Shows the buttons that make sense with as many days, under a name, the one of `zoom` pressed. */
  show(days: number, zoom: Zoom, name: string): void;
  press(zoom: Zoom): void;
}

/** The buttons; `choose` is called with what one of them stands for. */
export function createRanges(choose: (zoom: Zoom) => void): Ranges {
  const root = element('div', 'chart-ranges');
  root.setAttribute('role', 'group');
  const buttons = BUTTONS.map(({ words, zoom }) => {
    const button = element('button', '', words);
    button.type = 'button';
    button.addEventListener('click', () => choose(zoom));
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
