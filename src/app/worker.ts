/** The worker: runs what is due, publishes, serves and alerts until it is stopped. */
import type { Config } from '../config/config.ts';
import { childEnvWithout } from '../config/env-vars.ts';
import { type Clock, HOUR_MS } from '../lib/clock.ts';
import { PreemptedError, ParkedError } from '../lib/errors.ts';
import { openNotifier } from '../alerts/notifier.ts';
import { openPings, PINGED_ENDS, type Pings } from '../alerts/pings.ts';
import { assertUndamaged } from '../database/integrity.ts';
import { lockOrThrow, type Lock } from '../database/lock.ts';
import type { Mode } from '../database/schema/runs.ts';
import { createStaleCheck } from '../health/streams.ts';
import type { Publication } from '../publishing/publisher.ts';
import { getPublishTime, type RunClock } from '../sync/run-clock.ts';
import type { RunSummary } from '../sync/run.ts';
import { startWebProcess } from '../web/process/supervisor.ts';
import type { WebServer } from '../web/server.ts';
import { createBackupLoop } from './backup-loop.ts';
import { createPreemption, type Due } from './due.ts';
import { openOwnSchedules, type OwnSchedules } from './own-schedules.ts';
import { openPipeline, type Environment, type Pipeline } from './pipeline.ts';
import { createPublishLoop } from './publish-loop.ts';
import { awaitReload, NO_RELOADS, type Reloads } from './reload.ts';
import { runScheduler } from './scheduler.ts';

export interface WorkerEvents {
  /** This process is the worker of the warehouse now. */
  onStarted: () => void;
  /** The worker took a changed config. */
  onReloaded: (config: Config) => void;
  /** The server listens at this address. */
  onServing: (url: string) => void;
  onRun: (summary: RunSummary) => void;
  onPublished: (publication: Publication) => void;
}

/**
 * Takes the worker lock, opens the pipeline, and serves the schedule until the signal aborts. At a request to reload it
 * takes the changed config between two packages. Throws LockedError where another worker serves this warehouse,
 * WarehouseError where the file is damaged, and ConfigError where the server cannot listen.
 */
export async function runWorker(
  config: Config,
  environment: Environment,
  signal: AbortSignal,
  events: WorkerEvents,
  reloads: Reloads = NO_RELOADS,
): Promise<void> {
  const lock = lockOrThrow(config.warehouse, 'worker', environment.command, environment.clock.now());
  try {
    events.onStarted();
    assertUndamaged(config.warehouse);
    const parts = { ...environment, lock, signal, events, reloads };
    for (let next = await serveConfig(config, parts); next; next = await serveConfig(next, parts))
      events.onReloaded(next);
  } finally {
    lock.release();
  }
}

interface ServeParts extends Environment {
  lock: Lock;
  signal: AbortSignal;
  events: WorkerEvents;
  reloads: Reloads;
}

/** Serves a config until the signal aborts, then gives null, or until another config replaces it, then gives that. */
async function serveConfig(config: Config, parts: ServeParts): Promise<Config | null> {
  const pipeline = openPipeline(config, parts);
  try {
    pipeline.assertMayServe();
    const reload = awaitReload({ ...parts, config, pipeline });
    try {
      const { replaced, rereadPackages } = reload;
      await serveSchedule({ ...parts, config, pipeline, replaced, rereadPackages });
    } finally {
      await reload.close();
    }
    return parts.signal.aborted ? null : reload.next();
  } finally {
    await pipeline.close();
  }
}

interface WorkerParts extends Omit<ServeParts, 'lock' | 'reloads'> {
  config: Config;
  pipeline: Pipeline;
  /** Aborts when another config replaces this one. */
  replaced: AbortSignal;
  rereadPackages: () => Promise<void>;
}

/** What it opens is closed, in parallel, before the pipeline is. */
async function serveSchedule(parts: WorkerParts): Promise<void> {
  const { config, pipeline, clock, logger, createTicks, signal, replaced, events } = parts;
  const { warehouse, publisher } = pipeline;
  let server: WebServer | null = null;
  const { getTime, checkedBy } = createPublishClock(clock);
  const onPublished = (publication: Publication) => {
    events.onPublished(publication);
    server?.recordPublication(publication);
  };
  const publishLoop = publisher && createPublishLoop({ publisher, clock, getTime, logger, onPublished });
  const { backup } = config;
  const backupLoop = backup && createBackupLoop({ config: { ...config, backup }, warehouse, clock, logger });
  const isStale = createStaleCheck(config.schedule);
  const own = openOwnSchedules(config, warehouse);
  const notifier = openNotifier(config, { clock, logger, isStale, since: 'now' });
  const pings = openPings(config, { clock, logger });
  const onMinute = () => {
    backupLoop?.check();
    void notifier?.check(); // streams become stale between runs
  };
  const scheduler = {
    ...{ clock, logger, createTicks, schedule: config.schedule, own },
    lastUnscopedRun: async (mode: Mode) => warehouse.findLastUnscopedRun(mode),
    check: () => warehouse.assertNotReplaced(),
    onMinute: backupLoop || notifier ? onMinute : undefined,
    onCaughtUp: () => notifier?.caughtUp(),
    run: async (due: Due) => {
      await parts.rereadPackages();
      if (replaced.aborted) return; // the run is due under the config that replaces this one
      const summary = await runDue(due, own, parts, due.packages ? null : pings);
      checkedBy(summary.clock);
      events.onRun(summary);
      publishLoop?.requestPublish();
      notifier?.runFinished(); // it checks for problems once nothing is due
    },
  };
  try {
    const environment = childEnvWithout(config.secrets);
    server = config.server && (await startWebProcess(config, { clock, logger, environment, signal }));
    if (server) events.onServing(server.url);
    publisher?.sweep(clock.now());
    if (warehouse.findLastUnscopedRun('full')) publishLoop?.requestPublish(); // before it, there is nothing to show
    await runScheduler(scheduler, AbortSignal.any([signal, replaced]));
  } finally {
    const opened = [server, publishLoop, backupLoop, notifier, pings];
    await Promise.all(opened.map(async (each) => each?.close()));
  }
}

/** How long the clock check of a run is valid: afterwards, the machine's clock may have been set. */
const CLOCK_CHECK_MS = HOUR_MS;

/** The time to publish at, by what the last run found out about the clocks. */
function createPublishClock(clock: Clock) {
  let last: { check: RunClock; at: number } | null = null;
  return {
    checkedBy: (check: RunClock) => void (last = { check, at: clock.now() }),
    getTime: () => {
      const now = clock.now();
      return getPublishTime(now, last && Math.abs(now - last.at) < CLOCK_CHECK_MS ? last.check : null);
    },
  };
}

/** Throws ParkedError where no account may send a request: such a run would only be parked. */
async function runDue(
  { mode, trigger, resumesFrom, packages }: Due,
  own: OwnSchedules,
  { config, pipeline, clock, signal, replaced }: WorkerParts,
  pings: Pings | null,
): Promise<RunSummary> {
  assertNotParked(config, pipeline);
  const startedAt = clock.now();
  const quickTookMs = pipeline.warehouse.getLastDurationMs('quick');
  const ownTookMs = pipeline.warehouse.getLastOwnDurationMs();
  const times = { startedAt, quickTookMs, nextOwnTick: own.nextTick(startedAt), ownTookMs };
  const preemption = createPreemption(config.schedule, { mode, ...times });
  const stopReason = () => {
    const now = clock.now();
    const reason = replaced.aborted ? 'the config was reloaded' : preemption(now);
    return reason === null ? null : new PreemptedError(`the run gives way: ${reason}`, startOfSecond(now));
  };
  const scope = packages
    ? { packages, storage: false }
    : { takesPart: mode === 'full' ? own.selectForFullRun(startedAt) : undefined };
  const onStarted = () => pings?.runStarted();
  try {
    const summary = await pipeline.run({
      mode,
      trigger,
      resumesFrom,
      stopReason,
      onStarted,
      signal,
      ...scope,
    });
    pings?.runEnded(PINGED_ENDS[summary.status]);
    return summary;
  } catch (error) {
    pings?.runThrew(error);
    throw error;
  }
}

function assertNotParked(config: Config, { warehouse }: Pipeline): void {
  const reasons = config.accounts.map(({ name, limits }) => warehouse.createBudget(name, limits).whyParked());
  const [first] = reasons;
  if (!first || reasons.includes(null)) return;
  const untilMs = Math.min(...reasons.map((reason) => reason?.untilMs ?? 0));
  throw new ParkedError(first.message, untilMs);
}

/** The warehouse stores whole seconds: rounding down lets a run resume at once, not a second later. */
function startOfSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
