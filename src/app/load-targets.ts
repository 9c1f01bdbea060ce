/** Loads a target, and makes what became of it known: in the live file, and in the log. */
import { fromTimestamp, type Clock } from '../lib/clock.ts';
import { errorLine, hintLine, InterruptedError } from '../lib/errors.ts';
import { emptyReport, groupFailures, loadLines, type LoadReport } from '../lib/load-report.ts';
import type { Logger } from '../lib/logger.ts';
import type { TargetLoader } from '../publishing/targets/loader.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

interface LoadContext {
  warehouse: Pick<Warehouse, 'recordLoadReports' | 'listAccounts'>;
  clock: Clock;
  logger: Logger;
}

/**
 * Loads every account of the published file into one target, or the one of `force`, and records each result in the live file and
 * in the log. A load that cannot even begin, such as without a published file, is a result `failed` of each account. Throws
 * InterruptedError if the signal aborts: then nothing is recorded, and the next load reads from the target how far it is.
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
    const accounts = options.force ? [options.force.account] : warehouse.listAccounts();
    return accounts.map((account): LoadReport => ({ ...emptyReport(account, 'failed'), error, hint }));
  });
  warehouse.recordLoadReports(target, results, clock.now());
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

type TargetLoads = ReturnType<Warehouse['listTargetLoads']>;

/** Does `every` of the target allow a load at `now` (ms)? One that failed is tried again. `loads`: of any targets. */
export function mayLoad({ target }: TargetLoader, loads: TargetLoads, now: number): boolean {
  const rows = loads.filter((row) => row.target === target.name);
  const newest = Math.max(0, ...rows.map(({ loaded_at: at }) => (at === null ? 0 : fromTimestamp(at))));
  const isClockBack = newest > now;
  return isClockBack || newest + target.everyMs <= now || rows.some(({ outcome }) => outcome === 'failed');
}
