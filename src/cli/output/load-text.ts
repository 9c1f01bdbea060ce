/** What became of the accounts of a target, as text, as JSON, and as an exit code. */
import { groupFailures } from '../../app/load-targets.ts';
import { escapeControls, formatCount, formatDuration, pluralize } from '../../lib/format.ts';
import { isLoadDone, RUNS, type LoadReport } from '../../lib/load-report.ts';
import { EXIT } from '../exit.ts';

/** The loads of one target. */
export interface TargetLoads {
  target: string;
  results: readonly LoadReport[];
}

/** A line for the target, one for each account, and below it what was found or what to do. Ends with a line feed. */
export const targetLoadsText = (loads: TargetLoads): string => formatLoads(loads, loads.results);

/** The same without the accounts that were loaded and of which there is nothing to tell. */
export const targetLoadsBriefly = (loads: TargetLoads): string =>
  formatLoads(
    loads,
    loads.results.filter((result) => !isLoadDone(result) || result.notes.length > 0),
  );

function formatLoads({ target, results }: TargetLoads, listed: readonly LoadReport[]): string {
  const accounts = results.filter(({ account }) => account !== RUNS);
  const upToDate = accounts.filter(isLoadDone).length;
  const rows = results.reduce((sum, result) => sum + result.rows, 0);
  const durationMs = results.reduce((sum, result) => sum + result.durationMs, 0);
  const counts = `${formatCount(upToDate)} of ${pluralize(accounts.length, 'account')} up to date`;
  const headline = `target ${target}: ${counts}, ${pluralize(rows, 'row')} in ${formatDuration(durationMs)}`;
  const width = Math.max(0, ...listed.map(({ account }) => account.length));
  const lines = groupFailures(listed).flatMap((group) => {
    const [result] = group;
    const names = formatNames(group.map(({ account }) => account));
    return [
      `  ${names.padEnd(width)}  ${resultText(result)}`,
      ...(result.hint === null ? [] : [`    -> ${result.hint}`]),
      ...[...(result.differences ?? []), ...result.notes].map((text) => `    ${text}`),
    ];
  });
  return `${[headline, ...lines].map(escapeControls).join('\n')}\n`;
}

const MOST_NAMES = 5;

function formatNames(names: readonly string[]): string {
  const more = names.length > MOST_NAMES ? `, ${formatCount(names.length - MOST_NAMES)} more` : '';
  return names.slice(0, MOST_NAMES).join(', ') + more;
}

function resultText({ outcome, rows, durationMs, changeSeq, error, differences }: LoadReport): string {
  const mark = changeSeq === null ? '' : ` at change ${formatCount(changeSeq)}`;
  const verified =
    differences === null ? '' : differences.length === 0 ? '; every value is equal' : '; DIFFERS:';
  const written = `${pluralize(rows, 'row')} in ${formatDuration(durationMs)}`;
  if (outcome === 'loaded') return `loaded${mark}: ${written}${verified}`;
  if (outcome === 'removed') return `removed, because this warehouse no longer has it: ${written}`;
  if (outcome === 'unchanged') return `up to date${mark}${verified}`;
  return `${outcome === 'refused' ? 'REFUSED' : 'FAILED'}: ${error}`;
}

/** For a JSON document. */
export function targetLoadsDocument({ target, results }: TargetLoads) {
  return {
    target,
    accounts: results.map((result) => ({
      ...{
        account: result.account,
        outcome: result.outcome,
        change_seq: result.changeSeq,
        rows: result.rows,
      },
      ...{ duration_ms: result.durationMs, differences: result.differences, notes: result.notes },
      ...{ error: result.error, hint: result.hint, code: result.code },
    })),
  };
}

/**
 * The exit code for the loads of the targets. `isFilePublished`: the file, which was asked for too, was published, so not
 * everything failed. Another warehouse has every account: as where another process runs.
 */
export function exitCodeForLoads(loads: readonly TargetLoads[], isFilePublished: boolean): number {
  const results = loads.flatMap((load) => load.results);
  const isDone = (result: LoadReport) => isLoadDone(result) && (result.differences ?? []).length === 0;
  if (results.every(isDone)) return EXIT.done;
  const accounts = results.filter(({ account }) => account !== RUNS);
  if (accounts.every(({ outcome }) => outcome === 'refused')) return EXIT.locked;
  return isFilePublished || results.some(isDone) ? EXIT.partial : EXIT.failed;
}
