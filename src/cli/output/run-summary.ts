/** The result of a run as text and as JSON. */
import type { Config } from '../../config/config.ts';
import { commandsFor } from '../../health/commands.ts';
import type { RunSummary } from '../../sync/run.ts';
import { formatHeldBack, readHeldBack, type Accepting, type HeldBackSummary } from './held-back-summary.ts';
import { formatMore, limitLines, selectWalks, type Shown } from './select-walks.ts';
import {
  createPackageNames,
  formatTotal,
  formatWalks,
  sortByConfig,
  type PackageNames,
} from './format-walks.ts';
import { formatCount, pluralize, formatDuration, escapeControls } from '../../lib/format.ts';
import { targetLoadsDocument, type TargetLoads } from './load-text.ts';
import { formatJson } from './output.ts';
import { publishResultDocument, type PublishResult } from './publication-text.ts';

type Walk = RunSummary['walks'][number];
type Storage = RunSummary['storage'][number];

/** What the text needs besides the summary. */
export interface SummaryOptions {
  names: PackageNames;
  heldBack: readonly HeldBackSummary[];
  shown: Shown;
  /** The command that lists all packages of the run. */
  listCommand: string;
  /** Columns of the terminal; undefined if there is none. */
  columns: number | undefined;
}

/**
 * The text for stdout, packages in the order of the config: all of them if `isVerbose`, on a terminal as many as fit it, else
 * those that changed or failed. `accepting` as for readHeldBack.
 */
export function formatRun(
  summary: RunSummary,
  config: Config,
  isVerbose: boolean,
  accepting?: Accepting,
  formatCommand = commandsFor(config.file),
): string {
  const heldBack = readHeldBack(config.warehouse, summary.walks, accepting);
  const names = createPackageNames(config);
  const walks = sortByConfig(summary.walks, config);
  const { isTTY, columns } = process.stdout;
  const shown = isVerbose ? 'all' : isTTY ? 'fitting' : 'notable';
  const listCommand = formatCommand(`runs ${summary.runId}`);
  return summaryText({ ...summary, walks }, { names, heldBack, columns, shown, listCommand });
}

/** One line per package that is shown and per storage, then what went wrong, then the status. */
export function summaryText(
  summary: RunSummary,
  { names, heldBack, shown, listCommand, columns }: SummaryOptions,
): string {
  const { listed, unlisted } = selectWalks(summary.walks, shown);
  const total = formatTotal(summary.walks);
  const cost = `${formatDuration(summary.durationMs)}, ${pluralize(summary.requests, 'request')}`;
  const lines = [
    ...formatWalks({ ...summary, walks: listed }, names, columns ?? Number.POSITIVE_INFINITY),
    ...(unlisted.length > 0
      ? [formatMore(unlisted.length, 'packages that changed or failed', listCommand)]
      : []),
    ...restLines(summary, [...listed, ...unlisted]),
    ...(total === null ? [] : [total]),
    ...summary.storage.map(storageLine),
    ...limitLines(summary.failures.flatMap(failureLines), shown, 'lines about failures', listCommand),
    ...limitLines(summary.walks.flatMap(messageLines), shown, 'incomplete packages', listCommand),
    ...formatHeldBack(heldBack),
    `${STATUS_TEXTS[summary.status]} in ${cost}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** One line for all packages that are not among those told of. */
function restLines({ mode, packagesDone, walks }: RunSummary, told: readonly Walk[]): string[] {
  const ended = told.filter(({ status }) => status === 'succeeded' || status === 'partial');
  const left = mode === 'quick' ? packagesDone - ended.length : walks.length - told.length;
  if (left <= 0) return [];
  const what = mode === 'quick' ? 'nothing new' : 'nothing changed';
  const which = told.length > 0 ? 'the other ' : left === 1 ? 'the ' : '';
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
export function summaryJson(
  summary: RunSummary,
  published: PublishResult,
  targets: readonly TargetLoads[],
): string {
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
    targets: targets.map(targetLoadsDocument),
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
