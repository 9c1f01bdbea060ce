/** One account's part of a run: what the service has once for it, then its packages in turn. */
import { WarehouseError } from '../lib/errors.ts';
import { formatOffset } from '../lib/format.ts';
import type { AccountStream } from './streams.ts';
import type { ServiceClient } from '../service/client/client.ts';
import type { ClockResult } from '../service/client/clock-check.ts';
import type { RequestContext } from '../service/client/execute.ts';
import { readStorageDay } from '../service/storage.ts';
import { listPackagesByTurn, listPackagesServedSince } from '../warehouse/statements/package.ts';
import { listSilentStreams } from '../warehouse/statements/run.ts';
import { findWalkOf } from '../warehouse/statements/walk.ts';
import {
  createCircuitBreaker,
  type CircuitBreaker,
  type Failure,
  type StreamsOutcome,
} from './circuit-breaker.ts';
import type { RunOptions, SyncAccount, SyncContext } from './context.ts';
import { FAIRNESS, runFairly } from './fair-queue.ts';
import { createMatcher } from './package-selector.ts';
import { bookStorage, type StorageOutcome } from './storage/book.ts';
import { runQuickWalk } from './videos/quick-walk.ts';
import { walkPackage } from './videos/walk.ts';

/** What became of the streams that an account has once. */
interface AccountStreamsOutcome {
  /** Null if there is none, or if it failed. */
  storage: StorageOutcome | null;
  /** Records that were put into quarantine. */
  quarantined: number;
}

export interface AccountOutcome extends StreamsOutcome, AccountStreamsOutcome {
  account: string;
  clock: ClockResult;
}

/** An account in a run. */
interface AccountRun {
  context: SyncContext;
  options: RunOptions;
  account: SyncAccount;
  runId: number;
  breaker: CircuitBreaker;
  /** What the readers of the account's own streams add to. */
  outcome: AccountStreamsOutcome;
}

/** Syncs one account. Its failures are in the outcome; throws only what ends the run. */
export async function syncAccount(
  context: SyncContext,
  options: RunOptions,
  account: SyncAccount,
  runId: number,
): Promise<AccountOutcome> {
  account.clockCheck.reset();
  const { name } = account;
  const silent = new Set(
    listSilentStreams(context.warehouse.db, { account: name }).map(({ stream }) => stream),
  );
  const breaker = createCircuitBreaker({ account: name, runId, logger: context.logger, silent });
  const outcome: AccountStreamsOutcome = { storage: null, quarantined: 0 };
  const run: AccountRun = { context, options, account, runId, breaker, outcome };
  const readings = account.streams
    .filter((stream) => options.streams.includes(stream))
    .map((stream) => ({
      isSilent: silent.has(stream),
      done: readAccountStream(run, stream),
    }));
  // packages do not wait for a stream that did not answer in the last run
  await Promise.all(readings.flatMap(({ isSilent, done }) => (isSilent ? [] : done)));
  if (options.streams.includes('videos')) await syncPackages(run);
  await Promise.all(readings.map(({ done }) => done));
  const all = breaker.getOutcome();
  const clock = account.clockCheck.result();
  const failures = [...all.failures, ...createClockFailures(name, clock)];
  return { ...all, ...outcome, account: name, failures, clock };
}

/** The failure of an account whose service contradicts the machine's clock; empty if it does not. */
function createClockFailures(account: string, { isOff, differenceMs }: ClockResult): Failure[] {
  if (!isOff) return [];
  const offset = formatOffset(differenceMs ?? 0);
  const message = `account ${account}: ${offset}; nothing was booked, given up or deleted by age`;
  const hint = "set the machine's clock (timedatectl shows it), then run it again";
  return [
    {
      account,
      packageId: null,
      stream: null,
      kind: 'clock',
      message,
      skipped: null,
      hint,
      untilMs: null,
    },
  ];
}

/** What `check` asks for. */
interface Check {
  client: ServiceClient;
  request: RequestContext;
  /** The last day that is over, by the calendar of the service. */
  yesterday: string;
}

/** How a stream is read that the account has once. */
interface Reader {
  /** Reads it in a run. `beforeRetry`: see RequestContext. */
  read: (run: AccountRun, beforeRetry: (failure: unknown) => Promise<void>) => Promise<void>;
  /** With one request: what is asked for, and a function that asks and returns the result in words. */
  check: (check: Check) => { asked: string; ask: () => Promise<string> };
}

export const READERS: Readonly<Record<AccountStream, Reader>> = {
  storage: {
    read: async ({ context, options, account, runId, outcome }, beforeRetry) => {
      const { storage: rules } = account;
      if (!rules) return;
      const { storageDays: days, signal } = options;
      outcome.storage = await bookStorage(context, { account, rules, runId, days, signal, beforeRetry });
      outcome.quarantined += outcome.storage.quarantined;
    },
    check: ({ client, request, yesterday }) => ({
      asked: `storage of ${yesterday}`,
      ask: async () => {
        const { records } = await client.storageDays({ ...request, from: yesterday, to: yesterday });
        const days = records
          .map(readStorageDay)
          .filter((read) => 'day' in read && read.day.date === yesterday);
        return `answers${days.length === 0 ? ', but without' : ' with'} figures of that day`;
      },
    }),
  },
};

function readAccountStream(run: AccountRun, stream: AccountStream): Promise<void> {
  const { breaker } = run;
  const beforeRetry = (failure: unknown) => breaker.beforeRetry(stream, failure);
  return breaker.run({ stream, packageId: null }, () => READERS[stream].read(run, beforeRetry));
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
    await breaker.run({ stream: 'videos', packageId }, async () => {
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
