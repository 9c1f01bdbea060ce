/** The text of `vodhouse status`. */
import { fromTimestamp, toTimestamp } from '../../lib/clock.ts';
import type { LAST_REQUESTS, Savings } from '../../queries/named/status.ts';
import type { BudgetReport } from '../../health/facts.ts';
import { isNothingRead } from '../../health/reading.ts';
import { getOverallStatus } from '../../health/overall-status.ts';
import { formatAdvice } from '../../health/advice.ts';
import type { HealthReport } from '../../health/report.ts';
import type { Schedule } from '../../health/schedule.ts';
import { targetText } from '../../health/targets.ts';
import {
  formatAgo,
  formatBytes,
  formatCount,
  formatDuration,
  escapeControls,
  truncate,
} from '../../lib/format.ts';
import { keyOfPackage } from '../../sync/package-key.ts';
import { displayPath } from './output.ts';
import { formatFirst, formatRecords, MOST_ROWS, moreText, type Limit, type TableRecord } from './table.ts';

/** What `status` shows: the health of the live file, and the requests that were saved. */
export type Report = Omit<HealthReport, 'budgets'> &
  Schedule & { budgets: (BudgetReport & { saved: Savings })[] };

/** The report for a terminal: the problems first. */
export function statusText(report: Report, now: number): string {
  const since: Since = (timestamp) =>
    timestamp === null ? 'never' : formatAgo(now - fromTimestamp(timestamp));
  const limit: Limit = { most: MOST_ROWS, command: report.formatCommand('status --json') };
  const table = <Row>(rows: readonly Row[], toRecord: (row: Row, since: Since) => TableRecord) =>
    formatFirst(
      rows.map((row) => toRecord(row, since)),
      limit,
    );
  const sections = [
    problemsText(report, limit),
    scheduleText(report, now),
    table(report.packages, packageRecord),
    table(report.storage, storageRecord),
    table(report.drift, driftRecord),
    placesText(report, since, now),
    table(report.budgets, budgetRecord),
    table(report.runs, runRecord),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

type Since = (timestamp: string | null) => string;

function problemsText(report: Report, limit: Limit): string {
  const { items, warehouse, formatCommand } = report;
  const { level, word, text, more } = getOverallStatus(report);
  const isEmpty = level === 'new' && report.runs[0]?.status !== 'running';
  const next = isEmpty ? `; to begin: ${formatCommand('sync')}` : '';
  const headline = `${word}: ${escapeControls(text)}${next}${more === '' ? '' : `. ${more}`} (${warehouse})`;
  return [headline, ...itemLines(items, limit)].join('\n');
}

/** What needs attention, a sentence for each item; empty if nothing does. */
export function listNeeds(report: Report): string[] {
  const isEmpty = report.items.length === 0 && isNothingRead(report);
  return isEmpty ? [getOverallStatus(report).text] : report.items.map(({ message }) => message);
}

const MARKS = { page: '✕', ticket: '!', note: 'i' };

/** The lines of as many items as fit with all their details, at least of one. */
function itemLines(items: Report['items'], limit: Limit): string[] {
  const lines: string[] = [];
  for (const [index, { severity, message, affects, since, nextTry, advice, details }] of items.entries()) {
    const about = [
      ...(since === null ? [] : [`since ${since} UTC`]),
      ...(affects === null ? [] : [`affects ${affects}`]),
      ...(nextTry === null ? [] : [`next try at ${nextTry} UTC`]),
    ].join('; ');
    const below = [
      ...(about === '' ? [] : [about]),
      ...(advice === null ? [] : [`-> ${formatAdvice(advice)}`]),
      ...details.map((line, position) => `${position === 0 ? 'details: ' : '         '}${line}`),
    ];
    if (index > 0 && lines.length + 1 + below.length > limit.most)
      return [...lines, ...moreText(items.length, { ...limit, most: index })];
    lines.push(
      `  ${MARKS[severity]} ${escapeControls(message)}`,
      ...below.map((line) => `      ${escapeControls(line)}`),
    );
  }
  return lines;
}

export const workerText = ({ host, pid, since }: NonNullable<Report['worker']>): string =>
  `worker: ${host}, pid ${pid}, since ${since} UTC`;

/** Whether a worker runs, and when the next runs, publication and backup are due. */
function scheduleText({ worker, next, formatCommand }: Report, now: number): string {
  const inTime = (at: string) => {
    const ms = fromTimestamp(at) - now;
    return ms <= 0 ? 'now' : `${at.slice(0, 16)} UTC (in ${formatDuration(Math.ceil(ms / 1000) * 1000)})`;
  };
  const running = worker ? workerText(worker) : `worker: none; to start one: ${formatCommand('start')}`;
  const names = { full: 'full run', quick: 'quick run', publication: 'publication', backup: 'backup' };
  const due = (['full', 'quick', 'publication', 'backup'] as const).flatMap((what) => {
    const at = next[what];
    return at === null ? [] : [`${names[what]} ${inTime(at)}`];
  });
  const dueText = due.length > 0 ? `\n${worker ? 'due' : 'due with a worker'}: ${due.join(', ')}` : '';
  return `${running}${dueText}`;
}

const packageRecord = (row: Report['packages'][number], since: Since) => ({
  package: keyOfPackage(row),
  name: row.name,
  videos: row.videos,
  walked: since(row.walked_at),
  'last walk': row.last_walk ?? '-',
  'held back': row.held_back || null,
  order: row.order === 'untrusted' ? 'not by id' : null,
});

const storageRecord = (row: Report['storage'][number], since: Since) => ({
  storage: row.account,
  'today read': since(row.read_at),
  'booked through': row.booked_through ?? 'none',
  gaps: row.gaps,
  'given up': row.gaps_given_up,
});

const driftRecord = (row: Report['drift'][number], since: Since) => ({
  drift: `${row.stream} of ${row.account}`,
  field: truncate(row.field, 40),
  kind: row.kind,
  sample: truncate(row.sample ?? '', 30),
  'first seen': since(row.first_seen_at),
  'last seen': since(row.last_seen_at),
  acknowledged: row.acknowledged_at && since(row.acknowledged_at),
});

const runRecord = (run: Report['runs'][number], since: Since) => ({
  run: String(run.run_id),
  started: since(run.started_at),
  trigger: run.trigger,
  mode: run.mode,
  scope: run.scope ?? 'everything',
  status: run.status,
  requests: run.requests,
  error: truncate(run.error ?? '', 80),
});

/** Where else the data are: the published file, the targets, the last backup. */
function placesText({ published, targets, backup }: Report, since: Since, now: number): string {
  const lines: string[] = [];
  if (published) {
    const { file, published_at: at, behind } = published;
    const state =
      at === null ? 'not there yet' : `made ${since(at)}${behind ? '; newer changes are not in it yet' : ''}`;
    lines.push(`published file ${displayPath(file)}: ${state}`);
  }
  for (const target of targets) lines.push(`target ${target.target}: ${targetText(target, now)}`);
  if (backup) {
    const { file, made_at: at, size_bytes: bytes } = backup;
    const state =
      file === null ? ': none yet' : ` ${displayPath(file)}: made ${since(at)}, ${formatBytes(bytes ?? 0)}`;
    lines.push(`last backup${state}`);
  }
  return lines.join('\n');
}

const showUsage = ({ spent, left, limit }: Report['budgets'][number]['per_day']) =>
  left === null || limit === null
    ? `${formatCount(spent)} spent`
    : `${formatCount(left)} of ${formatCount(limit)}`;

const budgetRecord = (row: Report['budgets'][number]) => ({
  'requests left': row.account,
  '>per second': showUsage(row.per_second),
  '>per minute': showUsage(row.per_minute),
  '>per day': showUsage(row.per_day),
  'saved in 7 days by quick walks': row.saved.requests || null,
});

/** The last requests, newest first. */
export function requestsText(requests: ReturnType<typeof LAST_REQUESTS.all>): string {
  const records = requests.map((row) => ({
    'sent (UTC)': toTimestamp(row.at_ms),
    account: row.account,
    purpose: row.purpose,
    package: row.package_id === null ? null : String(row.package_id),
    page: row.page,
    status: row.status === null ? 'no response' : String(row.status),
    ms: row.duration_ms,
    bytes: row.bytes,
  }));
  return `${formatRecords(records)}\n`;
}
