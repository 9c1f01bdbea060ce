import { resolve } from 'node:path';
import { assertFolder } from '../../app/lost-file.ts';
import { loadConfig } from '../../config/load.ts';
import { systemClock } from '../../lib/clock.ts';
import { restore as restoreFile, type Restored } from '../../backup/restore.ts';
import { copyDocument } from './backup.ts';
import { EXIT } from '../exit.ts';
import type { JsonOptions } from '../command-context.ts';
import { commandsFor, shellQuote, type FormatCommand } from '../../health/commands.ts';
import { pluralize, formatBytes } from '../../lib/format.ts';
import { formatJson, displayPath } from '../output/output.ts';

export interface RestoreOptions extends JsonOptions {
  withoutMoved?: true;
}

/** `vodhouse restore FILE`: puts a backup in place of the live file and keeps the previous one. Returns the exit code. */
export async function restore(options: RestoreOptions, file: string): Promise<number> {
  const config = loadConfig(options.config);
  assertFolder(config);
  const { warehouse } = config;
  const restored = restoreFile(warehouse, resolve(file), systemClock.now(), options.withoutMoved === true);
  const { videos, sizeBytes, lastRunAt, kept, carried, moves } = restored;
  if (options.json) {
    const document = { warehouse, file: resolve(file), ...copyDocument(restored), kept, carried, moves };
    process.stdout.write(formatJson(document));
    return EXIT.done;
  }
  const lastRun = lastRunAt === null ? 'no run yet' : `last run ended ${lastRunAt} UTC`;
  const content = `${pluralize(videos, 'video')}, ${formatBytes(sizeBytes)}, ${lastRun}`;
  const typed = commandsFor(options.config);
  const lines = [
    `restored ${displayPath(warehouse)} from ${file}: ${content}`,
    ...(kept === null ? [] : [`the previous file is kept: ${displayPath(kept)}`, ledgerLine(carried)]),
    ...movesLines(moves, typed),
    `to go on with it: ${typed('sync')}, or start the worker`,
    `to try it only: ${typed('status')}, then ${typed('publish')}; neither sends a request to the service`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return EXIT.done;
}

/** Which accounts do not come back with the backup, and what to type. */
function movesLines(moves: Restored['moves'], format: FormatCommand): string[] {
  if (moves === null)
    return [
      'whether accounts were moved away since the backup cannot be read: they would be synced in two files',
    ];
  return moves.flatMap(({ account, state, other_file: file }) => {
    const name = shellQuote(account);
    if (state === 'leaving')
      return [
        `a move of account ${account} to ${file} is not finished: ${format(`move ${name} --to ${shellQuote(file)}`)}`,
      ];
    return [
      `account ${account} was moved to ${file}: it stays so, and is not synced here`,
      `  its rows of the backup, once it is out of the config and a sync has retired them: ${format(`forget ${name}`)}`,
      `  where that file has lost it: ${format(`move ${name} --forget-move`)}`,
    ];
  });
}

/** Whether requests since the backup still count against the limits. */
function ledgerLine(imported: Restored['carried']): string {
  if (imported === null || 'error' in imported) {
    const reason = imported === null ? '' : `: ${imported.error}`;
    return `its ledger cannot be read: requests since the backup do not count against the limits${reason}`;
  }
  const { requests, pauses } = imported;
  return `imported from its ledger: ${pluralize(requests, 'request')} of the last day and ${pluralize(pauses, 'pause')}`;
}
