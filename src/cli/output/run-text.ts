/** Runs for a terminal, as a list and in full; and the JSON document of a run that was just made. */
import type { Config } from '../../config/config.ts';
import type { FormatCommand } from '../../lib/shell-command.ts';
import type { Db } from '../../database/connection.ts';
import { WALK_CHANGES, type WalkChange } from '../../database/schema/values.ts';
import { formatAdvice } from '../../health/advice.ts';
import {
  explainRun,
  heldCommands,
  listCauseLines,
  listErrors,
  splitWalks,
  type ErrorRow,
} from '../../health/run-causes.ts';
import { groupBy, withoutSubject } from '../../health/text.ts';
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
import { ConfigError, formatHint, withHint } from '../../lib/errors.ts';
import { redactAll } from '../../lib/redact.ts';
import { keyOfPackage } from '../../sync/package-key.ts';
import { formatStream } from '../../sync/streams.ts';
import { readRun, type RunDetails } from '../../queries/named/run.ts';
import type { RunRow } from '../../queries/named/runs.ts';
import type { RunSummary } from '../../sync/run.ts';
import { formatJson } from './output.ts';
import { publishResultDocument, type PublishResult, type TargetLoads } from './publication-text.ts';
import { formatFirst, formatRecords, MOST_ROWS, moreText, type Limit, type TableRecord } from './table.ts';

/** A table with one line for each run. */
export function runTable(rows: readonly RunRow[]): string {
  return formatRecords(
    rows.map((run) => ({
      run: String(run.run_id),
      'started (UTC)': run.started_at,
      '>took': formatElapsed(run),
      trigger: run.trigger,
      mode: run.mode,
      scope: truncate(run.scope ?? '', 30),
      status: run.status,
      requests: run.finished_at === null ? null : run.requests,
      ...pickChanges(run),
    })),
  );
}

/** Why some runs are not complete, a line for each cause. `hasEarlier`: there are runs before these. */
export function causesText(db: Db, rows: readonly RunRow[], hasEarlier: boolean): string {
  const causes = listCauseLines(db, rows, hasEarlier);
  if (causes.length === 0) return '';
  const lines = causes.flatMap(({ run_id: id, text, inRow }) => [
    `  - run ${id}: ${escapeControls(text)}`,
    ...(inRow === null ? [] : [`      ${inRow}`]),
  ]);
  return `\nwhy they are not complete:\n${lines.join('\n')}\n`;
}

/** The counts of changes. A zero becomes null, which is an empty cell, so that changes are easy to see. */
const pickChanges = (row: Record<WalkChange, number>) =>
  Object.fromEntries(WALK_CHANGES.map((kind) => [kind, row[kind] || null]));

/** How long it took, in whole seconds, because the warehouse stores times so; empty while it runs. */
function formatElapsed({ started_at, finished_at }: Pick<RunRow, 'started_at' | 'finished_at'>): string {
  if (finished_at === null) return '';
  const ms = fromTimestamp(finished_at) - fromTimestamp(started_at);
  return ms <= 0 ? '<1s' : formatDuration(ms);
}

type FullRun = ReturnType<typeof readFullRun>;

/**
 * Reads a run with the reasons why it is not complete and what to do (`why`), the command that accepts what a
 * walk held back (null for a package that left the config), and the hints of the errors of a run that was
 * just made (`failed`). Without secrets. Throws ConfigError where there is no such run.
 */
export function readFullRun(
  db: Db,
  { runId, failures: failed = [] }: Pick<RunSummary, 'runId'> & Partial<RunSummary>,
  config: Config,
  formatCommand: FormatCommand,
) {
  const found = readRun(db, runId);
  if (!found)
    throw new ConfigError(`there is no run ${runId}`, {
      hint: [{ command: 'runs' }, ' lists those that are kept (retention.runs_days)'],
    });
  const toCommand = heldCommands(config, formatCommand);
  const findHint = ({ account, package_id: id }: RunDetails['failures'][number]) =>
    failed.find((each) => each.account === account && each.packageId === id)?.hint;
  const held_back = found.held_back.map((row) => ({ ...row, command: toCommand(row) }));
  const failures = found.failures.map((row) => ({
    ...row,
    hint: formatHint(findHint(row), formatCommand) ?? null,
  }));
  const why = explainRun({ db, config, formatCommand }, found);
  return redactAll({ ...found, why, held_back, failures }, config.secrets);
}

/**
 * One run in full: why it is not complete, what changed, and technical details last. `isVerbose`: with every
 * row of each list, and a row for each unchanged package.
 */
export function runText(details: FullRun, formatCommand: FormatCommand, isVerbose = false): string {
  const command = formatCommand(`runs ${details.run.run_id} --json`);
  const limit: Limit = { most: isVerbose ? Infinity : MOST_ROWS, command };
  const sections = [
    headText(details.run),
    whyText(details, limit),
    walkText(details, limit, isVerbose),
    bookedText(details, limit),
    listText('in quarantine:', details.quarantine.map(formatQuarantine), limit),
    listText('details:', formatErrors(listErrors(details)), limit),
    requestTable(details, limit),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function headText(run: FullRun['run']): string {
  const { origin_started_at: origin, clock_offset_ms: offset } = run;
  const time =
    run.finished_at === null
      ? `started ${run.started_at} UTC, ${formatAgo(systemClock.now() - fromTimestamp(run.started_at))}`
      : `${run.started_at} UTC, took ${formatElapsed(run)}, ${pluralize(run.requests, 'request')}`;
  return [
    `run ${run.run_id}: ${run.status} (${run.mode}, ${run.trigger}, ${run.scope ?? 'everything'})`,
    time,
    ...(origin !== null && origin !== run.started_at ? [`it resumed what began at ${origin} UTC`] : []),
    ...(offset === null ? [] : [formatOffset(offset)]),
  ].join('\n');
}

function listText(heading: string, lines: readonly string[], limit: Limit): string {
  if (lines.length === 0) return '';
  const shown = lines.slice(0, limit.most).map((line) => `  - ${line}`);
  return [heading, ...shown, ...moreText(lines.length, limit)].join('\n');
}

/** Why the run is not complete: each cause, and below it what to do. */
function whyText({ why }: FullRun, limit: Limit): string {
  const lines = why.map(
    ({ text, advice }) => escapeControls(text) + (advice ? `\n      -> ${formatAdvice(advice)}` : ''),
  );
  return listText('why it is not complete:', lines, limit);
}

type Walk = FullRun['walks'][number];

/** The walks that failed, then those that changed something, and the number of the others. */
function walkText({ walks, run }: FullRun, limit: Limit, isVerbose: boolean): string {
  if (walks.length === 0) return run.mode === 'quick' ? 'no package had anything new' : '';
  const sorted = walks.toSorted(byPackage);
  const { notable, unchanged } = splitWalks(sorted);
  const shown = isVerbose ? sorted : notable;
  const rest =
    isVerbose || unchanged.length === 0 ? '' : `${pluralize(unchanged.length, 'package')} unchanged`;
  return [formatFirst(shown.map(toRecord), limit), rest].filter((text) => text !== '').join('\n');
}

const byPackage = (one: Walk, other: Walk) =>
  one.account.localeCompare(other.account) || one.package_id - other.package_id;

const toRecord = (walk: Walk): TableRecord => ({
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
});

/** A line each. A hint that several errors have follows the first of them. */
function formatErrors(rows: readonly ErrorRow[]): string[] {
  return rows.map((row, at) => {
    const isFirst = rows.findIndex(({ hint }) => hint === row.hint) === at;
    const error = `${formatStream(row)} (${row.kind}): ${withoutSubject(row.message, row)}`;
    return escapeControls(withHint(error, isFirst ? (row.hint ?? null) : null));
  });
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

/** The JSON document of `sync --json` (docs/json.md). */
export function summaryJson(
  summary: RunSummary,
  published: PublishResult,
  targets: readonly TargetLoads[],
  formatCommand: FormatCommand,
): string {
  const failures = summary.failures.map(({ account, packageId, message, hint, untilMs }) => ({
    account,
    packageId,
    message,
    hint: formatHint(hint, formatCommand),
    parked: untilMs !== null,
  }));
  return formatJson({
    ...summary,
    failures,
    published: publishResultDocument(published, formatCommand),
    targets,
  });
}
