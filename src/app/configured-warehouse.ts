/** Opens the warehouse of a config, where this config may use it. */
import type { AccountConfig, Config } from '../config/config.ts';
import { lockOrThrow } from '../database/lock.ts';
import { ConfigError } from '../lib/errors.ts';
import { pluralize } from '../lib/format.ts';
import { openWarehouse, type Warehouse } from '../warehouse/warehouse.ts';
import { assertDemoOrReal, assertSameZone, otherConfigText } from './file-use.ts';
import type { Environment } from './environment.ts';

/** Renames accounts that the config renames. Throws ConfigError where the file is of the demo, or of another calendar. */
export function openConfiguredWarehouse(config: Config, environment: Environment): Warehouse {
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
export function assertMayUse(config: Config, warehouse: Warehouse): void {
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
