/** Publications and loads of targets: their texts, their JSON documents, and the exit code of loads. */
import { formatHint, VodhouseError } from '../../lib/errors.ts';
import { formatBytes, formatCount, formatDuration, pluralize } from '../../lib/format.ts';
import {
  groupFailures,
  isLoadDone,
  loadLines,
  RUNS,
  type LoadReport,
} from '../../publishing/targets/load-report.ts';
import type { FormatCommand } from '../../lib/shell-command.ts';
import type { Publication } from '../../publishing/publisher.ts';
import { EXIT } from '../exit.ts';
import { displayPath } from './output.ts';
import { MOST_ROWS } from './table.ts';

/** The result of publishing after a run: null if there was nothing to publish, an error if it failed. */
export type PublishResult = Publication | VodhouseError | null;

/** A publication in one line, for logs and summaries. */
export function publicationLine({ file, bytes, durationMs, rows }: Publication): string {
  const parts = [
    pluralize(rows['videos'] ?? 0, 'video'),
    pluralize((rows['all_videos'] ?? 0) + (rows['video_history'] ?? 0), 'version'),
    pluralize(rows['storage_daily'] ?? 0, 'day of storage', 'days of storage'),
    formatBytes(bytes),
  ];
  return `published ${displayPath(file)}: ${parts.join(', ')} in ${formatDuration(durationMs)}`;
}

/** What became of a publication after a run; empty if there was none. */
export function publishResultText(result: PublishResult, formatCommand: FormatCommand): string {
  if (result === null) return '';
  if (!(result instanceof VodhouseError)) return `${publicationLine(result)}\n`;
  const hint = formatHint(result.hintParts, formatCommand);
  return `not published: ${result.message}\n${hint === undefined ? '' : `  -> ${hint}\n`}`;
}

/** The same for a JSON document. */
export const publishResultDocument = (result: PublishResult, formatCommand: FormatCommand) =>
  result instanceof VodhouseError
    ? { error: result.message, hint: formatHint(result.hintParts, formatCommand) }
    : result;

const isDone = (result: LoadReport) => isLoadDone(result) && (result.differences ?? []).length === 0;

/** The loads of one target. */
export interface TargetLoads {
  target: string;
  accounts: readonly LoadReport[];
}

/**
 * A line for the target and one for each account, with the differences and what to do below it. Ends with a
 * line feed. If `isBrief`, or if there are many accounts, it has only those that failed or that differ.
 */
export function targetLoadsText({ target, accounts: results }: TargetLoads, isBrief = false): string {
  const accounts = results.filter(({ account }) => account !== RUNS);
  const upToDate = formatCount(accounts.filter(isLoadDone).length);
  const rows = results.reduce((sum, result) => sum + result.rows, 0);
  const durationMs = results.reduce((sum, result) => sum + result.durationMs, 0);
  const written = `${pluralize(rows, 'row')} in ${formatDuration(durationMs)}`;
  const headline = `target ${target}: ${upToDate} of ${pluralize(accounts.length, 'account')} up to date, ${written}`;
  const listed = isBrief || results.length > MOST_ROWS ? results.filter((each) => !isDone(each)) : results;
  const groups = groupFailures(listed).map((group) => loadLines(group).join('\n    '));
  return `${[headline, ...groups].join('\n  ')}\n`;
}

/**
 * The exit code for the loads of the targets. `isFilePublished`: the command published the file too, so that
 * not everything failed. If another warehouse owns every account, it is the code of a lock that is taken.
 */
export function exitCodeForLoads(loads: readonly TargetLoads[], isFilePublished: boolean): number {
  const results = loads.flatMap((load) => load.accounts);
  if (results.every(isDone)) return EXIT.done;
  const accounts = results.filter(({ account }) => account !== RUNS);
  if (accounts.length > 0 && accounts.every(({ outcome }) => outcome === 'refused')) return EXIT.locked;
  return isFilePublished || results.some(isDone) ? EXIT.partial : EXIT.failed;
}
