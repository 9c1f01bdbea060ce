/** What a run came to, in words and as JSON. */
import type { RunSummary } from '../sync/run.ts';
import { count, counted, duration, table } from './words.ts';

type Walk = RunSummary['walks'][number];
type Storage = RunSummary['storage'][number];

/** The tables and lines of a run. `names` gives the name of a package. */
export function summaryText(
  summary: RunSummary,
  names: (account: string, packageId: number) => string | null,
): string {
  const lines = [];
  if (summary.walks.length > 0) lines.push(walkTable(summary.walks, names), '');
  lines.push(...summary.storage.map(storageLine));
  lines.push(...summary.failures.flatMap(failureLines));
  lines.push(...summary.walks.flatMap(partialLines), ...summary.walks.flatMap(heldBackLines));
  lines.push(
    `${words(summary.status)} in ${duration(summary.durationMs)}, ${counted(summary.requests, 'request')}`,
  );
  return `${lines.join('\n')}\n`;
}

function walkTable(
  walks: readonly Walk[],
  names: (account: string, packageId: number) => string | null,
): string {
  const headings = [
    'package',
    '',
    '>videos',
    '>new',
    '>changed',
    '>removed',
    '>restored',
    '>unchanged',
    '>pages',
    'status',
  ];
  const rows = walks.map((walk) => [
    `${walk.account}/${walk.package_id}`,
    names(walk.account, walk.package_id) ?? '',
    walk.totalcount === null ? '?' : count(walk.totalcount),
    count(walk.inserted),
    count(walk.updated),
    count(walk.removed),
    count(walk.restored),
    count(walk.unchanged),
    count(walk.pages),
    walkStatus(walk),
  ]);
  return table(headings, rows);
}

function walkStatus(walk: Walk): string {
  const notes = [walk.status === 'succeeded' ? 'ok' : walk.status];
  if (walk.resumed) notes.push('resumed');
  if (walk.quarantined > 0) notes.push(`${count(walk.quarantined)} in quarantine`);
  if (walk.unsettled > 0) notes.push(`${count(walk.unsettled)} unsettled`);
  return notes.join(', ');
}

function storageLine(storage: Storage): string {
  const notes = [
    storage.live ? 'today read' : 'no figures of today',
    `${counted(storage.booked, 'day')} booked`,
  ];
  if (storage.missed > 0) notes.push(`${counted(storage.missed, 'day')} not served`);
  if (storage.discrepancies > 0)
    notes.push(`${counted(storage.discrepancies, 'figure')} of booked days differ now`);
  if (storage.quarantined > 0) notes.push(`${counted(storage.quarantined, 'record')} in quarantine`);
  return `storage of ${storage.account}: ${notes.join(', ')}`;
}

function failureLines(failure: RunSummary['failures'][number]): string[] {
  const lines = [`${failure.parked ? 'parked' : 'failed'}: ${failure.message}`];
  return failure.hint ? [...lines, `  -> ${failure.hint}`] : lines;
}

function partialLines({ account, package_id: id, status, error }: Walk): string[] {
  return status === 'partial' ? [`not whole: ${account}/${id}: ${error ?? ''}`] : [];
}

function heldBackLines(walk: Walk): string[] {
  if (walk.held_back === 0) return [];
  return [
    `held back: ${counted(walk.held_back, 'removal')} in ${walk.account}/${walk.package_id}, too many at once to believe`,
    '  -> a later walk that proves them again removes them; or now: vodhouse sync --accept-removals',
  ];
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

/** The JSON document of a run: keys in snake_case. */
export function summaryJson(summary: RunSummary): string {
  const document = {
    run_id: summary.runId,
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
