/** Composition: opens the parts in order, closes them in reverse. */
import type { AccountConfig, Config } from '../config/config.ts';
import { childEnvWithout } from '../config/child-env.ts';
import { createCalendar } from '../lib/calendar.ts';
import type { Clock } from '../lib/clock.ts';
import { PreemptedError, ParkedError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { limitHeapGrowth } from '../lib/v8-heap.ts';
import { formatOffset } from '../lib/format.ts';
import type { Notifier } from '../alerts/notifier.ts';
import { openNotifier } from '../alerts/open-notifier.ts';
import { createPreemption, type Due } from './due.ts';
import { createStaleCheck } from '../health/freshness.ts';
import { assertSameZone } from './same-zone.ts';
import { takeRunLock } from './run-lock.ts';
import { createPublications } from './publish-loop.ts';
import { openPublisher } from '../publishing/open-publisher.ts';
import { runScheduler, type SchedulerParts } from './scheduler.ts';
import { createServiceClient, type ServiceAccount, type ServiceClient } from '../service/client/client.ts';
import { createServiceClock } from '../service/client/service-clock.ts';
import { startWebProcess, type WebProcess } from '../web/process/supervisor.ts';
import type { SyncAccount, SyncContext, RunOptions, Progress } from '../sync/context.ts';
import { readCorrection, type CorrectionOffer } from '../sync/storage/correction.ts';
import { publishTime, type RunClock } from '../sync/run-clock.ts';
import { acceptPageCommands, commandsFor, type FormatCommand } from '../health/commands.ts';
import { runOnce, type RunSummary } from '../sync/run.ts';
import { assertUndamaged } from '../database/integrity.ts';
import { lockOrThrow } from '../database/lock.ts';
import type { Publication, Publisher } from '../publishing/publisher.ts';
import type { Mode } from '../database/schema/runs.ts';
import { openWarehouse, type SqliteWarehouse } from '../warehouse/warehouse.ts';
import { scheduleInterval } from '../lib/cron-ticks.ts';

/** What the composition is given from outside. */
export interface Environment {
  clock: Clock;
  logger: Logger;
  progress: Progress;
  /** The command that runs, for whoever is refused the lock. */
  command: string;
  /** Writes commands to type; left out: they name the config by its path. */
  typed?: FormatCommand | undefined;
  /** When the worker looks what is due; left out: every minute. */
  ticks?: SchedulerParts['ticks'];
}

/** What one run is to do; what is left out is everything. */
export type RunRequest = Pick<RunOptions, 'trigger' | 'signal'> &
  Partial<
    Pick<
      RunOptions,
      | 'mode'
      | 'packages'
      | 'videos'
      | 'storage'
      | 'storageDays'
      | 'acceptRemovals'
      | 'acceptPage'
      | 'resumesFrom'
      | 'stopReason'
    >
  >;

/** A pipeline that is open: a warehouse, and a client an account. */
export interface Pipeline {
  /** Makes one run under the run lock. Throws LockedError where another process holds it, unless told to wait. */
  run(request: RunRequest, options?: { wait: boolean }): Promise<RunSummary>;
  warehouse: SqliteWarehouse;
  /** The client of each account, by its name: for single requests outside a run. */
  clients: ReadonlyMap<string, ServiceClient>;
  /** Reads what the service now says of a booked day: see readCorrection. */
  readCorrection(account: string, date: string, signal: AbortSignal): Promise<CorrectionOffer>;
  /** Where the config publishes; null where it does not. */
  publisher: Publisher | null;
  close(): Promise<void>;
}

/** Opens the pipeline of a config. Throws WarehouseError where the file cannot be used, ConfigError as `openPublisher`. */
export function openPipeline(config: Config, surroundings: Environment): Pipeline {
  const { clock, logger, progress, command } = surroundings;
  limitHeapGrowth();
  const publisher = openPublisher(config, command);
  const warehouse = openWarehouse(config.warehouse, clock);
  try {
    assertSameZone(config, warehouse);
  } catch (error) {
    warehouse.close();
    throw error;
  }
  const accounts = config.accounts.map((account) => createAccount(account, warehouse, clock, logger));
  const parts: SyncContext = {
    warehouse,
    clock,
    calendar: createCalendar(config.timezone),
    logger,
    progress,
    walk: { ...config.walk, scheduleMs: scheduleInterval(config.schedule.full, clock.now()) },
    acceptPageCommand: acceptPageCommands(surroundings.typed ?? commandsFor(config.file), config.accounts),
  };
  return {
    async run(request, options = { wait: false }) {
      const lock = await takeRunLock(config.warehouse, {
        clock,
        logger,
        command,
        signal: request.signal,
        wait: options.wait,
      });
      try {
        warehouse.refuseReplaced(); // while the lock was waited for
        await warehouse.register(config.accounts, clock.now());
        return await runOnce(parts, { ...DEFAULT_RUN, ...request, accounts, retention: config.retention });
      } finally {
        lock.release();
      }
    },
    warehouse,
    readCorrection: (name, date, signal) => {
      const account = accounts.find((each) => each.name === name);
      if (!account) throw new RangeError(`there is no account ${name}`);
      return readCorrection(parts, { account, date, signal });
    },
    clients: new Map(accounts.map((account) => [account.name, account.client])),
    publisher,
    close: async () => {
      await Promise.all(accounts.map((account) => account.client.close()));
      warehouse.close();
    },
  };
}

const DEFAULT_RUN = {
  mode: 'full',
  packages: null,
  videos: true,
  storage: true,
  acceptRemovals: false,
  resumesFrom: null,
  storageDays: null,
} as const;

function createAccount(
  account: AccountConfig,
  warehouse: SqliteWarehouse,
  clock: Clock,
  logger: Logger,
): SyncAccount {
  const onWait = (words: string) => logger.info(`waiting: ${words}`);
  const onDifference = (offsetMs: number) =>
    logger.warn({ account: account.name }, `account ${account.name}: ${formatOffset(offsetMs)}`);
  const serviceClock = createServiceClock(clock, onDifference);
  const budget = warehouse.budget(account.name, account.limits, onWait, serviceClock);
  return {
    name: account.name,
    client: createServiceClient({
      account: serviceAccount(account),
      budget,
      clock: serviceClock,
      checkDates: (answer, doubt) => serviceClock.observe(answer, doubt),
    }),
    clock: serviceClock,
    pageSize: account.videoList.pageSize,
    packages: account.packages,
    concurrency: account.limits.concurrency,
    storage: account.storage,
  };
}

function serviceAccount({ name, videoList, storage, limits }: AccountConfig): ServiceAccount {
  const codes = { restricted: limits.restrictedCodes, final: limits.finalCodes };
  return { name, videoList, storage, concurrency: limits.concurrency, codes };
}

/** What a worker tells: where its server listens, each run that it made, and each publication. */
export interface WorkerEvents {
  onServing: (url: string) => void;
  onRun: (summary: RunSummary) => void;
  onPublished: (publication: Publication) => void;
}

/**
 * The worker: takes the worker lock, opens the pipeline, and keeps the warehouse in step until the signal aborts.
 * Throws LockedError where another worker serves this warehouse, WarehouseError where the file is damaged, and ConfigError
 * where the server cannot listen.
 */
export async function runWorker(
  config: Config,
  surroundings: Environment,
  signal: AbortSignal,
  events: WorkerEvents,
): Promise<void> {
  const { clock, command } = surroundings;
  const lock = lockOrThrow(config.warehouse, 'worker', command, clock.now());
  try {
    assertUndamaged(config.warehouse);
    const pipeline = openPipeline(config, surroundings);
    try {
      await runWorkerWith(pipeline, config, surroundings, signal, events);
    } finally {
      await pipeline.close();
    }
  } finally {
    lock.release();
  }
}

/** Serves, publishes, tells and runs; what it opens is closed, side by side, before the pipeline is. */
async function runWorkerWith(
  pipeline: Pipeline,
  config: Config,
  surroundings: Environment,
  signal: AbortSignal,
  { onServing, onRun, onPublished }: WorkerEvents,
): Promise<void> {
  const { clock, logger, ticks } = surroundings;
  const { publisher } = pipeline;
  let server: WebProcess | null = null;
  const published = (publication: Publication) => {
    onPublished(publication);
    server?.published(publication);
  };
  let judged: { clock: RunClock; at: number } | null = null;
  const timeNow = () => publishTime(clock.now(), judged && isRecent(judged.at, clock) ? judged.clock : null);
  const publications =
    publisher && createPublications({ publisher, clock, timeNow, logger, onPublished: published });
  const isStale = createStaleCheck(config.schedule);
  const notifier = openNotifier(config, { clock, logger, isStale, since: 'now' });
  try {
    const environment = childEnvWithout(config.secrets);
    server = config.server && (await startWebProcess(config, { clock, logger, environment, signal }));
    if (server) onServing(server.url);
    const run = async (due: Due) => {
      refuseWhileParked(config, pipeline);
      const stopReason = await givingWay(config, pipeline, due.mode, clock);
      const summary = await pipeline.run({ ...due, stopReason, signal });
      judged = { clock: summary.clock, at: clock.now() };
      onRun(summary);
      publications?.look();
      notifier?.ended(summary.status === 'succeeded'); // it looks when nothing is due any more
    };
    const { schedule } = config;
    const lastWholeRun = (mode: Mode) => pipeline.warehouse.lastWholeRun(mode);
    publisher?.sweep(clock.now());
    if (await lastWholeRun('full')) publications?.look(); // before the first there is nothing to show
    const check = () => pipeline.warehouse.refuseReplaced();
    const loop = { clock, logger, schedule, lastWholeRun, run, ticks, check };
    await runScheduler({ ...loop, ...watchedBy(notifier) }, signal);
  } finally {
    await Promise.all([server?.close(), publications?.close(), notifier?.close()]);
  }
}

/** What a run found out about the clocks holds for an hour: then, or now, the machine's clock may have been set. */
function isRecent(at: number, clock: Clock): boolean {
  return Math.abs(clock.now() - at) < 3_600_000;
}

/** What tells looks each minute: streams grow stale without a run. */
function watchedBy(notifier: Notifier | null): Pick<SchedulerParts, 'onMinute' | 'onInStep'> {
  if (!notifier) return {};
  return { onMinute: () => void notifier.look(), onInStep: () => notifier.inStep() };
}

/** A run in which no account may ask anything is none: it would only be parked. */
function refuseWhileParked(config: Config, { warehouse }: Pipeline): void {
  const reasons = config.accounts.map(({ name, limits }) => warehouse.budget(name, limits).whyParked());
  const [first] = reasons;
  if (!first || reasons.includes(null)) return;
  const untilMs = Math.min(...reasons.map((reason) => reason?.untilMs ?? 0));
  throw new ParkedError(first.message, untilMs);
}

/** Why the run must stop between two turns: see createGivingWay. */
async function givingWay(config: Config, { warehouse }: Pipeline, mode: Mode, clock: Clock) {
  const startedAt = clock.now();
  const quickTookMs = await warehouse.lastDurationMs('quick');
  const reasonAt = createPreemption(config.schedule, { mode, startedAt, quickTookMs });
  return () => {
    const reason = reasonAt(clock.now());
    return reason === null
      ? null
      : new PreemptedError(`the run gives way: ${reason}`, startOfSecond(clock.now()));
  };
}

/** The warehouse writes whole seconds: what may go on at once must not wait for the next one. */
function startOfSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
