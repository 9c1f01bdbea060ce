/** The worker: runs what is due, publishes, serves and alerts until it is stopped. */
import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { childEnvWithout } from '../config/env-vars.ts';
import { openNotifier } from '../alerts/notifier.ts';
import { openPings } from '../alerts/pings.ts';
import { assertUndamaged } from '../database/integrity.ts';
import { lockOrThrow, type Lock } from '../database/lock.ts';
import type { Mode } from '../database/schema/values.ts';
import { createStaleCheck } from '../health/streams.ts';
import type { Publication } from '../publishing/publisher.ts';
import type { RunSummary } from '../sync/run.ts';
import { openLoaders } from '../publishing/loader.ts';
import { startWebProcess } from '../web/process/supervisor.ts';
import type { WebServer } from '../web/server.ts';
import { createBackupLoop } from './backup-loop.ts';
import type { Due } from './due.ts';
import { openOwnSchedules } from './own-schedules.ts';
import { openAfterRun, openPipeline, type Pipeline } from './pipeline.ts';
import type { Environment } from './environment.ts';
import { assertFolder } from './lost-file.ts';
import { createBackupNotes } from './worker-notes.ts';
import { createLoadLoop } from './load-targets.ts';
import { createPublishLoop } from './publish-loop.ts';
import { awaitReload, NO_RELOADS, type Reloads } from './reload.ts';
import { runDue } from './run-due.ts';
import { runScheduler } from './scheduler.ts';
import { findLastRun } from '../warehouse/statements/run.ts';

export interface WorkerEvents {
  /** This process is the worker of the warehouse now. */
  onStarted?: () => void;
  /** The worker took a changed config. */
  onReloaded?: (config: Config) => void;
  /** The server listens at this address. */
  onServing: (url: string) => void;
  onRun: (summary: RunSummary) => void;
  onPublished: (publication: Publication) => void;
  /** The worker serves a config, at the start and after each reload: the server, if any, listens. */
  onReady?: (config: Config) => void;
  /** The worker was asked to read its config again. */
  onReloading?: () => void;
  /** A changed config was refused: the worker continues with the one it has. */
  onRefused?: (config: Config) => void;
}

/**
 * Takes the worker lock, opens the pipeline, and serves the schedule until the signal aborts. At a request to
 * reload it takes the changed config between two packages. Throws LockedError where another worker serves
 * this warehouse, WarehouseError where the file is damaged, and ConfigError where its folder is missing, or
 * the server cannot listen.
 */
export async function runWorker(
  config: Config,
  environment: Environment,
  signal: AbortSignal,
  events: WorkerEvents,
  reloads: Reloads = NO_RELOADS,
): Promise<void> {
  if (!environment.isDemo) assertFolder(config); // before the lock, which would make the folder
  const lock = lockOrThrow(config.warehouse, 'worker', environment.command, environment.clock.now());
  try {
    events.onStarted?.();
    assertUndamaged(config.warehouse);
    const noteBackups = createBackupNotes({ ...environment, lock });
    const parts = { ...environment, lock, signal, events, reloads, noteBackups };
    for (let next = await serveConfig(config, parts); next; next = await serveConfig(next, parts))
      events.onReloaded?.(next);
  } finally {
    lock.release();
  }
}

interface ServeParts extends Environment {
  lock: Lock;
  signal: AbortSignal;
  events: WorkerEvents;
  reloads: Reloads;
  /** Stores which schedule the backups have, for other processes; null: none are made. */
  noteBackups: (schedule: string | null) => void;
}

/** Serves a config until the signal aborts (null) or until another config replaces it (that one). */
async function serveConfig(config: Config, parts: ServeParts): Promise<Config | null> {
  // an account gets its new name (`was`) only while no other process makes a run
  const pipeline = await openAfterRun(() => openPipeline(config, parts), parts, parts.signal);
  try {
    pipeline.assertMayServe();
    parts.noteBackups(config.backup?.schedule ?? null);
    const reload = awaitReload({ ...parts, config, pipeline });
    try {
      const { replaced, rereadPackages } = reload;
      await serveSchedule({ ...parts, config, pipeline, replaced, rereadPackages });
    } finally {
      await reload.close();
    }
    return parts.signal.aborted ? null : reload.next();
  } finally {
    pipeline.close();
  }
}

interface WorkerParts extends Omit<ServeParts, 'reloads'> {
  config: Config;
  pipeline: Pipeline;
  /** Aborts when another config replaces this one. */
  replaced: AbortSignal;
  rereadPackages: () => void;
}

/** Opens what works in parallel to the runs. It is closed before the pipeline. */
function openLoops(parts: WorkerParts, notifyServer: (publication: Publication) => void) {
  const { config, pipeline, clock, logger, events } = parts;
  const { warehouse, publisher } = pipeline;
  const { backup } = config;
  const loaders = openLoaders(config);
  const hasFile = () => publisher !== null && existsSync(publisher.file);
  const load = createLoadLoop({ loaders, warehouse, clock, logger, hasFile });
  const onPublished = (publication: Publication) => {
    events.onPublished(publication);
    notifyServer(publication);
    load.requestLoad();
  };
  const isStale = createStaleCheck(config.schedule);
  return {
    load,
    publish: publisher && createPublishLoop({ publisher, warehouse, clock, logger, onPublished }),
    backup: backup && createBackupLoop({ config: { ...config, backup }, warehouse, clock, logger }),
    notifier: openNotifier(config, { clock, logger, isStale, since: 'now' }),
    pings: openPings(config, { clock, logger }),
  };
}

function checkLoops({ publish, backup, load, notifier }: ReturnType<typeof openLoops>): void {
  publish?.check();
  backup?.check();
  load.check();
  void notifier?.check(); // streams become stale between runs
}

async function serveSchedule(parts: WorkerParts): Promise<void> {
  const { config, clock, logger, startTicks, signal, replaced, events } = parts;
  const { warehouse } = parts.pipeline;
  let server: WebServer | null = null;
  const loops = openLoops(parts, (publication) => server?.recordPublication(publication));
  const { publish, load, backup, notifier, pings } = loops;
  const own = openOwnSchedules(config, warehouse);
  const run = async (due: Due) => {
    parts.rereadPackages();
    if (replaced.aborted) return; // the run is due under the config that replaces this one
    events.onRun(await runDue(due, { ...parts, own, pings: due.packages ? null : pings }));
    publish?.requestPublish();
    notifier?.runFinished(); // it checks for problems once nothing is due
  };
  try {
    const environment = childEnvWithout(config.secrets);
    server = config.server && (await startWebProcess(config, { clock, logger, environment, signal }));
    if (server) events.onServing(server.url);
    events.onReady?.(config);
    if (findLastRun(warehouse.db, 'full')) publish?.requestPublish(); // before a run there is nothing to show
    load.check(); // an earlier worker may have published without loading
    const scheduler = {
      clock,
      logger,
      startTicks,
      schedule: config.schedule,
      own,
      run,
      lastUnscopedRun: async (mode: Mode) => findLastRun(warehouse.db, mode),
      check: () => warehouse.assertNotReplaced(),
      onMinute: () => checkLoops(loops),
      onCaughtUp: () => notifier?.caughtUp(),
    };
    await runScheduler(scheduler, AbortSignal.any([signal, replaced]));
  } finally {
    const closing = Promise.all([publish, load, backup, notifier, pings].map(async (each) => each?.close()));
    if (replaced.aborted) await closing; // at a reload, the server answers while a load or an alert ends
    await Promise.all([closing, server?.close()]);
  }
}
