/** The page of all packages: the one table of them, to find and to sort. */
import type { ComponentChildren } from 'preact';
import * as z from 'zod';
import { CATALOGUE, getRank } from '../../health/catalogue.ts';
import { createHealthReport } from '../../health/report.ts';
import { isReadingAll } from '../../health/reading.ts';
import { countPages } from '../../service/count-pages.ts';
import { addDays } from '../../lib/days.ts';
import { formatCount, pluralize } from '../../lib/format.ts';
import { keyOfPackage } from '../../sync/package-key.ts';
import { PACKAGE_CHANGES, QUARANTINE_BY_PACKAGE, type PackageTotals } from '../../queries/named/packages.ts';
import { readRunningRun } from '../../queries/named/runs.ts';
import { PACKAGE_SIZES } from '../../queries/named/videos.ts';
import { createBars, Sparkline } from '../charts/figures.tsx';
import { packagePath } from '../../health/place.ts';
import { toQueryString } from './paths.ts';
import { findToday, pageParam, textParam, type PageSources, type Routing } from './routing.ts';
import { formatHours, formatSize, RelativeTime } from './format.tsx';
import { Page, REFRESH } from './layout.tsx';
import {
  getPackageStates,
  PackageStateLabel,
  PublishedNote,
  readTotals,
  type PackageState,
} from './package-parts.tsx';
import { Pager, Section } from './section.tsx';
import { Table, type Column } from './table.tsx';

/** A package of the list; `totals` null: not added up yet; `quarantined`: records in quarantine. */
interface Row extends PackageState {
  totals: PackageTotals | null;
  quarantined: number;
}

interface SortColumn {
  head: string;
  /** Of the heading and the cells. `wide`: left out on a phone, on which a package is one line. */
  class?: string;
  /** Higher values are worse, or more. Null is unknown. */
  getValue: (row: Row) => number | string | null;
}

const COLUMNS = {
  name: { head: 'Package', getValue: (row) => row.name ?? keyOfPackage(row) },
  state: { head: 'State', getValue: ({ problem }) => (problem ? CATALOGUE.length - getRank(problem) : 0) },
  videos: { head: 'Videos', class: 'number', getValue: ({ videos }) => videos },
  hours: { head: 'Hours', class: 'number wide', getValue: ({ totals }) => totals && totals.duration },
  size: { head: 'Size', class: 'number wide', getValue: ({ totals }) => totals && totals.size_bytes },
  added: { head: 'Added', class: 'number wide', getValue: ({ totals }) => totals && totals.added },
  removed: { head: 'Removed', class: 'number wide', getValue: ({ totals }) => totals && totals.removed },
  walked: { head: 'Last full walk', class: 'wide', getValue: ({ walked_at: at }) => at },
} satisfies Record<string, SortColumn>;
type Sort = keyof typeof COLUMNS;
const SORTS = Object.keys(COLUMNS) as [Sort, ...Sort[]];

/** Invalid values are replaced by the defaults. `find`: in the name, number or state, in any case. */
const packagesQuery = z.object({
  find: textParam,
  sort: z.enum(SORTS).catch('state'),
  direction: z.enum(['asc', 'desc']).catch('desc'),
  page: pageParam,
});
type Query = z.output<typeof packagesQuery>;

const PACKAGES_PER_PAGE = 100;
const SPARKLINE_DAYS = 30;
/** The page waits for new totals at most this long. */
const TOTALS_WAIT_MS = 150;

export function addPackagesPage({ sources, frame, page }: Routing): void {
  page('/packages', async (request) => {
    const query = packagesQuery.parse(request.query);
    const now = sources.clock.now();
    const { rows: all, isPending, publishedAt } = await readRows(sources, now);
    const found = all.filter((row) => isFound(row, query.find)).sort(compareRows(query));
    return (
      <Page
        {...frame}
        title="Packages"
        current="packages"
        styles={['lists.css']}
        refresh={isPending ? REFRESH.running : REFRESH.idle}
      >
        <Section name="packages" heading="Packages" isPage>
          <FindForm query={query} />
          <div id="found" data-part>
            <p class="soft" role="status">
              {describeCount(found.length, all.length)}
            </p>
            {found.length > 0 && <List sources={sources} query={query} found={found} all={all} now={now} />}
            <PublishedNote at={publishedAt} now={now} />
          </div>
        </Section>
      </Page>
    );
  });
}

async function readRows(sources: PageSources, now: number) {
  const { db } = sources;
  const health = createHealthReport({ ...sources, publisher: null }, now, 1);
  const quarantine = new Map(QUARANTINE_BY_PACKAGE.all(db).map((row) => [keyOfPackage(row), row.open]));
  const totals = await readTotals(sources, PACKAGE_CHANGES.all(db), TOTALS_WAIT_MS);
  const rows = getPackageStates(health).map((row): Row => ({
    ...row,
    totals: totals.of(row),
    quarantined: quarantine.get(keyOfPackage(row)) ?? 0,
  }));
  return { rows, isPending: totals.isPending, publishedAt: totals.publishedAt };
}

function isFound(
  { account, package_id: id, name, problem, held_back: held, quarantined }: Row,
  find: string | null,
) {
  if (find === null) return true;
  const records = `${held > 0 ? 'held back' : ''} ${quarantined > 0 ? 'quarantine' : ''}`;
  const state = `${problem?.state ?? 'fresh'} ${records}`;
  const text = `${account}/${id} ${name ?? ''} ${state}`.replace('_', ' ');
  return text.normalize('NFC').toLowerCase().includes(find.normalize('NFC').toLowerCase());
}

const collator = new Intl.Collator('en', { numeric: true });

/** Unknown values come last in both directions; equal ones keep the order of the config. */
function compareRows({ sort, direction }: Query) {
  const sign = direction === 'asc' ? 1 : -1;
  const { getValue }: SortColumn = COLUMNS[sort];
  return (one: Row, other: Row): number => {
    const [first, second] = [getValue(one), getValue(other)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    if (typeof first === 'number' && typeof second === 'number') return sign * (first - second);
    return sign * collator.compare(String(first), String(second));
  };
}

function describeCount(found: number, all: number): string {
  if (all === 0) return 'None in the config.';
  if (found === 0) return 'No match.';
  return found === all ? pluralize(all, 'package') : `${formatCount(found)} of ${pluralize(all, 'package')}`;
}

/** The first page of the list with a changed query; defaults are left out. */
function listUrl(query: Query, change: Partial<Query>): string {
  const { find, sort, direction, page } = { ...query, page: 1, ...change };
  return `/packages${toQueryString({
    find,
    sort: sort === 'state' ? null : sort,
    direction: direction === 'desc' ? null : direction,
    page: page === 1 ? null : page,
  })}`;
}

/** The form to find packages; the script filters while one types. */
function FindForm({ query: { find, sort, direction } }: { query: Query }) {
  return (
    <form
      class="find"
      method="get"
      action="/packages"
      role="search"
      aria-label="Packages"
      data-filters="found"
    >
      <label for="find">Name, number or state</label>
      <input id="find" type="search" name="find" value={find ?? ''} maxLength={200} />
      {sort !== 'state' && <input type="hidden" name="sort" value={sort} />}
      {direction !== 'desc' && <input type="hidden" name="direction" value={direction} />}
      <button type="submit">Find</button>
    </form>
  );
}

interface ListProps {
  sources: PageSources;
  query: Query;
  /** All packages, and those that match, in their order. */
  all: readonly Row[];
  found: readonly Row[];
  now: number;
}

function List({ sources, query, all, found, now }: ListProps) {
  const pages = countPages(found.length, PACKAGES_PER_PAGE);
  const page = Math.min(pages, query.page);
  const headings = SORTS.map((sort) => <SortHeading key={sort} sort={sort} query={query} />);
  return (
    <>
      <Table
        label={{ by: 'packages-heading' }}
        class="list compact"
        columns={listColumns(sources, all, now)}
        headings={[...headings, <th scope="col">{TREND}</th>]}
        rows={found.slice((page - 1) * PACKAGES_PER_PAGE, page * PACKAGES_PER_PAGE)}
      />
      <p class="soft">
        Added and removed: in 30 days, without the first import. Hours and size: those that the service gives.
      </p>
      <Pager page={page} pages={pages} pageUrl={(number) => listUrl(query, { page: number })} />
    </>
  );
}

const TREND = 'Videos in 30 days';

/** In the order of `SORTS`, and the sparkline. The bars of sizes have one scale for all packages. */
function listColumns({ db, config }: PageSources, all: readonly Row[], now: number): Column<Row>[] {
  const isFirstReadRunning = isReadingAll(readRunningRun(db));
  const since = addDays(findToday(config, now), -SPARKLINE_DAYS);
  const showBar = createBars(all.map(({ totals }) => totals?.size_bytes ?? 0));
  const cells: Record<Sort, (row: Row) => ComponentChildren> = {
    name: (row) => (
      <>
        <a href={packagePath(row)}>
          <bdi>{row.name ?? keyOfPackage(row)}</bdi>
        </a>
        {row.name !== null && <small class="soft">{` ${keyOfPackage(row)}`}</small>}
      </>
    ),
    state: (row) => (
      <>
        <PackageStateLabel row={row} isFirstReadRunning={isFirstReadRunning} />
        {row.quarantined > 0 && <small class="soft"> {formatCount(row.quarantined)} in quarantine</small>}
      </>
    ),
    videos: ({ videos }) => formatCount(videos),
    hours: ({ totals }) => totals && formatHours(totals.duration, config.durationUnit),
    size: ({ totals }) => totals && showBar(totals.size_bytes, formatSize(totals.size_bytes)),
    added: ({ totals }) => totals && formatCount(totals.added),
    removed: ({ totals }) => totals && formatCount(totals.removed),
    walked: (row) => <RelativeTime at={row.walked_at} now={now} />,
  };
  return [
    ...SORTS.map((sort): Column<Row> => {
      const { head, class: className }: SortColumn = COLUMNS[sort];
      return [head, cells[sort], className];
    }),
    [
      TREND,
      ({ account, package_id }) => (
        <Sparkline sizes={PACKAGE_SIZES.all(db, { account, package_id, since })} />
      ),
      'wide',
    ],
  ];
}

/** A link that sorts by the column, and turns the order around where it is sorted so. */
function SortHeading({ sort, query }: { sort: Sort; query: Query }) {
  const { head, class: className }: SortColumn = COLUMNS[sort];
  const isSorted = query.sort === sort;
  const isAscending = query.direction === 'asc';
  const first = sort === 'name' ? 'asc' : 'desc';
  const direction = isSorted ? (isAscending ? 'desc' : 'asc') : first;
  return (
    <th
      scope="col"
      class={className}
      aria-sort={isSorted ? (isAscending ? 'ascending' : 'descending') : undefined}
    >
      <a href={listUrl(query, { sort, direction })}>
        {head}
        {isSorted && <span aria-hidden="true"> {isAscending ? '↑' : '↓'}</span>}
      </a>
    </th>
  );
}
