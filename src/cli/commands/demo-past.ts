/** The past of a new demo: 60 days of runs of the real pipeline against the sandbox, by a clock that they advance. */
import { rmSync } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { openPipeline, type Pipeline } from '../../app/pipeline.ts';
import type { Config } from '../../config/config.ts';
import { DAY_MS, fromTimestamp, HOUR_MS, toTimestamp, type Clock } from '../../lib/clock.ts';
import { formatCount } from '../../lib/format.ts';
import { createLogger } from '../../lib/logger.ts';
import { openRunQueries } from '../../queries/run-queries.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { silentProgress } from '../../sync/context.ts';
import type { CommandContext } from '../command-context.ts';
import { CHANGES_SINCE, liveThroughPast, PAST_DAYS, type PastRun } from './demo-history.ts';

/** How long before now the past ends. */
const ENDS_AGO_MS = HOUR_MS;

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
  context: CommandContext;
  signal: AbortSignal;
}

/**
 * Makes the past in the file of the config, which must not exist, and returns a line about it. Throws the signal's reason if
 * that aborts; then, and at any other error, no file is left.
 */
export async function makePast({ config, sandbox, clock, context, signal }: PastParts): Promise<string> {
  const endMs = Math.floor((Date.now() - ENDS_AGO_MS) / 1000) * 1000;
  clock.set(endMs - PAST_DAYS * DAY_MS);
  const logger = createLogger({ level: 'silent', format: 'text', secrets: [], write: () => undefined });
  const pipeline = openPipeline(config, { ...context, clock, logger, progress: silentProgress });
  const makeRun = createRuns(pipeline, config, clock, signal);
  let runs = 0;
  try {
    await liveThroughPast(sandbox, endMs, async (run) => {
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
    clock.set(Math.max(clock.now(), at));
    const resumesFrom = resumes ? startedAt : null;
    startedAt = toTimestamp(clock.now());
    await pipeline.run({ trigger: resumes ? 'catch_up' : 'schedule', mode, resumesFrom, signal });
    if (corrects === null) return;
    const { observed } = await pipeline.readCorrection(account, corrects, signal);
    pipeline.warehouse.correctDay({ account, row: observed, acceptedAt: clock.now(), reason: REASON });
  };
}

/** More runs than a demo makes in a month. */
const ALL_RUNS = 200_000;

/**
 * Brings a new sandbox to where the warehouse of an earlier demo last read it: through the same past, and as many changes as
 * its later runs found. Throws WarehouseError if the file cannot be read.
 */
export async function replayDemo(sandbox: Sandbox, warehouse: string): Promise<void> {
  const queries = openRunQueries(warehouse);
  try {
    const runs = queries.list(ALL_RUNS, false).reverse();
    const [first] = runs;
    const startMs = first ? fromTimestamp(first.started_at) : Date.now() - ENDS_AGO_MS - PAST_DAYS * DAY_MS;
    const endMs = startMs + PAST_DAYS * DAY_MS;
    await liveThroughPast(sandbox, endMs, () => Promise.resolve());
    const later = runs.filter(({ started_at }) => fromTimestamp(started_at) > endMs + ENDS_AGO_MS / 2);
    const changes = later.map(
      ({ inserted, updated, removed, restored }) => inserted + updated + removed + restored,
    );
    sandbox.churn(
      Math.max(
        0,
        changes.reduce((sum, each) => sum + each, -CHANGES_SINCE),
      ),
    );
  } finally {
    queries.close();
  }
}
