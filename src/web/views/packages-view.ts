/** What the page of all packages shows, read from the live file. */
import * as z from 'zod';
import { countPages } from '../../lib/count-pages.ts';
import { isPackageProblem, type PackageProblemKind } from '../../health/problem-kinds.ts';
import { createHealthReport, type HealthReport } from '../../health/report.ts';
import { keyOfPackage } from '../../queries/wide-reads/wide-reads.ts';
import { pageParam, textParam } from './query-params.ts';
import { compareRows, SORTS, type PackageListRow } from './packages-order.ts';
import { toChangeMarker } from './run-progress.ts';
import { readTodaysChanges } from './today.ts';
import { getPackageStates, matchesPackage, type ViewSources } from './status-view.ts';

/** Which packages are listed. */
export const PACKAGE_FILTERS = ['all', 'stale', 'failed', 'held_back', 'quarantine'] as const;
export type PackageFilter = (typeof PACKAGE_FILTERS)[number];

/** The query of the page. Invalid values are replaced by the defaults. */
export const packagesQuery = z.object({
  /** Show packages whose name or id contains this; null: all. */
  find: textParam,
  show: z.enum(PACKAGE_FILTERS).catch('all'),
  sort: z.enum(SORTS).catch('state'),
  direction: z.enum(['asc', 'desc']).catch('desc'),
  page: pageParam,
});

export type PackagesQuery = z.output<typeof packagesQuery>;

export type PackagesView = Awaited<ReturnType<typeof createPackagesView>>;

const PACKAGES_PER_PAGE = 100;

/** The page waits for new totals at most this long. */
const TOTALS_WAIT_MS = 150;

/** `now` is in ms since 1970. Rejects with WarehouseError if the live file cannot be read. */
export async function createPackagesView(sources: ViewSources, query: PackagesQuery, now: number) {
  const { details } = sources;
  const running = details.runningRun();
  const health = createHealthReport({ ...sources, publisher: null }, now, 1);
  const { rows: all, pending } = await readRows(sources, health, now);
  const kinds = groupKinds(health);
  const named = all.filter((row) => matchesPackage(row, query.find));
  const found = named.filter((row) => isShown(row, query.show, kinds));
  const ordered = [...found].sort(compareRows(query));
  const pages = Math.max(1, countPages(ordered.length, PACKAGES_PER_PAGE));
  const page = Math.min(pages, query.page);
  return {
    now,
    stamp: toChangeMarker(details.changeMarker(), running, now),
    isFirstReadRunning: running !== null && running.mode === 'full' && running.scope === null,
    query,
    rows: ordered.slice((page - 1) * PACKAGES_PER_PAGE, page * PACKAGES_PER_PAGE),
    /** How many packages each filter shows, among those that were searched for. */
    counts: PACKAGE_FILTERS.map((show) => {
      return { show, packages: named.filter((row) => isShown(row, show, kinds)).length };
    }),
    all: all.length,
    found: found.length,
    /** Packages whose sizes are not added up yet. */
    pending,
    page,
    pages,
  };
}

async function readRows(sources: ViewSources, health: HealthReport, now: number) {
  const { details, wideReads } = sources;
  const changes = details.lastChanges();
  const lastChange = new Map(changes.map((row) => [keyOfPackage(row), row.changed_seq]));
  const today = new Map(readTodaysChanges(sources, now).map((row) => [keyOfPackage(row), row]));
  const quarantine = new Map(details.quarantineByPackage().map((row) => [keyOfPackage(row), row.open]));
  const { totals, pending } = await wideReads.totals(changes, TOTALS_WAIT_MS);
  const rows = getPackageStates(health).map((row): PackageListRow => {
    const key = keyOfPackage(row);
    const { added = null, removed = 0 } = today.get(key) ?? {};
    return {
      ...row,
      change: added === null ? null : added - removed,
      changed_seq: lastChange.get(key) ?? 0,
      totals: totals.get(key) ?? null,
      quarantined: quarantine.get(key) ?? 0,
    };
  });
  return { rows, pending };
}

type Kinds = ReadonlyMap<string, ReadonlySet<PackageProblemKind>>;

/** All kinds of problems of each package. */
function groupKinds({ problems }: HealthReport): Kinds {
  const kinds = new Map<string, Set<PackageProblemKind>>();
  for (const { kind, scope } of problems.filter(isPackageProblem)) {
    const key = `${scope.account ?? ''}/${scope.packageId ?? ''}`;
    kinds.set(key, (kinds.get(key) ?? new Set()).add(kind));
  }
  return kinds;
}

function isShown(row: PackageListRow, show: PackageFilter, kinds: Kinds): boolean {
  const of = kinds.get(keyOfPackage(row));
  if (show === 'all') return true;
  if (show === 'stale') return row.stale;
  if (show === 'failed') return of?.has('failed') ?? false;
  return show === 'held_back' ? row.held_back > 0 : row.quarantined > 0;
}
