/** The chart of storage: what it draws, for the page, the image and the box at the cursor. Pure. */
import { STORAGE_KINDS } from '../../lib/service-fields.ts';
import type { StorageDayRow } from '../../queries/named/storage.ts';
import type { CalendarDay } from '../views/storage-calendar.ts';

/** The sizes at the end of each day, or what changed from one day to the next. */
export type ChartMode = 'level' | 'change';

/** A kind of files. `values` are in bytes, one for each point; null: not known. */
export interface Series {
  name: string;
  values: (number | null)[];
}

/** A place on the x axis: a day, or several of a long range. */
export interface Point {
  /** `2026-11-22`; the first and the last one of several. */
  from: string;
  to: string;
  /** The sum of the known sizes, or the change of the sum, in bytes; null: not known. */
  total: number | null;
  /** False: the service did not provide all sizes. */
  isComplete: boolean;
}

export interface StorageChart {
  account: string;
  mode: ChartMode;
  /** The days of the range, the oldest first. */
  days: readonly CalendarDay[];
  points: readonly Point[];
  /** How many days a point has. */
  daysPerPoint: number;
  series: readonly Series[];
  /** Today, if its sizes may still change. */
  live: string | null;
}

/** More points than a screen has room for. */
const MOST_POINTS = 420;

type Sizes = (number | null)[];

/** `calendar` has every day without holes, the oldest first; the last `range` of them are drawn (null: all). */
export function createStorageChart(
  { account, calendar, today }: { account: string; calendar: readonly CalendarDay[]; today: string },
  { mode, range }: { mode: ChartMode; range: number | null },
): StorageChart {
  const days = range === null ? calendar : calendar.slice(-range);
  const before = calendar[calendar.length - days.length - 1];
  const daysPerPoint = Math.max(1, Math.ceil(days.length / MOST_POINTS));
  const groups = groupDays(days, daysPerPoint);
  const points = groups.map((group) => toPoint(group));
  const levels = groups.map((group) => sizesOf(group.findLast(({ row }) => row !== null)));
  const last = days.at(-1);
  const live = last?.row?.state === 'live' && last.date === today ? today : null;
  const shared = {
    account,
    mode,
    days,
    daysPerPoint,
    live,
  };
  if (mode === 'level') return { ...shared, points, series: toSeries(levels) };
  const changes = changesBetween([...(before ? [before] : []), ...days], days.length);
  const sums = groupDays(changes, daysPerPoint).map(addUp);
  return {
    ...shared,
    points: points.map((point, at) => ({
      ...point,
      total: sum(sums[at] ?? []),
      isComplete: !(sums[at] ?? []).includes(null),
    })),
    series: toSeries(sums),
  };
}

/** Groups of `size`, the last one full: so the newest days are never a part of a group. */
function groupDays<Day>(days: readonly Day[], size: number): Day[][] {
  const first = days.length % size || size;
  const groups: Day[][] = days.length === 0 ? [] : [days.slice(0, first)];
  for (let at = first; at < days.length; at += size) groups.push(days.slice(at, at + size));
  return groups;
}

function toPoint(group: readonly CalendarDay[]): Point {
  const known = group.findLast(({ row }) => row !== null);
  const sizes = sizesOf(known);
  const [from, to] = [group[0]?.date ?? '', group.at(-1)?.date ?? ''];
  return { from, to, total: sum(sizes), isComplete: !sizes.includes(null) };
}

const sizesOf = (day: CalendarDay | undefined): Sizes =>
  STORAGE_KINDS.map(({ size }) => (day?.row ? day.row[size] : null));

/** Of the last `count` days: what changed since the day before. Null where one of both is not known. */
function changesBetween(days: readonly CalendarDay[], count: number): Sizes[] {
  return days.slice(-count).map((day, at) => {
    const before = days[days.length - count + at - 1];
    return changeSince(before?.row ?? null, day.row);
  });
}

/**
 * What changed from one row to the next, in bytes, for each size: null unless both days are booked, because a live reading
 * covers only a part of its day, and have the same sizes. Pages, CSV and figures have no other definition of a change.
 */
export function changeSince(before: StorageDayRow | null, row: StorageDayRow | null): Sizes {
  const areBooked = before?.state === 'booked' && row?.state === 'booked';
  const areAlike =
    areBooked && STORAGE_KINDS.every(({ size }) => (before[size] === null) === (row[size] === null));
  return STORAGE_KINDS.map(({ size }) => {
    const [from, to] = areAlike ? [before[size], row[size]] : [null, null];
    return from === null || to === null ? null : to - from;
  });
}

const addUp = (group: readonly Sizes[]): Sizes =>
  STORAGE_KINDS.map((_, at) => sum(group.map((sizes) => sizes[at] ?? null)));

/** Of what is known; null if nothing is. */
export function sum(sizes: readonly (number | null)[]): number | null {
  const known = sizes.filter((size) => size !== null);
  return known.length === 0 ? null : known.reduce((total, size) => total + size, 0);
}

const toSeries = (rows: readonly Sizes[]): Series[] =>
  STORAGE_KINDS.map(({ label }, at) => ({ name: label, values: rows.map((sizes) => sizes[at] ?? null) }));

/** Runs of points without figures: the number of the first one, and how many. */
export function listGaps({ points, mode }: StorageChart): { at: number; length: number }[] {
  if (mode === 'change') return [];
  const gaps: { at: number; length: number }[] = [];
  points.forEach(({ total }, at) => {
    if (total !== null) return;
    const last = gaps.at(-1);
    if (last && last.at + last.length === at) last.length += 1;
    else gaps.push({ at, length: 1 });
  });
  return gaps;
}

/** The numbers of the points with a corrected day. */
export function listCorrected({ days, points }: StorageChart): number[] {
  const dates = days.flatMap(({ date, row }) => (row?.is_corrected === 1 ? [date] : []));
  return dates
    .map((date) => points.findIndex(({ to }) => to >= date))
    .filter((at, index, all) => all.indexOf(at) === index);
}

/** The change between the first and the last booked day that have the same sizes; null: there are no two. */
export function findDelta(days: readonly { row: StorageDayRow | null }[]) {
  const booked = days.flatMap(({ row }) => (row?.state === 'booked' ? [row] : []));
  const last = booked.at(-1);
  const first = last && booked.find((row) => sum(changeSince(row, last)) !== null);
  if (!first || first === last) return null;
  const bytes = sum(changeSince(first, last)) ?? 0;
  const from = sum(STORAGE_KINDS.map(({ size }) => first[size])) ?? 0;
  return { since: first.date, until: last.date, from, bytes, share: from === 0 ? null : bytes / from };
}
