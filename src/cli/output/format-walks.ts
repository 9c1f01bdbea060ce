/** The results of the walks of a run: one line per package, equal counts in columns. */
import type { Config } from '../../config/config.ts';
import type { RunSummary } from '../../sync/run.ts';
import { displayWidth, formatCount, pluralize, escapeControls, truncate } from '../../lib/format.ts';

type Walk = RunSummary['walks'][number];

/** Finds the name of a package in the config; null without one. */
export type PackageNames = (account: string, packageId: number) => string | null;

export function createPackageNames({ accounts }: Pick<Config, 'accounts'>): PackageNames {
  return (account, packageId) => {
    const found = accounts.find(({ name }) => name === account);
    return found?.packages.find(({ id }) => id === packageId)?.name ?? null;
  };
}

const CHANGES = ['inserted', 'updated', 'unchanged', 'removed', 'restored'] as const;

/** A name is never truncated to fewer columns, even if the line becomes too long. */
const MIN_NAME_COLUMNS = 8;

/** Sorts walks in the order of the packages in the config. */
export function sortByConfig(walks: readonly Walk[], { accounts }: Pick<Config, 'accounts'>): Walk[] {
  const keys = accounts.flatMap(({ name, packages }) => packages.map(({ id }) => `${name}/${id}`));
  const places = new Map(keys.map((key, place) => [key, place]));
  const placeOf = ({ account, package_id: id }: Walk) => places.get(`${account}/${id}`) ?? keys.length;
  return [...walks].sort((one, other) => placeOf(one) - placeOf(other));
}

/** The sum of all walks, without their requests; null for fewer than two. */
export function formatTotal(walks: readonly Walk[]): string | null {
  if (walks.length < 2) return null;
  const kinds = CHANGES.filter((kind) => isShown(kind, walks));
  const sums = kinds.map((kind) => `${kind} ${formatCount(sumOf(kind, walks))}`);
  return `all ${formatCount(walks.length)} packages: ${sums.join(', ')}`;
}

const sumOf = (kind: (typeof CHANGES)[number], walks: readonly Walk[]): number =>
  walks.reduce((sum, walk) => sum + walk[kind], 0);

/** On a first load nothing can be unchanged. */
const isShown = (kind: (typeof CHANGES)[number], walks: readonly Walk[]): boolean =>
  kind !== 'unchanged' || sumOf(kind, walks) > 0;

/** Names are truncated where they do not fit into `columns`. */
export function formatWalks({ walks, failures }: RunSummary, names: PackageNames, columns: number): string[] {
  const counts = formatCounts(walks);
  const labelColumns = columns - Math.max(0, ...counts.map(displayWidth)) - ': '.length;
  const labels = walks.map((walk) => `${formatLabel(walk, names, labelColumns)}:`);
  const widest = Math.max(0, ...labels.map(displayWidth));
  return walks.map((walk, row) => {
    const label = labels[row] ?? '';
    const padding = ' '.repeat(widest - displayWidth(label));
    return [`${label}${padding} ${counts[row]}`, ...formatRemarks(walk, failures)].join(', ');
  });
}

function formatLabel({ account, package_id: id }: Walk, names: PackageNames, columns: number): string {
  const key = `${account}/${id}`;
  const name = names(account, id);
  if (!name) return key;
  return `${key} ${truncate(escapeControls(name), Math.max(MIN_NAME_COLUMNS, columns - key.length - 1))}`;
}

/** `inserted 12, updated 3, …, 13 requests` for each walk; the numbers of a column have the same width. */
function formatCounts(walks: readonly Walk[]): string[] {
  const counts = [...CHANGES.filter((kind) => isShown(kind, walks)), 'requests'] as const;
  const widths = counts.map((kind) => Math.max(0, ...walks.map((walk) => formatCount(walk[kind]).length)));
  return walks.map((walk) =>
    counts
      .map((kind, column) => {
        const number = formatCount(walk[kind]).padStart(widths[column] ?? 0);
        if (kind !== 'requests') return `${kind} ${number}`;
        return `${number} ${walk.requests === 1 ? 'request' : 'requests'}`;
      })
      .join(', '),
  );
}

function formatRemarks(walk: Walk, failures: RunSummary['failures']): string[] {
  const remarks = [];
  if (walk.resumed) remarks.push('resumed');
  if (walk.quarantined > 0) remarks.push(`${formatCount(walk.quarantined)} in quarantine`);
  if (walk.unsettled > 0) remarks.push(`${formatCount(walk.unsettled)} unsettled`);
  if (walk.held_back > 0) remarks.push(`${pluralize(walk.held_back, 'removal')} held back`);
  if (walk.status !== 'succeeded') remarks.push(formatStatus(walk, failures));
  return remarks;
}

/** With the error, unless the summary has a line for it. */
function formatStatus({ account, package_id: id, status, error }: Walk, failures: RunSummary['failures']) {
  if (status === 'partial') return 'incomplete';
  const hasLine = failures.some(
    (failure) =>
      failure.account === account && (failure.packageId === id || (failure.parked && status === 'parked')),
  );
  return hasLine || !error ? status : `${status}: ${escapeControls(error)}`;
}
