/** The figures of one day, below the plot. */
import { element } from './dom.ts';
import { lastKnown, type StorageFigures } from './chart-data.ts';
import { sizeWords } from './size-axis.ts';

export interface Legend {
  root: HTMLElement;
  /** Shows the day at a place of `dates`; null: the last day with figures. */
  show(figures: StorageFigures, at: number | null): void;
}

export function createLegend(): Legend {
  const root = element('div', 'chart-legend');
  const day = element('p', 'chart-day');
  const list = element('dl', 'chart-sizes');
  root.append(day, list);
  return {
    root,
    show: (figures, at) => {
      const shown = at ?? lastKnown(figures);
      day.textContent = `${figures.dates[shown] ?? ''}${shown === figures.liveAt ? ' (today, live)' : ''}`;
      const total = totalRow(figures, shown);
      list.replaceChildren(
        ...figures.names.map((name, which) => sizeRow(figures, name, which, shown)),
        total,
      );
    },
  };
}

function sizeRow(figures: StorageFigures, name: string, which: number, at: number): HTMLElement {
  const size = figures.sizes[which]?.[at] ?? null;
  const isGap = (figures.totals[at] ?? null) === null;
  const words = size === null ? (isGap ? 'not known' : 'not told') : sizeWords(size);
  return row(`chart-size chart-size-${which + 1}`, name, words);
}

function totalRow({ sizes, totals }: StorageFigures, at: number): HTMLElement {
  const total = totals[at] ?? null;
  if (total === null) return row('chart-total', 'Total', 'not known');
  const isWhole = sizes.every((each) => each[at] !== null);
  return row('chart-total', 'Total', `${isWhole ? '' : '≥ '}${sizeWords(total)}`);
}

function row(className: string, name: string, words: string): HTMLElement {
  const made = element('div', className);
  made.append(element('dt', '', name), element('dd', '', words));
  return made;
}
