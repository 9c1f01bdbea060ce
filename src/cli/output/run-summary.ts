/** What a run came to, in words and as JSON. */
import type { RunSummary } from '../../sync/run.ts';
import { formatHeldBack, type HeldBackSummary } from './held-back-summary.ts';
import { publishedDocument, type Published } from '../commands/publish.ts';
import { walkLines, type PackageNames } from './format-walks.ts';
import { formatCount, pluralize, formatDuration, escapeControls } from '../../lib/format.ts';

type Walk = RunSummary['walks'][number];
type Storage = RunSummary['storage'][number];

/** What the summary says beside the numbers. */
export interface SummaryOptions {
  names: PackageNames;
  leftBack: readonly HeldBackSummary[];
  /** Columns of the terminal; undefined where there is none. */
  columns: number | undefined;
}

/** The lines of a run: one a package, one a storage, what went wrong, and the verdict. */
export function summaryText(summary: RunSummary, { names, leftBack, columns }: SummaryOptions): string {
  const lines = [
    ...walkLines(summary, names, columns ?? Number.POSITIVE_INFINITY),
    ...quickSummary(summary),
    ...summary.storage.map(storageLine),
    ...summary.failures.flatMap(failureLines),
    ...summary.walks.flatMap(noteLines),
    ...formatHeldBack(leftBack),
    `${words(summary.status)} in ${formatDuration(summary.durationMs)}, ${pluralize(summary.requests, 'request')}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Packages without a line of their own: a quick look found nothing in them. */
function quickSummary({ mode, packagesDone, walks }: RunSummary): string[] {
  const ended = walks.filter(({ status }) => status === 'succeeded' || status === 'partial');
  const left = packagesDone - ended.length;
  if (mode !== 'quick' || left <= 0) return [];
  const which = ended.length > 0 ? 'the other ' : left === 1 ? 'the ' : '';
  return [`nothing new in ${which}${left === 1 ? 'package' : `${formatCount(left)} packages`}`];
}

function storageLine(storage: Storage): string {
  const today = storage.live === null ? [] : [storage.live ? 'today read' : 'no figures of today'];
  const notes = [...today, `${pluralize(storage.booked, 'day')} booked`];
  if (storage.missed > 0) notes.push(`${pluralize(storage.missed, 'day')} not served`);
  if (storage.unconfirmed > 0)
    notes.push(
      `${pluralize(storage.unconfirmed, 'day')} ${storage.unconfirmed === 1 ? 'waits' : 'wait'} for a second reading`,
    );
  if (storage.discrepancies > 0)
    notes.push(`${pluralize(storage.discrepancies, 'figure')} of booked days differ now`);
  if (storage.quarantined > 0) notes.push(`${pluralize(storage.quarantined, 'record')} in quarantine`);
  return `storage of ${storage.account}: ${notes.join(', ')}`;
}

function failureLines(failure: RunSummary['failures'][number]): string[] {
  const lines = [`${failure.parked ? 'parked' : 'failed'}: ${escapeControls(failure.message)}`];
  return failure.hint ? [...lines, `  -> ${failure.hint}`] : lines;
}

/** Why a walk was not whole, or what is worth saying of one that was. */
function noteLines({ account, package_id: id, status, error }: Walk): string[] {
  if (!error || (status !== 'partial' && status !== 'succeeded')) return [];
  return [`${status === 'partial' ? 'not whole' : 'note'}: ${account}/${id}: ${escapeControls(error)}`];
}

function words(status: RunSummary['status']): string {
  return {
    succeeded: 'done',
    partial: 'done in part',
    failed: 'failed',
    parked: 'parked',
    interrupted: 'interrupted',
  }[status];
}

/** The JSON document of a run and of what was published of it: keys in snake_case. */
export function summaryJson(summary: RunSummary, published: Published): string {
  const document = {
    run_id: summary.runId,
    mode: summary.mode,
    packages_done: summary.packagesDone,
    status: summary.status,
    requests: summary.requests,
    duration_ms: summary.durationMs,
    walks: summary.walks.map(publicWalk),
    storage: summary.storage,
    failures: summary.failures.map(({ account, packageId, message, hint = null, parked }) => ({
      account,
      package_id: packageId,
      message,
      hint,
      parked,
    })),
    published: publishedDocument(published),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const PUBLIC = [
  ...[
    'walk_id',
    'run_id',
    'account',
    'package_id',
    'mode',
    'status',
    'pages',
    'totalcount',
    'inserted',
    'updated',
  ],
  ...['unchanged', 'removed', 'restored', 'quarantined', 'unsettled', 'held_back', 'requests', 'resumed'],
  ...['started_at', 'finished_at', 'error'],
];

/** The columns of a walk that the contract names; the rest is how it goes on. */
function publicWalk(walk: Walk) {
  return Object.fromEntries(Object.entries(walk).filter(([name]) => PUBLIC.includes(name)));
}
