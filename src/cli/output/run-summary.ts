/** The result of a run as text and as JSON. */
import type { Config } from '../../config/config.ts';
import type { RunSummary } from '../../sync/run.ts';
import { formatHeldBack, readHeldBack, type Accepting, type HeldBackSummary } from './held-back-summary.ts';
import { isNotable } from './log-progress.ts';
import {
  createPackageNames,
  formatTotal,
  formatWalks,
  sortByConfig,
  type PackageNames,
} from './format-walks.ts';
import { formatCount, pluralize, formatDuration, escapeControls } from '../../lib/format.ts';
import { formatJson } from './output.ts';
import { publishResultDocument, type PublishResult } from './publication-text.ts';

type Walk = RunSummary['walks'][number];
type Storage = RunSummary['storage'][number];

/** What the text needs besides the summary. */
export interface SummaryOptions {
  names: PackageNames;
  heldBack: readonly HeldBackSummary[];
  /** A line for each package, also if nothing changed. */
  showAll: boolean;
  /** Columns of the terminal; undefined if there is none. */
  columns: number | undefined;
}

/**
 * The text for stdout, packages in the order of the config: all of them on a terminal and if `isVerbose`, else those that
 * changed or failed. `accepting` as for readHeldBack.
 */
export function formatRun(
  summary: RunSummary,
  config: Config,
  isVerbose: boolean,
  accepting?: Accepting,
): string {
  const heldBack = readHeldBack(config.warehouse, summary.walks, accepting);
  const names = createPackageNames(config);
  const walks = sortByConfig(summary.walks, config);
  const { isTTY, columns } = process.stdout;
  return summaryText({ ...summary, walks }, { names, heldBack, columns, showAll: isVerbose || isTTY });
}

/** One line per package that is shown and per storage, then what went wrong, then the status. */
export function summaryText(
  summary: RunSummary,
  { names, heldBack, showAll, columns }: SummaryOptions,
): string {
  const shown = showAll ? summary.walks : summary.walks.filter(isNotable);
  const total = formatTotal(summary.walks);
  const cost = `${formatDuration(summary.durationMs)}, ${pluralize(summary.requests, 'request')}`;
  const lines = [
    ...formatWalks({ ...summary, walks: shown }, names, columns ?? Number.POSITIVE_INFINITY),
    ...restLines(summary, shown),
    ...(total === null ? [] : [total]),
    ...summary.storage.map(storageLine),
    ...summary.failures.flatMap(failureLines),
    ...summary.walks.flatMap(messageLines),
    ...formatHeldBack(heldBack),
    `${STATUS_TEXTS[summary.status]} in ${cost}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** One line for all packages that have no line of their own. */
function restLines({ mode, packagesDone, walks }: RunSummary, shown: readonly Walk[]): string[] {
  const ended = shown.filter(({ status }) => status === 'succeeded' || status === 'partial');
  const left = mode === 'quick' ? packagesDone - ended.length : walks.length - shown.length;
  if (left <= 0) return [];
  const what = mode === 'quick' ? 'nothing new' : 'nothing changed';
  const which = shown.length > 0 ? 'the other ' : left === 1 ? 'the ' : '';
  return [`${what} in ${which}${left === 1 ? 'package' : `${formatCount(left)} packages`}`];
}

function storageLine(storage: Storage): string {
  const today = storage.live === null ? [] : [storage.live ? 'today read' : 'no figures of today'];
  const { missed, unconfirmed, discrepancies, quarantined } = storage;
  const parts = [...today, `${pluralize(storage.booked, 'day')} booked`];
  if (missed > 0) parts.push(`${pluralize(missed, 'day')} not served`);
  if (unconfirmed > 0)
    parts.push(
      `${pluralize(unconfirmed, 'day')} ${unconfirmed === 1 ? 'waits' : 'wait'} for a second reading`,
    );
  if (discrepancies > 0) parts.push(`${pluralize(discrepancies, 'figure')} of booked days differ now`);
  if (quarantined > 0) parts.push(`${pluralize(quarantined, 'record')} in quarantine`);
  return `storage of ${storage.account}: ${parts.join(', ')}`;
}

function failureLines(failure: RunSummary['failures'][number]): string[] {
  const lines = [`${failure.parked ? 'parked' : 'failed'}: ${escapeControls(failure.message)}`];
  return failure.hint ? [...lines, `  -> ${failure.hint}`] : lines;
}

/** Why a walk is incomplete, or a message of a complete one. */
function messageLines({ account, package_id: id, status, error }: Walk): string[] {
  if (!error || (status !== 'partial' && status !== 'succeeded')) return [];
  return [`${status === 'partial' ? 'incomplete' : 'note'}: ${account}/${id}: ${escapeControls(error)}`];
}

const STATUS_TEXTS: Record<RunSummary['status'], string> = {
  succeeded: 'done',
  partial: 'done in part',
  failed: 'failed',
  parked: 'parked',
  interrupted: 'interrupted',
};

/** The JSON document of `sync --json` (docs/json.md). */
export function summaryJson(summary: RunSummary, published: PublishResult): string {
  return formatJson({
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
    published: publishResultDocument(published),
  });
}

const PUBLIC_COLUMNS = new Set([
  ...['walk_id', 'run_id', 'account', 'package_id', 'mode', 'status', 'pages', 'totalcount', 'inserted'],
  ...['updated', 'unchanged', 'removed', 'restored', 'quarantined', 'unsettled', 'held_back', 'requests'],
  ...['resumed', 'started_at', 'finished_at', 'error'],
]);

/** Without the internal columns of the row. */
function publicWalk(walk: Walk) {
  return Object.fromEntries(Object.entries(walk).filter(([name]) => PUBLIC_COLUMNS.has(name)));
}
