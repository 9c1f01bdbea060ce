/** The figures of a chart, as the server answers with them, and what is drawn of them. */
import { dayNumber } from './day-axis.ts';

/** Sizes in bytes by name and by day. A day of which no size is told is a gap. */
export interface StorageFigures {
  account: string;
  names: readonly string[];
  /** Every calendar day from the first to the last: `2026-11-22`. */
  dates: readonly string[];
  /** As `dates`, as day numbers. */
  days: readonly number[];
  /** One list a name, each as long as `dates`. */
  sizes: readonly (readonly (number | null)[])[];
  /** The sum of what is told of each day; null in a gap. */
  totals: readonly (number | null)[];
  /** Where in `dates` today's live day is; -1 where there is none. */
  liveAt: number;
}

/** Reads an answer. Throws where it is not one. */
export function readFigures(answer: unknown): StorageFigures {
  if (!isRecord(answer)) throw new Error('the answer is not an object');
  const { account, names, dates, sizes, live } = answer;
  if (typeof account !== 'string') throw new Error('the answer has no account');
  if (!isList(names, isText)) throw new Error('the answer has no names');
  if (!isList(dates, isText)) throw new Error('the answer has no dates');
  const isRow = (row: unknown) => isList(row, isSize) && row.length === dates.length;
  if (!isList(sizes, isRow as (row: unknown) => row is (number | null)[]) || sizes.length !== names.length)
    throw new Error('the sizes do not go with the names and dates');
  const days = dates.map(dayNumber);
  const totals = dates.map((_, at) => sumOf(sizes.map((row) => row[at] ?? null)));
  return { account, names, dates, days, sizes, totals, liveAt: isText(live) ? dates.indexOf(live) : -1 };
}

function sumOf(sizes: readonly (number | null)[]): number | null {
  const told = sizes.filter((size) => size !== null);
  return told.length === 0 ? null : told.reduce((sum, size) => sum + size, 0);
}

/** The sizes on top of each other: list n is the sum of the names up to n. What is not told counts as 0, a gap stays one. */
export function stack({ sizes, totals }: StorageFigures): (number | null)[][] {
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

/** Where the last day with figures is; -1 where there is none. */
export function lastKnown({ totals }: StorageFigures): number {
  return totals.findLastIndex((total) => total !== null);
}

/** How many days have figures. */
export function countKnown({ totals }: StorageFigures): number {
  return totals.filter((total) => total !== null).length;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isSize = (value: unknown): value is number | null => value === null || typeof value === 'number';
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function isList<Value>(value: unknown, isValue: (one: unknown) => one is Value): value is Value[] {
  return Array.isArray(value) && value.every(isValue);
}
