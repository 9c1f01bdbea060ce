/**
 * Calendar days as whole numbers, counted from 1970-01-01. A day has no time zone here: the plot's x axis counts these numbers,
 * so that no clock of the viewer's can shift one.
 */
const DAY_MS = 86_400_000;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** What ticks may be apart, the closest first: whole days (from a Monday where weeks), or whole months. */
const STEPS: readonly Step[] = [
  ...[1, 2, 7, 14].map((days) => ({ days })),
  ...[1, 2, 3, 6, 12, 24, 60, 120].map((months) => ({ months })),
];
const MONDAY = 4; // 1970-01-05
const DAYS_A_MONTH = 30.4;
const DAY_LABEL_PX = 62;
const MONTH_LABEL_PX = 46;

type Step = { days: number } | { months: number };

/** The number of `2026-11-22`. Throws where that is no date. */
export function dayNumber(date: string): number {
  const number = Date.parse(`${date}T00:00:00Z`) / DAY_MS;
  if (!Number.isInteger(number)) throw new Error(`${date} is not a date`);
  return number;
}

const partsOf = (day: number) => {
  const date = new Date(day * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth(), day: date.getUTCDate() };
};

/** Round days between two others (fractions are allowed), as close as their labels permit on an axis of so many pixels. */
export function dayTicks(from: number, to: number, widthPx: number): number[] {
  const labelsPx = (step: Step) =>
    ((to - from) / lengthOf(step)) * ('days' in step ? DAY_LABEL_PX : MONTH_LABEL_PX);
  const step = STEPS.find((each) => labelsPx(each) <= widthPx) ?? { months: 240 };
  return 'days' in step ? ticksByDay(from, to, step.days) : ticksByMonth(from, to, step.months);
}

const lengthOf = (step: Step) => ('days' in step ? step.days : step.months * DAYS_A_MONTH);

function ticksByDay(from: number, to: number, days: number): number[] {
  const first = Math.ceil((from - MONDAY) / days) * days + MONDAY;
  return Array.from(
    { length: Math.max(0, Math.floor((to - first) / days) + 1) },
    (_, at) => first + at * days,
  );
}

function ticksByMonth(from: number, to: number, months: number): number[] {
  const { year, month } = partsOf(Math.floor(from));
  const ticks: number[] = [];
  for (let at = Math.floor((year * 12 + month) / months) * months; ; at += months) {
    const tick = Date.UTC(Math.floor(at / 12), at % 12, 1) / DAY_MS;
    if (tick > to) return ticks;
    if (tick >= from) ticks.push(tick);
  }
}

/** Labels of ticks: `22 Nov`, or `Nov` where every tick is the first of a month; the year below the first one and at each new year. */
export function dayLabels(ticks: readonly number[]): string[] {
  const all = ticks.map(partsOf);
  const isByMonth = all.length > 1 && all.every(({ day }) => day === 1);
  return all.map(({ year, month, day }, at) => {
    const name = MONTHS[month] ?? '';
    const label = isByMonth ? name : `${day} ${name}`;
    return year === all[at - 1]?.year ? label : `${label}\n${year}`;
  });
}
