/** The result of a run as text, the same as of `vodhouse runs RUN`, and as JSON. */
import type { Config } from '../../config/config.ts';
import type { FormatCommand } from '../../health/commands.ts';
import { systemClock } from '../../lib/clock.ts';
import { redactAll } from '../../lib/redact.ts';
import { openRunQueries, type RunDetails } from '../../queries/run-queries.ts';
import { openStatusQueries } from '../../queries/status-queries.ts';
import type { RunSummary } from '../../sync/run.ts';
import { formatJson } from './output.ts';
import {
  publishResultDocument,
  targetLoadsDocument,
  type PublishResult,
  type TargetLoads,
} from './publication-text.ts';
import { runText, withCommands } from './run-text.ts';

/** The run in full, from the live file, with what to do about its failures. `isVerbose`: every package, however many. */
export function formatRun(
  { runId, failures }: RunSummary,
  config: Config,
  { formatCommand, isVerbose = false }: { formatCommand: FormatCommand; isVerbose?: boolean },
): string {
  const queries = openRunQueries(config.warehouse);
  try {
    const found = queries.find(runId);
    if (!found) throw new RangeError(`there is no run ${runId}`);
    const held_back = listHeldBack(config.warehouse, found.walks);
    const details = redactAll(withCommands({ ...found, held_back }, config, formatCommand), config.secrets);
    const findHint = (row: (typeof found.failures)[number]) =>
      failures.find((each) => each.account === row.account && each.packageId === row.package_id)?.hint;
    const withHints = details.failures.map((row) => ({ ...row, hint: findHint(row) ?? null }));
    const options = { now: systemClock.now(), isKilled: false, formatCommand };
    const most = isVerbose ? Infinity : undefined;
    return runText({ ...details, failures: withHints }, { ...options, most });
  } finally {
    queries.close();
  }
}

/** All that waits in packages of these walks, also what an earlier walk held back. */
function listHeldBack(path: string, walks: RunDetails['walks']): RunDetails['held_back'] {
  const holding = walks.filter(({ held_back: count }) => count > 0);
  if (holding.length === 0) return [];
  const queries = openStatusQueries(path);
  try {
    const keys = new Set(holding.map(({ account, package_id: id }) => `${account}/${id}`));
    return queries.heldBack().filter(({ account, package_id: id }) => keys.has(`${account}/${id}`));
  } finally {
    queries.close();
  }
}

/** The JSON document of `sync --json` (docs/json.md). */
export function summaryJson(
  summary: RunSummary,
  published: PublishResult,
  targets: readonly TargetLoads[],
): string {
  return formatJson({
    run_id: summary.runId,
    mode: summary.mode,
    packages_done: summary.packagesDone,
    status: summary.status,
    requests: summary.requests,
    duration_ms: summary.durationMs,
    walks: summary.walks,
    storage: summary.storage,
    failures: summary.failures.map(({ account, packageId, message, hint = null, parked }) => ({
      account,
      package_id: packageId,
      message,
      hint,
      parked,
    })),
    published: publishResultDocument(published),
    targets: targets.map(targetLoadsDocument),
  });
}
