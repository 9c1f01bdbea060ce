/** Composition: opens the publisher, the warehouse and a client per account, and closes them again. */
import type { AccountConfig, Config } from '../config/config.ts';
import { createCalendar } from '../lib/calendar.ts';
import type { Clock } from '../lib/clock.ts';
import { ConfigError } from '../lib/errors.ts';
import { formatOffset, pluralize } from '../lib/format.ts';
import { chooseProxy } from '../lib/http/proxy.ts';
import type { Logger } from '../lib/logger.ts';
import type { PackageKey } from '../lib/package-key.ts';
import { setV8Flags } from '../lib/v8-flags.ts';
import { scheduleInterval } from '../lib/cron-ticks.ts';
import { createLockedError, lockOrThrow, tryLock, type Lock } from '../database/lock.ts';
import { acceptPageCommands, commandsFor, type FormatCommand } from '../health/commands.ts';
import { openPublisher } from '../publishing/publisher.ts';
import { createServiceClient } from '../service/client/client.ts';
import { createServiceClock } from '../service/client/service-clock.ts';
import type { Progress, RunOptions, SyncAccount, SyncContext } from '../sync/context.ts';
import { readCorrection, type CorrectionOffer } from '../sync/storage/correction.ts';
import { runOnce, type RunSummary } from '../sync/run.ts';
import { openWarehouse, type Warehouse } from '../warehouse/warehouse.ts';
import type { Wait } from '../budget/budget.ts';
import { assertDemoOrReal, assertSameZone, joinAccounts, otherConfigText } from './file-use.ts';
import { logRequest } from './log-request.ts';
import { assertMayRetire, findLeaving, leavingLines } from './leaving.ts';
import type { SchedulerOptions } from './scheduler.ts';

/** What a command gives to the composition. */
export interface Environment {
  clock: Clock;
  logger: Logger;
  progress: Progress;
  /** Name of the running command: another process that finds the lock taken reports it. */
  command: string;
  /** Formats commands for messages; left out: they name the config by its path. */
  formatCommand?: FormatCommand | undefined;
  /** The file is, or becomes, that of `vodhouse demo`. */
  isDemo?: boolean;
  /** When the worker checks what is due; left out: every minute. */
  createTicks?: SchedulerOptions['createTicks'];
}

/** What one run is to do; left out: everything. */
export type RunRequest = Pick<RunOptions, 'trigger' | 'signal'> &
  Partial<Omit<RunOptions, 'accounts' | 'retention'>> & {
    /** Retires packages that left the config, however many. */
    acceptRetirements?: boolean;
    /** Called when the run has its lock and begins; must not throw. */
    onStarted?: (() => void) | undefined;
  };

const DEFAULT_RUN = {
  mode: 'full',
  packages: null,
  videos: true,
  storage: true,
  acceptRemovals: false,
  resumesFrom: null,
  storageDays: null,
} as const;

export type Pipeline = ReturnType<typeof openPipeline>;

/**
 * Opens the warehouse of a config, a client per account, and the publisher, null where nothing is published. Throws
 * WarehouseError where the file cannot be used, ConfigError as `openPublisher`.
 */
export function openPipeline(config: Config, environment: Environment) {
  const { clock, command } = environment;
  setV8Flags();
  const publisher = openPublisher(config, command);
  const warehouse = openConfiguredWarehouse(config, environment);
  const accounts = config.accounts.map((account) => createAccount(account, config, warehouse, environment));
  const context = createSyncContext(config, warehouse, environment);
  const { logger, formatCommand = commandsFor(config.file) } = environment;
  const findLeavingFor = (next: Config) => findLeaving(warehouse.listActivePackages(), next);
  const registerPackages = (acceptRetirements: boolean) => {
    const leaving = findLeavingFor(config);
    if (!acceptRetirements) assertMayRetire(leaving, formatCommand);
    for (const line of leavingLines(leaving)) {
      logger.warn({ event: 'package_leaves', reason: line }, `${line}; its rows stay, marked as retired`);
    }
    warehouse.registerPackages(config.accounts, clock.now());
    warehouse.recordConfig({ file: config.file, accounts: joinAccounts(config.accounts) });
  };
  return {
    /** Makes one run under the run lock. Throws LockedError where another process holds it, unless `wait` is set. */
    async run(
      { acceptRetirements = false, onStarted, ...request }: RunRequest,
      { wait } = { wait: false },
    ): Promise<RunSummary> {
      const lock = await takeRunLock(config.warehouse, environment, request.signal, wait);
      try {
        warehouse.assertNotReplaced(); // it may have been replaced during the wait for the lock
        registerPackages(acceptRetirements);
        onStarted?.();
        return await runOnce(context, { ...DEFAULT_RUN, ...request, accounts, retention: config.retention });
      } finally {
        lock.release();
      }
    },
    /** Throws ConfigError where this config, or a changed one, cannot use the file, or a run would refuse to retire what left it. */
    assertMayServe(next: Config = config): void {
      assertMayUse(next, warehouse);
      assertMayRetire(findLeavingFor(next), formatCommand);
    },
    warehouse,
    /** Reads what the service now reports of a booked day: see readCorrection. */
    async readCorrection(name: string, date: string, signal: AbortSignal): Promise<CorrectionOffer> {
      const account = accounts.find((each) => each.name === name);
      if (!account) throw new RangeError(`there is no account ${name}`);
      return readCorrection(context, { account, date, signal });
    },
    /** The client of each account, by its name: for single requests outside a run. */
    clients: new Map(accounts.map((account) => [account.name, account.client])),
    publisher,
    async close(): Promise<void> {
      await Promise.all(accounts.map((account) => account.client.close()));
      warehouse.close();
    },
  };
}

function openConfiguredWarehouse(config: Config, environment: Environment): Warehouse {
  const { clock, logger, isDemo = false } = environment;
  const warehouse = openWarehouse(config.warehouse, clock);
  try {
    const use = warehouse.getFileUse();
    assertDemoOrReal(config.warehouse, use, isDemo);
    if (isDemo) warehouse.markAsDemo({});
    assertMayUse(config, warehouse);
    const warning = otherConfigText(config, use);
    if (warning !== null) logger.warn({ event: 'config_warning', reason: warning }, warning);
    for (const account of config.accounts) renameAccount(config, account, warehouse, environment);
  } catch (error) {
    warehouse.close();
    throw error;
  }
  return warehouse;
}

/** Throws ConfigError for another time zone than that of the booked days, and for `was` where both names have rows. */
function assertMayUse(config: Config, warehouse: Warehouse): void {
  assertSameZone(config, warehouse.getBookedZone());
  for (const { name, was } of config.accounts) {
    if (was !== null && warehouse.hasAccount(was) && warehouse.hasAccount(name))
      throw new ConfigError(`account ${name} was ${was}, but the warehouse has rows of both`, {
        hint: `remove \`was: ${was}\``,
      });
  }
}

/** Once: all rows of the account that was named `was` get its new name. */
function renameAccount(
  { warehouse: path }: Config,
  { name, was }: AccountConfig,
  warehouse: Warehouse,
  { clock, logger, command }: Environment,
): void {
  if (was === null || !warehouse.hasAccount(was)) return;
  const lock = lockOrThrow(path, 'run', command, clock.now());
  try {
    const rows = warehouse.renameAccount(was, name);
    const message = `account ${was} is ${name} from now on: ${pluralize(rows, 'row')}`;
    logger.info({ event: 'account_renamed', account: name, was, rows }, message);
  } finally {
    lock.release();
  }
}

function createSyncContext(
  config: Config,
  warehouse: Warehouse,
  { clock, logger, progress, formatCommand = commandsFor(config.file) }: Environment,
): SyncContext {
  return {
    warehouse,
    clock,
    calendar: createCalendar(config.timezone),
    logger,
    progress,
    walk: {
      ...config.walk,
      getScheduleMs: createScheduleIntervals(config, clock),
    },
    acceptPageCommand: acceptPageCommands(formatCommand, config.accounts),
  };
}

/** The shortest time between full walks of a package, by its own schedule or that of all. */
function createScheduleIntervals({ accounts, schedule }: Config, clock: Clock): (key: PackageKey) => number {
  const own = new Map(
    accounts.flatMap(({ name, packages }) =>
      packages.map(({ id, full }) => [`${name}/${id}`, full] as const),
    ),
  );
  const intervals = new Map<string, number>();
  return ({ account, packageId }) => {
    const full = own.get(`${account}/${packageId}`) ?? schedule.full;
    const interval = intervals.get(full) ?? scheduleInterval(full, clock.now(), schedule.timezone);
    intervals.set(full, interval);
    return interval;
  };
}

/** A person waits for `check`. */
const CHECK_CONNECT_TIMEOUT_MS = 3_000;

function createAccount(
  { name, videoList, storage, packages, limits, proxy, ca }: AccountConfig,
  { proxies }: Config,
  warehouse: Warehouse,
  { clock, logger, progress, command }: Environment,
): SyncAccount {
  const serviceClock = createServiceClock(clock, (offsetMs) =>
    logger.warn(
      { event: 'clock_differs', account: name, offset_ms: offsetMs },
      `account ${name}: ${formatOffset(offsetMs)}`,
    ),
  );
  const onWait = ({ reason, waitMs, isLong }: Wait) =>
    logger[isLong ? 'info' : 'debug'](
      { event: 'budget_wait', account: name, reason, wait_ms: waitMs },
      `waiting: ${reason}`,
    );
  const { concurrency, restrictedCodes, finalCodes } = limits;
  const codes = { restricted: restrictedCodes, final: finalCodes };
  const toEndpoint = <Endpoint extends { baseUrl: string }>(endpoint: Endpoint) => ({
    ...endpoint,
    proxy: chooseProxy(proxy, endpoint.baseUrl, proxies),
  });
  const endpoints = { videoList: toEndpoint(videoList), storage: storage && toEndpoint(storage) };
  const client = createServiceClient({
    account: { name, ...endpoints, ca: ca?.certificates ?? null, concurrency, codes },
    budget: warehouse.createBudget(name, limits, onWait, serviceClock),
    onSent: (sent) => {
      logRequest(logger, name, sent);
      progress.requestSent();
    },
    clock: serviceClock,
    checkDates: (answer, doubt) => serviceClock.observe(answer, doubt),
    ...(command === 'check' && { connectTimeoutMs: CHECK_CONNECT_TIMEOUT_MS }),
  });
  return { name, client, clock: serviceClock, pageSize: videoList.pageSize, packages, concurrency, storage };
}

const LOCK_POLL_MS = 300;

/** Takes the run lock of the live file at `path`. Throws LockedError where another process holds it and `wait` is false. */
async function takeRunLock(
  path: string,
  { clock, logger, command }: Environment,
  signal: AbortSignal,
  wait: boolean,
): Promise<Lock> {
  for (let tries = 1; ; tries++) {
    const lock = tryLock(path, 'run', command, clock.now());
    if (lock) return lock;
    if (!wait) throw createLockedError(path, 'run');
    const reason = createLockedError(path, 'run').message;
    if (tries === 1) logger.info({ event: 'run_lock_wait', reason }, `waiting: ${reason}`);
    await clock.sleep(LOCK_POLL_MS, signal);
  }
}
