/**
 * Accounts that a target has from another warehouse, or from another copy of this one, are not synced here: their limits would
 * be spent twice. A target that cannot be reached refuses no account.
 */
import type { Config, TargetConfig } from '../config/config.ts';
import { errorLine, LockedError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { withinTime } from '../lib/within-time.ts';
import { openTarget } from '../publishing/targets/loader.ts';
import { findRefusal, readIdentity, type OwnedError } from '../publishing/targets/ownership.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

/** A run waits this long for a target that does not answer. */
const DEADLINE_MS = 5_000;

interface OwnerCheckOptions {
  config: Pick<Config, 'accounts' | 'publish' | 'worker'>;
  warehouse: Pick<Warehouse, 'getWarehouseId' | 'listPublications'>;
  logger: Logger;
}

/** Asks each target: the accounts that are not synced here, and why. Never rejects. */
export async function findOwned(
  { config: { accounts, publish, worker }, warehouse, logger }: OwnerCheckOptions,
  signal?: AbortSignal,
): Promise<Map<string, OwnedError>> {
  const identity = readIdentity(warehouse);
  const owned = new Map<string, OwnedError>();
  const check = async (target: TargetConfig) => {
    try {
      const { readAccounts } = await openTarget(target, worker);
      const states = await withinTime(readAccounts(), DEADLINE_MS, signal);
      if (states === null) throw new Error(`it did not answer in ${DEADLINE_MS / 1000} s`);
      for (const { name: account } of accounts) {
        const refusal = findRefusal(account, states.get(account) ?? null, identity, null, target.command);
        if (refusal) owned.set(account, refusal);
      }
    } catch (thrown) {
      const error = errorLine(thrown);
      const text = `target ${target.name} did not answer who owns the accounts; they are synced nevertheless: ${error}`;
      logger.warn({ event: 'target_not_reached', target: target.name, error }, text);
    }
  };
  await Promise.all((publish?.targets ?? []).map(check));
  for (const [account, { message: reason, hint = null }] of owned)
    logger.warn({ event: 'target_account_not_synced', account, reason, hint }, `${reason}; it is not synced`);
  return owned;
}

/** Throws LockedError where every account of the config is another one's: there is nothing to sync. */
export function assertAnyOurs(
  { accounts }: Pick<Config, 'accounts'>,
  owned: ReadonlyMap<string, OwnedError>,
): void {
  const errors = accounts.flatMap(({ name }) => owned.get(name) ?? []);
  const [first] = errors;
  if (first === undefined || errors.length < accounts.length) return;
  throw new LockedError(errors.map(({ message }) => message).join('; '), { hint: first.hint });
}
