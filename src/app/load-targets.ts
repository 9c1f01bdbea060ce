/** Loads of targets: one now, and all of a worker, each as often as its config allows. */
import { transact } from '../database/transaction.ts';
import { fromTimestamp, MINUTE_MS, type Clock } from '../lib/clock.ts';
import { coalesce } from '../lib/coalesce.ts';
import { errorCode, errorLine, hintLine, InterruptedError, withHint } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import type { TargetLoader } from '../publishing/loader.ts';
import { emptyReport, groupFailures, loadLines, type LoadReport } from '../publishing/targets/load-report.ts';
import { listAccounts } from '../warehouse/accounts.ts';
import { findLastRun } from '../warehouse/statements/run.ts';
import {
  deleteTargetLoadsExcept,
  listTargetLoads,
  recordLoadReports,
} from '../warehouse/statements/target-loads.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

interface LoadContext {
  warehouse: Pick<Warehouse, 'db'>;
  clock: Clock;
  logger: Logger;
}

/**
 * Loads every account of the published file into one target, or the one of `force`, and records each result
 * in the live file and in the log. A load that cannot even begin, such as without a published file, is a
 * result `failed` of each account. Throws InterruptedError if the signal aborts: then nothing is recorded,
 * and the next load reads from the target how far it is.
 */
export async function loadTarget(
  loader: TargetLoader,
  { warehouse, clock, logger }: LoadContext,
  signal: AbortSignal,
  options: Parameters<TargetLoader['load']>[0] = { isVerified: false, force: null },
): Promise<LoadReport[]> {
  const { name: target } = loader.target;
  const results = await loader.load(options, signal).catch((thrown: unknown) => {
    if (thrown instanceof InterruptedError) throw thrown;
    const [error, hint] = [errorLine(thrown), hintLine(thrown)];
    const accounts = options.force ? [options.force.account] : listAccounts(warehouse.db);
    return accounts.map((account): LoadReport => ({ ...emptyReport(account, 'failed'), error, hint }));
  });
  transact(warehouse.db, (tx) => recordLoadReports(tx, target, results, clock.now()));
  for (const group of groupFailures(results)) {
    const [{ outcome, rows, durationMs, changeSeq, code, error, hint, differences }] = group;
    const account = group.length === 1 ? group[0].account : null;
    const message = `target ${target}: ${loadLines(group).join('; ')}`;
    const why = { target, account, code, error, hint };
    if (outcome === 'failed') logger.error({ event: 'target_load_failed', ...why }, message);
    else if (outcome === 'refused') logger.error({ event: 'target_account_refused', ...why }, message);
    else if (outcome !== 'unchanged' || differences !== null) {
      const facts = { target, account, rows, change_seq: changeSeq, duration_ms: durationMs };
      const level = (differences ?? []).length > 0 ? 'warn' : 'info';
      logger[level]({ event: 'target_loaded', ...facts }, message);
    }
  }
  return results;
}

type StoredLoads = ReturnType<typeof listTargetLoads>;

/** True if `every` of the target allows a load at `now` (ms). `loads`: those of any targets. */
export function mayLoad({ target }: TargetLoader, loads: StoredLoads, now: number): boolean {
  const rows = loads.filter((row) => row.target === target.name);
  const newest = Math.max(0, ...rows.map(({ loaded_at: at }) => (at === null ? 0 : fromTimestamp(at))));
  const isClockBack = newest > now;
  return isClockBack || newest + target.everyMs <= now || rows.some(({ outcome }) => outcome === 'failed');
}

/** Logs that the live file could not be read or written, as on a full disk: that must not end a worker. */
function logFailure(logger: Logger, thrown: unknown): void {
  const why = { error: errorLine(thrown), hint: hintLine(thrown), code: errorCode(thrown) };
  const message = withHint(`the loads of the targets failed: ${why.error}`, why.hint);
  logger.error({ event: 'target_load_failed', target: null, account: null, ...why }, message);
}

interface LoadLoopOptions extends LoadContext {
  warehouse: Warehouse;
  loaders: readonly TargetLoader[];
  /** True if there is a published file. The first one is made some time after the first run. */
  hasFile: () => boolean;
}

/**
 * The longest wait after a load that failed. The first wait is a minute; each is twice as long as the last.
 */
const LONGEST_RETRY_MINUTES = 30;

/** Loads the targets one by one, in parallel to the runs. Starts idle. One that fails stops no other. */
export function createLoadLoop(options: LoadLoopOptions) {
  const { loaders, warehouse, clock, logger, hasFile } = options;
  // all are due at once, because an earlier worker may have published without loading
  const turns = loaders.map((loader) => ({ loader, dueAt: 0, failures: 0 }));
  type Turn = (typeof turns)[number];
  const names = loaders.map(({ target }) => target.name);
  transact(warehouse.db, (tx) => deleteTargetLoadsExcept(tx, names));
  const isDue = ({ loader, dueAt }: Turn): boolean =>
    clock.now() >= dueAt && mayLoad(loader, listTargetLoads(warehouse.db), clock.now());
  const load = async (turn: Turn, signal: AbortSignal) => {
    turn.dueAt = Infinity; // until the next publication, also one during the load
    let hasFailed = true;
    try {
      const results = await loadTarget(turn.loader, options, signal);
      hasFailed = results.some(({ outcome }) => outcome === 'failed');
    } finally {
      if (hasFailed)
        turn.dueAt = clock.now() + Math.min(2 ** turn.failures, LONGEST_RETRY_MINUTES) * MINUTE_MS;
      turn.failures = hasFailed ? turn.failures + 1 : 0;
    }
  };
  const { request, close } = coalesce(async (signal) => {
    try {
      // before the first run, a published file was made from an earlier warehouse
      if (!hasFile() || findLastRun(warehouse.db, 'full') === null) return;
      for (const turn of turns) if (!signal.aborted && isDue(turn)) await load(turn, signal);
    } catch (thrown) {
      if (!(thrown instanceof InterruptedError)) logFailure(logger, thrown);
    }
  });
  return {
    /** To be called when the published file has changed. */
    requestLoad(): void {
      for (const turn of turns) turn.dueAt = 0;
      void request();
    },
    /** Loads what has waited long enough. */
    check(): void {
      if (turns.some(isDue)) void request();
    },
    /** Stops a load under way: the next one begins where it stopped. */
    close,
  };
}
