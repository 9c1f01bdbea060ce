/** The storage of an account by calendar day and month, and what changed between two days. */
import { addDays } from '../../lib/days.ts';
import { formatBinaryBytes } from '../../lib/format.ts';
import { FIGURES, STORAGE_KINDS } from '../../service/service-fields.ts';
import type { GapRow, StorageDayRow } from '../../queries/named/storage.ts';

/**
 * The figures of a day. `provisional`: the last reading of a past day that is not booked, as in the published
 * file.
 */
export type ShownDay = Omit<StorageDayRow, 'state'> & { state: StorageDayRow['state'] | 'provisional' };

/**
 * A day. `before`: the figures of the day before it. `missing`: why it has no figures; null where it has
 * some.
 */
export interface CalendarDay {
  /** The day as `YYYY-MM-DD`. */
  date: string;
  row: ShownDay | null;
  before: ShownDay | null;
  missing: string | null;
}

/**
 * The calendar of an account, the oldest day first, without holes. It ends at yesterday at the earliest, so
 * that days that were not read since are visible.
 */
export function buildCalendar(
  rows: readonly StorageDayRow[],
  gaps: readonly GapRow[],
  today: string,
): CalendarDay[] {
  const dates = [...rows, ...gaps].map(({ date }) => date).sort();
  const last = [dates.at(-1) ?? '', addDays(today, -1)].sort().at(-1) ?? '';
  const shown = rows.map((row): ShownDay => {
    return row.state === 'live' && row.date < today ? { ...row, state: 'provisional' } : row;
  });
  const rowByDate = new Map(shown.map((row) => [row.date, row]));
  const gapByDate = new Map(gaps.map((gap) => [gap.date, gap]));
  const days: CalendarDay[] = [];
  for (let [date] = dates; date !== undefined && date <= last; date = addDays(date, 1)) {
    const row = rowByDate.get(date) ?? null;
    const missing = row === null ? formatGap(gapByDate.get(date)) : null;
    days.push({ date, row, before: days.at(-1)?.row ?? null, missing });
  }
  return days;
}

/** The days of an account, as of `buildCalendar`. */
export interface AccountCalendar {
  account: string;
  calendar: readonly CalendarDay[];
  /** The newest figures; null if none were read. */
  latest: ShownDay | null;
}

/**
 * The days of several accounts as one, while all of them have days: a day has figures if each account has
 * some.
 */
export function sumCalendars(accounts: readonly AccountCalendar[]): CalendarDay[] {
  const ends = (at: 0 | -1) => accounts.map(({ calendar }) => calendar.at(at)?.date ?? '').sort();
  const [first = '', last = ''] = [ends(0).at(-1), ends(-1)[0]];
  const byDate = accounts.map(({ account, calendar }) => ({
    account,
    rows: new Map(calendar.map(({ date, row }) => [date, row])),
  }));
  const days: CalendarDay[] = [];
  for (let date = first; date !== '' && date <= last; date = addDays(date, 1)) {
    const lacking = byDate.filter(({ rows }) => !rows.get(date)).map(({ account }) => account);
    const row = lacking.length > 0 ? null : sumRows(byDate.flatMap(({ rows }) => rows.get(date) ?? []));
    const missing = row === null ? `no figures of ${lacking.join(', ')}` : null;
    days.push({ date, row, before: days.at(-1)?.row ?? null, missing });
  }
  return days;
}

/**
 * The figures of several accounts added up, of the latest of their days; a figure is null if an account lacks
 * it. Null without any rows.
 */
export function sumRows(rows: readonly ShownDay[]): ShownDay | null {
  const [latest] = rows.toSorted((one, other) => (one.date < other.date ? 1 : -1));
  if (!latest) return null;
  const total = { ...latest };
  for (const figure of FIGURES) {
    const known = rows.flatMap((row) => row[figure] ?? []);
    total[figure] = known.length < rows.length ? null : known.reduce((sum, each) => sum + each, 0);
  }
  const has = (state: ShownDay['state']) => rows.some((row) => row.state === state);
  total.state = has('live') ? 'live' : has('provisional') ? 'provisional' : 'booked';
  total.is_corrected = rows.some((row) => row.is_corrected === 1) ? 1 : 0;
  return total;
}

const GAP_TEXTS: Record<GapRow['reason'], string> = {
  missing: 'not returned by the service',
  incomplete: 'incomplete in the responses of the service',
  unconfirmed: 'implausible figures, waiting for a second reading',
};

function formatGap(gap: GapRow | undefined): string {
  if (!gap) return 'not read';
  const { reason, given_up_at: givenUpAt, last_requested_at: requestedAt } = gap;
  const time = givenUpAt === null ? `last requested at ${requestedAt} UTC` : `given up at ${givenUpAt} UTC`;
  return `${GAP_TEXTS[reason]}; ${time}`;
}

/** A calendar month with at least one day. */
export interface Month {
  /** The month as `2026-11`. */
  month: string;
  days: CalendarDay[];
  /** The figures of the last booked day; before the first booking, those of the live one. */
  last: ShownDay | null;
  /** The change since the last booked day before the month, in bytes; null if it is not known. */
  growth: number | null;
}

/** The months of a calendar, the latest first. */
export function listMonths(calendar: readonly CalendarDay[]): Month[] {
  const days = new Map<string, CalendarDay[]>();
  for (const day of calendar) {
    const month = day.date.slice(0, 7);
    days.set(month, [...(days.get(month) ?? []), day]);
  }
  let booked: ShownDay | null = null;
  const months = [...days].map(([month, days]) => {
    const before: ShownDay | null = booked;
    booked = days.findLast(({ row }) => row?.state === 'booked')?.row ?? null;
    const last = booked ?? days.findLast(({ row }) => row !== null)?.row ?? null;
    booked ??= before;
    return { month, days, last, growth: changeSince(before, last) };
  });
  return months.reverse();
}

/**
 * What changed from one row to the next, in bytes: null unless both days are booked, because a live reading
 * covers only a part of its day, and have the same sizes. Pages and CSV have no other definition of a change.
 */
export function changeSince(before: ShownDay | null, row: ShownDay | null): number | null {
  if (before?.state !== 'booked' || row?.state !== 'booked') return null;
  const areAlike = STORAGE_KINDS.every(({ size }) => (before[size] === null) === (row[size] === null));
  const [from, to] = [sumSizes(before).bytes, sumSizes(row).bytes];
  return !areAlike || from === null || to === null ? null : to - from;
}

/** The sum of the known sizes; null: none is known. */
export function sumSizes(row: ShownDay): { bytes: number | null; isComplete: boolean } {
  const known = STORAGE_KINDS.flatMap(({ size }) => row[size] ?? []);
  return {
    bytes: known.length === 0 ? null : known.reduce((total, size) => total + size, 0),
    isComplete: known.length === STORAGE_KINDS.length,
  };
}

/** `1.2 TiB`; `at least …` if the service did not provide all sizes. */
export function formatTotal(row: ShownDay): string {
  const { bytes, isComplete } = sumSizes(row);
  if (bytes === null) return 'not provided';
  return `${isComplete ? '' : 'at least '}${formatBinaryBytes(bytes)}`;
}

/** The change between the first and the last booked day that have the same sizes; null: there are no two. */
export function findDelta(days: readonly { row: ShownDay | null }[]) {
  const booked = days.flatMap(({ row }) => (row?.state === 'booked' ? [row] : []));
  const last = booked.at(-1);
  const first = last && booked.find((row) => changeSince(row, last) !== null);
  if (!first || first === last) return null;
  const bytes = changeSince(first, last) ?? 0;
  const from = sumSizes(first).bytes ?? 0;
  return { since: first.date, until: last.date, from, bytes, share: from === 0 ? null : bytes / from };
}
