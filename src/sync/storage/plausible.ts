/** Finds implausible figures of a past day: they are booked only after a second reading. Pure. */
import { fromTimestamp } from '../../lib/clock.ts';
import { formatBytes } from '../../lib/format.ts';
import { FIGURES, STORAGE_KINDS, hasSameFigures } from '../../lib/service-fields.ts';
import type { DayHistory } from '../../warehouse/store-days.ts';
import type { DayRow } from '../../warehouse/statements/storage.ts';
import type { StorageRules } from '../context.ts';
import { CONFIRM_AFTER_MS } from './date-ranges.ts';

/** Totals that are both below 1 GB are not compared. */
const COMPARED_BYTES = 1e9;

/**
 * Why the figures of a past day are implausible: all are 0 although those of the nearest booked day are not, or their
 * total is far from the last live reading of that day. Null if they are plausible.
 */
export function findDoubt(
  row: DayRow,
  history: DayHistory,
  { plausibleFactor }: Pick<StorageRules, 'plausibleFactor'>,
): string | null {
  if (isZero(row) && !isZeroExpected(row.date, history)) return '0 in every figure';
  const live = history.rows.get(row.date);
  if (live?.state !== 'live') return null;
  const [total, before] = [sumSizes(row, live), sumSizes(live, row)];
  const [low, high] = [Math.min(total, before), Math.max(total, before)];
  if (high <= COMPARED_BYTES || high <= low * plausibleFactor) return null;
  return `${formatBytes(total)} in all, the last reading of that day was ${formatBytes(before)}`;
}

/** The same figures were returned at least an hour ago. */
export function isConfirmed(row: DayRow, history: DayHistory, answeredAt: number): boolean {
  const first = history.unconfirmed.get(row.date);
  if (!first || !hasSameFigures(first, row)) return false;
  return answeredAt - fromTimestamp(first.observedAt) >= CONFIRM_AFTER_MS;
}

function isZero(row: DayRow): boolean {
  return FIGURES.every((figure) => (row[figure] ?? 0) === 0);
}

/**
 * The nearest booked day before it, or else after it, is 0 too. No other day counts: one wrong response may be all 0.
 */
function isZeroExpected(date: string, history: DayHistory): boolean {
  const booked = [...history.booked].sort();
  const neighbour = booked.findLast((each) => each < date) ?? booked.find((each) => each > date);
  const row = neighbour === undefined ? undefined : history.rows.get(neighbour);
  return row !== undefined && isZero(row);
}

/** Total bytes of the figures that both rows have. */
function sumSizes(row: DayRow, other: DayRow): number {
  return STORAGE_KINDS.reduce(
    (sum, { size: figure }) => sum + (other[figure] === null ? 0 : (row[figure] ?? 0)),
    0,
  );
}
