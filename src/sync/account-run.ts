/** One account's part of a run: its storage, then its packages, a few at a time. */
import pLimit from 'p-limit';
import { InterruptedError, messageOf, ParkedError, RefusedError, TransientError } from '../lib/errors.ts';
import type { SyncAccount, SyncParts } from './account.ts';
import type { RunOrder } from './run.ts';
import { bookStorage, type StorageOutcome } from './storage/book.ts';
import { endsRun, walkPackage } from './videos/walk.ts';

/** What could not be done. */
export interface Failure {
  account: string;
  /** The package; null for the storage, or for what concerns the whole account. */
  packageId: number | null;
  message: string;
  hint: string | undefined;
  /** It was put off, not lost: the budget or the service asked to wait. */
  parked: boolean;
}

/** What an account came to. */
export interface AccountOutcome {
  storage: StorageOutcome | null;
  failures: Failure[];
  /** Streams (the storage, a package) that were done to their end. */
  done: number;
  interrupted: boolean;
}

/** The same refusal from this many packages in a row is about the account: a wrong key must not cost ten thousand requests. */
const SAME_REFUSALS = 3;

/** Serves one account. One that fails never stops the others; throws only what ends the run. */
export async function syncAccount(
  parts: SyncParts,
  order: RunOrder,
  account: SyncAccount,
  runId: number,
  now: number,
): Promise<AccountOutcome> {
  const outcome: AccountOutcome = { storage: null, failures: [], done: 0, interrupted: false };
  const guard = createGuard(parts, account, outcome);
  const { signal } = order;
  const { storage: rules } = account;
  if (order.storage && rules) {
    await guard.attempt(null, async () => {
      outcome.storage = await bookStorage(parts, { account, rules, runId, now, signal });
    });
  }
  if (order.videos) {
    const acceptBefore = order.acceptRemovals ? now + 1000 : null; // the file keeps whole seconds
    const packages = await inOrder(parts, account, order.packages);
    const atATime = pLimit(account.concurrency);
    const walk = (packageId: number) =>
      guard.attempt(packageId, () => walkPackage(parts, { account, packageId, runId, acceptBefore, signal }));
    await Promise.all(packages.map((packageId) => atATime(() => walk(packageId))));
  }
  return guard.outcome();
}

/** The packages asked for, the one longest unwalked first. */
async function inOrder(
  parts: SyncParts,
  account: SyncAccount,
  only: readonly number[] | null,
): Promise<number[]> {
  const asked = account.packages.filter(({ id }) => !only || only.includes(id));
  const states = await Promise.all(asked.map(({ id }) => parts.warehouse.packageState(account.name, id)));
  const byAge = states.sort((one, other) => (one.walkedAt ?? '').localeCompare(other.walkedAt ?? ''));
  return byAge.map((state) => state.packageId);
}

/** Collects what fails, and stops the account where going on would only spend requests. */
function createGuard(parts: SyncParts, account: SyncAccount, outcome: AccountOutcome) {
  let fatal: Error | null = null;
  let stopped: string | null = null;
  let untried = 0;
  let isParked = false;
  let refusals: { code: string; count: number } = { code: '', count: 0 };

  function note(error: unknown, packageId: number | null): void {
    const hint = error instanceof RefusedError ? error.hint : undefined;
    const parked = error instanceof ParkedError;
    outcome.failures.push({ account: account.name, packageId, message: messageOf(error), hint, parked });
    parts.logger.error(
      { account: account.name, ...(packageId === null ? {} : { packageId }), ...unexpected(error) },
      messageOf(error),
    );
    if (parked) {
      stopped = error.message;
      isParked = true;
    }
    if (packageId !== null) countRefusal(error);
  }

  function countRefusal(error: unknown): void {
    const code = error instanceof RefusedError ? `${error.fault} ${error.code ?? error.status ?? ''}` : '';
    refusals = { code, count: code !== '' && code === refusals.code ? refusals.count + 1 : 1 };
    if (code !== '' && refusals.count >= SAME_REFUSALS)
      stopped = `the same refusal from ${SAME_REFUSALS} packages in a row`;
  }

  return {
    /** Does one stream; `packageId` is null for the storage. */
    async attempt(packageId: number | null, work: () => Promise<void>): Promise<void> {
      if (outcome.interrupted || fatal) return;
      if (stopped !== null) {
        untried++;
        return;
      }
      try {
        await work();
        outcome.done++;
        if (packageId !== null) refusals = { code: '', count: 0 };
      } catch (error) {
        if (error instanceof InterruptedError) outcome.interrupted = true;
        else if (endsRun(error)) fatal ??= error;
        else note(error, packageId);
      }
    },
    /** What came of it, once all is done. Throws what ends the run. */
    outcome(): AccountOutcome {
      if (fatal) throw fatal;
      if (stopped !== null && untried > 0) {
        const message = `account ${account.name}: ${stopped}; ${untried} packages were not asked for in this run`;
        const hint = isParked ? undefined : 'check the key: vodhouse check';
        outcome.failures.push({ account: account.name, packageId: null, message, hint, parked: isParked });
      }
      return outcome;
    },
  };
}

/** The stack of what is not one of our own errors: it is a defect, and should be found. */
function unexpected(error: unknown): { stack?: string | undefined } {
  const isExpected =
    error instanceof TransientError || error instanceof RefusedError || error instanceof ParkedError;
  return !isExpected && error instanceof Error ? { stack: error.stack } : {};
}
