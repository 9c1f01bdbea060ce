/**
 * Accounts that a target has from another warehouse, or from another copy of this one, are not synced here: their limits would
 * be spent twice. A target that cannot be reached refuses nobody.
 */
import type { Config, TargetConfig } from '../config/config.ts';
import { errorLine, LockedError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { openAccess } from '../publishing/targets/open-target.ts';
import { assertOurs, OwnedError, type Identity } from '../publishing/targets/ownership.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

/** A run waits this long for a target that does not answer. */
const DEADLINE_MS = 5_000;

interface OwnerCheckOptions {
  config: Pick<Config, 'accounts' | 'publish'>;
  warehouse: Pick<Warehouse, 'getWarehouseId' | 'listPublications'>;
  logger: Logger;
}

/** Asks each target once a run. */
export function createOwnerCheck({ config, warehouse, logger }: OwnerCheckOptions) {
  const targets = config.publish?.targets ?? [];
  const known = new Set<string>(); // what was logged, and is so still
  return {
    /** The accounts that are not synced here, and why. Never rejects. */
    async findOwned(signal?: AbortSignal): Promise<Map<string, OwnedError>> {
      const identity = {
        warehouseId: warehouse.getWarehouseId(),
        publications: warehouse.listPublications(),
      };
      const found = await Promise.all(
        targets.map((target) => findOwnedIn(target, config, identity, logger, signal)),
      );
      const owned = new Map(found.flatMap((each) => [...each]));
      for (const [account, { message, hint = null }] of owned) {
        if (!known.has(account))
          logger.warn(
            { event: 'target_account_not_synced', account, reason: message, hint },
            `${message}; it is not synced`,
          );
        known.add(account);
      }
      for (const account of known) if (!owned.has(account)) known.delete(account);
      return owned;
    },
  };
}

async function findOwnedIn(
  target: TargetConfig,
  { accounts }: Pick<Config, 'accounts'>,
  identity: Identity,
  logger: Logger,
  signal?: AbortSignal,
): Promise<Map<string, OwnedError>> {
  const owned = new Map<string, OwnedError>();
  const access = await openAccess(target);
  try {
    const states = await untilAborted(access.readAccounts(), DEADLINE_MS, signal);
    for (const { name } of accounts)
      try {
        assertOurs(name, states.get(name) ?? null, identity, null);
      } catch (error) {
        if (!(error instanceof OwnedError)) throw error;
        owned.set(name, error);
      }
  } catch (error) {
    const { message } = access.describe(error);
    logger.warn(
      { event: 'target_not_reached', target: target.name, error: message },
      `target ${target.name} does not tell whose the accounts are, and they are synced all the same: ${errorLine(message)}`,
    );
  } finally {
    await access.close();
  }
  return owned;
}

async function untilAborted<Result>(
  work: Promise<Result>,
  ms: number,
  signal?: AbortSignal,
): Promise<Result> {
  work.catch(() => undefined);
  const late = AbortSignal.any([AbortSignal.timeout(ms), ...(signal ? [signal] : [])]);
  return Promise.race([
    work,
    new Promise<never>((_, reject) => {
      late.addEventListener('abort', () => {
        reject(new Error(`it did not answer in ${ms / 1000} s`));
      });
    }),
  ]);
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
