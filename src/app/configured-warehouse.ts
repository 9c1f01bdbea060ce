/** Opens the warehouse of a config, where this config may use it. */
import { hostname } from 'node:os';
import { join, parse } from 'node:path';
import type { AccountConfig, Config } from '../config/config.ts';
import { lockOrThrow, readHolder, tryLock, type Lock } from '../database/lock.ts';
import { transact } from '../database/transaction.ts';
import { isSameZone } from '../lib/calendar.ts';
import { ConfigError, LockedError } from '../lib/errors.ts';
import { pluralize } from '../lib/format.ts';
import { commandsFor } from '../lib/shell-command.ts';
import { hasAccount, renameAccount } from '../warehouse/accounts.ts';
import {
  getBookedZone,
  isDemoFile,
  markAsDemo,
  type BookedZone,
} from '../warehouse/statements/warehouse-state.ts';
import { openWarehouse, type Warehouse } from '../warehouse/warehouse.ts';
import type { Environment } from './environment.ts';
import { assertNotLost, makeOwnFolders } from './lost-file.ts';

/**
 * Renames accounts that the config renames. Throws ConfigError where the file is lost, of the demo, or of
 * another calendar, and LockedError where a worker of another process, or a run, is in the way of a new name.
 */
export function openConfiguredWarehouse(config: Config, environment: Environment): Warehouse {
  const { clock, isDemo = false, formatCommand = commandsFor(config.file) } = environment;
  if (!isDemo) assertNotLost(config, formatCommand);
  makeOwnFolders(config);
  const warehouse = openWarehouse(config.warehouse, clock);
  try {
    assertNotOfDemo(config, isDemoFile(warehouse.db));
    if (isDemo) transact(warehouse.db, (tx) => markAsDemo(tx));
    assertMayUse(config, warehouse);
    renameAccounts(config, warehouse, environment);
  } catch (error) {
    warehouse.close();
    throw error;
  }
  return warehouse;
}

/**
 * Throws ConfigError for another time zone than that of the booked days, and for `was` where both names have
 * rows.
 */
export function assertMayUse(config: Config, warehouse: Warehouse): void {
  assertSameZone(config, getBookedZone(warehouse.db));
  for (const { name, was } of config.accounts) {
    if (was === null) continue;
    if (hasAccount(warehouse.db, was) && hasAccount(warehouse.db, name))
      throw new ConfigError(`account ${name} was ${was}, but the warehouse has rows of both`, {
        hint: `remove \`was: ${was}\``,
      });
  }
}

/** Gives all rows of an account that was named `was` its new name. `check` renames nothing. */
function renameAccounts(config: Config, warehouse: Warehouse, { clock, logger, command }: Environment): void {
  const renamed = config.accounts.filter(({ was }) => was !== null && hasAccount(warehouse.db, was));
  if (renamed.length === 0 || command === 'check') return;
  const locks = [lockAgainstWorker(config.warehouse, renamed, command, clock.now())];
  try {
    locks.push(lockOrThrow(config.warehouse, 'run', command, clock.now()));
    for (const { name, was } of renamed) {
      const rows = transact(warehouse.db, (tx) => renameAccount(tx, String(was), name));
      const message = `account ${was} is ${name} from now on: ${pluralize(rows, 'row')}`;
      logger.info({ event: 'account_renamed', account: name, was, rows }, message);
    }
  } finally {
    for (const lock of locks.reverse()) lock?.release();
  }
}

/**
 * Takes the lock of the worker, because a worker that still has the old name of an account would add its
 * packages again. Null where this process is the worker. Throws LockedError if another one is.
 */
function lockAgainstWorker(
  path: string,
  renamed: readonly AccountConfig[],
  command: string,
  now: number,
): Lock | null {
  const lock = tryLock(path, 'worker', command, now);
  const holder = lock ? null : readHolder(path, 'worker');
  if (lock || (holder?.pid === process.pid && holder.host === hostname())) return lock;
  const old = renamed.map(({ was }) => was).join(', ');
  const who = holder ? `, pid ${holder.pid} on ${holder.host}` : '';
  const names = renamed.map(({ name, was }) => `${was} to ${name}`).join(', ');
  throw new LockedError(`a worker${who} serves account ${old}; nothing was renamed or sent`, {
    hint: `it renames ${names} when it reads the config again: kill -HUP ${holder?.pid ?? 'PID'}`,
  });
}

/**
 * Throws ConfigError if days were booked by the calendar of another zone: there, the same dates mean other
 * days, and booked days never change.
 */
export function assertSameZone(
  { timezone }: Pick<Config, 'timezone'>,
  { timezone: bookedZone, bookedDays }: BookedZone,
): void {
  if (bookedZone === null || bookedDays === 0 || isSameZone(bookedZone, timezone)) return;
  const days = bookedDays === 1 ? '1 day was' : `${pluralize(bookedDays, 'day')} were`;
  throw new ConfigError(`timezone is ${timezone}, but ${days} booked by the calendar of ${bookedZone}`, {
    hint:
      `set \`timezone: ${bookedZone}\` again; if that was wrong from the start, ` +
      'set `warehouse` to a new file: storage.since books the days again',
  });
}

/** The config that the demo writes: `data/demo.yaml` for `data/demo.db`. */
export function getDemoConfig(warehouse: string): string {
  const { dir, name } = parse(warehouse);
  return join(dir, `${name}.yaml`);
}

/**
 * Throws ConfigError where another config than that of the demo opens the file of the demo: simulated data
 * must not mix with real data.
 */
function assertNotOfDemo({ file, warehouse }: Config, isDemo: boolean): void {
  const own = getDemoConfig(warehouse);
  if (!isDemo || file === own) return;
  throw new ConfigError(`${warehouse} is the file of vodhouse demo: its videos are simulated`, {
    hint: `set \`warehouse\` to another file; the demo's own config is ${own}`,
  });
}
