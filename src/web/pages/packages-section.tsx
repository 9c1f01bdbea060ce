/** The packages: how fresh each is, how many videos it has, and how they came. */
import { formatCount, pluralize } from '../../lib/format.ts';
import { isOutOfOrder } from '../../health/package-problems.ts';
import type { PackageRowView, StatusView } from '../status-view.ts';
import { RelativeTime, packagePath, toQueryString } from './format.tsx';
import { Pager } from './pager.tsx';
import { Sparkline } from './sparkline.tsx';
import { Table } from './table.tsx';

/** From so many packages on they can be searched. */
const MANY = 10;

type Packages = Pick<StatusView, 'packages' | 'now'> & { isUnderWay: boolean };

export function PackagesSection({ packages, now, isUnderWay }: Packages) {
  const { rows, all, found, find, page, pages } = packages;
  return (
    <section id="packages" class="card" data-part aria-labelledby="packages-heading">
      <h2 id="packages-heading">
        Packages{' '}
        <small>{find === null ? formatCount(all) : `${formatCount(found)} of ${formatCount(all)}`}</small>
      </h2>
      {(all > MANY || find !== null) && <Find find={find} />}
      {rows.length === 0 && <p class="soft">{all === 0 ? 'None in the config.' : 'None is called so.'}</p>}
      {rows.length > 0 && <PackageTable rows={rows} now={now} isUnderWay={isUnderWay} />}
      <Pager
        page={page}
        pages={pages}
        addressOf={(number) => `/${toQueryString({ find, page: number })}#packages`}
      />
    </section>
  );
}

function Find({ find }: { find: string | null }) {
  return (
    <form class="find" method="get" action="/#packages" role="search">
      <label for="find">Name or number</label>
      <input id="find" type="search" name="find" value={find ?? ''} maxLength={200} />
      <button type="submit">Find</button>
      {find !== null && <a href="/#packages">All packages</a>}
    </form>
  );
}

type Rows = { rows: readonly PackageRowView[]; now: number; isUnderWay: boolean };

function PackageTable({ rows, now, isUnderWay }: Rows) {
  const head = ['Package', 'State', 'Walked', '>Videos', 'Last 30 days'];
  return (
    <Table label={{ by: 'packages-heading' }} head={head}>
      {rows.map((row) => (
        <PackageRow key={packagePath(row)} of={row} now={now} isUnderWay={isUnderWay} />
      ))}
    </Table>
  );
}

type Row = { of: PackageRowView; now: number; isUnderWay: boolean };

function PackageRow({ of: row, now, isUnderWay }: Row) {
  const [level, words] = stateOf(row, isUnderWay);
  return (
    <tr>
      <th scope="row">
        <a href={packagePath(row)}>
          <bdi>{row.name ?? `${row.account}/${row.package_id}`}</bdi>
        </a>
        {row.name !== null && (
          <small class="soft">
            {' '}
            {row.account}/{row.package_id}
          </small>
        )}
      </th>
      <td>
        <span class={`state ${level}`}>{words}</span>
      </td>
      <td class="nowrap">
        <RelativeTime at={row.walked_at} now={now} />
      </td>
      <td class="number">{formatCount(row.videos)}</td>
      <td>
        <Sparkline sizes={row.sizes} />
      </td>
    </tr>
  );
}

type Level = 'good' | 'look' | 'bad' | 'new';

/** The state of a package in a word or two, the worst first; while a run is under way the unread ones wait for it. */
export function stateOf(
  row: Omit<PackageRowView, 'sizes'>,
  isUnderWay = false,
): [level: Level, words: string] {
  if (row.last_walk === 'running' && row.walked_at === null) return ['new', 'being read'];
  if (row.last_walk === 'failed') return ['bad', 'last walk failed'];
  if (row.walked_at === null) return isUnderWay ? ['new', 'waits for its turn'] : ['bad', 'never walked'];
  if (row.stale) return ['bad', 'stale'];
  if (row.last_walk === 'partial') return ['look', 'last walk not whole'];
  if (row.held_back > 0) return ['look', `${pluralize(row.held_back, 'removal')} held back`];
  if (isOutOfOrder(row)) return ['look', 'not in order of ids'];
  return ['good', 'fresh'];
}
