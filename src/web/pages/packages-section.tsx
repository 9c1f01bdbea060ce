/** The packages on the status page, each with a strip of its last days, and what a package is called in all lists. */
import { formatCount, pluralize } from '../../lib/format.ts';
import { DAY_STATES, type StripDay } from '../views/day-strip.ts';
import type { PackageRowView, PackageState, StatusView } from '../views/status-view.ts';
import { PackageLink, packagePath, RelativeTime } from './format.tsx';
import { findMeaning } from './glossary.tsx';
import { Section } from './section.tsx';
import { Table } from './table.tsx';

const HEAD = ['Package', 'State', 'Last 30 days', '>Videos', 'Walked'];

type PackagesProps = Pick<StatusView, 'packages' | 'now' | 'isFirstReadRunning'>;

export function PackagesSection({ packages, now, isFirstReadRunning }: PackagesProps) {
  const { rows, all } = packages;
  return (
    <Section name="packages" heading="Packages" count={formatCount(all)} part>
      {rows.length === 0 && <p class="soft">None in the config.</p>}
      {all > rows.length && (
        <a class="more" href="/packages">
          All {formatCount(all)} packages
        </a>
      )}
      {rows.length > 0 && (
        <Table label={{ by: 'packages-heading' }} class="strips compact" head={HEAD}>
          {rows.map((row) => (
            <PackageRow key={packagePath(row)} row={row} now={now} isFirstReadRunning={isFirstReadRunning} />
          ))}
        </Table>
      )}
      {rows.length > 0 && <StripKey />}
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
        <PackageLink of={row} name={row.name} />
      </th>
      <td>
        <span class={`state ${level}`} title={findMeaning(text)}>
          {text}
        </span>
      </td>
      <td>
        <Strip days={row.days} />
      </td>
      <td class="number">{formatCount(row.videos)}</td>
      <td class="nowrap wide">
        <RelativeTime at={row.walked_at} now={now} />
      </td>
    </tr>
  );
}

/** In px, of a day of a strip. */
const STEP = 7;
const WIDTH = 5;
/** The height says the state too, for those who see no difference in the colours. */
const HEIGHTS = { read: 16, partial: 11, failed: 6, none: 1 };

/** A bar a day. */
function Strip({ days }: { days: readonly StripDay[] }) {
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${days.length * STEP} 16`}
      width={days.length * STEP}
      height="16"
      role="img"
    >
      <title>{describeDays(days)}</title>
      {DAY_STATES.map((state) => (
        <path key={state} class={`day-${state}`} d={drawDays(days, state)} />
      ))}
    </svg>
  );
}

const drawDays = (days: readonly StripDay[], state: StripDay['state']): string =>
  days
    .map((day, at) => (day.state === state ? `M${at * STEP} 16v-${HEIGHTS[state]}h${WIDTH}V16z` : ''))
    .join('');

/** `28 days read; failed: 2026-11-03; none: 2026-11-04`. Of more than five days their number. */
function describeDays(days: readonly StripDay[]): string {
  const texts = DAY_STATES.filter((state) => state !== 'read').flatMap((state) => {
    const dates = days.filter((day) => day.state === state).map(({ date }) => date);
    const text = dates.length > 5 ? pluralize(dates.length, 'day') : dates.join(', ');
    return dates.length === 0 ? [] : `${state}: ${text}`;
  });
  const read = days.filter(({ state }) => state === 'read').length;
  return [`${pluralize(read, 'day')} read`, ...texts].join('; ');
}

function StripKey() {
  return (
    <p class="strip-key soft">
      {DAY_STATES.map((state) => (
        <span key={state}>
          <svg class="strip" viewBox="0 0 5 16" width="5" height="16" aria-hidden="true">
            <path class={`day-${state}`} d={`M0 16v-${HEIGHTS[state]}h${WIDTH}V16z`} />
          </svg>{' '}
          {state}
        </span>
      ))}
    </p>
  );
}

type Level = 'good' | 'warn' | 'bad' | 'new';

/** The most severe state of a package, as short text. */
export function getPackageState(row: PackageState, isFirstReadRunning = false): [level: Level, text: string] {
  const { last_walk, walked_at, problem } = row;
  if (last_walk === 'running' && walked_at === null) return ['new', 'first walk in progress'];
  if (problem) return [problem.of.severity === 'bad' ? 'bad' : 'warn', problem.state ?? problem.message];
  return walked_at === null && isFirstReadRunning ? ['new', 'waiting for its first walk'] : ['good', 'fresh'];
}
