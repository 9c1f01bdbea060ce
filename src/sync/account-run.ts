/** One account's part of a run: its storage, then its packages, a few at a time. */
import pLimit from 'p-limit';
import type { SyncAccount, SyncParts } from './account.ts';
import { createGuard, type StreamsOutcome } from './guard.ts';
import type { RunOrder } from './run.ts';
import { bookStorage, type StorageOutcome } from './storage/book.ts';
import { walkPackage } from './videos/walk.ts';

/** What an account came to; `storage` is null where there is none, or where it failed. */
export type AccountOutcome = StreamsOutcome & { storage: StorageOutcome | null };

/** Serves one account. One that fails never stops the others; throws only what ends the run. */
export async function syncAccount(
  parts: SyncParts,
  order: RunOrder,
  account: SyncAccount,
  runId: number,
  now: number,
): Promise<AccountOutcome> {
  const guard = createGuard(parts.logger, account.name);
  let storage: StorageOutcome | null = null;
  const { signal } = order;
  const { storage: rules } = account;
  if (order.storage && rules) {
    await guard.attempt(null, async () => {
      storage = await bookStorage(parts, { account, rules, runId, now, signal });
    });
  }
  if (order.videos) {
    const { acceptRemovals } = order;
    const packages = await inOrder(parts, account, order.packages);
    const atATime = pLimit(account.concurrency);
    const walk = (packageId: number) =>
      guard.attempt(packageId, () =>
        walkPackage(parts, { account, packageId, runId, acceptRemovals, signal }),
      );
    await Promise.all(packages.map((packageId) => atATime(() => walk(packageId))));
  }
  return { storage, ...guard.outcome() };
}

/** The packages asked for, the one longest unserved first: one that keeps failing has its turn, and no more. */
async function inOrder(
  parts: SyncParts,
  account: SyncAccount,
  only: readonly number[] | null,
): Promise<number[]> {
  const asked = account.packages.filter(({ id }) => !only || only.includes(id));
  const states = await Promise.all(asked.map(({ id }) => parts.warehouse.packageState(account.name, id)));
  const inTurn = states.sort((one, other) => one.lastWalkId - other.lastWalkId);
  return inTurn.map((state) => state.packageId);
}
