/**
 * Calendar days as integers, counted from 1970-01-01: the x axis of the plot. They have no time zone, so the viewer's time
 * zone cannot shift them.
 */
const DAY_MS = 86_400_000;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Allowed distances of ticks, the smallest first. Weeks begin on a Monday. */
const STEPS: readonly Step[] = [
  ...[1, 2, 7, 14].map((days) => ({ days })),
  ...[1, 2, 3, 6, 12, 24, 60, 120].map((months) => ({ months })),
];
const MONDAY = 4; // 1970-01-05
const DAYS_PER_MONTH = 30.4;
const DAY_LABEL_PX = 62;
const MONTH_LABEL_PX = 46;

type Step = { days: number } | { months: number };

/** Throws if `date` is not like `2026-11-22`. */
export function toDayNumber(date: string): number {
  const number = Date.parse(`${date}T00:00:00Z`) / DAY_MS;
  if (!Number.isInteger(number)) throw new Error(`${date} is not a date`);
  return number;
}

const toDateParts = (day: number) => {
  const date = new Date(day * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth(), day: date.getUTCDate() };
};

/** Round days between `from` and `to` (fractions allowed), as dense as their labels fit. */
export function listDayTicks(from: number, to: number, widthPx: number): number[] {
  const getLabelsPx = (step: Step) =>
    ((to - from) / getStepDays(step)) * ('days' in step ? DAY_LABEL_PX : MONTH_LABEL_PX);
  const step = STEPS.find((each) => getLabelsPx(each) <= widthPx) ?? { months: 240 };
  return 'days' in step ? listTicksByDay(from, to, step.days) : listTicksByMonth(from, to, step.months);
}

const getStepDays = (step: Step) => ('days' in step ? step.days : step.months * DAYS_PER_MONTH);

function listTicksByDay(from: number, to: number, days: number): number[] {
  const first = Math.ceil((from - MONDAY) / days) * days + MONDAY;
  return Array.from(
    { length: Math.max(0, Math.floor((to - first) / days) + 1) },
    (_, at) => first + at * days,
  );
}

function listTicksByMonth(from: number, to: number, months: number): number[] {
  const { year, month } = toDateParts(Math.floor(from));
  const ticks: number[] = [];
  for (let at = Math.floor((year * 12 + month) / months) * months; ; at += months) {
    const tick = Date.UTC(Math.floor(at / 12), at % 12, 1) / DAY_MS;
    if (tick > to) return ticks;
    if (tick >= from) ticks.push(tick);
  }
}

/** `22 Nov`, or `Nov` if all ticks are first days of months; with the year below the first and at each new year. */
export function formatDayLabels(ticks: readonly number[]): string[] {
  const all = ticks.map(toDateParts);
  const isByMonth = all.length > 1 && all.every(({ day }) => day === 1);
  return all.map(({ year, month, day }, at) => {
    const name = MONTHS[month] ?? '';
    const label = isByMonth ? name : `${day} ${name}`;
    return year === all[at - 1]?.year ? label : `${label}\n${year}`;
  });
}
