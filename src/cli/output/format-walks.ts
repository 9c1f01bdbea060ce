/** What each walk of a run came to: a line a package, the numbers of a kind below each other. */
import type { RunSummary } from '../../sync/run.ts';
import { displayWidth, formatCount, pluralize, escapeControls, truncate } from '../../lib/format.ts';

type Walk = RunSummary['walks'][number];

/** Looks up the name that the config gives to a package. */
export type PackageNames = (account: string, packageId: number) => string | null;

const COUNTS = ['inserted', 'updated', 'unchanged', 'removed', 'restored', 'requests'] as const;

/** Of a name, so many columns are shown also where that makes the line too long. */
const LEAST_OF_NAME = 8;

/** The lines; names are shortened where they do not fit into `columns`. */
export function walkLines({ walks, failures }: RunSummary, names: PackageNames, columns: number): string[] {
  const counts = countsOf(walks);
  const room = columns - Math.max(0, ...counts.map(displayWidth)) - ': '.length;
  const labels = walks.map((walk) => `${labelOf(walk, names, room)}:`);
  const widest = Math.max(0, ...labels.map(displayWidth));
  return walks.map((walk, row) => {
    const label = labels[row] ?? '';
    const padding = ' '.repeat(widest - displayWidth(label));
    return [`${label}${padding} ${counts[row]}`, ...notesOf(walk, failures)].join(', ');
  });
}

function labelOf({ account, package_id: id }: Walk, names: PackageNames, room: number): string {
  const key = `${account}/${id}`;
  const name = names(account, id);
  if (!name) return key;
  return `${key} ${truncate(escapeControls(name), Math.max(LEAST_OF_NAME, room - key.length - 1))}`;
}

/** `inserted 12, updated 3, …, 13 requests` a walk; the numbers of a kind have the same width. */
function countsOf(walks: readonly Walk[]): string[] {
  const widths = COUNTS.map((kind) => Math.max(0, ...walks.map((walk) => formatCount(walk[kind]).length)));
  return walks.map((walk) =>
    COUNTS.map((kind, column) => {
      const number = formatCount(walk[kind]).padStart(widths[column] ?? 0);
      if (kind !== 'requests') return `${kind} ${number}`;
      return `${number} ${walk.requests === 1 ? 'request' : 'requests'}`;
    }).join(', '),
  );
}

/** What else is worth saying of the walk. */
function notesOf(walk: Walk, failures: RunSummary['failures']): string[] {
  const notes = [];
  if (walk.resumed) notes.push('resumed');
  if (walk.quarantined > 0) notes.push(`${formatCount(walk.quarantined)} in quarantine`);
  if (walk.unsettled > 0) notes.push(`${formatCount(walk.unsettled)} unsettled`);
  if (walk.held_back > 0) notes.push(`${pluralize(walk.held_back, 'removal')} held back`);
  if (walk.status !== 'succeeded') notes.push(endOf(walk, failures));
  return notes;
}

/** How a walk ended, and why where no line below says that. */
function endOf({ account, package_id: id, status, error }: Walk, failures: RunSummary['failures']): string {
  if (status === 'partial') return 'not whole';
  const isTold = failures.some(
    (failure) =>
      failure.account === account && (failure.packageId === id || (failure.parked && status === 'parked')),
  );
  return isTold || !error ? status : `${status}: ${escapeControls(error)}`;
}
