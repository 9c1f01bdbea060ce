/**
 * One run. This is what happens in it, from the tick to the row:
 *
 * 1. `app/scheduler.ts` asks every minute what is due, and `app/run-due.ts` has it made by the pipeline,
 *    which takes the run lock and calls `runOnce`, here. `vodhouse sync` calls the pipeline at once.
 * 2. `runOnce` stores that the run has begun. All accounts are synced at the same time (`sync-account.ts`):
 *    an account reads its storage, and its packages in turns.
 * 3. `videos/walk.ts` walks a package from its last page to its first; `videos/quick-walk.ts` reads only the
 *    pages that may have changed. `storage/book.ts` asks for the days of the storage that are missing, and
 *    for today.
 * 4. `videos/page.ts` asks for one page. The request waits in `budget/budget.ts` until the account may send
 *    it, is sent by `service/client/transport.ts`, and is parsed and checked in
 *    `service/client/parse-response.ts`.
 * 5. `videos/proof.ts` decides what the page proves: which of the known videos are no longer in the list.
 * 6. `warehouse/store-page.ts` writes it in one transaction: rows, their earlier states, proved removals,
 *    records that cannot be stored, and how far the walk is.
 * 7. At the end of the walk, `warehouse/walks.ts` lets the removals take effect, or holds them back.
 *    `runOnce` stores how the run ended, and the worker publishes the rows (`publishing/publish.ts`).
 */
import { setMaxListeners } from 'node:events';
import { isLocked } from '../database/integrity.ts';
import type { Mode, Status } from '../database/schema/values.ts';
import { transact } from '../database/transaction.ts';
import { errorLine, errorMessage, hintLine, withHint } from '../lib/errors.ts';
import { STREAMS } from './streams.ts';
import { beginRun, endRun } from '../warehouse/runs.ts';
import { countRequests, type RunFailure } from '../warehouse/statements/run.ts';
import { findWalks, type WalkRow } from '../warehouse/statements/walk.ts';
import { recordZone } from '../warehouse/statements/warehouse-state.ts';
import type { Failure } from './circuit-breaker.ts';
import type { RunOptions, SyncContext } from './context.ts';
import { formatSelector, type PackageSelector } from './package-selector.ts';
import type { StorageOutcome } from './storage/book.ts';
import { syncAccount, type AccountOutcome } from './sync-account.ts';

export interface RunSummary {
  runId: number;
  mode: Mode;
  /** Packages with a completed walk; also quick walks that found nothing, which leave no row. */
  packagesDone: number;
  status: Exclude<Status, 'running'>;
  requests: number;
  durationMs: number;
  walks: WalkRow[];
  storage: StorageOutcome[];
  failures: Failure[];
}

/** What a run has done, before its end is stored. */
interface RunResult {
  status: RunSummary['status'];
  error: string | null;
  outcomes: readonly AccountOutcome[];
}

/** Makes one run. Throws WarehouseError if the file cannot be used; all other errors are in the summary. */
export async function runOnce(context: SyncContext, options: RunOptions): Promise<RunSummary> {
  const { warehouse, clock, calendar } = context;
  const { trigger, mode, resumesFrom: origin } = options;
  const startedAt = clock.now();
  const scope = formatScope(options);
  const runId = transact(warehouse.db, (tx) =>
    beginRun(tx, { trigger, mode, now: startedAt, scope, origin }),
  );
  context.logger.debug(
    { event: 'run_started', run_id: runId, mode, trigger },
    `${mode} run ${runId} started`,
  );
  const end = (result: RunResult) =>
    whenUnlocked(context, options.signal, () => storeEnd(context, options, runId, result));
  let result: RunResult;
  try {
    transact(warehouse.db, (tx) => recordZone(tx, { timezone: calendar.timezone }));
    result = await syncAccounts(context, options, runId);
  } catch (thrown) {
    await end({ status: 'failed', error: errorMessage(thrown), outcomes: [] });
    throw thrown;
  }
  await end(result);
  const { status, outcomes } = result;
  return {
    runId,
    mode,
    packagesDone: outcomes.reduce((sum, outcome) => sum + outcome.packagesDone, 0),
    status,
    requests: countRequests(warehouse.db, { runId }),
    durationMs: clock.now() - startedAt,
    walks: findWalks(warehouse.db, runId),
    storage: outcomes.flatMap(({ storage }) => storage ?? []),
    failures: outcomes.flatMap(({ failures }) => failures),
  };
}

/** Waits for all accounts, also if one throws: the file must not be closed while one is at work. */
async function syncAccounts(context: SyncContext, options: RunOptions, runId: number): Promise<RunResult> {
  setMaxListeners(0, options.signal); // each request in flight listens to it: Node warns of more than ten
  const syncs = options.accounts.map((account) => syncAccount(context, options, account, runId));
  await Promise.allSettled(syncs);
  const outcomes = await Promise.all(syncs);
  const status = getStatus(outcomes, findWalks(context.warehouse.db, runId), options.signal);
  return { status, error: formatError(outcomes, status), outcomes };
}

function formatScope({ packages, streams, storageDays: days }: RunOptions): string | null {
  const parts = [
    packages && formatPackages(packages),
    streams.length < STREAMS.length && `${streams.join(' and ')} only`,
    days && `${days.from} to ${days.to}`,
  ];
  return parts.filter(Boolean).join(', ') || null;
}

/** How many packages a scope names. */
const MAX_NAMED = 20;

function formatPackages(packages: readonly PackageSelector[]): string {
  const named = packages.slice(0, MAX_NAMED).map(formatSelector).join(', ');
  const more = packages.length - MAX_NAMED;
  return more > 0 ? `packages ${named} and ${more} more` : `packages ${named}`;
}

/** How often the end of a run is stored again while the file is locked. */
const RETRY_MS = 1_000;

/**
 * Stores the end of a run, and waits as long as another program has the file locked, because a run whose end
 * is not stored looks as if it had been killed.
 */
async function whenUnlocked(
  { clock, logger }: SyncContext,
  signal: AbortSignal,
  store: () => void,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      store();
      return;
    } catch (error) {
      if (!isLocked(error) || signal.aborted) throw error;
      const reason = withHint(errorLine(error), hintLine(error));
      if (tries === 1) logger.warn({ event: 'run_lock_wait', reason }, `waiting to store the run: ${reason}`);
    }
    await clock.sleep(RETRY_MS, signal);
  }
}

/**
 * Stores the end of the run. If no response came, or one contradicts the clock, nothing is deleted by age.
 */
function storeEnd(
  { warehouse, clock }: SyncContext,
  { retention }: RunOptions,
  runId: number,
  { status, error, outcomes }: RunResult,
): void {
  const off = outcomes.find((outcome) => outcome.clock.isOff)?.clock;
  const isDated = outcomes.some((outcome) => outcome.clock.differenceMs !== null);
  const undated = isDated ? [] : outcomes.flatMap(({ account, done }) => (done > 0 ? account : []));
  transact(warehouse.db, (tx) =>
    endRun(tx, runId, {
      status,
      error,
      failures: outcomes.flatMap(listFailures),
      resumeAt: status === 'interrupted' ? null : getResumeTime(outcomes),
      clockOffsetMs: off?.differenceMs ?? null,
      undated,
      now: clock.now(),
      retention: off || !(isDated || undated.length > 0) ? null : retention,
    }),
  );
}

const INTERRUPTED = 'stopped before the end';

/** The failures of an account. An interruption is one, too. */
function listFailures({ account, failures, interrupted }: AccountOutcome): RunFailure[] {
  const none = { packageId: null, stream: null, skipped: null };
  return interrupted
    ? [...failures, { account, ...none, kind: 'interrupted', message: INTERRUPTED }]
    : failures;
}

/** The first time at which something that was deferred may continue, in milliseconds since 1970; or null. */
function getResumeTime(outcomes: readonly AccountOutcome[]): number | null {
  const times = outcomes.flatMap(({ failures }) => failures.flatMap(({ untilMs }) => untilMs ?? []));
  return times.length === 0 ? null : Math.min(...times);
}

function getStatus(
  outcomes: readonly AccountOutcome[],
  walks: readonly WalkRow[],
  signal: AbortSignal,
): RunSummary['status'] {
  if (signal.aborted && outcomes.some(({ interrupted }) => interrupted)) return 'interrupted';
  const failures = outcomes.flatMap((outcome) => outcome.failures);
  if (failures.length > 0) {
    if (failures.every(({ untilMs }) => untilMs !== null)) return 'parked';
    return outcomes.some(({ done }) => done > 0) ? 'partial' : 'failed';
  }
  const needsAttention =
    outcomes.some(({ quarantined }) => quarantined > 0) ||
    walks.some(({ status, quarantined, held_back }) => status === 'partial' || quarantined + held_back > 0);
  return needsAttention ? 'partial' : 'succeeded';
}

/** The most characters of the error of a run. */
const MAX_ERROR_LENGTH = 2000;

function formatError(outcomes: readonly AccountOutcome[], status: Status): string | null {
  if (status === 'interrupted') return INTERRUPTED;
  const messages = outcomes.flatMap(({ failures }) => failures.map(({ message }) => message));
  return messages.length === 0 ? null : messages.join('; ').slice(0, MAX_ERROR_LENGTH);
}
