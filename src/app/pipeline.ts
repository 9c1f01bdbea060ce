/** Opens what runs need: the publisher, the warehouse and a client for each account; and makes runs. */
import type { Config } from '../config/config.ts';
import { createCalendar } from '../lib/calendar.ts';
import { lockOrThrow, openWhenFree } from '../database/lock.ts';
import type { Clock } from '../lib/clock.ts';
import type { LockedError } from '../lib/errors.ts';
import { STREAMS } from '../sync/streams.ts';
import type { PackageKey } from '../sync/package-key.ts';
import { scheduleInterval } from '../lib/cron-ticks.ts';
import { acceptRemovalsCommands } from '../health/commands.ts';
import { commandsFor } from '../lib/shell-command.ts';
import { openPublisher } from '../publishing/publisher.ts';
import type { RunOptions, SyncContext } from '../sync/context.ts';
import { readCorrection, type CorrectionOffer } from '../sync/storage/correction.ts';
import { runOnce, type RunSummary } from '../sync/run.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { assertMayUse, openConfiguredWarehouse } from './configured-warehouse.ts';
import type { Environment } from './environment.ts';
import { assertMayRetire, findLeaving, leavingLines } from './leaving.ts';
import { createSyncAccount } from './sync-account.ts';
import { listActivePackages } from '../warehouse/statements/package.ts';
import { transact } from '../database/transaction.ts';
import { registerPackages } from '../warehouse/packages.ts';

/** What one run is to do; left out: everything. */
export type RunRequest = Pick<RunOptions, 'trigger' | 'signal'> &
  Partial<Omit<RunOptions, 'accounts' | 'retention'>> & {
    /** Retires packages that left the config, however many. */
    acceptRetirements?: boolean;
    /** Waits while another process has the run lock. */
    wait?: boolean;
    /** Called when the run has its lock and begins; must not throw. */
    onStarted?: (() => void) | undefined;
  };

const DEFAULT_RUN = {
  mode: 'full',
  packages: null,
  streams: STREAMS,
  acceptRemovals: false,
  resumesFrom: null,
  storageDays: null,
} as const;

export type Pipeline = ReturnType<typeof openPipeline>;

/**
 * Opens the warehouse of a config, a client per account, and the publisher, null where nothing is published.
 * Throws WarehouseError where the file cannot be used, ConfigError as `openPublisher`.
 */
export function openPipeline(config: Config, environment: Environment) {
  const publisher = openPublisher(config, environment.command);
  const warehouse = openConfiguredWarehouse(config, environment);
  const accounts = config.accounts.map((each) => createSyncAccount(each, config, warehouse, environment));
  const context = createSyncContext(config, warehouse, environment);
  const { followPackages, ...registration } = createRegistration(config, warehouse, environment);
  const takeLock = () => lockOrThrow(config.warehouse, 'run', environment.command, environment.clock.now());
  return {
    /** Makes a run. Throws LockedError where another process makes one, unless `wait` is set. */
    async run(request: RunRequest): Promise<RunSummary> {
      const { acceptRetirements = false, wait = false, onStarted, ...options } = request;
      const lock = wait ? await openAfterRun(takeLock, environment, request.signal) : takeLock();
      try {
        warehouse.assertNotReplaced(); // it may have been replaced during the wait for the lock
        followPackages(acceptRetirements);
        onStarted?.();
        return await runOnce(context, { ...DEFAULT_RUN, ...options, retention: config.retention, accounts });
      } finally {
        lock.release();
      }
    },
    ...registration,
    warehouse,
    /** Reads what the service now reports of a booked day, as `readCorrection`. */
    async readCorrection(name: string, date: string, signal: AbortSignal): Promise<CorrectionOffer> {
      const account = accounts.find((each) => each.name === name);
      if (!account) throw new RangeError(`there is no account ${name}`);
      return readCorrection(context, { account, date, signal });
    },
    /** The client of each account, by its name: for single requests outside a run. */
    clients: new Map(accounts.map((account) => [account.name, account.client])),
    publisher,
    close(): void {
      for (const { client } of accounts) client.close();
      warehouse.close();
    },
  };
}

/** Opens what needs the run lock; waits, and logs that, while another process has it. See `openWhenFree`. */
export function openAfterRun<Opened>(
  open: () => Opened,
  { clock, logger }: Pick<Environment, 'clock' | 'logger'>,
  signal: AbortSignal,
): Promise<Opened> {
  const onWait = ({ message: reason }: LockedError) => {
    logger.info({ event: 'run_lock_wait', reason }, `waiting: ${reason}`);
  };
  return openWhenFree(open, clock, { onWait, signal });
}

/** The functions that decide which packages the warehouse follows. */
function createRegistration(
  config: Config,
  warehouse: Warehouse,
  { clock, logger, formatCommand = commandsFor(config.file) }: Environment,
) {
  const findLeavingFor = (next: Config) => findLeaving(listActivePackages(warehouse.db), next);
  return {
    /**
     * Adds the packages of the config, and retires the others. Throws ConfigError where those look like a
     * slip.
     */
    followPackages: (acceptRetirements: boolean): void => {
      const leaving = findLeavingFor(config);
      if (!acceptRetirements) assertMayRetire(leaving, formatCommand);
      for (const reason of leavingLines(leaving)) {
        const message = `${reason}; the rows stay, marked as retired, and no longer count as present`;
        logger.warn({ event: 'package_leaves', reason }, message);
      }
      transact(warehouse.db, (tx) => registerPackages(tx, config.accounts, clock.now()));
    },
    /**
     * Throws ConfigError where this config, or a changed one, cannot use the file, or a run would refuse to
     * retire what left it.
     */
    assertMayServe: (next: Config = config): void => {
      assertMayUse(next, warehouse);
      assertMayRetire(findLeavingFor(next), formatCommand);
    },
    /** A line for each package that a run with this config would retire. */
    listLeaving: (next: Config): string[] => leavingLines(findLeavingFor(next)),
  };
}

function createSyncContext(
  config: Config,
  warehouse: Warehouse,
  { clock, logger, progress, formatCommand = commandsFor(config.file) }: Environment,
): SyncContext {
  const toAccept = acceptRemovalsCommands(formatCommand, config.accounts);
  return {
    warehouse,
    clock,
    calendar: createCalendar(config.timezone),
    logger,
    progress,
    walk: { ...config.walk, getScheduleMs: createScheduleIntervals(config, clock) },
    acceptPageCommand: ({ account, packageId }) => toAccept({ account, package_id: packageId }),
  };
}

/** Returns the shortest time between full walks of a package (ms), by its own schedule or by that of all. */
function createScheduleIntervals({ accounts, schedule }: Config, clock: Clock): (key: PackageKey) => number {
  const intervals = new Map<string, number>();
  return ({ account, packageId }) => {
    const packages = accounts.find(({ name }) => name === account)?.packages;
    const full = packages?.find(({ id }) => id === packageId)?.full ?? schedule.full;
    const interval = intervals.get(full) ?? scheduleInterval(full, clock.now(), schedule.timezone);
    intervals.set(full, interval);
    return interval;
  };
}
