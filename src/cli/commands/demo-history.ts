/** What the past of the demo consists of: when its runs were, and what happened to the account before each of them. */
import type { Mode } from '../../database/schema/runs.ts';
import { createCalendar } from '../../lib/calendar.ts';
import { DAY_MS, HOUR_MS } from '../../lib/clock.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { CAMPAIGNS, PACKAGE_IDS, TIMEZONE, TOURS, WEBINARS } from './demo-config.ts';

/** The age of the first run when the last one began, in days. */
export const PAST_DAYS = 60;

/** The time between the runs of the last day; in the week before there is one a day. */
const LAST_DAY_PAUSE_MS = 6 * HOUR_MS;
/** Days between full runs; the others are quick. Before the last week there are only full ones. */
const FULL_EVERY = 6;
const A_WEEK = 7;
/** Changes of the account between the last run of the past and now. */
export const CHANGES_SINCE = 14;

/** Days ago: the day that the service leaves out, and the one that it tells anew. */
const GAP = 33;
const CORRECTED = 6;
const RESTRICTED = 42;
/** The service names this time to wait when it restricts the account. */
const RESTRICTION_MS = 2 * HOUR_MS;

/** One run of the past. */
export interface PastRun {
  /** In milliseconds since 1970. */
  at: number;
  mode: Mode;
  /** It continues the run before it, which was parked. */
  resumes: boolean;
  /** The day that is corrected after the run, `yyyy-mm-dd`; null for none. */
  corrects: string | null;
}

/** A change of the sandbox before the run of a day. */
type Incident = (sandbox: Sandbox, getDay: (daysAgo: number) => string) => void;

/** By days ago. */
const INCIDENTS: Partial<Record<number, Incident>> = {
  [PAST_DAYS]: ({ incidents }, getDay) => incidents.leaveOut(getDay(GAP)),
  48: ({ incidents }) => incidents.failPackages(PACKAGE_IDS),
  [RESTRICTED]: ({ incidents }) => incidents.restrictOnce(RESTRICTION_MS),
  30: ({ removeMany }) => removeMany(TOURS, 37),
  24: ({ incidents }) => incidents.failPackages([WEBINARS]),
  [CORRECTED - 2]: ({ incidents }, getDay) => incidents.changeDay(getDay(CORRECTED), 1.012),
  0: ({ removeMany }) => removeMany(CAMPAIGNS, 71),
};

/**
 * Lives through the past that ends with a run at `endMs` (milliseconds since 1970): changes the sandbox, and calls `makeRun`
 * for each run, one after the other. At the end the account is as it is now.
 */
export async function liveThroughPast(
  sandbox: Sandbox,
  endMs: number,
  makeRun: (run: PastRun) => Promise<void>,
): Promise<void> {
  const calendar = createCalendar(TIMEZONE);
  const getDay = (daysAgo: number) => calendar.dayAt(endMs - daysAgo * DAY_MS);
  for (const daysAgo of listDaysAgo()) {
    if (daysAgo < PAST_DAYS) sandbox.churn(countChanges(daysAgo));
    INCIDENTS[daysAgo]?.(sandbox, getDay);
    const run: PastRun = {
      at: endMs - daysAgo * DAY_MS,
      mode: daysAgo % FULL_EVERY === 0 ? 'full' : 'quick',
      resumes: false,
      corrects: daysAgo === CORRECTED - 2 ? getDay(CORRECTED) : null,
    };
    await makeRun(run);
    sandbox.incidents.answerAgain(); // also where `makeRun` sends no requests
    if (daysAgo === RESTRICTED) await makeRun({ ...run, at: run.at + RESTRICTION_MS, resumes: true });
  }
  sandbox.churn(CHANGES_SINCE);
}

/** From the first run to the last one. */
function listDaysAgo(): number[] {
  const daily = Array.from({ length: PAST_DAYS - 1 }, (_, index) => PAST_DAYS - index).filter(
    (daysAgo) => daysAgo <= A_WEEK || daysAgo % FULL_EVERY === 0,
  );
  const step = LAST_DAY_PAUSE_MS / DAY_MS;
  const lastDay = Array.from({ length: 1 / step + 1 }, (_, index) => 1 - index * step);
  return [...daily, ...lastDay];
}

/** The number of changes before a run: fewer on the last day, whose runs are close. */
function countChanges(daysAgo: number): number {
  return daysAgo < 1 ? 3 : 6 + ((daysAgo * 7) % 17);
}
