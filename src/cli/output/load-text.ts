/** What became of the accounts of a target, as text, as JSON, and as an exit code. */
import { isLoadDone } from '../../lib/load-report.ts';
import { escapeControls, formatCount, formatDuration, pluralize } from '../../lib/format.ts';
import type { LoadResult } from '../../publishing/targets/loader.ts';
import { EXIT } from '../exit.ts';

/** The loads of one target, and whether counts and sums were to be compared. */
export interface TargetLoads {
  target: string;
  results: readonly LoadResult[];
  isVerified: boolean;
}

/** A line for the target, one for each account, and below it what was found or what to do. Ends with a line feed. */
export const targetLoadsText = (loads: TargetLoads): string => formatLoads(loads, loads.results);

/** The same without the accounts that were loaded and of which there is nothing to tell. */
export function targetLoadsBriefly(loads: TargetLoads): string {
  const isNotable = (result: LoadResult) => !isLoadDone(result) || result.findings.length > 0;
  return formatLoads(loads, loads.results.filter(isNotable));
}

function formatLoads({ target, results, isVerified }: TargetLoads, listed: readonly LoadResult[]): string {
  const accounts = results.filter(isAccount);
  const upToDate = accounts.filter(isLoadDone).length;
  const rows = results.reduce((sum, result) => sum + result.rows, 0);
  const durationMs = results.reduce((sum, result) => sum + result.durationMs, 0);
  const counts = `${formatCount(upToDate)} of ${pluralize(accounts.length, 'account')} up to date`;
  const headline = `target ${target}: ${counts}, ${pluralize(rows, 'row')} in ${formatDuration(durationMs)}`;
  const width = Math.max(...listed.map(({ account }) => account.length), 0);
  const lines = groupFailures(listed).flatMap(({ name, result }) => [
    `  ${name.padEnd(width)}  ${resultText(result, isVerified)}`,
    ...(result.hint === null ? [] : [`    -> ${result.hint}`]),
    ...result.findings.map(({ message }) => `    ${message}`),
  ]);
  return `${[headline, ...lines].map(escapeControls).join('\n')}\n`;
}

/** Accounts that failed for the same reason have one line together: where a server is down, that is all of them. */
function groupFailures(results: readonly LoadResult[]): { name: string; result: LoadResult }[] {
  const isSame = (one: LoadResult, other: LoadResult) =>
    other.outcome === 'failed' && one.error === other.error && one.hint === other.hint;
  return results.flatMap((result) => {
    if (result.outcome !== 'failed') return [{ name: result.account, result }];
    const same = results.filter((other) => isSame(result, other));
    if (same[0] !== result) return [];
    const names = same.slice(0, MOST_NAMES).map(({ account }) => account);
    const more = same.length > MOST_NAMES ? [`${formatCount(same.length - MOST_NAMES)} more`] : [];
    return [{ name: [...names, ...more].join(', '), result }];
  });
}

const MOST_NAMES = 5;

function resultText(result: LoadResult, isVerified: boolean): string {
  const { outcome, rows, durationMs, changeSeq, error, heldBy, heldUntil } = result;
  const mark = changeSeq === null || !isAccount(result) ? '' : `change ${formatCount(changeSeq)}`;
  if (outcome === 'loaded')
    return `loaded${mark && ` up to ${mark}`}: ${pluralize(rows, 'row')} in ${formatDuration(durationMs)}${verifiedText(result, isVerified)}`;
  if (outcome === 'deleted') return `deleted: ${pluralize(rows, 'row')} in ${formatDuration(durationMs)}`;
  if (outcome === 'unchanged') return `up to date${mark && ` at ${mark}`}${verifiedText(result, isVerified)}`;
  if (outcome === 'held')
    return heldBy === null
      ? `HELD: ${error}`
      : `HELD by ${heldBy}${heldUntil ? ` until ${heldUntil} UTC` : ''}`;
  return `${outcome === 'refused' ? 'REFUSED' : 'FAILED'}: ${error}`;
}

function verifiedText(result: LoadResult, isVerified: boolean): string {
  if (result.verified === true) return '; counts and sums are equal';
  if (result.verified === false) return '; DIFFERS';
  if (result.error !== null) return `; ${result.error}`;
  return isVerified && isAccount(result) ? '; NOT COMPARED, because the target has another state by now' : '';
}

/** For a JSON document. */
export function targetLoadsDocument({ target, results }: TargetLoads) {
  return {
    target,
    accounts: results.map((result) => ({
      account: result.account,
      outcome: result.outcome,
      change_seq: result.changeSeq,
      rows: result.rows,
      duration_ms: result.durationMs,
      verified: result.verified,
      findings: result.findings,
      error: result.error,
      hint: result.hint,
      code: result.code,
      held_by: result.heldBy,
      held_until: result.heldUntil,
    })),
  };
}

/** Runs and walks belong to no account; their name in a report is `(runs)`. */
const isAccount = ({ account }: LoadResult): boolean => account !== '(runs)';

/**
 * The exit code for the loads of the asked targets. `isFilePublished`: the file, which was asked for too, was published, so
 * not everything failed.
 */
export function exitCodeForLoads(loads: readonly TargetLoads[], isFilePublished: boolean): number {
  const results = loads.flatMap((load) => load.results);
  const isDone = loads.every(({ isVerified, results: own }) =>
    own.every((result) => isLoadDone(result) && isAsVerified(result, isVerified)),
  );
  if (isDone) return EXIT.done;
  if (results.every(({ outcome }) => outcome === 'held')) return EXIT.locked;
  return isFilePublished || results.some(isLoadDone) ? EXIT.partial : EXIT.failed;
}

const isAsVerified = (result: LoadResult, isVerified: boolean): boolean =>
  result.verified === true || (result.verified === null && (!isVerified || !isAccount(result)));
