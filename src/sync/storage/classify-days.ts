/** What is to be done with each day of an answer. Pure. */
import type { Calendar } from '../../lib/calendar.ts';
import { addDays, type DayRange } from '../../lib/days.ts';
import type { StorageDays } from '../../service/client/parse-response.ts';
import { createDriftCollector } from '../../service/drift.ts';
import { FIGURES, hasSameFigures, pickFigures } from '../../lib/storage-figures.ts';
import { readDate, readStorageDay, type StorageDay } from '../../service/storage.ts';
import type { DaysToStore, KnownDays } from '../../warehouse/store-days.ts';
import type { DayRow, MissedDay } from '../../warehouse/statements/storage.ts';
import type { StorageRules } from '../context.ts';
import { findDoubt, isConfirmed } from './plausible.ts';
import { dayOf, type RunCalendar } from './date-ranges.ts';

/** An answer, when it was there, and what takes the secrets out of a text of it. */
export type DaysToClassify = Omit<StorageDays, 'clean'> & {
  answeredAt: number;
  clean?: StorageDays['clean'];
};

/** How far the clock of a run is to be trusted. */
export interface Trust {
  /** Days may be booked, compared and missed. */
  mayBook: boolean;
  /** Gaps may be given up. */
  mayGiveUp: boolean;
  /** How far the service's clock is ahead of ours by its dates, in milliseconds, up to 10 minutes; null: undated. */
  differenceMs: number | null;
}

/** What an answer is sorted by. */
export interface ClassifyContext {
  /** What was requested. */
  range: DayRange;
  day: RunCalendar;
  known: KnownDays;
  rules: Pick<StorageRules, 'settleMs' | 'giveUpDays' | 'optional' | 'plausibleFactor'>;
  calendar: Calendar;
  trust: Trust;
  /** The newest day that the service is known to have had: by this answer, or by earlier ones; null for none. */
  newestServed: string | null;
  /** Days before this one leave no gap: they were only requested by hand. */
  gapsFrom: string;
}

/** Sorts the records of one answer: live, booked or compared, waiting, missed, refused. */
export function classifyDays(answer: DaysToClassify, context: ClassifyContext): Omit<DaysToStore, 'account'> {
  const { day, known, trust } = context;
  const { rows, refused, drift } = readDays(answer, context);
  const { answeredAt } = answer;
  const found = { answeredAt, live: rows.get(day.today) ?? null, refused, drift };
  if (!trust.mayBook) return { ...found, ...NOTHING_BOOKED };
  const over = { ...context, answeredAt };
  const isPast = (date: string) => isWanted(date, over) && isOver(date, over);
  const past = [...rows.values()].filter((row) => isPast(row.date));
  const doubts = past.flatMap((row) => {
    const reason = known.booked.has(row.date) ? null : findDoubt(row, known, context.rules);
    return reason === null || isConfirmed(row, known, answeredAt) ? [] : [{ row, reason }];
  });
  const waiting = new Set(doubts.map(({ row }) => row.date));
  const last = context.newestServed; // it may not be over: it waits too
  if (last !== null && rows.has(last) && isWanted(last, over) && !isOver(last, over)) waiting.add(last);
  const refusedDates = new Set(refused.map(({ date }) => date));
  const missed = daysOf(context.range)
    .filter((date) => date >= context.gapsFrom && !known.booked.has(date))
    .filter((date) => waiting.has(date) || (isPast(date) && !rows.has(date)))
    .map((date) => missedDay(date, context, waiting, refusedDates));
  return {
    ...found,
    today: trust.mayGiveUp && trust.differenceMs !== null ? day.today : null,
    past: past.filter(({ date }) => !waiting.has(date)),
    unconfirmed: doubts,
    missed,
    givenUp: missed.filter((each) => isGivenUp(each, context)).map(({ date }) => date),
  };
}

/** The newest day within the range that an answer has a record of, or `before` where that is newer; null for none. */
export function findNewestTold(
  records: readonly unknown[],
  { from, to }: DayRange,
  before: string | null,
): string | null {
  const dates = records.flatMap((record) => readDate(record) ?? []);
  return (
    [...dates.filter((date) => date >= from && date <= to), ...(before === null ? [] : [before])]
      .sort()
      .at(-1) ?? null
  );
}

const NOTHING_BOOKED = { today: null, past: [], unconfirmed: [], missed: [], givenUp: [] };

type OverContext = ClassifyContext & { answeredAt: number };

/** Settled when the run began and when the answer came, and in the history; or booked already, to be compared. */
function isWanted(date: string, { day, known, calendar, rules, answeredAt }: OverContext): boolean {
  if (known.booked.has(date)) return date < day.today;
  const settled = addDays(calendar.dayAt(answeredAt - rules.settleMs), -1);
  return date <= day.settled && date <= settled && date >= day.since;
}

/**
 * Over by the service's own clock: by the date of its answers, or because it has told a later day. Without a date, what it
 * has told last may be its today: our clock may be ahead.
 */
function isOver(date: string, { known, calendar, trust, newestServed, answeredAt }: OverContext): boolean {
  if (known.booked.has(date)) return true;
  if (trust.differenceMs !== null) return date < calendar.dayAt(answeredAt + trust.differenceMs);
  return newestServed === null || date < newestServed;
}

function missedDay(
  date: string,
  { known, calendar, day }: ClassifyContext,
  waiting: ReadonlySet<string>,
  refused: ReadonlySet<string | null>,
): MissedDay {
  const gap = known.gaps.get(date);
  const isSameDay = gap !== undefined && dayOf(calendar, gap.lastAskedAt) === day.today;
  const askedDays = (gap?.askedDays ?? 0) + (isSameDay ? 0 : 1);
  const reason = waiting.has(date) ? 'unconfirmed' : refused.has(date) ? 'incomplete' : 'missing';
  return { date, reason, askedDays };
}

function isGivenUp({ askedDays }: MissedDay, { rules, trust }: ClassifyContext): boolean {
  return trust.mayGiveUp && askedDays >= rules.giveUpDays;
}

function daysOf({ from, to }: DayRange): string[] {
  const days = [];
  for (let date = from; date <= to; date = addDays(date, 1)) days.push(date);
  return days;
}

/** One row a day: the same day twice is one where the figures agree, and none where they differ. Every record may drift. */
function readDays(answer: DaysToClassify, { range, day, rules }: ClassifyContext) {
  const rows = new Map<string, DayRow>();
  const indexes = new Map<string, number>();
  const refused: DaysToStore['refused'][number][] = [];
  const drift = createDriftCollector(answer.clean);
  const refuse = (index: number, date: string | null, reason: string) =>
    refused.push({ date, reason, raw: answer.raw(index) });
  for (const [index, record] of answer.records.entries()) {
    const read = readStorageDay(record);
    drift.add(read.drift);
    if ('refused' in read) {
      refuse(index, read.refused.date, read.refused.reason);
      continue;
    }
    const { date } = read.day;
    const problem = findProblem(read.day, range, date <= day.settled ? rules.optional : FIGURES);
    if (problem !== null) refuse(index, date, problem);
    else if (!indexes.has(date)) {
      indexes.set(date, index);
      rows.set(date, { ...pickFigures(read.day), date });
    } else if (!isSame(rows.get(date), read.day)) {
      refuse(index, date, TWICE);
      if (rows.delete(date)) refuse(indexes.get(date) ?? index, date, TWICE);
    }
  }
  return { rows, refused, drift: drift.list() };
}

const TWICE = 'the same day came twice with different figures';

/** Why a record that can be read is not stored; null where it is. A day that is booked has all figures but the optional ones. */
function findProblem(row: StorageDay, { from, to }: DayRange, optional: readonly string[]): string | null {
  if (row.date < from || row.date > to) return 'outside the range asked for';
  const negative = FIGURES.find((figure) => (row[figure] ?? 0) < 0);
  if (negative) return `${negative} is ${row[negative]}, a negative number`;
  const missing = FIGURES.filter((figure) => row[figure] === null && !optional.includes(figure));
  return missing.length === 0 ? null : `incomplete: no figure for ${missing.join(', ')}`;
}

function isSame(one: DayRow | undefined, other: StorageDay): boolean {
  return one !== undefined && hasSameFigures(one, other);
}
