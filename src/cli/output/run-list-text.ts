/** The list of `vodhouse runs` for a terminal. */
import type { FormatCommand } from '../../health/commands.ts';
import { fromTimestamp } from '../../lib/clock.ts';
import { formatCount, formatDuration, pluralize, truncate } from '../../lib/format.ts';
import type { RunRow } from '../../queries/named/status.ts';
import { formatFilledColumns } from './table.ts';

export interface RunListOptions {
  /** Older runs that the list leaves out. */
  left: number;
  isFailedOnly: boolean;
  /** The status `running` is that of a killed run, which the next run marks as interrupted. */
  isKilled: boolean;
  formatCommand: FormatCommand;
}

const HEADINGS = [
  ...['run', 'started (UTC)', '>took', 'trigger', 'mode', 'scope', 'status', '>requests'],
  ...['>inserted', '>updated', '>removed', '>restored', 'error'],
];
const ERROR_COLUMNS = 60;

/** One line per run, and what to type for the rest. */
export function runListText(
  rows: readonly RunRow[],
  { left, isFailedOnly, isKilled, formatCommand }: RunListOptions,
): string {
  const more = formatCommand(`runs ${isFailedOnly ? '--failed ' : ''}--limit ${rows.length + left}`);
  const lines = [
    formatFilledColumns(
      HEADINGS,
      rows.map((run) => formatRow(run, isKilled)),
    ),
    ...(left > 0 ? [`  … and ${pluralize(left, 'earlier run')}: ${more}`] : []),
    '',
    `one run in full: ${formatCommand(`runs ${rows[0]?.run_id ?? ''}`)}`,
  ];
  return `${lines.join('\n')}\n`;
}

function formatRow(run: RunRow, isKilled: boolean): string[] {
  return [
    String(run.run_id),
    run.started_at,
    formatElapsed(run),
    run.trigger,
    run.mode,
    truncate(run.scope ?? 'everything', 30),
    run.status === 'running' && isKilled ? 'interrupted' : run.status,
    run.status === 'running' ? '' : formatCount(run.requests),
    ...[run.inserted, run.updated, run.removed, run.restored].map(countOrBlank),
    truncate(run.error ?? '', ERROR_COLUMNS),
  ];
}

/** Nothing for zero: what changed stands out. */
export function countOrBlank(count: number): string {
  return count === 0 ? '' : formatCount(count);
}

/** The time from start to end in whole seconds, as the warehouse stores times; nothing before the end. */
export function formatElapsed({
  started_at,
  finished_at,
}: Pick<RunRow, 'started_at' | 'finished_at'>): string {
  if (finished_at === null) return '';
  const ms = fromTimestamp(finished_at) - fromTimestamp(started_at);
  return ms <= 0 ? '<1s' : formatDuration(ms);
}
