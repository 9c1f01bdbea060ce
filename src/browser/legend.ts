/** The sizes of one day, below the plot. */
import { createElement } from './dom.ts';
import { findLastKnown, type StorageData } from './chart-data.ts';
import { formatSize } from './size-axis.ts';

export function createLegend() {
  const root = createElement('div', 'chart-legend');
  const day = createElement('p', 'chart-day');
  const list = createElement('dl', 'chart-sizes');
  root.append(day, list);
  return {
    root,
    /** Shows the day at this index of `dates`; null: the last day with sizes. */
    show: (data: StorageData, index: number | null) => {
      const shown = index ?? findLastKnown(data);
      day.textContent = `${data.dates[shown] ?? ''}${shown === data.liveIndex ? ' (today, live)' : ''}`;
      const sizeRows = data.names.map((name, series) =>
        createRow(`chart-size chart-size-${series + 1}`, name, formatSizeOn(data, series, shown)),
      );
      list.replaceChildren(...sizeRows, createRow('chart-total', 'Total', formatTotalOn(data, shown)));
    },
  };
}

function formatSizeOn({ sizes, totals }: StorageData, series: number, at: number): string {
  const size = sizes[series]?.[at] ?? null;
  if (size !== null) return formatSize(size);
  return (totals[at] ?? null) === null ? 'unknown' : 'not provided';
}

function formatTotalOn({ sizes, totals }: StorageData, at: number): string {
  const total = totals[at] ?? null;
  if (total === null) return 'unknown';
  const isComplete = sizes.every((each) => each[at] !== null);
  return `${isComplete ? '' : '≥ '}${formatSize(total)}`;
}

function createRow(className: string, name: string, text: string): HTMLElement {
  const root = createElement('div', className);
  root.append(createElement('dt', '', name), createElement('dd', '', text));
  return root;
}
