import { loadConfig } from '../../config/load.ts';
import { transact } from '../../database/transaction.ts';
import { systemClock, toTimestamp } from '../../lib/clock.ts';
import { escapeControls } from '../../lib/format.ts';
import { acknowledgeDrift, listOpenDrift, type OpenDrift } from '../../warehouse/statements/drift.ts';
import { openWarehouse } from '../../warehouse/warehouse.ts';
import type { ConfigOptions } from '../command-context.ts';
import { assertKnown, assertWarehouse } from '../requirements.ts';

/** `vodhouse acknowledge [NAME]`: accepts one drift, or all if none is named. */
export async function acknowledge(name: string | undefined, options: ConfigOptions): Promise<void> {
  const config = loadConfig(options.config);
  assertWarehouse(config);
  const warehouse = openWarehouse(config.warehouse, systemClock);
  try {
    const open = listOpenDrift(warehouse.db);
    if (name !== undefined) assertKnown('there is no drift', name, open.map(nameOf));
    const added = open.filter((row) => row.acknowledged_at === null && (name ?? nameOf(row)) === nameOf(row));
    const at = toTimestamp(systemClock.now());
    for (const { account, stream, field, kind } of added)
      transact(warehouse.db, (tx) => acknowledgeDrift(tx, { account, stream, field, kind, at }));
    const lines = added.map((row) => `acknowledged ${escapeControls(nameOf(row))} (${row.kind})\n`);
    process.stdout.write(lines.length > 0 ? lines.join('') : noneText(name));
  } finally {
    warehouse.close();
  }
}

const nameOf = ({ account, stream, field }: OpenDrift) => `${account}/${stream}/${field}`;

const noneText = (name: string | undefined) =>
  name === undefined ? 'no drift to acknowledge\n' : `${escapeControls(name)} was acknowledged before\n`;
