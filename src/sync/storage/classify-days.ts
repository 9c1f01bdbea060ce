/** Decides what to do with each day of a response. Pure. */
import type { Calendar } from '../../lib/calendar.ts';
import { fromTimestamp } from '../../lib/clock.ts';
import { addDays, listDays, type DayRange } from '../../lib/days.ts';
import { formatCount } from '../../lib/format.ts';
import {
  FIGURES,
  hasSameFigures,
  pickFigures,
  STORAGE_FIELDS,
  type Figure,
} from '../../service/service-fields.ts';
import type { ClockResult } from '../../service/client/clock-check.ts';
import type { RecordList } from '../../service/client/parse-response.ts';
import { createDriftCollector } from '../../service/drift.ts';
import { readStorageDay, type StorageDay } from '../../service/storage.ts';
import type { DaysToStore, DayHistory, MissedDay } from '../../warehouse/store-days.ts';
import type { DayRow } from '../../warehouse/statements/storage.ts';
import type { StorageRules } from '../context.ts';
import { toDay, type RunCalendar, CONFIRM_AFTER_MS } from './date-ranges.ts';

export type DaysToClassify = Omit<RecordList, 'redact'> & {
  /** When the response was received, in milliseconds since 1970. */
  answeredAt: number;
  redact?: RecordList['redact'];
};

export interface ClassifyContext {
  /** The requested days. */
  range: DayRange;
  day: RunCalendar;
  history: DayHistory;
  rules: Pick<StorageRules, 'settleMs' | 'giveUpDays' | 'optional' | 'plausibleFactor'>;
  calendar: Calendar;
  /** What the responses of this run show of the machine's clock. */
  clock: ClockResult;
  /** Earlier days leave no gap, because they were only requested by hand. */
  gapsFrom: string;
}

/** Classifies the records of one response: live, past (to book or compare), unconfirmed, missing, refused. */
export function classifyDays(answer: DaysToClassify, context: ClassifyContext): Omit<DaysToStore, 'account'> {
  const { day, history, rules, clock } = context;
  const { rows, refused, drift } = readDays(answer, context);
  const { answeredAt } = answer;
  const today = rows.get(day.today) ?? null;
  const common = { answeredAt, live: today, refused, drift };
  if (clock.isOff) return { ...common, ...NOTHING_BOOKED };
  const settled = addDays(context.calendar.dayAt(answeredAt - rules.settleMs), -1);
  const isBooked = (date: string) => history.booked.has(date);
  const unbooked = [...rows].filter(([date]) => !isBooked(date));
  const returned = { ...context, rows, settled, known: new Map([...history.rows, ...unbooked]) };
  const past = [...rows.values()].filter((row) => isPast(row.date, returned));
  const { from, to } = context.range;
  // a service that does not have today yet has the day before it in progress
  const inProgress = to < day.today ? undefined : unbooked.find(([date]) => !isOver(date, returned));
  const outside = refused.find(({ date }) => date !== null && (date < from || date > to));
  const unconfirmed = past.flatMap((row) => {
    const doubt = outside ? `a record of ${outside.date} came with it` : findDoubt(row, returned);
    const reason = isBooked(row.date) ? null : doubt;
    return reason === null || isConfirmed(row, history, answeredAt) ? [] : [{ row, reason }];
  });
  const waiting = new Set(unconfirmed.map(({ row }) => row.date));
  const refusedDates = new Set(refused.map(({ date }) => date));
  const missed = listDays(context.range)
    .filter((date) => date >= context.gapsFrom && !isBooked(date))
    .filter((date) => waiting.has(date) || (isPast(date, returned) && !rows.has(date)))
    .map((date) => toMissedDay(date, context, waiting, refusedDates));
  return {
    ...common,
    live: today ?? inProgress?.[1] ?? null,
    past: past.filter(({ date }) => !waiting.has(date)),
    unconfirmed,
    missed,
  };
}

const NOTHING_BOOKED = { past: [], unconfirmed: [], missed: [] };

/**
 * `rows`: the days of the response. `known`: also those stored. `settled`: the last settled day at the
 * response.
 */
type ReturnedDays = ClassifyContext & {
  rows: ReadonlyMap<string, DayRow>;
  known: ReadonlyMap<string, DayRow>;
  settled: string;
};

/**
 * Is a day past? A booked one is, if it is before today. Any other one is if it is over, not before `since`,
 * and was settled both at the start of the run and at the response: the machine's clock may have been ahead
 * at the start and corrected since.
 */
function isPast(date: string, returned: ReturnedDays): boolean {
  const { day, history, settled } = returned;
  if (history.booked.has(date)) return date < day.today;
  return date <= day.settled && date <= settled && date >= day.since && isOver(date, returned);
}

/**
 * Is a day over? The service itself shows that if it has a later one; the machine's clock and the time zone
 * of the config may be wrong. Without a later day, one more whole day must have passed by a clock that the
 * responses confirm.
 */
function isOver(date: string, returned: ReturnedDays): boolean {
  const { history, known, clock, settled } = returned;
  const isShown = [...known.values()].some(
    (later) => later.date > date && (history.booked.has(later.date) || !isFiller(later, date, returned)),
  );
  return isShown || known.size === 0 || (clock.differenceMs !== null && date < settled);
}

/**
 * Is a record the filler of a date that has not begun? A service may have such records, with 0 in every
 * figure or with the figures of the day in progress. Two days may well have equal figures; but if both
 * changed together, the later one is a filler.
 */
function isFiller(later: DayRow, date: string, { rows, history }: ReturnedDays): boolean {
  const row = rows.get(date);
  if (!row || !hasSameFigures(later, row)) return row !== undefined && isZero(later);
  const first = history.newestDay?.date === later.date ? history.newestDay : row;
  return !hasSameFigures(first, row) && !isZero(first);
}

function toMissedDay(
  date: string,
  { history, calendar, day, rules }: ClassifyContext,
  waiting: ReadonlySet<string>,
  refused: ReadonlySet<string | null>,
): MissedDay {
  const gap = history.gaps.get(date);
  const isSameDay = gap !== undefined && toDay(calendar, gap.last_requested_at) === day.today;
  const requestedDays = (gap?.requested_days ?? 0) + (isSameDay ? 0 : 1);
  const reason = waiting.has(date) ? 'unconfirmed' : refused.has(date) ? 'incomplete' : 'missing';
  return { date, reason, requestedDays, isGivenUp: requestedDays >= rules.giveUpDays };
}

const TWICE = 'the same day came twice with different figures';

/** Reads one row per day. A day that is returned twice is refused if the figures differ. */
function readDays(answer: DaysToClassify, { range, day, rules }: ClassifyContext) {
  const rows = new Map<string, DayRow>();
  const indexes = new Map<string, number>();
  const refused: DaysToStore['refused'][number][] = [];
  const { redact = (text: string) => text } = answer;
  const drift = createDriftCollector(redact);
  const reject = (index: number, date: string | null, reason: string) =>
    refused.push({ date, reason, raw: redact(answer.records[index] ?? '') });
  for (const [index, record] of answer.records.entries()) {
    const read = readStorageDay(record);
    drift.add(read.drift);
    if ('refused' in read) {
      reject(index, read.refused.date, read.refused.reason);
      continue;
    }
    const { date } = read.day;
    const problem = findProblem(read.day, range, date <= day.settled ? rules.optional : FIGURES);
    const first = rows.get(date);
    if (problem !== null) reject(index, date, problem);
    else if (!indexes.has(date)) {
      indexes.set(date, index);
      rows.set(date, { ...pickFigures(read.day), date });
    } else if (!first || !hasSameFigures(first, read.day)) {
      reject(index, date, TWICE);
      if (rows.delete(date)) reject(indexes.get(date) ?? index, date, TWICE);
    }
  }
  return { rows, refused, drift: drift.list() };
}

/** Why a readable record is not stored; null if it is. */
function findProblem(row: StorageDay, { from, to }: DayRange, optional: readonly string[]): string | null {
  if (row.date < from || row.date > to) return 'outside the range asked for';
  const negative = FIGURES.find((figure) => (row[figure] ?? 0) < 0);
  if (negative) return `${negative} is ${row[negative]}, a negative number`;
  const missing = FIGURES.filter((figure) => row[figure] === null && !optional.includes(figure));
  return missing.length === 0 ? null : `incomplete: no figure for ${missing.join(', ')}`;
}

/**
 * Why the figures of a past day are implausible; null if they are plausible. Each is compared with the last
 * live reading of that day. Without such a reading, it has to be near to that of the day before or the day
 * after. If all figures are those of another day, none may differ at all; those of the day after may be the
 * same, because nothing may have changed on it.
 */
function findDoubt(row: DayRow, { history, known, rules }: ReturnedDays): string | null {
  if (isZero(row) && !isZeroExpected(row.date, history)) return '0 in every figure';
  const [before, after] = [addDays(row.date, -1), addDays(row.date, 1)];
  const last = history.rows.get(row.date);
  const expected = last ? [last] : [known.get(before) ?? [], known.get(after) ?? []].flat();
  const days = [...known.values()].filter(({ date }) => date !== row.date);
  const alike = days.flatMap((day) => (hasSameFigures(day, row) ? day.date : []));
  const other = alike.find((date) => date < row.date || !alike.includes(after));
  const factor = other === undefined ? rules.plausibleFactor : 1;
  const far = FIGURES.find((figure) => expected.every((day) => isFar(figure, row, day, factor)));
  const [first] = expected;
  if (!first || !far) return null;
  const when = last ? 'in the last reading of that day' : `on ${first.date}`;
  const text = `${far} is ${formatCount(row[far] ?? 0)}, ${when} it was ${formatCount(first[far] ?? 0)}`;
  return other === undefined ? text : `${text}; all figures are those of ${other}`;
}

/** Sizes and counts up to these are not compared, because small accounts change by any factor. */
const SMALL_BYTES = 1e9;
const SMALL_COUNT = 100;

/** Is one of the two figures more than the factor times the other? */
function isFar(figure: Figure, row: DayRow, day: DayRow, factor: number): boolean {
  const [one, other] = [row[figure], day[figure]];
  if (one === null || other === null) return false;
  const high = Math.max(one, other);
  const least = STORAGE_FIELDS[figure].unit === 'bytes' ? SMALL_BYTES : SMALL_COUNT;
  return high > least && high > Math.min(one, other) * factor;
}

/** Were the same figures returned at least an hour before? */
export function isConfirmed(row: DayRow, history: DayHistory, answeredAt: number): boolean {
  const first = history.unconfirmed.get(row.date);
  if (!first || !hasSameFigures(first, row)) return false;
  return answeredAt - fromTimestamp(first.observed_at) >= CONFIRM_AFTER_MS;
}

function isZero(row: DayRow): boolean {
  return FIGURES.every((figure) => (row[figure] ?? 0) === 0);
}

/**
 * Is 0 in every figure to be expected? It is if the nearest booked day before, or without one the first
 * booked day, is 0, too. Days that are not booked do not count, because one wrong response may be all 0.
 */
function isZeroExpected(date: string, history: DayHistory): boolean {
  const booked = [...history.booked].sort();
  const neighbour = booked.findLast((each) => each < date) ?? booked[0];
  const row = history.rows.get(neighbour ?? '');
  return row !== undefined && isZero(row);
}
