/** The past of the demo: 60 days of runs of the real pipeline against the sandbox, by a clock that they advance. */
import { setImmediate as breathe } from 'node:timers/promises';
import { openPipeline } from '../../app/pipeline.ts';
import type { Config } from '../../config/config.ts';
import type { Mode } from '../../database/schema/runs.ts';
import { createCalendar } from '../../lib/calendar.ts';
import { DAY_MS, HOUR_MS, toTimestamp, type Clock } from '../../lib/clock.ts';
import { formatCount } from '../../lib/format.ts';
import { createLogger } from '../../lib/logger.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { silentProgress } from '../../sync/context.ts';
import type { CommandContext } from '../command-context.ts';
import { CAMPAIGNS, PACKAGES, TIMEZONE, TOURS, WEBINARS } from './demo-config.ts';

/** The age of the first run when the last one began, in days. */
const PAST_DAYS = 60;
/** How long before now the past ends, and the changes of the account since. */
const ENDS_AGO_MS = HOUR_MS;
const CHANGES_SINCE = 14;
/** Before the last week there is a full run every so many days; in that week a run a day, every sixth of them full. */
const FULL_EVERY = 6;
const A_WEEK = 7;
/** Part of a day between the runs of the last day. */
const LAST_DAY_STEP = 1 / 4;
/** A run of the past is over then, also one that was parked. */
const RUN_MS = 3 * HOUR_MS;

/** Days ago: the day that the service leaves out, the one of which it first counts too little, and the one of a restriction. */
const GAP = 33;
const CORRECTED = 6;
const RESTRICTED = 42;
/** The service names this time to wait when it restricts the account. */
const RESTRICTION_MS = 2 * HOUR_MS;
const REASON = 'the service counted the day again';

/** What happens to the account before the run of a day, by days ago. */
const INCIDENTS: Partial<Record<number, (sandbox: Sandbox, getDay: (daysAgo: number) => string) => void>> = {
  [PAST_DAYS]: ({ incidents }, getDay) => {
    incidents.leaveOut(getDay(GAP));
    incidents.changeDay(getDay(CORRECTED), 0.7);
  },
  48: ({ incidents }) => incidents.failPackages(PACKAGES.map(({ id }) => id)),
  [RESTRICTED]: ({ incidents }) => incidents.restrictOnce(RESTRICTION_MS),
  30: ({ removeMany }) => removeMany(TOURS, 37),
  24: ({ incidents }) => incidents.failPackages([WEBINARS]),
  [CORRECTED - 2]: ({ incidents }, getDay) => incidents.changeDay(getDay(CORRECTED), 1),
  0: ({ removeMany }, getDay) => removeMany(CAMPAIGNS, 71, getDay(-1 - ENDS_AGO_MS / DAY_MS)), // files are kept until tomorrow
};

/** A clock for the past and for what follows. */
export interface PastClock extends Clock {
  /** Moves to a moment, in milliseconds since 1970; from then on only a sleep advances the clock. */
  set(ms: number): void;
  /** From now on it is the machine's clock, and a sleep takes no time. */
  end(): void;
}

export function createPastClock(): PastClock {
  let past: number | null = null;
  return {
    now: () => past ?? Date.now(),
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      if (past === null) return;
      past += Math.max(0, Math.ceil(ms)); // in whole milliseconds, as every clock
      await breathe();
    },
    set: (ms) => void (past = ms),
    end: () => void (past = null),
  };
}

/** When the past begins, in milliseconds since 1970. */
export function startOfPast(): number {
  return Math.floor((Date.now() - ENDS_AGO_MS) / 1000) * 1000 - PAST_DAYS * DAY_MS;
}

interface PastParts {
  config: Config;
  /** It reads `clock`. */
  sandbox: Sandbox;
  clock: PastClock;
  /** When the past begins, in milliseconds since 1970. */
  startMs: number;
  context: CommandContext;
  signal: AbortSignal;
}

/** Makes the past in the file of the config, which must not exist, and returns a line about it. Throws the signal's reason if that aborts. */
export async function makePast({
  config,
  sandbox,
  clock,
  startMs,
  context,
  signal,
}: PastParts): Promise<string> {
  clock.set(startMs);
  const logger = createLogger({ level: 'silent', format: 'text', secrets: [], write: () => undefined });
  const pipeline = openPipeline(config, { ...context, clock, logger, progress: silentProgress });
  const [account = ''] = config.accounts.map(({ name }) => name);
  let runs = 0;
  const makeRun = async (mode: Mode, resumesFrom: string | null): Promise<void> => {
    await pipeline.run({
      trigger: resumesFrom === null ? 'schedule' : 'catch_up',
      mode,
      resumesFrom,
      signal,
    });
    runs++;
    signal.throwIfAborted();
  };
  const correct = async (day: string): Promise<void> => {
    const { observed } = await pipeline.readCorrection(account, day, signal);
    pipeline.warehouse.correctDay({ account, row: observed, acceptedAt: clock.now(), reason: REASON });
  };
  try {
    await liveThroughPast(sandbox, clock, startMs, makeRun, correct);
  } finally {
    await pipeline.close();
    clock.end();
  }
  return `a past of ${PAST_DAYS} days is made up: ${formatCount(runs)} runs, among them an outage and a restriction, one missing day of storage, one corrected day, and removals that are held back\n`;
}

/** Changes the sandbox at times that follow from `startMs`, makes one run after the other, and ends with the account as it is now. */
async function liveThroughPast(
  sandbox: Sandbox,
  clock: PastClock,
  startMs: number,
  makeRun: (mode: Mode, resumesFrom: string | null) => Promise<void>,
  correct: (day: string) => Promise<void>,
): Promise<void> {
  const endMs = startMs + PAST_DAYS * DAY_MS;
  const calendar = createCalendar(TIMEZONE);
  const getDay = (daysAgo: number) => calendar.dayAt(endMs - daysAgo * DAY_MS);
  const churnUntil = createChurn(sandbox, clock, startMs);
  for (const daysAgo of listDaysAgo()) {
    const at = endMs - daysAgo * DAY_MS;
    churnUntil(at, daysAgo < PAST_DAYS ? countChanges(daysAgo) : 0);
    INCIDENTS[daysAgo]?.(sandbox, getDay);
    await makeRun(daysAgo % FULL_EVERY === 0 ? 'full' : 'quick', null);
    if (daysAgo === CORRECTED - 2) await correct(getDay(CORRECTED));
    sandbox.incidents.answerAgain();
    if (daysAgo !== RESTRICTED) continue;
    clock.set(at + RESTRICTION_MS);
    await makeRun('full', toTimestamp(at));
  }
  churnUntil(endMs + ENDS_AGO_MS, CHANGES_SINCE);
}

/** The returned function spreads changes evenly from when the last run was over until `ms`. */
function createChurn(sandbox: Sandbox, clock: PastClock, startMs: number) {
  let doneMs = startMs;
  return (ms: number, changes: number): void => {
    const firstMs = doneMs + Math.min(RUN_MS, (ms - doneMs) / 2);
    for (let made = 0; made < changes; made++) {
      clock.set(Math.floor(firstMs + ((ms - firstMs) * made) / changes));
      sandbox.churn(1);
    }
    clock.set(ms);
    doneMs = ms;
  };
}

/** From the first run to the last one. */
function listDaysAgo(): number[] {
  const daily = Array.from({ length: PAST_DAYS - 1 }, (_, index) => PAST_DAYS - index).filter(
    (daysAgo) => daysAgo <= A_WEEK || daysAgo % FULL_EVERY === 0,
  );
  const lastDay = Array.from({ length: 1 / LAST_DAY_STEP + 1 }, (_, index) => 1 - index * LAST_DAY_STEP);
  return [...daily, ...lastDay];
}

/** The number of changes before a run: fewer on the last day, whose runs are close. */
function countChanges(daysAgo: number): number {
  return daysAgo < 1 ? 3 : 6 + ((daysAgo * 7) % 17);
}
