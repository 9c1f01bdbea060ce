/** Runs for a terminal: the list of `vodhouse runs`, one in full, and one just made, also as JSON. */
import type { Config } from '../../config/config.ts';
import { acceptRemovalsCommands } from '../../health/commands.ts';
import type { FormatCommand } from '../../lib/shell-command.ts';
import { openReadOnly, type Db } from '../../database/connection.ts';
import { WALK_CHANGES, type WalkChange } from '../../database/schema/values.ts';
import { createConfigFilter } from '../../health/facts.ts';
import { CONFIRMATION_HINT, formatHeldReason } from '../../health/package-kinds.ts';
import { formatPackage, groupBy, withoutSubject } from '../../health/text.ts';
import { fromTimestamp, systemClock } from '../../lib/clock.ts';
import {
  escapeControls,
  formatAgo,
  formatBytes,
  formatDuration,
  formatOffset,
  pluralize,
  truncate,
} from '../../lib/format.ts';
import { redactAll } from '../../lib/redact.ts';
import { keyOfPackage } from '../../sync/package-key.ts';
import { formatStream } from '../../sync/streams.ts';
import { readRun, type RunDetails } from '../../queries/named/run.ts';
import type { RunRow } from '../../queries/named/runs.ts';
import { readHeldBack } from '../../queries/named/status.ts';
import type { RunSummary } from '../../sync/run.ts';
import { isNotable } from './log-progress.ts';
import { formatJson } from './output.ts';
import { publishResultDocument, type PublishResult, type TargetLoads } from './publication-text.ts';
import { formatFirst, formatRecords, MOST_ROWS, moreText, type Limit } from './table.ts';

/** One line per run. */
export function runTable(rows: readonly RunRow[]): string {
  return formatRecords(
    rows.map((run) => ({
      run: String(run.run_id),
      'started (UTC)': run.started_at,
      '>took': formatElapsed(run),
      trigger: run.trigger,
      mode: run.mode,
      scope: truncate(run.scope ?? 'everything', 30),
      status: run.status,
      requests: run.finished_at === null ? null : run.requests,
      ...pickChanges(run),
      error: truncate(run.error ?? '', 60),
    })),
  );
}

/** What changed; null for nothing, so that changes stand out. */
const pickChanges = (row: Record<WalkChange, number>) =>
  Object.fromEntries(WALK_CHANGES.map((kind) => [kind, row[kind] || null]));

/** The time from start to end in whole seconds, as the warehouse stores times; nothing before the end. */
function formatElapsed({ started_at, finished_at }: Pick<RunRow, 'started_at' | 'finished_at'>): string {
  if (finished_at === null) return '';
  const ms = fromTimestamp(finished_at) - fromTimestamp(started_at);
  return ms <= 0 ? '<1s' : formatDuration(ms);
}

type FullRun = ReturnType<typeof withAdvice>;

/**
 * Adds the command that accepts what a walk held back (null for a package that left the config), and to
 * failures of a run that was just made (`failed`) what to do. Without secrets.
 */
export function withAdvice(
  found: RunDetails,
  config: Config,
  formatCommand: FormatCommand,
  failed: RunSummary['failures'] = [],
) {
  const acceptCommand = acceptRemovalsCommands(formatCommand, config.accounts);
  const isConfigured = createConfigFilter(config);
  const findHint = ({ account, package_id: id }: RunDetails['failures'][number]) =>
    failed.find((each) => each.account === account && each.packageId === id)?.hint ?? null;
  const held_back = found.held_back.map((row) => ({
    ...row,
    command: isConfigured(row) ? acceptCommand(row) : null,
  }));
  const failures = found.failures.map((row) => ({ ...row, hint: findHint(row) }));
  return redactAll({ ...found, held_back, failures }, config.secrets);
}

interface RunTextOptions {
  now: number;
  formatCommand: FormatCommand;
  /** Rows of each list. */
  most?: number;
}

/** One run in full. */
export function runText(details: FullRun, options: RunTextOptions): string {
  const command = options.formatCommand(`runs ${details.run.run_id} --json`);
  const limit: Limit = { most: options.most ?? MOST_ROWS, command };
  const sections = [
    headText(details, options),
    listText('not done:', formatFailures(details), limit),
    walkTable(details, limit),
    requestTable(details, limit),
    heldBackText(details, limit),
    listText('in quarantine:', details.quarantine.map(formatQuarantine), limit),
    bookedText(details, limit),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function headText({ run, failures }: FullRun, { now }: RunTextOptions): string {
  const { status, error, resume_at, origin_started_at: origin, clock_offset_ms: offset } = run;
  const time =
    run.finished_at === null
      ? `started ${run.started_at} UTC, ${formatAgo(now - fromTimestamp(run.started_at))}`
      : `${run.started_at} UTC, took ${formatElapsed(run)}, ${pluralize(run.requests, 'request')}`;
  return [
    `run ${run.run_id}: ${status} (${run.mode}, ${run.trigger}, ${run.scope ?? 'everything'})`,
    time,
    ...(status === 'interrupted' && run.finished_at === null ? ['its process was killed'] : []),
    ...(origin !== null && origin !== run.started_at ? [`it resumed what began at ${origin} UTC`] : []),
    ...(resume_at === null ? [] : [`it could resume from ${resume_at} UTC on`]),
    ...(offset === null ? [] : [formatOffset(offset)]),
    ...(error !== null && failures.length === 0 ? [`error: ${escapeControls(error)}`] : []),
  ].join('\n');
}

function listText(heading: string, lines: readonly string[], limit: Limit): string {
  if (lines.length === 0) return '';
  const shown = lines.slice(0, limit.most).map((line) => `  - ${line}`);
  return [heading, ...shown, ...moreText(lines.length, limit)].join('\n');
}

/** What to do is below the last of those with the same hint. */
function formatFailures({ failures }: FullRun): string[] {
  return failures.map((row, at) => {
    const { kind, message, hint } = row;
    const text = `${formatStream(row)} (${kind}): ${withoutSubject(message, row)}`;
    const isLast = hint !== failures[at + 1]?.hint;
    return `${escapeControls(text)}${hint && isLast ? `\n      -> ${hint}` : ''}`;
  });
}

type Walk = FullRun['walks'][number];

/** By account and package; of more than are shown, what did not succeed first, then what changed. */
function walkTable({ walks, run, failures }: FullRun, limit: Limit): string {
  if (walks.length === 0) return run.mode === 'quick' ? 'no package had anything new' : '';
  const rank = (walk: Walk) => (walk.status !== 'succeeded' ? 0 : isNotable(walk) ? 1 : 2);
  const isListed = (walk: Walk) =>
    failures.some(({ account, package_id: id }) => account === walk.account && id === walk.package_id);
  const byKey = walks.toSorted(
    (one, other) => one.account.localeCompare(other.account) || one.package_id - other.package_id,
  );
  const sorted = walks.length > limit.most ? byKey.toSorted((one, other) => rank(one) - rank(other)) : byKey;
  const records = sorted.map((walk) => ({
    package: keyOfPackage(walk),
    name: truncate(walk.name ?? '', 30),
    status: walk.status,
    videos: walk.totalcount,
    pages: walk.pages,
    ...pickChanges(walk),
    unchanged: walk.unchanged || null,
    requests: walk.requests,
    '>took': formatElapsed(walk),
    resumed: walk.resumed ? 'yes' : null,
    quarantined: walk.quarantined || null,
    unsettled: walk.unsettled || null,
    'held back': walk.held_back || null,
    error: isListed(walk) ? null : truncate(walk.error ?? '', 80),
  }));
  return formatFirst(records, limit);
}

function requestTable({ requests }: FullRun, limit: Limit): string {
  return formatFirst(
    requests.map((row) => {
      const responses = row.requests - row.unanswered;
      return {
        requests: row.account,
        purpose: row.purpose,
        sent: row.requests,
        answered: row.answered || null,
        'error status': row.error_status || null,
        'no response': row.unanswered || null,
        '>average': responses === 0 ? '' : formatDuration(Math.round(row.duration_ms / responses)),
        '>received': formatBytes(row.bytes),
      };
    }),
    limit,
  );
}

/** What still waits: some of what was held back may be applied, or back in the list. */
function heldBackText({ held_back: rows, walks }: FullRun, limit: Limit): string {
  const lines = rows.map(({ account, package_id: id, removals, reasons, command, held_by }) => {
    const name = walks.find(({ walk_id }) => walk_id === held_by)?.name ?? null;
    const what = `${formatPackage(account, id, name)}: ${pluralize(removals, 'removal')}, ${formatHeldReason(reasons)}`;
    return command === null ? what : `${what}\n      -> to accept exactly these: ${command}`;
  });
  const text = listText('held back, and still waiting:', lines, limit);
  return text === '' ? '' : `${text}\n${CONFIRMATION_HINT}`;
}

function formatQuarantine(row: FullRun['quarantine'][number]): string {
  const { record_id: id, reason, resolved_at } = row;
  const after = resolved_at === null ? '' : ` (resolved ${resolved_at} UTC)`;
  return escapeControls(
    `${formatStream(row)}, ${truncate(id ?? 'without an id', 30)}: ${truncate(reason, 100)}${after}`,
  );
}

function bookedText({ booked }: FullRun, limit: Limit): string {
  const lines = [...groupBy(booked, ({ account }) => account)].map(
    ([account, days]) =>
      `storage of ${account}: ${pluralize(days.length, 'day')} booked (${days[0].date} to ${days.at(-1)?.date})`,
  );
  return [...lines.slice(0, limit.most), ...moreText(lines.length, limit)].join('\n');
}

/** The run in full, with what to do about its failures. `isVerbose`: every package, however many. */
export function formatRun(
  { runId, failures }: RunSummary,
  config: Config,
  { formatCommand, isVerbose = false }: { formatCommand: FormatCommand; isVerbose?: boolean },
): string {
  const db = openReadOnly(config.warehouse);
  try {
    const found = readRun(db, runId);
    if (!found) throw new RangeError(`there is no run ${runId}`);
    const held_back = listHeldBack(db, found.walks);
    const details = withAdvice({ ...found, held_back }, config, formatCommand, failures);
    const most = isVerbose ? Infinity : MOST_ROWS;
    return runText(details, { now: systemClock.now(), formatCommand, most });
  } finally {
    db.$client.close();
  }
}

/** All that waits in packages of these walks, also what an earlier walk held back. */
function listHeldBack(db: Db, walks: RunDetails['walks']): RunDetails['held_back'] {
  const holding = walks.filter(({ held_back: count }) => count > 0);
  if (holding.length === 0) return [];
  const keys = new Set(holding.map(keyOfPackage));
  return readHeldBack(db).filter((row) => keys.has(keyOfPackage(row)));
}

/** The JSON document of `sync --json` (docs/json.md). */
export function summaryJson(
  summary: RunSummary,
  published: PublishResult,
  targets: readonly TargetLoads[],
): string {
  const failures = summary.failures.map(({ account, packageId, message, hint, parked }) => {
    return { account, packageId, message, hint, parked };
  });
  return formatJson({ ...summary, failures, published: publishResultDocument(published), targets });
}
