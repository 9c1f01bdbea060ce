/** The past of a new demo: 60 days of runs of the real pipeline against the sandbox, by a clock that they advance. */
import { rmSync } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { openPipeline, type Pipeline } from '../../app/pipeline.ts';
import type { Config } from '../../config/config.ts';
import { DAY_MS, fromTimestamp, toTimestamp, type Clock } from '../../lib/clock.ts';
import { WarehouseError } from '../../lib/errors.ts';
import { formatCount } from '../../lib/format.ts';
import { createLogger } from '../../lib/logger.ts';
import { query } from '../../database/query.ts';
import { openReadOnly } from '../../database/connection.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { silentProgress } from '../../sync/context.ts';
import type { CommandContext } from '../command-context.ts';
import { CHANGES_SINCE, ENDS_AGO_MS, liveThroughPast, PAST_DAYS, type PastRun } from './demo-history.ts';

const REASON = 'the service counted the day again';

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

/**
 * Makes the past in the file of the config, which must not exist, and returns a line about it. Throws the signal's reason if
 * that aborts; then, and at any other error, no file is left.
 */
export async function makePast(parts: PastParts): Promise<string> {
  const { config, sandbox, clock, startMs, context, signal } = parts;
  clock.set(startMs);
  const logger = createLogger({ level: 'silent', format: 'text', secrets: [], write: () => undefined });
  const pipeline = openPipeline(config, { ...context, clock, logger, progress: silentProgress });
  const makeRun = createRuns(pipeline, config, clock, signal);
  let runs = 0;
  try {
    await liveThroughPast(sandbox, clock, startMs, async (run) => {
      await makeRun(run);
      runs++;
      signal.throwIfAborted();
    });
    await pipeline.close();
  } catch (error) {
    await pipeline.close();
    rmSync(config.warehouse, { force: true });
    throw error;
  } finally {
    clock.end();
  }
  return `a past of ${PAST_DAYS} days is made up: ${formatCount(runs)} runs, among them an outage and a restriction, one missing day of storage, one corrected day, and removals that are held back\n`;
}

/** The returned function makes a run of the past, and the correction after it. */
function createRuns(pipeline: Pipeline, config: Config, clock: PastClock, signal: AbortSignal) {
  const [account = ''] = config.accounts.map(({ name }) => name);
  let startedAt = '';
  return async ({ at, mode, resumes, corrects }: PastRun): Promise<void> => {
    clock.set(at);
    const resumesFrom = resumes ? startedAt : null;
    startedAt = toTimestamp(clock.now());
    await pipeline.run({ trigger: resumes ? 'catch_up' : 'schedule', mode, resumesFrom, signal });
    if (corrects === null) return;
    const { observed } = await pipeline.readCorrection(account, corrects, signal);
    pipeline.warehouse.correctDay({ account, row: observed, acceptedAt: clock.now(), reason: REASON });
  };
}

interface LaterRun {
  at: string;
  changes: number;
}
const RUNS = query<LaterRun>(`
  select run.started_at as at, coalesce(sum(inserted + updated + removed + restored), 0) as changes
  from run left join walk using (run_id) group by run_id order by run_id`);
const VIDEOS = query<{ key: string; cdate: string | null }>(
  "select package_id || '/' || id as key, cdate from video",
);

/** What the warehouse of an earlier demo tells of its account. */
export interface EarlierDemo {
  /** When its past began, in milliseconds since 1970. */
  startMs: number;
  runs: LaterRun[];
  /** The creation times of its videos, by `package/id`. */
  created: ReadonlyMap<string, string | null>;
}

/** Null where nothing can be read: a file of an older version, which the worker migrates, or one without a run. */
export function readEarlierDemo(warehouse: string): EarlierDemo | null {
  try {
    const db = openReadOnly(warehouse);
    try {
      const runs = RUNS.all(db, {});
      const created = new Map(VIDEOS.all(db, {}).map(({ key, cdate }) => [key, cdate]));
      return runs[0] ? { startMs: fromTimestamp(runs[0].at), runs, created } : null;
    } finally {
      db.$client.close();
    }
  } catch (error) {
    if (error instanceof WarehouseError) return null;
    throw error;
  }
}

/** When the past of a new demo begins, in milliseconds since 1970. */
export function startOfPast(): number {
  return Math.floor((Date.now() - ENDS_AGO_MS) / 1000) * 1000 - PAST_DAYS * DAY_MS;
}

/**
 * Brings a new sandbox, which starts from the same account each time, to where an earlier demo last read it: through the same
 * past, and as many changes as its later runs found.
 */
export async function replayDemo(
  sandbox: Sandbox,
  clock: PastClock,
  { startMs, runs }: EarlierDemo,
): Promise<void> {
  await liveThroughPast(sandbox, clock, startMs, () => Promise.resolve());
  let made = -CHANGES_SINCE;
  for (const { at, changes } of runs) {
    const ms = fromTimestamp(at);
    if (ms < startMs + PAST_DAYS * DAY_MS + ENDS_AGO_MS / 2) continue;
    clock.set(ms);
    sandbox.churn(Math.max(0, Math.min(changes, (made += changes))));
  }
  clock.end();
}
