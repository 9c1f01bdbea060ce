/** The page of all packages: to filter, search and sort. */
import { formatCount, pluralize } from '../../lib/format.ts';
import type { PackageListRow, PackageSort } from '../views/packages-order.ts';
import type { PackageFilter, PackagesQuery, PackagesView } from '../views/packages-view.ts';
import {
  formatChange,
  formatHours,
  formatSize,
  packagePath,
  RelativeTime,
  toQueryString,
} from './format.tsx';
import { Page, type PageFrame } from './layout.tsx';
import { getPackageState, PackageName } from './packages-section.tsx';
import { Pager } from './pager.tsx';
import { Section, Tabs } from './section.tsx';
import { Table } from './table.tsx';

interface PackagesPageProps extends PageFrame {
  view: PackagesView;
  unit: 'ms' | 's';
}

const FILTERS: Record<PackageFilter, string> = {
  all: 'All',
  stale: 'Stale',
  failed: 'Failed',
  held_back: 'Held back',
  quarantine: 'Quarantine',
};

export function PackagesPage({ view, unit, ...frame }: PackagesPageProps) {
  const { query, rows, all, found, page, pages, pending, stamp } = view;
  const listUrl = (change: Partial<PackagesQuery>) => packagesPath({ ...query, page: 1, ...change });
  const count = found === all ? formatCount(all) : `${formatCount(found)} of ${formatCount(all)}`;
  const tabs = view.counts.map(({ show, packages }) => {
    const text = `${FILTERS[show]} ${formatCount(packages)}`;
    return { text, href: listUrl({ show }), isCurrent: show === query.show };
  });
  return (
    <Page {...frame} title="Packages" current="packages" styles={['packages.css']} stamp={stamp}>
      <h1>Packages</h1>
      <Section name="packages" heading="All packages" count={count} part>
        <Find query={query} />
        <Tabs label="Packages" tabs={tabs} current="true" />
        {pending > 0 && (
          <p class="notice">
            Sizes of {pluralize(pending, 'package')} are still being added up.{' '}
            <a href={listUrl({ page })}>Load again</a>
          </p>
        )}
        {rows.length === 0 && <p class="soft">{all === 0 ? 'None in the config.' : 'No match.'}</p>}
        {rows.length > 0 && <List view={view} unit={unit} listUrl={listUrl} />}
        <Pager page={page} pages={pages} pageUrl={(number) => listUrl({ page: number })} />
      </Section>
    </Page>
  );
}

/** The address of the page; defaults are left out. */
export function packagesPath({ find, show, sort, direction, page }: Partial<PackagesQuery>): string {
  return `/packages${toQueryString({
    find: find ?? null,
    show: show === undefined || show === 'all' ? null : show,
    sort: sort === undefined || sort === 'state' ? null : sort,
    direction: direction === 'asc' ? direction : null,
    page: page === undefined || page === 1 ? null : page,
  })}`;
}

function Find({ query: { find, show, sort, direction } }: { query: PackagesQuery }) {
  return (
    <form class="find" method="get" action="/packages" role="search" aria-label="Packages">
      <label for="find">Name or number</label>
      <input id="find" type="search" name="find" value={find ?? ''} maxLength={200} />
      {show !== 'all' && <input type="hidden" name="show" value={show} />}
      {sort !== 'state' && <input type="hidden" name="sort" value={sort} />}
      {direction !== 'desc' && <input type="hidden" name="direction" value={direction} />}
      <button type="submit">Find</button>
      {find !== null && <a href={packagesPath({ show, sort, direction })}>All packages</a>}
    </form>
  );
}

const COLUMNS: readonly [sort: PackageSort, text: string][] = [
  ['name', 'Package'],
  ['state', 'State'],
  ['videos', 'Videos'],
  ['change', 'Today'],
  ['hours', 'Hours'],
  ['size', 'Size'],
  ['changed', 'Last change'],
  ['walked', 'Last full walk'],
];

const NUMBERS: readonly PackageSort[] = ['videos', 'change', 'hours', 'size'];

type ListProps = Pick<PackagesPageProps, 'view' | 'unit'> & {
  listUrl: (change: Partial<PackagesQuery>) => string;
};

function List({ view: { query, rows, now, isFirstReadRunning }, unit, listUrl }: ListProps) {
  const head = COLUMNS.map(([sort, text]) => (
    <Heading key={sort} sort={sort} text={text} query={query} listUrl={listUrl} />
  ));
  return (
    <>
      <Table label={{ by: 'packages-heading' }} class="packages" head={head}>
        {rows.map((row) => (
          <Row
            key={packagePath(row)}
            row={row}
            now={now}
            unit={unit}
            isFirstReadRunning={isFirstReadRunning}
          />
        ))}
      </Table>
      <p class="soft">
        Today: added less removed since midnight of the service; none on the day of the first full walk. Hours
        and size: those that the service gives.
      </p>
    </>
  );
}

type HeadingProps = { sort: PackageSort; text: string } & Pick<ListProps, 'listUrl'> & {
    query: PackagesQuery;
  };

/** A link that sorts by the column, and turns the order around where it is sorted so. */
function Heading({ sort, text, query, listUrl }: HeadingProps) {
  const isSorted = query.sort === sort;
  const isAscending = query.direction === 'asc';
  const first = sort === 'name' ? 'asc' : 'desc';
  const direction = isSorted ? (isAscending ? 'desc' : 'asc') : first;
  return (
    <th
      scope="col"
      class={NUMBERS.includes(sort) ? 'number' : undefined}
      aria-sort={isSorted ? (isAscending ? 'ascending' : 'descending') : undefined}
    >
      <a href={listUrl({ sort, direction })}>
        {text}
        {isSorted && <span aria-hidden="true"> {isAscending ? '↑' : '↓'}</span>}
      </a>
    </th>
  );
}

type RowProps = { row: PackageListRow; now: number; unit: 'ms' | 's'; isFirstReadRunning: boolean };

function Row({ row, now, unit, isFirstReadRunning }: RowProps) {
  const [level, text] = getPackageState(row, isFirstReadRunning);
  const { totals, change, quarantined } = row;
  return (
    <tr>
      <th scope="row">
        <PackageName row={row} />
      </th>
      <td>
        <span class={`state ${level}`}>{text}</span>
        {quarantined > 0 && <small class="soft"> {formatCount(quarantined)} in quarantine</small>}
      </td>
      <td class="number">{formatCount(row.videos)}</td>
      <td class="number">{change === null ? '' : formatChange(change)}</td>
      <td class="number">{totals && formatHours(totals.duration, unit)}</td>
      <td class="number">{totals && formatSize(totals.size_bytes)}</td>
      <td class="nowrap">{totals && <RelativeTime at={totals.changed_at} now={now} />}</td>
      <td class="nowrap">
        <RelativeTime at={row.walked_at} now={now} />
      </td>
    </tr>
  );
}
