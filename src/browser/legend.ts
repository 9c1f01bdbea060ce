/** The sizes of one day, below the plot. */
import { createElement } from './dom.ts';
import { findLastKnown, type StorageData } from './chart-data.ts';
import { formatSize } from './size-axis.ts';

export interface Legend {
  root: HTMLElement;
  /** Shows the day at this index of `dates`; null: the last day with sizes. */
  show(data: StorageData, index: number | null): void;
}

export function createLegend(): Legend {
  const root = createElement('div', 'chart-legend');
  const day = createElement('p', 'chart-day');
  const list = createElement('dl', 'chart-sizes');
  root.append(day, list);
  return {
    root,
    show: (data, index) => {
      const shown = index ?? findLastKnown(data);
      day.textContent = `${data.dates[shown] ?? ''}${shown === data.liveIndex ? ' (today, live)' : ''}`;
      const total = createTotalRow(data, shown);
      list.replaceChildren(
        ...data.names.map((name, series) => createSizeRow(data, name, series, shown)),
        total,
      );
    },
  };
}

function createSizeRow(data: StorageData, name: string, series: number, at: number): HTMLElement {
  const size = data.sizes[series]?.[at] ?? null;
  const isGap = (data.totals[at] ?? null) === null;
  const text = size === null ? (isGap ? 'unknown' : 'not provided') : formatSize(size);
  return createRow(`chart-size chart-size-${series + 1}`, name, text);
}

function createTotalRow({ sizes, totals }: StorageData, at: number): HTMLElement {
  const total = totals[at] ?? null;
  if (total === null) return createRow('chart-total', 'Total', 'unknown');
  const isComplete = sizes.every((each) => each[at] !== null);
  return createRow('chart-total', 'Total', `${isComplete ? '' : '≥ '}${formatSize(total)}`);
}

function createRow(className: string, name: string, text: string): HTMLElement {
  const root = createElement('div', className);
  root.append(createElement('dt', '', name), createElement('dd', '', text));
  return root;
}
