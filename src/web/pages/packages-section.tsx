/** The first packages: state, last walk, number of videos and its history. */
import { formatCount, pluralize } from '../../lib/format.ts';
import type { PackageProblemKind } from '../../health/problem-kinds.ts';
import type { PackageRowView, PackageState, StatusView } from '../views/status-view.ts';
import { PackageLink, packagePath, RelativeTime } from './format.tsx';
import { Section } from './section.tsx';
import { Sparkline } from './sparkline.tsx';
import { Table } from './table.tsx';

const HEAD = ['Package', 'State', 'Last full walk', '>Videos', 'Last 30 days'];

type PackagesProps = Pick<StatusView, 'packages' | 'now' | 'isFirstReadRunning'>;

export function PackagesSection({ packages, now, isFirstReadRunning }: PackagesProps) {
  const { rows, all } = packages;
  return (
    <Section name="packages" heading="Packages" count={formatCount(all)} part>
      {rows.length === 0 && <p class="soft">None in the config.</p>}
      {rows.length > 0 && (
        <Table label={{ by: 'packages-heading' }} head={HEAD}>
          {rows.map((row) => (
            <PackageRow key={packagePath(row)} row={row} now={now} isFirstReadRunning={isFirstReadRunning} />
          ))}
        </Table>
      )}
      {all > rows.length && (
        <p>
          <a href="/packages">All {formatCount(all)} packages</a>
        </p>
      )}
    </Section>
  );
}

/** The link to a package, with its id after the name. */
export function PackageName({ row }: { row: Pick<PackageState, 'account' | 'package_id' | 'name'> }) {
  return (
    <>
      <PackageLink of={row} name={row.name} />
      {row.name !== null && (
        <small class="soft">
          {' '}
          {row.account}/{row.package_id}
        </small>
      )}
    </>
  );
}

type RowProps = { row: PackageRowView; now: number; isFirstReadRunning: boolean };

function PackageRow({ row, now, isFirstReadRunning }: RowProps) {
  const [level, text] = getPackageState(row, isFirstReadRunning);
  return (
    <tr>
      <th scope="row">
        <PackageName row={row} />
      </th>
      <td>
        <span class={`state ${level}`}>{text}</span>
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

type Level = 'good' | 'warn' | 'bad' | 'new';

const STATES: Record<PackageProblemKind, [level: Level, format: (row: PackageState) => string]> = {
  failed: ['bad', () => 'last walk failed'],
  never_read: ['bad', () => 'never walked'],
  stale: ['bad', () => 'stale'],
  partial: ['warn', () => 'last walk partial'],
  held_back: ['warn', ({ held_back }) => `${pluralize(held_back, 'removal')} held back`],
  unordered: ['warn', () => 'not ordered by id'],
};

/** The most severe state of a package, as short text. */
export function getPackageState(row: PackageState, isFirstReadRunning = false): [level: Level, text: string] {
  const { last_walk, walked_at, problem } = row;
  if (last_walk === 'running' && walked_at === null) return ['new', 'first walk in progress'];
  if (problem) {
    const [level, format] = STATES[problem.kind];
    return [level, format(row)];
  }
  return walked_at === null && isFirstReadRunning ? ['new', 'waiting for its first walk'] : ['good', 'fresh'];
}
