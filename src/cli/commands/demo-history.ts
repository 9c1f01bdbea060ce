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
/** How long before now the past ends. */
export const ENDS_AGO_MS = HOUR_MS;
/** A run of the past is over then, also one that was parked. */
const RUN_MS = 3 * HOUR_MS;

/** Days ago: the day that the service leaves out, and the one of which it first counts too little. */
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
  [PAST_DAYS]: ({ incidents }, getDay) => {
    incidents.leaveOut(getDay(GAP));
    incidents.changeDay(getDay(CORRECTED), 0.7);
  },
  48: ({ incidents }) => incidents.failPackages(PACKAGE_IDS),
  [RESTRICTED]: ({ incidents }) => incidents.restrictOnce(RESTRICTION_MS),
  30: ({ removeMany }) => removeMany(TOURS, 37),
  24: ({ incidents }) => incidents.failPackages([WEBINARS]),
  [CORRECTED - 2]: ({ incidents }, getDay) => incidents.changeDay(getDay(CORRECTED), 1),
  0: ({ removeMany }, getDay) => removeMany(CAMPAIGNS, 71, getDay(-1 - ENDS_AGO_MS / DAY_MS)), // files are kept until tomorrow
};

/**
 * Lives through the past that begins with a run at `startMs` (milliseconds since 1970): changes the sandbox at times that follow
 * from that one, and calls `makeRun` for each run, one after the other. At the end the account is as it is now.
 */
export async function liveThroughPast(
  sandbox: Sandbox,
  clock: { set(ms: number): void },
  startMs: number,
  makeRun: (run: PastRun) => Promise<void>,
): Promise<void> {
  const endMs = startMs + PAST_DAYS * DAY_MS;
  let doneMs = startMs;
  /** Spreads the changes evenly from when the last run was over. */
  const churnUntil = (ms: number, changes: number): void => {
    const firstMs = doneMs + Math.min(RUN_MS, (ms - doneMs) / 2);
    for (let made = 0; made < changes; made++) {
      clock.set(Math.floor(firstMs + ((ms - firstMs) * made) / changes));
      sandbox.churn(1);
    }
    clock.set(ms);
    doneMs = ms;
  };
  const calendar = createCalendar(TIMEZONE);
  const getDay = (daysAgo: number) => calendar.dayAt(endMs - daysAgo * DAY_MS);
  for (const daysAgo of listDaysAgo()) {
    const at = endMs - daysAgo * DAY_MS;
    churnUntil(at, daysAgo < PAST_DAYS ? countChanges(daysAgo) : 0);
    INCIDENTS[daysAgo]?.(sandbox, getDay);
    const run: PastRun = {
      at,
      mode: daysAgo % FULL_EVERY === 0 ? 'full' : 'quick',
      resumes: false,
      corrects: daysAgo === CORRECTED - 2 ? getDay(CORRECTED) : null,
    };
    await makeRun(run);
    sandbox.incidents.answerAgain(); // also where `makeRun` sends no requests
    if (daysAgo === RESTRICTED) await makeRun({ ...run, at: run.at + RESTRICTION_MS, resumes: true });
  }
  churnUntil(endMs + ENDS_AGO_MS, CHANGES_SINCE);
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
