/** The scales of the charts: round sizes in bytes, and days. */
import { daysBetween } from '../../lib/calendar.ts';
import { addDays } from '../../lib/days.ts';

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;
const ROUND = [1, 2, 2.5, 5, 10];

export interface SizeScale {
  /** From the bottom up, all round in one unit. */
  ticks: { bytes: number; label: string }[];
  /** 0 at the top, 1 at the bottom. */
  toShare: (bytes: number) => number;
}

/**
 * Contains all sizes, in about `maxSteps` steps. It begins at 0, unless all sizes are above it and near each other: so growth
 * of some percent can be seen.
 */
export function createSizeScale(sizes: readonly number[], maxSteps: number): SizeScale {
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const isNear = most > least && most - least < most / 2;
  const [low, high] = isNear ? [least, most] : [Math.min(0, least), Math.max(0, most)];
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(-low, high, 1)) / 10));
  const unitBytes = 1024 ** power;
  const stepBytes = findRoundStep((high - low || unitBytes * maxSteps) / unitBytes / maxSteps) * unitBytes;
  const bottom = Math.floor(low / stepBytes + 1e-9);
  const top = Math.max(bottom + 1, Math.ceil(high / stepBytes - 1e-9));
  const ticks = Array.from({ length: top - bottom + 1 }, (_, at) => (bottom + at) * stepBytes);
  return {
    ticks: ticks.map((bytes) => ({ bytes, label: formatTick(bytes / unitBytes, UNITS[power] ?? 'B') })),
    toShare: (bytes) => (top * stepBytes - bytes) / ((top - bottom) * stepBytes),
  };
}

function findRoundStep(least: number): number {
  const ten = 10 ** Math.floor(Math.log10(least));
  return (ROUND.find((each) => each * ten >= least * (1 - 1e-9)) ?? 10) * ten;
}

/** `1.5 TiB`, `−2 GiB`; 0 is `0`. */
function formatTick(size: number, unit: string): string {
  const text = Number(Math.abs(size).toPrecision(6)).toLocaleString('en', { maximumFractionDigits: 12 });
  return size === 0 ? '0' : `${size < 0 ? '\u2212' : ''}${text} ${unit}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120];
const MOST_TICKS = 9;
/** Up to this many days the ticks are days, above they are first days of months. */
const FEW_DAYS = 62;

export interface DayTick {
  /** Days after the first one of the range. */
  at: number;
  /** `5 Nov`, or `Nov` where all ticks are first days of months. */
  label: string;
  /** Of the first tick, and of each first one in another year. */
  year: string | null;
}

/** Round days from `first` to `last` (`YYYY-MM-DD`). */
export function listDayTicks(first: string, last: string): DayTick[] {
  const length = daysBetween(first, last) + 1;
  const areMonths = length > FEW_DAYS;
  const dates = areMonths ? listFirstDays(first, last) : listEveryFew(first, length);
  return dates.map((date, index) => ({
    at: daysBetween(first, date),
    label: `${areMonths ? '' : `${Number(date.slice(8))} `}${MONTHS[Number(date.slice(5, 7)) - 1] ?? ''}`,
    year: date.slice(0, 4) === dates[index - 1]?.slice(0, 4) ? null : date.slice(0, 4),
  }));
}

function listEveryFew(first: string, length: number): string[] {
  const step = Math.ceil(length / MOST_TICKS);
  return Array.from({ length: Math.ceil(length / step) }, (_, at) => addDays(first, at * step));
}

function listFirstDays(first: string, last: string): string[] {
  const toNumber = (date: string) => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;
  const [from, to] = [toNumber(addDays(first, -1)) + 1, toNumber(last)];
  const step = MONTH_STEPS.find((each) => (to - from) / each < MOST_TICKS) ?? 240;
  const months = Array.from({ length: to - from + 1 }, (_, at) => from + at);
  return months
    .filter((month) => month % step === 0)
    .map((month) => new Date(Date.UTC(Math.floor(month / 12), month % 12)).toISOString().slice(0, 10));
}
