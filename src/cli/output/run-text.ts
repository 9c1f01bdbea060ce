/** One run in full, for a terminal: `vodhouse runs RUN`. */
import type { Config } from '../../config/config.ts';
import { acceptRemovalsCommands, type FormatCommand } from '../../health/commands.ts';
import { createConfigFilter } from '../../health/facts.ts';
import { CONFIRMATION_HINT, formatHeldReason } from '../../health/kinds/package-kinds.ts';
import { formatPackage, withoutSubject } from '../../health/text.ts';
import { fromTimestamp } from '../../lib/clock.ts';
import {
  escapeControls,
  formatAgo,
  formatBytes,
  formatCount,
  formatDuration,
  formatOffset,
  pluralize,
  truncate,
} from '../../lib/format.ts';
import type { HeldByRun, RunDetails } from '../../queries/run-queries.ts';
import { isNotable } from './log-progress.ts';
import { countOrBlank, formatElapsed } from './run-list-text.ts';
import { formatFilledColumns } from './table.ts';
import { MOST_ROWS } from './output.ts';

/** A run, with the commands that accept what it held back (null for a package that left the config). */
export type FullRun = Omit<RunDetails, 'held_back' | 'failures'> & {
  held_back: readonly (HeldByRun & { command: string | null })[];
  failures: readonly (RunDetails['failures'][number] & { hint?: string | null })[];
};

/** With the command that accepts what a walk held back; null for a package that left the config. */
export function withCommands(found: RunDetails, config: Config, formatCommand: FormatCommand): FullRun {
  const acceptCommand = acceptRemovalsCommands(formatCommand, config.accounts);
  const isConfigured = createConfigFilter(config);
  const held_back = found.held_back.map((row) => ({
    ...row,
    command: isConfigured(row) ? acceptCommand(row) : null,
  }));
  return { ...found, held_back };
}

export interface RunTextOptions {
  now: number;
  /** Its status is `running`, and no process runs it. */
  isKilled: boolean;
  formatCommand: FormatCommand;
  /** Rows of each list; left out: as many as a person reads on a terminal. */
  most?: number | undefined;
}

export function runText(details: FullRun, options: RunTextOptions): string {
  const command = options.formatCommand(`runs ${details.run.run_id} --json`);
  const limit: Limit = { most: options.most ?? MOST_ROWS, command };
  const sections = [
    headText(details, options),
    listText('not done:', details.failures.map(formatFailure), limit),
    walkTable(details, limit),
    requestTable(details),
    heldBackText(details, limit),
    listText('in quarantine:', details.quarantine.map(formatQuarantine), limit),
    bookedText(details, limit),
  ];
  return `${sections.filter((section) => section !== null).join('\n\n')}\n`;
}

function headText({ run, failures }: FullRun, { now, isKilled }: RunTextOptions): string {
  const { status, error, resume_at, origin_started_at: origin, clock_offset_ms: offset } = run;
  const time =
    run.finished_at === null
      ? `started ${run.started_at} UTC, ${formatAgo(now - fromTimestamp(run.started_at))}`
      : `${run.started_at} UTC, took ${formatElapsed(run)}, ${pluralize(run.requests, 'request')}`;
  return [
    `run ${run.run_id}: ${status} (${run.mode}, ${run.trigger}, ${run.scope ?? 'everything'})`,
    time,
    ...(isKilled ? ['no process runs it any more: the next run marks it as interrupted'] : []),
    ...(origin !== null && origin !== run.started_at ? [`it resumed what began at ${origin} UTC`] : []),
    ...(resume_at === null ? [] : [`it could resume from ${resume_at} UTC on`]),
    ...(offset === null ? [] : [formatOffset(offset)]),
    ...(error !== null && failures.length === 0 ? [`error: ${escapeControls(error)}`] : []),
  ].join('\n');
}

/** How many rows a list has, and the command that prints all of them. */
interface Limit {
  most: number;
  command: string;
}

function listText(heading: string, lines: readonly string[], limit: Limit): string | null {
  if (lines.length === 0) return null;
  const shown = lines.slice(0, limit.most).map((line) => `  - ${line}`);
  return [heading, ...shown, ...moreText(lines.length, limit)].join('\n');
}

function moreText(count: number, { most, command }: Limit): string[] {
  return count > most ? [`  … and ${formatCount(count - most)} more: ${command}`] : [];
}

/** With what to do below it, where that is known. */
function formatFailure({ hint, ...failure }: FullRun['failures'][number]): string {
  return `${escapeControls(formatReason(failure))}${hint ? `\n      -> ${hint}` : ''}`;
}

function formatReason({
  account,
  package_id,
  stream,
  kind,
  message,
}: RunDetails['failures'][number]): string {
  if (package_id !== null) {
    const text = withoutSubject(message, `account ${account}, package ${package_id}`);
    return `${account}/${package_id} (${kind}): ${text}`;
  }
  if (stream === 'storage')
    return `storage of ${account} (${kind}): ${withoutSubject(message, `account ${account}, storage`)}`;
  return `account ${account} (${kind}): ${withoutSubject(message, `account ${account}`)}`;
}

type Walk = FullRun['walks'][number];

const WALK_HEADINGS = [
  ...['package', '', 'status', '>pages', '>inserted', '>updated', '>removed', '>restored', '>unchanged'],
  ...['>requests', '>took', ''],
];

/** What did not succeed first, then what changed. */
function walkTable({ walks, run, failures }: FullRun, limit: Limit): string | null {
  if (walks.length === 0) return run.mode === 'quick' ? 'no package had anything new' : null;
  const rank = (walk: Walk) => (walk.status !== 'succeeded' ? 0 : isNotable(walk) ? 1 : 2);
  const sorted = [...walks].sort((one, other) => rank(one) - rank(other));
  const rows = sorted
    .slice(0, limit.most)
    .map((walk) => [
      `${walk.account}/${walk.package_id}`,
      truncate(walk.name ?? '', 30),
      walk.status,
      formatCount(walk.pages),
      ...[walk.inserted, walk.updated, walk.removed, walk.restored, walk.unchanged].map(countOrBlank),
      formatCount(walk.requests),
      formatElapsed(walk),
      formatRemarks(walk, failures),
    ]);
  return [formatFilledColumns(WALK_HEADINGS, rows), ...moreText(walks.length, limit)].join('\n');
}

/** With the error, unless it is listed above. */
function formatRemarks(walk: Walk, failures: FullRun['failures']): string {
  const isListed = failures.some(
    ({ account, package_id }) => account === walk.account && package_id === walk.package_id,
  );
  return [
    ...(walk.resumed ? ['resumed'] : []),
    ...(walk.quarantined > 0 ? [`${formatCount(walk.quarantined)} in quarantine`] : []),
    ...(walk.unsettled > 0 ? [`${formatCount(walk.unsettled)} unsettled`] : []),
    ...(walk.held_back > 0 ? [`${formatCount(walk.held_back)} held back`] : []),
    ...(walk.error !== null && !isListed ? [truncate(walk.error, 80)] : []),
  ].join(', ');
}

const REQUEST_HEADINGS = [
  ...['requests', 'purpose', '>sent', '>answered', '>error status', '>no response', '>average', '>received'],
];

function requestTable({ requests, run }: FullRun): string | null {
  if (requests.length === 0)
    return run.requests === 0 || run.status === 'running'
      ? null
      : 'requests by purpose: no longer stored (retention.requests_days)';
  const rows = requests.map((row) => {
    const responses = row.requests - row.unanswered;
    return [
      row.account,
      row.purpose,
      formatCount(row.requests),
      ...[row.answered, row.error_status, row.unanswered].map(countOrBlank),
      responses === 0 ? '' : formatDuration(Math.round(row.duration_ms / responses)),
      formatBytes(row.bytes),
    ];
  });
  return formatFilledColumns(REQUEST_HEADINGS, rows);
}

/** What still waits: some of what was held back may be applied, or back in the list. */
function heldBackText({ held_back: rows, walks }: FullRun, limit: Limit): string | null {
  if (rows.length === 0) return null;
  const shown = rows.slice(0, limit.most);
  const lines = shown.flatMap(({ account, package_id: id, removals, reasons, command, held_by }) => {
    const name = walks.find(({ walk_id }) => walk_id === held_by)?.name ?? null;
    const what = `${formatPackage(account, id, name)}: ${pluralize(removals, 'removal')}`;
    return [
      `  - ${what}, ${formatHeldReason(reasons)}`,
      ...(command === null ? [] : [`      -> to accept exactly these: ${command}`]),
    ];
  });
  const rest = moreText(rows.length, limit);
  return ['held back, and still waiting:', ...lines, ...rest, CONFIRMATION_HINT].join('\n');
}

function formatQuarantine(row: FullRun['quarantine'][number]): string {
  const { account, stream, package_id: packageId, record_id: id, reason, resolved_at } = row;
  const owner = packageId === null ? `${stream} of ${account}` : `${account}/${packageId}`;
  const after = resolved_at === null ? '' : ` (resolved ${resolved_at} UTC)`;
  return escapeControls(`${owner}, ${truncate(id ?? 'without an id', 30)}: ${truncate(reason, 100)}${after}`);
}

function bookedText({ booked }: FullRun, limit: Limit): string | null {
  if (booked.length === 0) return null;
  const accounts = [...new Set(booked.map(({ account }) => account))];
  const lines = accounts.map((account) => {
    const days = booked.filter((row) => row.account === account).map(({ date }) => date);
    const range = days.length > 3 ? `${days[0]} to ${days.at(-1)}` : days.join(', ');
    return `storage of ${account}: ${pluralize(days.length, 'day')} booked (${range})`;
  });
  return [...lines.slice(0, limit.most), ...moreText(lines.length, limit)].join('\n');
}
