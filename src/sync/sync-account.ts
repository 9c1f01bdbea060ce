/** One account's part of a run: its storage, then its packages in turn. */
import type { StorageRules, SyncAccount, SyncContext, RunOptions } from './context.ts';
import { createMatcher } from './package-selector.ts';
import {
  createCircuitBreaker,
  type CircuitBreaker,
  type Failure,
  type StreamsOutcome,
} from './circuit-breaker.ts';
import { WarehouseError } from '../lib/errors.ts';
import { formatOffset } from '../lib/format.ts';
import type { ClockResult } from '../service/client/clock-check.ts';
import { bookStorage, type StorageOutcome } from './storage/book.ts';
import { runFairly, FAIRNESS } from './fair-queue.ts';
import { runQuickWalk } from './videos/quick-walk.ts';
import { walkPackage } from './videos/walk.ts';
import { findSilence } from '../warehouse/statements/run.ts';
import { findWalkOf } from '../warehouse/statements/walk.ts';
import { listPackagesServedSince, listPackagesByTurn } from '../warehouse/statements/package.ts';

export interface AccountOutcome extends StreamsOutcome {
  account: string;
  /** Null if there is none, or if it failed. */
  storage: StorageOutcome | null;
  clock: ClockResult;
}

/** An account in a run. */
interface AccountRun {
  context: SyncContext;
  options: RunOptions;
  account: SyncAccount;
  runId: number;
  breaker: CircuitBreaker;
}

/** Syncs one account. Its failures are in the outcome; throws only what ends the run. */
export async function syncAccount(
  context: SyncContext,
  options: RunOptions,
  account: SyncAccount,
  runId: number,
): Promise<AccountOutcome> {
  account.clockCheck.reset();
  const silence = findSilence(context.warehouse.db, { account: account.name });
  const breaker = createCircuitBreaker({ account: account.name, runId, logger: context.logger, silence });
  const run = { context, options, account, runId, breaker };
  const reading = options.storage && account.storage ? syncStorage(run, account.storage) : null;
  if (!silence.ofStorage) await reading; // storage that did not answer last time delays no package
  if (options.videos) await syncPackages(run);
  const storage = await reading;
  const outcome = breaker.getOutcome();
  const clock = account.clockCheck.result();
  const failures = [...outcome.failures, ...createClockFailures(account.name, clock)];
  return { ...outcome, account: account.name, storage, failures, clock };
}

/** The failure of an account whose service contradicts the machine's clock; empty if it does not. */
function createClockFailures(account: string, { isOff, differenceMs }: ClockResult): Failure[] {
  if (!isOff) return [];
  const message = `account ${account}: ${formatOffset(differenceMs ?? 0)}; nothing was booked, given up or deleted by age`;
  const hint = "set the machine's clock (timedatectl shows it), then run it again";
  return [
    {
      account,
      packageId: null,
      stream: null,
      kind: 'clock',
      message,
      hint,
      parked: false,
      untilMs: null,
    },
  ];
}

async function syncStorage(
  { context, options, account, runId, breaker }: AccountRun,
  rules: StorageRules,
): Promise<StorageOutcome | null> {
  const { storageDays: days, signal } = options;
  let outcome: StorageOutcome | null = null;
  await breaker.run(null, async () => {
    outcome = await bookStorage(context, {
      account,
      rules,
      runId,
      days,
      signal,
      beforeRetry: breaker.beforeStorageRetry,
    });
  });
  return outcome;
}

async function syncPackages(run: AccountRun): Promise<void> {
  const { context, options, account, runId, breaker } = run;
  const { name, concurrency } = account;
  const { acceptRemovals, signal } = options;
  const acceptPage = acceptRemovals === true && options.packages !== null;
  const shared = { account, runId, acceptRemovals, acceptPage, signal };
  const walk = options.mode === 'quick' ? runQuickWalk : walkPackage;
  const stopReason = () => breaker.getOpenReason() ?? options.stopReason?.() ?? null;
  const packages = listPackagesInTurn(run);
  context.progress.packagesQueued?.(packages.length);
  await runFairly(packages, { ...FAIRNESS, concurrency, stopReason, breaker }, async (packageId, slot) => {
    const key = { account: name, packageId };
    const reportDone = () =>
      context.progress.packageDone?.(key, findWalkOf(context.warehouse.db, key, runId) ?? null);
    await breaker.run(packageId, async () => {
      slot.begin();
      const beforeRetry = breaker.beforePageRetry.bind(null, slot);
      try {
        await walk(context, { ...shared, key, slot, beforeRetry });
      } catch (error) {
        if (!(error instanceof WarehouseError)) reportDone();
        throw error;
      }
      reportDone();
    });
  });
}

/**
 * The selected packages that this run, or the one it resumes, has not served yet, the longest unserved first.
 */
function listPackagesInTurn({ context, options, account }: AccountRun): number[] {
  const { warehouse } = context;
  const { mode, packages: selectors, takesPart = () => true, resumesFrom } = options;
  const matches = selectors ? createMatcher(selectors) : () => true;
  const isSelected = (packageId: number) => {
    const key = { account: account.name, packageId };
    return matches(key) && takesPart(key);
  };
  const selected = new Set(account.packages.map(({ id }) => id).filter(isSelected));
  const served = resumesFrom ? listPackagesServedSince(warehouse.db, account.name, mode, resumesFrom) : [];
  for (const id of served) selected.delete(id);
  const packages = listPackagesByTurn(warehouse.db, account.name, mode);
  return interleaveFailed(packages.filter(({ id }) => selected.has(id)));
}

/**
 * Puts other packages between those that failed before, as far as possible: a few dead packages must not look
 * like an account that refuses everything.
 */
function interleaveFailed(packages: readonly { id: number; failedBefore: boolean | 0 | 1 }[]): number[] {
  const ids: number[] = [];
  const delayed: number[] = [];
  let mayFail = false;
  for (const { id, failedBefore } of packages) {
    if (failedBefore && !mayFail) {
      delayed.push(id);
      continue;
    }
    const next = failedBefore ? [] : delayed.splice(0, 1);
    ids.push(id, ...next);
    mayFail = !failedBefore && next.length === 0;
  }
  return [...ids, ...delayed];
}
