/** The scales of the storage chart: round sizes in bytes, and days. */
import { daysBetween } from '../../lib/calendar.ts';
import { addDays } from '../../lib/days.ts';

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;
const ROUND = [1, 2, 2.5, 5, 10];
const STEPS = 4;

export interface SizeScale {
  /** The ticks from the bottom up, all of them round in one unit. */
  ticks: { bytes: number; label: string }[];
  /** The place of a size: 0 at the top, 1 at the bottom. */
  toShare: (bytes: number) => number;
}

const DIGITS = { maximumFractionDigits: 6 };

/**
 * A scale that begins at 0, unless the sizes are near each other: so growth of some percent can be seen.
 */
export function createSizeScale(sizes: readonly number[]): SizeScale {
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const isNear = most - least < most / 2 && most - least > most / 10_000; // labels have six digits
  const low = isNear ? least : 0;
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(most, 1)) / 10));
  const unit = 1024 ** power;
  const step = findRoundStep((most - low || unit * STEPS) / unit / STEPS) * unit;
  const bottom = Math.floor(low / step + 1e-9);
  const top = Math.max(bottom + 1, Math.ceil(most / step - 1e-9));
  const ticks = Array.from({ length: top - bottom + 1 }, (_, at) => (bottom + at) * step);
  const format = (bytes: number) => {
    const number = Number((bytes / unit).toPrecision(6)).toLocaleString('en', DIGITS);
    return bytes === 0 ? '0' : `${number} ${UNITS[power] ?? ''}`;
  };
  return {
    ticks: ticks.map((bytes) => ({ bytes, label: format(bytes) })),
    toShare: (bytes) => (top * step - bytes) / ((top - bottom) * step),
  };
}

function findRoundStep(least: number): number {
  const ten = 10 ** Math.floor(Math.log10(least));
  return (ROUND.find((each) => each * ten >= least * (1 - 1e-9)) ?? 10) * ten;
}

const MOST_TICKS = 8;
/** Up to this many days the ticks are days, above they are first days of months. */
const FEW_DAYS = 62;

/** A tick, by the number of days from the first one, and its text: `Nov 5`, or `Nov 2026`. */
export interface DayTick {
  at: number;
  label: string;
}

/** Lists eight ticks at most, from `first` to `last` (`YYYY-MM-DD`). */
export function listDayTicks(first: string, last: string): DayTick[] {
  const length = daysBetween(first, last) + 1;
  const days = Array.from({ length }, (_, at) => at);
  const areMonths = length > FEW_DAYS;
  const shown = areMonths ? days.filter((at) => addDays(first, at).endsWith('-01')) : days;
  const every = Math.ceil(shown.length / MOST_TICKS);
  const format = new Intl.DateTimeFormat('en', {
    ...(areMonths ? { month: 'short', year: 'numeric' } : { month: 'short', day: 'numeric' }),
    timeZone: 'UTC',
  });
  return shown
    .filter((_, index) => index % every === 0)
    .map((at) => ({ at, label: format.format(Date.parse(addDays(first, at))) }));
}
