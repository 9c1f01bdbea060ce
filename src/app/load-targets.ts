/** Loads a target, and makes what became of it known: in the live file, and in the log. */
import { errorLine, hintLine, InterruptedError, VodhouseError, withHint } from '../lib/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { emptyReport, isLoadDone } from '../lib/load-report.ts';
import { formatDuration, pluralize } from '../lib/format.ts';
import type { Logger } from '../lib/logger.ts';
import type { LoadResult, TargetLoader } from '../publishing/targets/loader.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

export interface LoadContext {
  warehouse: Pick<Warehouse, 'recordLoadReport' | 'listTargetLoads' | 'listAccounts'>;
  clock: Clock;
  logger: Logger;
}

export interface LoadOptions {
  /** Accounts whose counts and sums are compared after their load. */
  verify?: readonly string[];
  /** Accounts that are loaded completely, and taken from another worker or warehouse. */
  rebuild?: readonly string[];
}

/**
 * Loads every account of the published file into one target, and records each result in the live file and in the log. A load
 * that cannot even begin, such as without a published file, is a result `failed` of each account. Throws InterruptedError if
 * the signal aborts: then nothing is recorded, and the next load reads from the target how far it is.
 */
export async function loadTarget(
  loader: TargetLoader,
  context: LoadContext,
  { verify = [], rebuild = [] }: LoadOptions,
  signal: AbortSignal,
): Promise<LoadResult[]> {
  const { name } = loader.target;
  const { warehouse, clock, logger } = context;
  const { results, stack } = await loadOrFail(loader, context, { verify, rebuild }, signal);
  const before = new Map(
    warehouse
      .listTargetLoads()
      .filter(({ target }) => target === name)
      .map(({ account, findings }) => [account, findings.map(({ message }) => message)]),
  );
  for (const result of results) warehouse.recordLoadReport(name, result, clock.now());
  logFailures(logger, name, results, stack);
  for (const result of results) {
    logOutcome(logger, name, result);
    logFindings(logger, name, result, before.get(result.account) ?? []);
  }
  return results;
}

async function loadOrFail(
  loader: TargetLoader,
  { warehouse }: LoadContext,
  options: Required<LoadOptions>,
  signal: AbortSignal,
): Promise<{ results: LoadResult[]; stack?: string | undefined }> {
  const startedAt = performance.now();
  try {
    return { results: await loader.load(options, signal) };
  } catch (thrown) {
    if (thrown instanceof InterruptedError) throw thrown;
    const [error, hint] = [errorLine(thrown), hintLine(thrown)];
    const durationMs = Math.round(performance.now() - startedAt);
    const results = warehouse.listAccounts().map((account): LoadResult => ({
      ...emptyReport(account, 'failed'),
      ...{ durationMs, error, hint, retry: 'backoff' },
    }));
    const isUnexpected = !(thrown instanceof VodhouseError) && thrown instanceof Error;
    return { results, stack: isUnexpected ? thrown.stack : undefined };
  }
}

function logOutcome(logger: Logger, target: string, result: LoadResult): void {
  const { account, rows, durationMs, changeSeq, error, hint } = result;
  const place = `target ${target}, account ${account}`;
  if (result.outcome === 'loaded' || result.outcome === 'deleted') {
    const facts = { target, account, rows, change_seq: changeSeq, duration_ms: durationMs };
    logger.info(
      { event: 'target_loaded', ...facts },
      `${place}: ${result.outcome === 'deleted' ? 'deleted ' : ''}${pluralize(rows, 'row')} in ${formatDuration(durationMs)}`,
    );
  } else if (result.outcome === 'held') {
    const { heldBy: held_by, heldUntil: held_until } = result;
    logger.warn(
      { event: 'target_account_held', target, account, held_by, held_until },
      `target ${target}: ${error}`,
    );
  } else if (result.outcome === 'refused') {
    const message = withHint(`target ${target}: ${error}`, hint);
    logger.error({ event: 'target_account_refused', target, account, error: error ?? '', hint }, message);
  }
  if (isLoadDone(result) && error !== null) {
    const message = withHint(`${place}: ${error}`, hint);
    logger.error({ event: 'target_load_failed', target, account, code: result.code, error, hint }, message);
  }
  if (result.verified === true)
    logger.info({ event: 'target_verified', target, account }, `${place}: equal to the published file`);
}

/** One line for all accounts that failed for the same reason: where a server is down, that is each of them. */
function logFailures(
  logger: Logger,
  target: string,
  results: readonly LoadResult[],
  stack: string | undefined,
): void {
  const failed = results.filter(({ outcome }) => outcome === 'failed');
  const reasons = new Set(failed.map(({ error }) => error ?? ''));
  for (const error of reasons) {
    const [first, ...others] = failed.filter((result) => (result.error ?? '') === error);
    if (!first) continue;
    const account = others.length === 0 ? first.account : null;
    const who = account === null ? pluralize(others.length + 1, 'account') : `account ${account}`;
    const { code, hint } = first;
    logger.error(
      { event: 'target_load_failed', target, account, code, error, hint, ...(stack && { stack }) },
      withHint(`target ${target}: the load of ${who} failed: ${error}`, hint),
    );
  }
}

/** What was found before, and is still true, is not told again. */
function logFindings(
  logger: Logger,
  target: string,
  { account, findings }: LoadResult,
  before: readonly string[],
): void {
  for (const { kind, message } of findings) {
    if (before.includes(message)) continue;
    logger.warn({ event: 'target_finding', target, account, kind, message }, `target ${target}: ${message}`);
  }
}
