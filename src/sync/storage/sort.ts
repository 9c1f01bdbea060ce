/** What is to be done with each day of an answer. Pure. */
import { addDays, DAY_MS } from '../../lib/days.ts';
import { fromTimestamp } from '../../lib/clock.ts';
import type { StorageDays } from '../../service/client/answers.ts';
import { createDriftCollector } from '../../service/drift.ts';
import { FIGURES, readStorageDay, type StorageDay } from '../../service/storage.ts';
import type { DaysToStore, KnownDays } from '../../warehouse/days.ts';
import type { DayRow } from '../../warehouse/statements/storage.ts';
import type { DayRange, RunDay } from './ranges.ts';

/** An answer, when it was there, and what takes the secrets out of a text of it. */
export type DaysToSort = Omit<StorageDays, 'clean'> & {
  answeredAt: number;
  clean?: StorageDays['clean'];
};

/** Sorts the records of one answer: live, booked or compared, missed, refused. `range` is what was asked for. */
export function sortDays(
  answer: DaysToSort,
  range: DayRange,
  day: RunDay,
  known: KnownDays,
  giveUpDays: number,
): Omit<DaysToStore, 'account'> {
  const { rows, refused, drift } = readDays(answer, range);
  const isPast = (date: string) => date <= day.settled && (date >= day.since || known.booked.has(date));
  const missed = daysOf(range).filter((date) => isPast(date) && !rows.has(date) && !known.booked.has(date));
  return {
    answeredAt: answer.answeredAt,
    live: rows.get(day.today) ?? null,
    past: [...rows.values()].filter((row) => isPast(row.date)),
    missed,
    givenUp: missed.filter((date) => isOld(known.gaps.get(date)?.firstMissedAt, day.now, giveUpDays)),
    refused,
    drift,
  };
}

function isOld(firstMissedAt: string | undefined, now: number, giveUpDays: number): boolean {
  return firstMissedAt !== undefined && fromTimestamp(firstMissedAt) <= now - giveUpDays * DAY_MS;
}

function daysOf({ from, to }: DayRange): string[] {
  const days = [];
  for (let date = from; date <= to; date = addDays(date, 1)) days.push(date);
  return days;
}

/** One row a day: the same day twice is one where the figures agree, and none where they differ. Every record may drift. */
function readDays(answer: DaysToSort, range: DayRange) {
  const rows = new Map<string, DayRow>();
  const indexes = new Map<string, number>();
  const refused: DaysToStore['refused'][number][] = [];
  const drift = createDriftCollector(answer.clean);
  const refuse = (index: number, date: string | null, reason: string) =>
    refused.push({ date, reason, raw: answer.raw(index) });
  for (const [index, record] of answer.records.entries()) {
    const read = readStorageDay(record);
    drift.note(read.drift);
    if ('refused' in read) refuse(index, read.refused.date, read.refused.reason);
    else if (read.day.date < range.from || read.day.date > range.to)
      refuse(index, read.day.date, 'outside the range asked for');
    else if (!indexes.has(read.day.date)) {
      indexes.set(read.day.date, index);
      rows.set(read.day.date, pickFigures(read.day));
    } else if (!isSame(rows.get(read.day.date), pickFigures(read.day))) {
      refuse(index, read.day.date, TWICE);
      if (rows.delete(read.day.date)) refuse(indexes.get(read.day.date) ?? index, read.day.date, TWICE);
    }
  }
  return { rows, refused, drift: drift.found() };
}

const TWICE = 'the same day came twice with different figures';

function pickFigures(day: StorageDay): DayRow {
  const figures = Object.fromEntries(FIGURES.map((figure) => [figure, day[figure]]));
  return { ...(figures as Omit<DayRow, 'date'>), date: day.date };
}

function isSame(one: DayRow | undefined, other: DayRow): boolean {
  return one !== undefined && FIGURES.every((figure) => one[figure] === other[figure]);
}
