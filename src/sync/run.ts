/** One pass over everything due: all accounts, storage first, then the packages longest unserved. */
import { fromTimestamp, toTimestamp, WRONG_CLOCK_MS } from '../lib/clock.ts';
import { InterruptedError, errorMessage, WarehouseError } from '../lib/errors.ts';
import type { Mode, Status } from '../database/schema/runs.ts';
import type { WalkRow } from '../warehouse/statements/walk.ts';
import type { SyncContext, RunOptions } from './context.ts';
import { formatSelector } from './package-selector.ts';
import { syncAccount, type AccountOutcome } from './sync-account.ts';
import type { RunEnd } from '../warehouse/warehouse.ts';
import type { Failure } from './circuit-breaker.ts';
import { judgeClock, type RunClock } from './run-clock.ts';
import type { StorageOutcome } from './storage/book.ts';

/** What a run came to. */
export interface RunSummary {
  runId: number;
  mode: Mode;
  /** Packages that were walked or looked at to the end; a quick look that found nothing is no walk. */
  packagesDone: number;
  status: Exclude<Status, 'running'>;
  requests: number;
  durationMs: number;
  walks: WalkRow[];
  storage: StorageOutcome[];
  failures: Failure[];
  /** What the run found out about the clocks. */
  clock: RunClock;
}

/** Makes one run. Throws WarehouseError where the file cannot be used; all else is in the summary. */
export async function runOnce(parts: SyncContext, order: RunOptions): Promise<RunSummary> {
  const { warehouse, clock } = parts;
  const startedAt = clock.now();
  const isFileAhead = await findFileAhead(parts, startedAt);
  const runId = await warehouse.beginRun({
    trigger: order.trigger,
    mode: order.mode,
    now: startedAt,
    scope: scopeOf(order),
    origin: order.resumesFrom,
  });
  await warehouse.recordZone(parts.calendar.timezone);
  let outcomes: AccountOutcome[] = [];
  let status: RunSummary['status'] = 'failed';
  let error: string | null = null;
  try {
    outcomes = await allOf(
      order.accounts.map((account) => syncAccount(parts, order, account, runId, isFileAhead)),
    );
    const walks = await warehouse.walksOf(runId);
    status = statusOf(outcomes, walks, order.signal);
    error = errorOf(outcomes, status);
  } catch (thrown) {
    error = errorMessage(thrown);
    throw thrown;
  } finally {
    const judged = judgeClock(order.accounts, isFileAhead);
    const failures = findFailures(order.accounts, outcomes);
    const until = resumeAt(outcomes, status);
    await endRun(parts, order, runId, { status, error, failures, resumeAt: until, clock: judged });
  }
  return {
    runId,
    mode: order.mode,
    packagesDone: outcomes.reduce((sum, outcome) => sum + outcome.packagesDone, 0),
    status,
    requests: await warehouse.requestsOf(runId),
    durationMs: clock.now() - startedAt,
    walks: await warehouse.walksOf(runId),
    storage: outcomes.flatMap((outcome) => outcome.storage ?? []),
    failures: outcomes.flatMap((outcome) => outcome.failures),
    clock: judgeClock(order.accounts, isFileAhead),
  };
}

/** Warns where the file holds moments ahead of the clock: one of the two is wrong. */
async function findFileAhead({ warehouse, logger }: SyncContext, now: number): Promise<boolean> {
  const newest = await warehouse.newestMoment();
  if (newest === null || fromTimestamp(newest) <= now + WRONG_CLOCK_MS) return false;
  logger.warn(
    `the newest moment in the warehouse, ${newest} UTC, lies ahead of the machine's clock, ${toTimestamp(now)} UTC: nothing is deleted by age or given up before the clock has passed it`,
  );
  return true;
}

/** Waits for all of them, also when one throws: nothing may still be at work when the file is closed. */
async function allOf<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

function scopeOf({ packages, videos, storage, storageDays: days, acceptPage }: RunOptions): string | null {
  const words = [];
  if (packages) words.push(`packages ${packages.map(formatSelector).join(', ')}`);
  if (!storage) words.push('videos only');
  if (!videos) words.push('storage only');
  if (days) words.push(`${days.from} to ${days.to}`);
  if (acceptPage) words.push('every page accepted');
  return words.length === 0 ? null : words.join(', ');
}

/** A file that failed the run cannot take its end either: the next run marks it as interrupted. */
async function endRun(
  parts: SyncContext,
  order: RunOptions,
  runId: number,
  end: Pick<RunEnd, 'status' | 'error' | 'failures' | 'resumeAt' | 'clock'>,
) {
  try {
    await parts.warehouse.endRun(runId, { ...end, now: parts.clock.now(), retention: order.retention });
  } catch (thrown) {
    if (!(thrown instanceof WarehouseError)) throw thrown;
    parts.logger.error({ runId }, `the end of the run could not be stored: ${thrown.message}`);
  }
}

/** The failures as rows of `run_failure`; an account that was interrupted has one too. */
function findFailures(
  accounts: RunOptions['accounts'],
  outcomes: readonly AccountOutcome[],
): RunEnd['failures'] {
  return outcomes.flatMap(({ failures, interrupted }, index) => {
    const rows: RunEnd['failures'][number][] = failures.map(
      ({ account, packageId, stream, kind, message }) => ({
        ...{ account, package_id: packageId, stream, kind, message },
      }),
    );
    const { name: account = '' } = accounts[index] ?? {};
    const stopped = { package_id: null, stream: null, kind: 'interrupted' as const };
    return interrupted ? [...rows, { account, ...stopped, message: 'stopped before the end' }] : rows;
  });
}

/** The first moment at which something that was put off may be asked for. */
function resumeAt(outcomes: readonly AccountOutcome[], status: Status): number | null {
  if (status === 'interrupted') return null;
  const moments = outcomes.flatMap(({ failures }) => failures.flatMap(({ untilMs }) => untilMs ?? []));
  return moments.length === 0 ? null : Math.min(...moments);
}

function statusOf(
  outcomes: readonly AccountOutcome[],
  walks: readonly WalkRow[],
  signal: AbortSignal,
): RunSummary['status'] {
  if (signal.aborted && outcomes.some((outcome) => outcome.interrupted)) return 'interrupted';
  const failures = outcomes.flatMap((outcome) => outcome.failures);
  const done = outcomes.reduce((sum, outcome) => sum + outcome.done, 0);
  const parked = failures.filter((failure) => failure.parked).length;
  if (parked > 0 && parked === failures.length) return 'parked';
  if (failures.length > 0) return done === 0 ? 'failed' : 'partial';
  const quarantined = outcomes.reduce((sum, outcome) => sum + (outcome.storage?.quarantined ?? 0), 0);
  const needsLook = quarantined > 0 || walks.some(needsPerson);
  return needsLook ? 'partial' : 'succeeded';
}

function needsPerson({ status, quarantined, held_back }: WalkRow): boolean {
  return status === 'partial' || quarantined > 0 || held_back > 0;
}

function errorOf(outcomes: readonly AccountOutcome[], status: Status): string | null {
  const failures = outcomes.flatMap((outcome) => outcome.failures);
  if (status === 'interrupted') return new InterruptedError('stopped before the end').message;
  return failures.length === 0
    ? null
    : failures
        .map((failure) => failure.message)
        .join('; ')
        .slice(0, 2000);
}
