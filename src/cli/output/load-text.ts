/** What became of the accounts of a target, as text, as JSON, and as an exit code. */
import { formatCount, formatDuration, pluralize } from '../../lib/format.ts';
import { groupFailures, isLoadDone, loadLines, RUNS, type LoadReport } from '../../lib/load-report.ts';
import { EXIT } from '../exit.ts';

/** The loads of one target. */
export interface TargetLoads {
  target: string;
  results: readonly LoadReport[];
}

/**
 * A line for the target, one for each account, and below it what was found or what to do. Ends with a line feed. `isBrief`:
 * without the accounts of which there is nothing to tell.
 */
export function targetLoadsText({ target, results }: TargetLoads, isBrief = false): string {
  const accounts = results.filter(({ account }) => account !== RUNS);
  const upToDate = formatCount(accounts.filter(isLoadDone).length);
  const rows = results.reduce((sum, result) => sum + result.rows, 0);
  const durationMs = results.reduce((sum, result) => sum + result.durationMs, 0);
  const written = `${pluralize(rows, 'row')} in ${formatDuration(durationMs)}`;
  const headline = `target ${target}: ${upToDate} of ${pluralize(accounts.length, 'account')} up to date, ${written}`;
  const listed = isBrief ? results.filter((each) => !isLoadDone(each)) : results;
  const groups = groupFailures(listed).map((group) => loadLines(group).join('\n    '));
  return `${[headline, ...groups].join('\n  ')}\n`;
}

/** For a JSON document. */
export const targetLoadsDocument = ({ target, results }: TargetLoads) => ({
  target,
  accounts: results.map(({ changeSeq, durationMs, ...result }) => ({
    ...result,
    change_seq: changeSeq,
    duration_ms: durationMs,
  })),
});

/**
 * The exit code for the loads of the targets. `isFilePublished`: the file, which was asked for too, was published, so not
 * everything failed. Another warehouse has every account: as where another process runs.
 */
export function exitCodeForLoads(loads: readonly TargetLoads[], isFilePublished: boolean): number {
  const results = loads.flatMap((load) => load.results);
  const isDone = (result: LoadReport) => isLoadDone(result) && (result.differences ?? []).length === 0;
  if (results.every(isDone)) return EXIT.done;
  const accounts = results.filter(({ account }) => account !== RUNS);
  if (accounts.length > 0 && accounts.every(({ outcome }) => outcome === 'refused')) return EXIT.locked;
  return isFilePublished || results.some(isDone) ? EXIT.partial : EXIT.failed;
}
