import { assertNotLost } from '../../app/lost-file.ts';
import type { Config } from '../../config/config.ts';
import { loadConfig } from '../../config/load.ts';
import { readLiveFile, type Db } from '../../database/connection.ts';
import { commandsFor, type FormatCommand } from '../../lib/shell-command.ts';
import { pluralize } from '../../lib/format.ts';
import { redactAll } from '../../lib/redact.ts';
import { countRuns, readFailedRuns, readRuns } from '../../queries/named/runs.ts';
import type { JsonOptions } from '../command-context.ts';
import { formatJson } from '../output/output.ts';
import { causesText, readFullRun, runTable, runText } from '../output/run-text.ts';

export type RunsOptions = JsonOptions & { failed?: boolean; limit: number };

/** `vodhouse runs [RUN]`: lists the last runs, or shows one in full. */
export async function runs(runId: number | undefined, options: RunsOptions): Promise<void> {
  const config = loadConfig(options.config);
  const formatCommand = commandsFor(options.config);
  assertNotLost(config, formatCommand);
  const text = readLiveFile(config.warehouse, (db) => {
    if (runId === undefined) return listRuns(db, config, options, formatCommand);
    const run = readFullRun(db, { runId }, config, formatCommand);
    return options.json ? formatJson(run) : runText(run, formatCommand);
  });
  process.stdout.write(text);
}

function listRuns(
  db: Db,
  config: Config,
  { failed: isFailedOnly = false, limit, json }: RunsOptions,
  formatCommand: FormatCommand,
): string {
  const rows = redactAll(isFailedOnly ? readFailedRuns(db, limit) : readRuns(db, limit), config.secrets);
  if (json) return formatJson({ runs: rows });
  const counts = countRuns(db);
  if (counts.runs === 0) return `no run yet; to begin: ${formatCommand('sync')}\n`;
  if (rows.length === 0)
    return `none of ${pluralize(counts.runs, 'run')} failed, was done in part, or was killed\n`;
  const left = (isFailedOnly ? counts.failed : counts.runs) - rows.length;
  const more = formatCommand(`runs ${isFailedOnly ? '--failed ' : ''}--limit ${rows.length + left}`);
  const rest = left > 0 ? `\n  … and ${pluralize(left, 'earlier run')}: ${more}` : '';
  const hint = `one run in full: ${formatCommand(`runs ${rows[0]?.run_id ?? ''}`)}`;
  return `${runTable(rows)}${rest}\n${causesText(db, rows, left > 0)}\n${hint}\n`;
}
