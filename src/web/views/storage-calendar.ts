/** The storage of an account by calendar day, without holes between the first day and the last. */
import { addDays } from '../../lib/days.ts';
import { formatBinaryBytes } from '../../lib/format.ts';
import { STORAGE_KINDS } from '../../lib/service-fields.ts';
import type { GapRow, StorageDayRow } from '../../queries/named/storage.ts';

/** A day with its figures; without them `missing` says why. */
export type CalendarDay = { date: string } & ({ row: StorageDayRow } | { row: null; missing: string });

/**
 * The oldest day first. It ends at yesterday at the earliest, so that days that were not read since are visible. `rows`
 * has the oldest day first, `gaps` the latest.
 */
export function buildCalendar(
  rows: readonly StorageDayRow[],
  gaps: readonly GapRow[],
  today: string,
): CalendarDay[] {
  const [first] = [rows[0]?.date, gaps.at(-1)?.date].flatMap((date) => date ?? []).sort();
  const [last = ''] = [rows.at(-1)?.date ?? '', addDays(today, -1)].sort().reverse();
  const rowByDate = new Map(rows.map((row) => [row.date, row]));
  const gapByDate = new Map(gaps.map((gap) => [gap.date, gap]));
  const days: CalendarDay[] = [];
  for (let date = first; date !== undefined && date <= last; date = addDays(date, 1)) {
    const row = rowByDate.get(date);
    days.push(row ? { date, row } : { date, row: null, missing: formatGap(gapByDate.get(date)) });
  }
  return days;
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

/** The sum of the sizes; `at least …` if the service did not provide all of them. */
export function formatTotal(row: StorageDayRow): string {
  const sizes = STORAGE_KINDS.flatMap(({ size }) => row[size] ?? []);
  if (sizes.length === 0) return 'not provided';
  const total = formatBinaryBytes(sizes.reduce((sum, size) => sum + size, 0));
  return sizes.length < STORAGE_KINDS.length ? `at least ${total}` : total;
}

/** A day of a month; `before`: the figures of the day before it. */
export interface MonthDay {
  date: string;
  row: StorageDayRow | null;
  before: StorageDayRow | null;
  /** Why there are no figures. */
  missing: string;
}

export interface Month {
  /** `2026-11`. */
  month: string;
  /** The latest first. */
  days: MonthDay[];
  /** The last booked day before the month. */
  before: StorageDayRow | null;
}

/** The whole months of `calendar` from `since` on, so that no figure depends on the range: the latest first. */
export function listMonths(calendar: readonly CalendarDay[], since: string): Month[] {
  const months: Month[] = [];
  let [before, booked]: (StorageDayRow | null)[] = [null, null];
  for (const day of calendar) {
    const month = day.date.slice(0, 7);
    if (months[0]?.month !== month) months.unshift({ month, days: [], before: booked ?? null });
    const missing = day.row === null ? day.missing : '';
    months[0]?.days.unshift({ date: day.date, row: day.row, before: before ?? null, missing });
    before = day.row;
    if (day.row?.state === 'booked') booked = day.row;
  }
  return months.filter(({ month }) => month >= since.slice(0, 7));
}
