/** One account's part of a run: its storage, then its packages in turn. */
import type { SyncAccount, SyncContext, RunOptions } from './context.ts';
import { matchesAny } from './package-selector.ts';
import { createCircuitBreaker, type StreamsOutcome } from './circuit-breaker.ts';
import { clockFailures } from './run-clock.ts';
import { bookStorage, type StorageOutcome } from './storage/book.ts';
import { runFairly, FAIRNESS } from './fair-queue.ts';
import { createPageOwners } from './videos/page-owners.ts';
import { quickWalk } from './videos/quick-walk.ts';
import { walkPackage } from './videos/walk.ts';

/** What an account came to; `storage` is null where there is none, or where it failed. */
export type AccountOutcome = StreamsOutcome & { storage: StorageOutcome | null };

/** Serves one account, by the clock of its service. One that fails never stops the others; throws only what ends the run. */
export async function syncAccount(
  parts: SyncContext,
  order: RunOptions,
  account: SyncAccount,
  runId: number,
  isFileAhead: boolean,
): Promise<AccountOutcome> {
  account.clock.reset();
  const startedAt = account.clock.mark();
  const guard = createCircuitBreaker(parts.logger, account.name);
  let storage: StorageOutcome | null = null;
  const { signal } = order;
  const { storage: rules } = account;
  if (order.storage && rules) {
    await guard.run(null, async () => {
      const { storageDays: days } = order;
      storage = await bookStorage(parts, { account, rules, runId, days, isFileAhead, signal });
    });
  }
  if (order.videos) {
    const { acceptRemovals, acceptPage = false } = order;
    const owners = createPageOwners(parts.warehouse, account.name, startedAt);
    const walkInMode = order.mode === 'quick' ? quickWalk : walkPackage;
    const { concurrency: concurrency } = account;
    const stopReason = () => guard.openReason() ?? order.stopReason?.() ?? null;
    const rules = { ...FAIRNESS, concurrency, stopReason };
    await runFairly(await packagesInTurn(parts, order, account), rules, (packageId, turn) =>
      guard.run(packageId, () => {
        turn.begin();
        const own = { ...parts, clock: account.clock };
        const accepted = { acceptRemovals, acceptPage };
        return walkInMode(own, { account, packageId, runId, ...accepted, owners, turn, signal });
      }),
    );
  }
  const outcome = guard.outcome();
  const failures = [...outcome.failures, ...clockFailures(account.name, account.clock.evidence())];
  return { ...outcome, storage, failures };
}

/** The packages asked for that had no turn yet, the one longest unserved first. */
async function packagesInTurn(
  parts: SyncContext,
  order: RunOptions,
  account: SyncAccount,
): Promise<number[]> {
  const { mode, packages: only, resumesFrom } = order;
  const isWanted = (packageId: number) => !only || matchesAny({ account: account.name, packageId }, only);
  const asked = new Set(account.packages.map(({ id }) => id).filter(isWanted));
  const { warehouse } = parts;
  const served = resumesFrom ? await warehouse.packagesServedSince(account.name, mode, resumesFrom) : [];
  for (const id of served) asked.delete(id);
  return interleaveFailed(
    (await warehouse.packagesByTurn(account.name, mode)).filter(({ id }) => asked.has(id)),
  );
}

/**
 * Never two in a row that failed before, as long as there is another one: a few dead packages must not pass for an
 * account that refuses everything.
 */
export function interleaveFailed(packages: readonly { id: number; failedBefore: boolean }[]): number[] {
  const ids: number[] = [];
  const late: number[] = [];
  let mayFail = false;
  for (const { id, failedBefore } of packages) {
    if (failedBefore && !mayFail) {
      late.push(id);
      continue;
    }
    ids.push(id);
    const next = failedBefore ? undefined : late.shift();
    if (next !== undefined) ids.push(next);
    mayFail = !failedBefore && next === undefined;
  }
  return [...ids, ...late];
}
