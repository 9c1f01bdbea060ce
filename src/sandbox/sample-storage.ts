/** Storage statistics of the simulated account by day (docs/service.md 2.3, 4.2). */
import { daysBetween, type Calendar } from '../lib/calendar.ts';
import { addDays } from '../lib/days.ts';
import { type Clock, DAY_MS } from '../lib/clock.ts';
import type { StorageRange } from '../service/server/catalogue.ts';
import type { Figure } from '../lib/service-fields.ts';
import { FIGURES } from '../lib/storage-figures.ts';
import type { StorageDay } from '../service/storage.ts';
import { hash, STREAM } from './random.ts';

/** How many days before today have a record. */
const PAST_DAYS = 400;

const FIRST_DAY = '2020-01-01';
/** Today's figures at midnight, as a share of those at the end of the day. */
const MORNING_SHARE = 0.98;

/** Each figure on the first day, and its average growth per day. Some sizes stay below 1e7. */
const GROWTH: Record<Figure, { first: number; daily: number }> = {
  mov_org_cnt: { first: 9_000, daily: 4.2 },
  mov_org_size: { first: 7.4e12, daily: 3.6e9 },
  encoder_cnt: { first: 27_500, daily: 12.9 },
  encoder_size: { first: 1.13e13, daily: 5.1e9 },
  ad_org_cnt: { first: 90, daily: 0.05 },
  ad_org_size: { first: 3.1e7, daily: 9_400 },
  ad_encoder_cnt: { first: 180, daily: 0.1 },
  ad_encoder_size: { first: 4.4e6, daily: 1_300 },
  image_count: { first: 30_000, daily: 11 },
  image_size: { first: 2.7e9, daily: 990_000 },
};

/** The returned function reads the days of a range that have a record, at most up to today. Each reading of today differs. */
export function createStorageDays(seed: number, calendar: Calendar, clock: Clock) {
  let readings = { day: '', count: 0 };
  const today = (nowMs: number): StorageDay => {
    const day = calendar.dayAt(nowMs);
    readings = { day, count: readings.day === day ? readings.count + 1 : 1 };
    return makeLiveDay(seed, day, (nowMs - calendar.startOf(day)) / DAY_MS, readings.count);
  };
  return ({ from, to, direction }: StorageRange): StorageDay[] => {
    const nowMs = clock.now();
    const now = calendar.dayAt(nowMs);
    const first = addDays(now, -PAST_DAYS);
    const days = listDays(from > first ? from : first, to < now ? to : now);
    const records = days.map((day) => (day === now ? today(nowMs) : makePastDay(seed, day)));
    return direction === 'asc' ? records : records.reverse();
  };
}

/** True for the days, two of three, whose figures are sent as doubles. */
export function isSentAsDoubles(seed: number, day: string): boolean {
  return hash(seed, STREAM.notation, daysBetween(FIRST_DAY, day)) % 3 !== 0;
}

/** A past day: a function of the seed and the date, so it never changes. A snapshot, not the day's peak. */
function makePastDay(seed: number, day: string): StorageDay {
  return makeDay(day, (figure) => getLevel(seed, day, figure));
}

/** Today's figures after a number of readings; each reading raises them. `passed` is the share of the day that is over. */
function makeLiveDay(seed: number, day: string, passed: number, readingCount: number): StorageDay {
  const share = MORNING_SHARE + (1 - MORNING_SHARE) * Math.min(1, passed);
  return makeDay(day, (figure) => {
    const level = getLevel(seed, day, figure);
    return Math.floor(level * share) + readingCount * Math.ceil(level / 1e6);
  });
}

function makeDay(day: string, getFigure: (figure: Figure) => number): StorageDay {
  const figures = FIGURES.map((figure) => [figure, getFigure(figure)]);
  return { ...(Object.fromEntries(figures) as Record<Figure, number>), date: day };
}

/** Linear growth, plus or minus a thousandth. */
function getLevel(seed: number, day: string, figure: Figure): number {
  const dayNumber = daysBetween(FIRST_DAY, day);
  const { first, daily } = GROWTH[figure];
  const noise = (hash(seed, STREAM.storage, FIGURES.indexOf(figure), dayNumber) / 2 ** 32 - 0.5) / 500;
  return Math.round((first + daily * Math.max(0, dayNumber)) * (1 + noise));
}

function listDays(from: string, to: string): string[] {
  const count = Math.max(0, daysBetween(from, to) + 1);
  return Array.from({ length: count }, (_, offset) => addDays(from, offset));
}
