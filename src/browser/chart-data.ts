/** The data of a chart: read from the answer of the server, and stacked. */
import { toDayNumber } from './day-axis.ts';

/** Sizes in bytes by name and by day. A day without any size is a gap. */
export interface StorageData {
  account: string;
  names: readonly string[];
  /** Every calendar day from the first to the last: `2026-11-22`. */
  dates: readonly string[];
  /** As `dates`, as day numbers. */
  days: readonly number[];
  /** One list per name, each as long as `dates`. */
  sizes: readonly (readonly (number | null)[])[];
  /** The sum of the known sizes of each day; null in a gap. */
  totals: readonly (number | null)[];
  /** The index of today's live day; -1 if there is none. */
  liveIndex: number;
}

/** Throws if the answer has another shape. */
export function readStorageData(answer: unknown): StorageData {
  if (!isRecord(answer)) throw new Error('the answer is not an object');
  const { account, names, dates, sizes, live } = answer;
  if (typeof account !== 'string') throw new Error('the answer has no account');
  if (!isList(names, isText)) throw new Error('the answer has no names');
  if (!isList(dates, isText)) throw new Error('the answer has no dates');
  const isRow = (row: unknown) => isList(row, isSize) && row.length === dates.length;
  if (!isList(sizes, isRow as (row: unknown) => row is (number | null)[]) || sizes.length !== names.length)
    throw new Error('the sizes do not match the names and dates');
  const days = dates.map(toDayNumber);
  const totals = dates.map((_, at) => sumKnown(sizes.map((row) => row[at] ?? null)));
  return { account, names, dates, days, sizes, totals, liveIndex: isText(live) ? dates.indexOf(live) : -1 };
}

function sumKnown(sizes: readonly (number | null)[]): number | null {
  const known = sizes.filter((size) => size !== null);
  return known.length === 0 ? null : known.reduce((sum, size) => sum + size, 0);
}

/** List n is the sum of the names up to n. An unknown size counts as 0; gaps stay null. */
export function stack({ sizes, totals }: StorageData): (number | null)[][] {
  const below = totals.map(() => 0);
  return sizes.map((row) =>
    row.map((size, at) => {
      if (totals[at] === null) return null;
      const top = (below[at] ?? 0) + (size ?? 0);
      below[at] = top;
      return top;
    }),
  );
}

/** The index of the last day with sizes; -1 if there is none. */
export function findLastKnown({ totals }: StorageData): number {
  return totals.findLastIndex((total) => total !== null);
}

export function countKnown({ totals }: StorageData): number {
  return totals.filter((total) => total !== null).length;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isSize = (value: unknown): value is number | null => value === null || typeof value === 'number';
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function isList<Value>(value: unknown, isValue: (one: unknown) => one is Value): value is Value[] {
  return Array.isArray(value) && value.every(isValue);
}
