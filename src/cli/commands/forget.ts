import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/config.ts';
import type { Pipeline } from '../../app/pipeline.ts';
import { backUpInChild } from '../../backup/backup.ts';
import { lockOrThrow } from '../../database/lock.ts';
import { shellQuote } from '../../lib/shell-command.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { ConfigError } from '../../lib/errors.ts';
import type { ForgetTarget } from '../../warehouse/accounts.ts';
import type { ConfigOptions } from '../command-context.ts';
import { isConfirmed } from '../confirm.ts';
import { EXIT } from '../exit.ts';
import { assertKnown, assertWarehouse } from '../requirements.ts';
import { displayPath } from '../output/output.ts';
import { formatRecords } from '../output/table.ts';
import { publishChange, withPipeline, type OpenedCommand } from '../with-pipeline.ts';
import {
  countTargetRows,
  listTargetPackages,
  hasAccount,
  listAccounts,
  forgetRows,
} from '../../warehouse/accounts.ts';
import { transact } from '../../database/transaction.ts';

export interface ForgetOptions extends ConfigOptions {
  yes?: true;
  /** False with `--no-backup`. */
  backup: boolean;
}

/** `vodhouse forget ACCOUNT[/ID]`: deletes all rows of what is retired. Returns the exit code. */
export async function forget(target: ForgetTarget, options: ForgetOptions): Promise<number> {
  const name = target.packageId === null ? target.account : `${target.account}/${target.packageId}`;
  const config = loadConfig(options.config);
  assertWarehouse(config);
  return withPipeline('forget', config, options, async (opened) => {
    const { pipeline, context, signal } = opened;
    assertRetired(pipeline, config, target, name);
    process.stdout.write(`${formatRecords(countTargetRows(pipeline.warehouse.db, target))}\n\n`);
    const asking = { yes: options.yes, command: context.formatCommand(`forget ${shellQuote(name)}`) };
    if (!(await isConfirmed(`Delete all these rows of ${name}?`, asking, signal))) return EXIT.done;
    await deleteRows(opened, config.warehouse, target, options.backup);
    process.stdout.write(`deleted ${name}\n`);
    return publishChange(opened);
  });
}

/** Throws ConfigError unless everything that would be deleted is retired. */
function assertRetired({ warehouse }: Pipeline, config: Config, target: ForgetTarget, name: string): void {
  const { account, packageId } = target;
  const packages = listTargetPackages(warehouse.db, target);
  if (packageId === null ? !hasAccount(warehouse.db, account) : packages.length === 0) {
    const known = packageId === null ? listAccounts(warehouse.db) : [];
    assertKnown('the warehouse has no', name, known);
  }
  const configured = config.accounts.find((each) => each.name === account);
  const isConfigured =
    packageId === null ? configured !== undefined : configured?.packages.some(({ id }) => id === packageId);
  if (isConfigured)
    throw new ConfigError(`${name} is in the config; only what is retired can be forgotten`, {
      hint: [`take it out of ${displayPath(config.file)} first, and run `, { command: 'sync' }],
    });
  const active = packages.filter(({ isRetired }) => isRetired === 0).map((each) => each.packageId);
  if (active.length === 0) return;
  throw new ConfigError(`${name} is not retired yet: package ${active.join(', ')}`, {
    hint: ['the next run retires it: ', { command: 'sync' }],
  });
}

/** Makes a backup if `isBackedUp`, then deletes the rows, both under the run lock. */
async function deleteRows(
  { pipeline: { warehouse }, context: { clock, announce }, signal }: OpenedCommand,
  path: string,
  target: ForgetTarget,
  isBackedUp: boolean,
): Promise<void> {
  const lock = lockOrThrow(path, 'run', 'forget', clock.now());
  try {
    warehouse.assertNotReplaced();
    if (isBackedUp) {
      const stamp = toTimestamp(clock.now()).replaceAll(/[-:]/g, '').replace(' ', '-');
      const file = `${path}.before-forget-${stamp}`;
      announce(`backing up to ${displayPath(file)} …`);
      await backUpInChild(path, file, signal);
      process.stdout.write(`backed up to ${displayPath(file)}\n`);
    }
    transact(warehouse.db, (tx) => forgetRows(tx, target, clock.now()));
  } finally {
    lock.release();
  }
}
