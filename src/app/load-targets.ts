/** Loads a target, and makes what became of it known: in the live file, and in the log. */
import { errorLine, hintLine, InterruptedError, withHint } from '../lib/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { formatDuration, pluralize } from '../lib/format.ts';
import { emptyReport, type LoadReport } from '../lib/load-report.ts';
import type { Logger } from '../lib/logger.ts';
import type { TargetLoader } from '../publishing/targets/loader.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

export interface LoadContext {
  warehouse: Pick<Warehouse, 'recordLoadReport' | 'listAccounts'>;
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
  options: Parameters<TargetLoader['load']>[0],
  signal: AbortSignal,
): Promise<LoadReport[]> {
  const results = await loader.load(options, signal).catch((thrown: unknown) => {
    if (thrown instanceof InterruptedError) throw thrown;
    const [error, hint] = [errorLine(thrown), hintLine(thrown)];
    const accounts = options.force ? [options.force.account] : warehouse.listAccounts();
    return accounts.map((account): LoadReport => ({ ...emptyReport(account, 'failed'), error, hint }));
  });
  for (const result of results) warehouse.recordLoadReport(loader.target.name, result, clock.now());
  for (const group of groupFailures(results)) log(logger, loader.target.name, group);
  return results;
}

/** Accounts that failed for the same reason are one line: where a server is down, that is each of them. */
export function groupFailures(results: readonly LoadReport[]): [LoadReport, ...LoadReport[]][] {
  const groups = new Map<string, [LoadReport, ...LoadReport[]]>();
  for (const result of results) {
    const key = result.outcome === 'failed' ? `${result.error}` : `(${result.account}`;
    const group = groups.get(key);
    if (group) group.push(result);
    else groups.set(key, [result]);
  }
  return [...groups.values()];
}

function log(logger: Logger, target: string, [result, ...others]: [LoadReport, ...LoadReport[]]): void {
  const { outcome, rows, durationMs, changeSeq, error, hint, code, differences, notes } = result;
  const account = others.length === 0 ? result.account : null;
  const who = account === null ? pluralize(others.length + 1, 'account') : `account ${account}`;
  const place = `target ${target}, ${who}`;
  if (outcome === 'loaded' || outcome === 'removed') {
    const facts = { target, account, rows, change_seq: changeSeq, duration_ms: durationMs };
    const what = `${outcome === 'removed' ? 'removed ' : ''}${pluralize(rows, 'row')}`;
    logger.info({ event: 'target_loaded', ...facts }, `${place}: ${what} in ${formatDuration(durationMs)}`);
  } else if (error !== null) {
    const facts = { target, account, code, error, hint };
    const message = withHint(`${place}: ${error}`, hint);
    if (outcome === 'refused') logger.error({ event: 'target_account_refused', ...facts }, message);
    else logger.error({ event: 'target_load_failed', ...facts }, message);
  }
  if (differences?.length === 0)
    logger.info({ event: 'target_verified', target, account }, `${place}: equal to the published file`);
  for (const message of [...(differences ?? []), ...notes])
    logger.warn({ event: 'target_note', target, account, message }, `${place}: ${message}`);
}
