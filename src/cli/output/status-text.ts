/** The text of `vodhouse status`. */
import { fromTimestamp, toTimestamp } from '../../lib/clock.ts';
import type { Savings, StatusQueries } from '../../queries/status-queries.ts';
import type { BackupReport, BudgetReport, PublishedReport } from '../../health/facts.ts';
import { isNothingRead } from '../../health/reading.ts';
import { getOverallStatus, NOTHING_READ } from '../../health/overall-status.ts';
import type { Advice } from '../../health/problem.ts';
import type { HealthReport } from '../../health/report.ts';
import type { Schedule } from '../../health/schedule.ts';
import { summarizeTarget, targetText } from '../../health/targets.ts';
import {
  formatAgo,
  formatBytes,
  formatCount,
  formatDuration,
  pluralize,
  escapeControls,
  truncate,
} from '../../lib/format.ts';
import { displayPath, MOST_ROWS } from './output.ts';
import { formatTable } from './table.ts';

/** What `status` shows: the health of the live file, and the requests that were saved. */
export type Report = Omit<HealthReport, 'budgets'> &
  Schedule & { budgets: (BudgetReport & { saved: Savings })[] };

/** The report for a terminal: the problems first. */
export function statusText(report: Report, now: number): string {
  const since = (timestamp: string | null) =>
    timestamp === null ? 'never' : formatAgo(now - fromTimestamp(timestamp));
  const sections = [problemsText(report), scheduleText(report, now)];
  if (report.packages.length > 0) sections.push(packageTable(report, since));
  if (report.storage.length > 0) sections.push(storageTable(report, since));
  if (report.drift.length > 0) sections.push(driftTable(report, since));
  if (report.published) sections.push(publishedLine(report.published, since));
  if (report.targets.length > 0) sections.push(targetLines(report, now).join('\n'));
  if (report.backup) sections.push(backupLine(report.backup, since));
  sections.push(budgetTable(report));
  if (report.runs.length > 0) sections.push(runTable(report, since));
  return `${sections.join('\n\n')}\n`;
}

type Since = (timestamp: string | null) => string;

function problemsText(report: Report): string {
  const { items, warehouse } = report;
  if (items.length > 0) return [`needs attention (${warehouse}):`, ...itemLines(items)].join('\n');
  if (isNothingRead(report)) return `${nothingReadText(report)} (${warehouse})`;
  return `${getOverallStatus(report).text} (${warehouse})`;
}

/** What needs attention, as sentences: empty if nothing does. */
export function listNeeds(report: Report): string[] {
  if (report.items.length === 0 && isNothingRead(report)) return [nothingReadText(report)];
  return report.items.map(({ message }) => message);
}

function nothingReadText(report: Report): string {
  if (report.runs[0]?.status === 'running') return `${NOTHING_READ}; the first run is under way`;
  return `${NOTHING_READ}: ${report.formatCommand('sync')}`;
}

/** Whether a worker runs, and what is due when. */
function scheduleText({ worker, next, formatCommand }: Report, now: number): string {
  const inTime = (at: string) => {
    const ms = fromTimestamp(at) - now;
    return ms <= 0 ? 'now' : `${at.slice(0, 16)} UTC (in ${formatDuration(Math.ceil(ms / 1000) * 1000)})`;
  };
  const running = worker
    ? `worker: ${worker.host}, pid ${worker.pid}, since ${worker.since} UTC`
    : `worker: none; to start one: ${formatCommand('start')}`;
  const names = { full: 'full run', quick: 'quick run', publication: 'publication', backup: 'backup' };
  const due = (['full', 'quick', 'publication', 'backup'] as const).flatMap((what) => {
    const at = next[what];
    return at === null ? [] : [`${names[what]} ${inTime(at)}`];
  });
  const [first, ...others] = next.packages;
  if (first) {
    const name = `${first.account}/${first.package_id}`;
    const count = `${pluralize(others.length + 1, 'package')} by their own schedules, the first`;
    due.push(`${others.length > 0 ? `${count} ` : 'full walk of '}${name} ${inTime(first.at)}`);
  }
  return [
    running,
    ...(due.length > 0 ? [`${worker ? 'due' : 'due with a worker'}: ${due.join(', ')}`] : []),
  ].join('\n');
}

/** Each item with its details, as many as fit completely; at least one. */
function itemLines(items: Report['items']): string[] {
  const lines: string[] = [];
  for (const [index, item] of items.entries()) {
    const { message, affects, nextTry, details, advice } = item;
    const below = [
      ...(affects === null ? [] : [`affects ${affects}`]),
      ...details,
      ...(nextTry === null ? [] : [`next try at ${nextTry} UTC`]),
      ...advice.map((each) => `-> ${formatAdvice(each)}`),
    ];
    if (index > 0 && lines.length + 1 + below.length > MOST_ROWS)
      return [...lines, ...more(items.length - index)];
    lines.push(`  - ${escapeControls(message)}`, ...below.map((line) => `      ${escapeControls(line)}`));
  }
  return lines;
}

function formatAdvice({ text, command }: Advice): string {
  return [text, command].filter((part) => part !== null).join(': ');
}

function packageTable(report: Report, since: Since): string {
  const rows = report.packages.map((row) => [
    `${row.account}/${row.package_id}`,
    row.name ?? '',
    formatCount(row.videos),
    since(row.walked_at),
    row.last_walk ?? '-',
    row.held_back > 0 ? formatCount(row.held_back) : '',
    row.order === 'untrusted' ? 'not by id' : '',
  ]);
  return limited(['package', '', '>videos', 'walked', 'last walk', '>held back', 'order'], rows);
}

function limited(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return [formatTable(headings, rows.slice(0, MOST_ROWS)), ...more(rows.length - MOST_ROWS)].join('\n');
}

/** Lines below the line of one target. */
const MOST_NOTES = 8;

function targetLines({ targets }: Report, now: number): string[] {
  return targets.flatMap((report) => {
    const { notes } = summarizeTarget(report, now);
    const lines = notes.slice(0, MOST_NOTES).map((text) => `  ${text}`);
    return [
      `target ${report.target}: ${targetText(report, now)}`,
      ...lines,
      ...more(notes.length - MOST_NOTES),
    ];
  });
}

function more(left: number): string[] {
  return left > 0 ? [`  … and ${formatCount(left)} more: vodhouse status --json`] : [];
}

function storageTable(report: Report, since: Since): string {
  const rows = report.storage.map((row) => [
    row.account,
    since(row.read_at),
    row.booked_through ?? 'none',
    formatCount(row.gaps),
    formatCount(row.gaps_given_up),
  ]);
  return formatTable(['storage', 'today read', 'booked through', '>gaps', '>given up'], rows);
}

function driftTable(report: Report, since: Since): string {
  const rows = report.drift.map((row) => [
    `${row.stream} of ${row.account}`,
    truncate(row.field, 40),
    row.kind,
    truncate(row.sample ?? '', 30),
    since(row.first_seen_at),
    since(row.last_seen_at),
    row.acknowledged_at === null ? '' : since(row.acknowledged_at),
  ]);
  return limited(['drift', 'field', 'kind', 'sample', 'first seen', 'last seen', 'acknowledged'], rows);
}

function budgetTable(report: Report): string {
  const show = ({ spent, left, limit }: Report['budgets'][number]['per_day']) =>
    left === null || limit === null
      ? `${formatCount(spent)} spent`
      : `${formatCount(left)} of ${formatCount(limit)}`;
  const rows = report.budgets.map((row) => [
    row.account,
    show(row.per_second),
    show(row.per_minute),
    show(row.per_day),
    row.saved.quick_walks === 0
      ? '-'
      : `${formatCount(row.saved.requests)} by ${pluralize(row.saved.quick_walks, 'quick walk')}`,
    formatCount(row.saved.pages),
  ]);
  const headings = ['requests left', '>per second', '>per minute', '>per day', '>saved in 7 days'];
  const returning = report.budgets.flatMap(({ account, pause }) =>
    pause && !pause.in_force
      ? [`  ${account} was paused until ${pause.until} UTC; its rate comes back until ${pause.back_at} UTC`]
      : [],
  );
  return [formatTable([...headings, '>unchanged pages'], rows), ...returning].join('\n');
}

function publishedLine({ file, published_at: at, behind }: PublishedReport, since: Since): string {
  const words =
    at === null ? 'not there yet' : `made ${since(at)}${behind ? '; newer changes are not in it yet' : ''}`;
  return `published file ${displayPath(file)}: ${words}`;
}

function backupLine({ file, made_at: at, size_bytes: bytes }: BackupReport, since: Since): string {
  if (file === null) return 'last backup: none yet';
  return `last backup ${displayPath(file)}: made ${since(at)}, ${formatBytes(bytes ?? 0)}`;
}

function runTable(report: Report, since: Since): string {
  const rows = report.runs.map((run) => [
    String(run.run_id),
    since(run.started_at),
    run.trigger,
    run.mode,
    run.scope ?? 'everything',
    run.status,
    formatCount(run.requests),
    truncate(run.error ?? '', 80),
  ]);
  return formatTable(['run', 'started', 'trigger', 'mode', 'scope', 'status', '>requests', 'error'], rows);
}

type Requests = ReturnType<StatusQueries['requests']>;

/** The last requests, newest first. */
export function requestsText(requests: Requests): string {
  const rows = requests.map((row) => [
    toTimestamp(row.at_ms),
    row.account,
    row.purpose,
    row.package_id === null ? '' : String(row.package_id),
    row.page === null ? '' : String(row.page),
    row.status === null ? 'no response' : String(row.status),
    row.duration_ms === null ? '' : formatCount(row.duration_ms),
    row.bytes === null ? '' : formatCount(row.bytes),
  ]);
  return `${formatTable(['sent (UTC)', 'account', 'purpose', '>package', '>page', 'status', '>ms', '>bytes'], rows)}\n`;
}
