/** The data of a chart: read from the response of the server, and stacked. */
import { toDayNumber } from './day-axis.ts';

/** The response of `/storage.json`: sizes in bytes by name and by day. A day without any size is a gap. */
export interface StorageAnswer {
  account: string;
  names: readonly string[];
  /** Every calendar day from the first to the last: `2026-11-22`. */
  dates: readonly string[];
  /** One list per name, each as long as `dates`. */
  sizes: readonly (readonly (number | null)[])[];
  /** Today, if its sizes may still change. */
  live: string | null;
}

export interface StorageData extends StorageAnswer {
  /** As `dates`, as day numbers. */
  days: readonly number[];
  /** The sum of the known sizes of each day; null in a gap. */
  totals: readonly (number | null)[];
  /** The index of today's live day; -1 if there is none. */
  liveIndex: number;
}

/** Throws if the sizes are not those of the names and dates. */
export function readStorageData(answer: StorageAnswer): StorageData {
  const { names, dates, sizes, live } = answer;
  if (sizes.length !== names.length || sizes.some((row) => row.length !== dates.length))
    throw new Error('the sizes do not match the names and dates');
  const totals = dates.map((_, at) => sumKnown(sizes.map((row) => row[at] ?? null)));
  return { ...answer, days: dates.map(toDayNumber), totals, liveIndex: dates.indexOf(live ?? '') };
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
