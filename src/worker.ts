/** Composition: opens the parts in order, closes them in reverse. */
import type { AccountConfig, Config } from './config/config.ts';
import { createCalendar } from './lib/calendar.ts';
import type { Clock } from './lib/clock.ts';
import type { Logger } from './lib/logger.ts';
import { keepHeapSmall } from './lib/memory.ts';
import { scheduleInterval } from './schedule/due.ts';
import { keepInStep } from './schedule/worker-loop.ts';
import { createServiceClient, type ServiceAccount, type ServiceClient } from './service/client/client.ts';
import type { SyncAccount, SyncParts } from './sync/account.ts';
import type { Progress } from './sync/progress.ts';
import { runOnce, type RunOrder, type RunSummary } from './sync/run.ts';
import { lockedError, lockOrThrow, tryLock, type Lock } from './warehouse/lock.ts';
import { openWarehouse, type SqliteWarehouse } from './warehouse/warehouse.ts';

/** What the composition is given from outside. */
export interface Surroundings {
  clock: Clock;
  logger: Logger;
  progress: Progress;
  /** The command that runs, for whoever is refused the lock. */
  command: string;
}

/** What one run is to do; what is left out is everything. */
export type RunWish = Pick<RunOrder, 'trigger' | 'signal'> &
  Partial<Pick<RunOrder, 'packages' | 'videos' | 'storage' | 'acceptRemovals'>>;

/** A pipeline that is open: a warehouse, and a client an account. */
export interface Pipeline {
  /** Makes one run under the run lock. Throws LockedError where another process holds it, unless told to wait. */
  run(wish: RunWish, options?: { wait: boolean }): Promise<RunSummary>;
  warehouse: SqliteWarehouse;
  /** The client of each account, by its name: for single questions outside a run. */
  clients: ReadonlyMap<string, ServiceClient>;
  close(): Promise<void>;
}

/** Opens the pipeline of a config. Throws WarehouseError where the file cannot be used. */
export function openPipeline(config: Config, surroundings: Surroundings): Pipeline {
  const { clock, logger, progress, command } = surroundings;
  keepHeapSmall();
  const warehouse = openWarehouse(config.warehouse, clock);
  const accounts = config.accounts.map((account) => createAccount(account, warehouse, clock));
  const parts: SyncParts = {
    warehouse,
    clock,
    calendar: createCalendar(config.timezone),
    logger,
    progress,
    walk: { ...config.walk, scheduleMs: scheduleInterval(config.schedule.full, clock.now()) },
  };
  return {
    async run(wish, options = { wait: false }) {
      const lock = await takeRunLock(config.warehouse, {
        clock,
        logger,
        command,
        signal: wish.signal,
        wait: options.wait,
      });
      try {
        await warehouse.register(config.accounts, clock.now());
        return await runOnce(parts, { ...EVERYTHING, ...wish, accounts, retention: config.retention });
      } finally {
        lock.release();
      }
    },
    warehouse,
    clients: new Map(accounts.map((account) => [account.name, account.client])),
    close: async () => {
      await Promise.all(accounts.map((account) => account.client.close()));
      warehouse.close();
    },
  };
}

const EVERYTHING = {
  mode: 'full',
  packages: null,
  videos: true,
  storage: true,
  acceptRemovals: false,
} as const;

function createAccount(account: AccountConfig, warehouse: SqliteWarehouse, clock: Clock): SyncAccount {
  const budget = warehouse.budget(account.name, account.limits);
  return {
    name: account.name,
    client: createServiceClient({ account: serviceAccount(account), budget, clock }),
    pageSize: account.videoList.pageSize,
    packages: account.packages,
    concurrency: account.limits.concurrency,
    storage: account.storage,
  };
}

function serviceAccount({ name, videoList, storage, limits }: AccountConfig): ServiceAccount {
  const codes = { restricted: limits.restrictedCodes, final: limits.finalCodes };
  return { name, videoList, storage, concurrency: limits.concurrency, maxWaitMs: limits.maxWaitMs, codes };
}

const LOCK_POLL_MS = 300;

async function takeRunLock(
  path: string,
  options: { clock: Clock; logger: Logger; command: string; signal: AbortSignal; wait: boolean },
): Promise<Lock> {
  for (let tries = 1; ; tries++) {
    const lock = tryLock(path, 'run', options.command, options.clock.now());
    if (lock) return lock;
    if (!options.wait) throw lockedError(path, 'run');
    if (tries === 1) options.logger.info(`waiting: ${lockedError(path, 'run').message}`);
    await options.clock.sleep(LOCK_POLL_MS, options.signal);
  }
}

/** Called with the summary of each run that the worker made. */
export type OnRun = (summary: RunSummary) => void;

/**
 * The worker: takes the worker lock, opens the pipeline, and keeps the warehouse in step until the signal aborts.
 * Throws LockedError where another worker serves this warehouse.
 */
export async function work(
  config: Config,
  surroundings: Surroundings,
  signal: AbortSignal,
  onRun: OnRun,
): Promise<void> {
  const { clock, logger, command } = surroundings;
  const lock = lockOrThrow(config.warehouse, 'worker', command, clock.now());
  try {
    const pipeline = openPipeline(config, surroundings);
    try {
      const run = async (trigger: RunOrder['trigger']) => onRun(await pipeline.run({ trigger, signal }));
      const lastWholeRun = () => pipeline.warehouse.lastWholeRun('full');
      await keepInStep({ clock, logger, full: config.schedule.full, lastWholeRun, run }, signal);
    } finally {
      await pipeline.close();
    }
  } finally {
    lock.release();
  }
}
