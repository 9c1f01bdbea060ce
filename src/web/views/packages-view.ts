/** What the page of all packages shows, read from the live file. */
import * as z from 'zod';
import { countPages } from '../../lib/count-pages.ts';
import { addDays } from '../../lib/days.ts';
import { CATALOGUE, getRank } from '../../health/catalogue.ts';
import { createHealthReport } from '../../health/report.ts';
import type { PackageTotals } from '../../queries/named/packages.ts';
import { keyOfPackage } from '../../queries/wide-reads/wide-reads.ts';
import { createCounting } from './package-view.ts';
import { pageParam, textParam } from './query-params.ts';
import { toChangeMarker } from './run-progress.ts';
import { getPackageStates, type PackageState, type ViewSources } from './status-view.ts';
import { findToday } from './today.ts';

/** What the packages can be sorted by. */
export const SORTS = ['name', 'state', 'videos', 'hours', 'size', 'added', 'removed', 'walked'] as const;
export type PackageSort = (typeof SORTS)[number];

/** The query of the page. Invalid values are replaced by the defaults. */
export const packagesQuery = z.object({
  /** Show packages whose name, number or state contains this, in any case; null: all. */
  find: textParam,
  sort: z.enum(SORTS).catch('state'),
  direction: z.enum(['asc', 'desc']).catch('desc'),
  page: pageParam,
});

export type PackagesQuery = z.output<typeof packagesQuery>;
export type PackagesView = Awaited<ReturnType<typeof createPackagesView>>;

/** A package of the list. */
export interface PackageListRow extends PackageState {
  /** Null: not added up yet. */
  totals: PackageTotals | null;
  /** Records in quarantine. */
  quarantined: number;
}

const PACKAGES_PER_PAGE = 100;
const SPARKLINE_DAYS = 30;

/** The page waits for new totals at most this long. */
const TOTALS_WAIT_MS = 150;

/** `now` is in ms since 1970. Rejects with WarehouseError if the live file cannot be read. */
export async function createPackagesView(sources: ViewSources, query: PackagesQuery, now: number) {
  const { details } = sources;
  const running = details.runningRun();
  const { rows: all, pending } = await readRows(sources, now);
  const found = all.filter((row) => isFound(row, query.find));
  const ordered = found.sort(compareRows(query));
  const pages = Math.max(1, countPages(ordered.length, PACKAGES_PER_PAGE));
  const page = Math.min(pages, query.page);
  const since = addDays(findToday(sources.config, now), -SPARKLINE_DAYS);
  const shown = ordered.slice((page - 1) * PACKAGES_PER_PAGE, page * PACKAGES_PER_PAGE);
  return {
    ...{ now, query, page, pages },
    stamp: toChangeMarker(details.changeMarker(), running, now),
    isFirstReadRunning: running !== null && running.mode === 'full' && running.scope === null,
    rows: shown.map((row) => {
      return { ...row, sizes: details.sizes({ account: row.account, packageId: row.package_id }, since) };
    }),
    all: all.length,
    found: found.length,
    /** The largest package, in bytes. */
    mostBytes: all.reduce((most, { totals }) => Math.max(most, totals?.size_bytes ?? 0), 0),
    /** Packages that are not added up yet. */
    pending,
  };
}

async function readRows(sources: ViewSources, now: number) {
  const { details, wideReads, config } = sources;
  const health = createHealthReport({ ...sources, publisher: null }, now, 1);
  const quarantine = new Map(details.quarantineByPackage().map((row) => [keyOfPackage(row), row.open]));
  const counted = details.lastChanges().map(createCounting(config, now));
  const { totals, pending } = await wideReads.totals(counted, TOTALS_WAIT_MS);
  const rows = getPackageStates(health).map((row): PackageListRow => {
    const key = keyOfPackage(row);
    return { ...row, totals: totals.get(key) ?? null, quarantined: quarantine.get(key) ?? 0 };
  });
  return { rows, pending };
}

function isFound(
  { account, package_id, name, problem, held_back, quarantined }: PackageListRow,
  find: string | null,
) {
  if (find === null) return true;
  const states = [
    problem?.of.kind ?? 'fresh',
    held_back > 0 ? 'held back' : '',
    quarantined > 0 ? 'quarantine' : '',
  ];
  const text = [`${account}/${package_id}`, name, ...states].join(' ').replace('_', ' ');
  return text.normalize('NFC').toLowerCase().includes(find.normalize('NFC').toLowerCase());
}

const collator = new Intl.Collator('en', { numeric: true });

const VALUES: Record<Exclude<PackageSort, 'name'>, (row: PackageListRow) => number | string | null> = {
  /** Higher: more severe. */
  state: ({ problem }) => (problem ? CATALOGUE.length - getRank(problem) : 0),
  videos: ({ videos }) => videos,
  hours: ({ totals }) => totals?.duration ?? null,
  size: ({ totals }) => totals?.size_bytes ?? null,
  added: ({ totals }) => totals?.added ?? null,
  removed: ({ totals }) => totals?.removed ?? null,
  walked: ({ walked_at: at }) => at,
};

/** Unknown values come last in both directions; equal ones keep the order of the config. */
function compareRows({ sort, direction }: Pick<PackagesQuery, 'sort' | 'direction'>) {
  const sign = direction === 'asc' ? 1 : -1;
  return (one: PackageListRow, other: PackageListRow): number => {
    if (sort === 'name') return sign * collator.compare(getName(one), getName(other));
    const [first, second] = [VALUES[sort](one), VALUES[sort](other)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    if (first === second) return 0;
    return first < second ? -sign : sign;
  };
}

const getName = ({ name, account, package_id: id }: PackageListRow) => name ?? `${account}/${id}`;
