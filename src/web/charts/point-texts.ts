/** What the chart of storage says in words: at each point, and as a whole. */
import { formatBinaryBytes, pluralize } from '../../lib/format.ts';
import type { Point, StorageChart } from './storage-chart.ts';

/** A point as the box at the cursor shows it. */
export interface PointText {
  /** `2026-11-22 (live)`, `2026-11-01 to 2026-11-07`. */
  day: string;
  /** A line for each series, and one for the total. */
  lines: [name: string, text: string][];
}

export function describePoints(chart: StorageChart): PointText[] {
  const { points, series, mode } = chart;
  const format = mode === 'level' ? formatBinaryBytes : formatSizeChange;
  const corrected = new Set(chart.days.flatMap(({ date, row }) => (row?.is_corrected === 1 ? [date] : [])));
  return points.map((point, at) => {
    const lines = series.map(({ name, values }): [string, string] => {
      const value = values[at] ?? null;
      return [name, value === null ? 'unknown' : format(value)];
    });
    const total = point.total === null ? 'unknown' : `${describeRest(point, mode)}${format(point.total)}`;
    return { day: describeDay(point, chart, corrected), lines: [...lines.reverse(), ['Total', total]] };
  });
}

function describeDay({ from, to }: Point, { live }: StorageChart, corrected: ReadonlySet<string>): string {
  const day = from === to ? from : `${from} to ${to}`;
  if (to === live) return `${day} (live)`;
  return corrected.has(to) ? `${day} (corrected)` : day;
}

const describeRest = ({ isComplete }: Point, mode: StorageChart['mode']): string =>
  isComplete ? '' : mode === 'level' ? 'at least ' : 'of what is known ';

/** `+1.2 GiB`, `−3 MiB`, `no change`. */
export function formatSizeChange(bytes: number): string {
  if (bytes === 0) return 'no change';
  return `${bytes > 0 ? '+' : '\u2212'}${formatBinaryBytes(Math.abs(bytes))}`;
}

/** A sentence for readers that do not see the chart. */
export function describeChart({ account, mode, points, live }: StorageChart): string {
  const known = points.filter(({ total }) => total !== null);
  const [first, last] = [known[0], known.at(-1)];
  if (!first || !last) return `Storage of ${account}: no day with sizes.`;
  if (mode === 'change') {
    const grown = known.filter(({ total }) => (total ?? 0) > 0).length;
    return `Change of the storage of ${account} from ${first.from} to ${last.to}: it grew in ${pluralize(grown, 'step')} of ${known.length}.`;
  }
  const describe = ({ to, total }: Point) => `${formatBinaryBytes(total ?? 0)} on ${to}`;
  const isLive = last.to === live ? ' (today, live)' : '';
  return first === last
    ? `Storage of ${account}: ${describe(last)}${isLive}, the only day with sizes.`
    : `Storage of ${account} by day: from ${describe(first)} to ${describe(last)}${isLive}.`;
}
