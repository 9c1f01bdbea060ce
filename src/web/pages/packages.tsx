/** The page of all packages: the one table of them, to find and to sort. */
import { formatCount, pluralize } from '../../lib/format.ts';
import type { PackageSort, PackagesQuery, PackagesView } from '../views/packages-view.ts';
import { formatHours, formatSize, packagePath, RelativeTime, toQueryString } from './format.tsx';
import { Page, type PageFrame } from './layout.tsx';
import { getPackageState, PackageName } from './packages-section.tsx';
import { Pager } from './pager.tsx';
import { Section } from './section.tsx';
import { Table } from './table.tsx';
import { Sparkline } from './trend.tsx';

interface PackagesPageProps extends PageFrame {
  view: PackagesView;
  unit: 'ms' | 's';
}

export function PackagesPage({ view, unit, ...frame }: PackagesPageProps) {
  const { query, rows, all, found, page, pages, pending, stamp } = view;
  const count =
    found === all ? pluralize(all, 'package') : `${formatCount(found)} of ${pluralize(all, 'package')}`;
  return (
    <Page {...frame} title="Packages" current="packages" styles={['lists.css']} stamp={stamp}>
      <Section name="packages" heading="Packages" isPage>
        <form
          class="find"
          method="get"
          action="/packages"
          role="search"
          aria-label="Packages"
          data-filters="found"
        >
          <label for="find">Name, number or state</label>
          <input id="find" type="search" name="find" value={query.find ?? ''} maxLength={200} />
          {query.sort !== 'state' && <input type="hidden" name="sort" value={query.sort} />}
          {query.direction !== 'desc' && <input type="hidden" name="direction" value={query.direction} />}
          <button type="submit">Find</button>
        </form>
        <div id="found" data-part>
          <p class="soft" role="status">
            {rows.length === 0 ? (all === 0 ? 'None in the config.' : 'No match.') : count}
          </p>
          {pending > 0 && (
            <p class="notice">
              Figures of {pluralize(pending, 'package')} are still being added up.{' '}
              <a href={listUrl(query, { page })}>Load again</a>
            </p>
          )}
          {rows.length > 0 && <List view={view} unit={unit} />}
          <Pager page={page} pages={pages} pageUrl={(number) => listUrl(query, { page: number })} />
        </div>
      </Section>
    </Page>
  );
}

/** The first page of the list with a changed query; defaults are left out. */
function listUrl(query: PackagesQuery, change: Partial<PackagesQuery>): string {
  const { find, sort, direction, page } = { ...query, page: 1, ...change };
  return `/packages${toQueryString({
    find,
    sort: sort === 'state' ? null : sort,
    direction: direction === 'desc' ? null : direction,
    page: page === 1 ? null : page,
  })}`;
}

const COLUMNS: readonly [sort: PackageSort, text: string][] = [
  ['name', 'Package'],
  ['state', 'State'],
  ['videos', '>Videos'],
  ['hours', '>Hours'],
  ['size', '>Size'],
  ['added', '>Added'],
  ['removed', '>Removed'],
  ['walked', 'Last full walk'],
];

function List({ view, unit }: Pick<PackagesPageProps, 'view' | 'unit'>) {
  const head = COLUMNS.map(([sort, text]) => (
    <SortHeading key={sort} sort={sort} text={text} query={view.query} />
  ));
  return (
    <>
      <Table label={{ by: 'packages-heading' }} class="list" head={[...head, 'Videos in 30 days']}>
        {view.rows.map((row) => (
          <Row key={packagePath(row)} row={row} view={view} unit={unit} />
        ))}
      </Table>
      <p class="soft">
        Added and removed: in 30 days, without the first import. Hours and size: those that the service gives.
      </p>
    </>
  );
}

/** A link that sorts by the column, and turns the order around where it is sorted so. */
function SortHeading({ sort, text, query }: { sort: PackageSort; text: string; query: PackagesQuery }) {
  const isSorted = query.sort === sort;
  const isAscending = query.direction === 'asc';
  const first = sort === 'name' ? 'asc' : 'desc';
  const direction = isSorted ? (isAscending ? 'desc' : 'asc') : first;
  return (
    <th
      scope="col"
      class={text.startsWith('>') ? 'number' : undefined}
      aria-sort={isSorted ? (isAscending ? 'ascending' : 'descending') : undefined}
    >
      <a href={listUrl(query, { sort, direction })}>
        {text.replace('>', '')}
        {isSorted && <span aria-hidden="true"> {isAscending ? '↑' : '↓'}</span>}
      </a>
    </th>
  );
}

type RowProps = Pick<PackagesPageProps, 'view' | 'unit'> & { row: PackagesView['rows'][number] };

function Row({ row, view: { now, isFirstReadRunning, mostBytes }, unit }: RowProps) {
  const [level, text] = getPackageState(row, isFirstReadRunning);
  const { totals, quarantined } = row;
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
      <td class="number">{totals && formatHours(totals.duration, unit)}</td>
      <td class="number">
        {totals && formatSize(totals.size_bytes)}
        {totals && <Bar share={totals.size_bytes / Math.max(1, mostBytes)} />}
      </td>
      <td class="number">{totals && formatCount(totals.added)}</td>
      <td class="number">{totals && formatCount(totals.removed)}</td>
      <td class="nowrap">
        <RelativeTime at={row.walked_at} now={now} />
      </td>
      <td>
        <Sparkline sizes={row.sizes} />
      </td>
    </tr>
  );
}

/** `share`: of the largest one, 0 to 1. */
function Bar({ share }: { share: number }) {
  return (
    <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect width={Math.round(share * 100)} height="6" />
    </svg>
  );
}
