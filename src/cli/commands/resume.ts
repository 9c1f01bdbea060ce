import { loadConfig } from '../../config/load.ts';
import { commandsFor } from '../../lib/shell-command.ts';
import { systemClock, toTimestamp } from '../../lib/clock.ts';
import { openWarehouse } from '../../warehouse/warehouse.ts';
import type { ConfigOptions } from '../command-context.ts';
import { assertAccount, assertWarehouse } from '../requirements.ts';
import { transact } from '../../database/transaction.ts';
import { endPause } from '../../warehouse/runs.ts';

/** `vodhouse resume ACCOUNT`: ends the pause of an account. */
export async function resume(account: string, options: ConfigOptions): Promise<void> {
  const config = loadConfig(options.config);
  assertAccount(config, account);
  assertWarehouse(config);
  const warehouse = openWarehouse(config.warehouse, systemClock);
  try {
    const isEnded = transact(warehouse.db, (tx) =>
      endPause(tx, { account, at: toTimestamp(systemClock.now()) }),
    );
    const next = `a worker goes on within a minute; without one: ${commandsFor(options.config)('sync')}`;
    process.stdout.write(
      isEnded ? `ended the pause of account ${account}\n${next}\n` : `account ${account} is not paused\n`,
    );
  } finally {
    warehouse.close();
  }
}
