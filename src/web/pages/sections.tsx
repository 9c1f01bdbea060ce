/** The upper sections of the status page: the verdict, what is under way, what needs a person, and the budgets. */
import { formatCount, pluralize, formatDuration } from '../../lib/format.ts';
import type { Advice } from '../../health/problems.ts';
import type { Standing } from '../../health/report.ts';
import { toTimestamp } from '../../lib/clock.ts';
import type { WalkProgress } from '../run-progress.ts';
import type { StatusView } from '../status-view.ts';
import type { OverallStatus } from '../../health/overall-status.ts';
import { Timestamp, packagePath } from './format.tsx';
import { Table } from './table.tsx';

const SIGNS = { good: '✓', look: '!', bad: '✕', new: '…' } as const;

export function VerdictSection({ verdict: { level, words }, at }: { verdict: OverallStatus; at: string }) {
  return (
    <section id="verdict" class={`verdict ${level}`} data-part>
      <h1>
        <span class="sign" aria-hidden="true">
          {SIGNS[level]}
        </span>{' '}
        {words}
      </h1>
      <p class="soft">
        As of <Timestamp at={at} /> UTC
      </p>
    </section>
  );
}

type ProgressParts = Pick<StatusView, 'progress' | 'nextRun'>;

export function ProgressSection(parts: ProgressParts) {
  return (
    <section id="progress" class="card" aria-label="Now">
      <Progress {...parts} />
    </section>
  );
}

/** What stands in the section: the run under way, or when the next one is due. */
export function Progress({ progress: run, nextRun }: ProgressParts) {
  if (!run) {
    return (
      <>
        <h2>No run is under way</h2>
        <p class="soft">
          {Number.isFinite(nextRun) ? <NextRun at={toTimestamp(nextRun)} /> : 'No full run is due.'}
        </p>
      </>
    );
  }
  return (
    <>
      <h2>
        Run {run.run_id} is under way <small>{`${run.mode}, for ${formatDuration(run.forMs)}`}</small>
      </h2>
      {run.packages && (
        <p>
          <progress
            value={run.packages.done}
            max={Math.max(1, run.packages.all)}
            aria-label="Packages walked"
          />{' '}
          {formatCount(run.packages.done)} of {pluralize(run.packages.all, 'package')} walked
        </p>
      )}
      <ul class="walks">
        {run.walks.map((walk) => (
          <li key={packagePath(walk)}>
            <WalkLine of={walk} />
          </li>
        ))}
      </ul>
    </>
  );
}

function NextRun({ at }: { at: string }) {
  return (
    <>
      The next full run is due at <Timestamp at={at} /> UTC.
    </>
  );
}

function WalkLine({ of: walk }: { of: WalkProgress }) {
  const name = walk.name ?? `${walk.account}/${walk.package_id}`;
  if (!walk.pages) {
    return (
      <>
        <bdi>{name}</bdi>: begun
      </>
    );
  }
  const { done, all } = walk.pages;
  return (
    <>
      <bdi class="walk">{name}</bdi> <progress value={done} max={all} aria-label={`Pages of ${name} read`} />{' '}
      {formatCount(done)} of {pluralize(all, 'page')}
    </>
  );
}

/** So many are shown; of the others is said how many they are, and what lists them all. */
const NEEDS = 30;

export function NeedsSection({ needs, all }: Pick<Standing, 'needs'> & { all: string }) {
  const left = needs.length - NEEDS;
  return (
    <section id="needs" class="card" data-part aria-labelledby="needs-heading">
      <h2 id="needs-heading">What needs a person</h2>
      {needs.length === 0 && <p class="soft">Nothing.</p>}
      <ul class="needs">
        {needs.slice(0, NEEDS).map(({ words, details, advice }) => (
          <li key={words}>
            <p>
              <bdi>{words}</bdi>
            </p>
            {details.map((detail) => (
              <p class="detail" key={detail}>
                <bdi>{detail}</bdi>
              </p>
            ))}
            {advice.map((each) => (
              <AdviceLine key={each.command ?? each.words} of={each} />
            ))}
          </li>
        ))}
      </ul>
      {left > 0 && (
        <p class="soft">
          and {formatCount(left)} more: <code>{all}</code>
        </p>
      )}
    </section>
  );
}

function AdviceLine({ of: { words, command } }: { of: Advice }) {
  return (
    <p class="detail">
      {words !== null && `${words}${command === null ? '' : ': '}`}
      {command !== null && <code>{command}</code>}
    </p>
  );
}

const WINDOWS = [
  ['per_second', 'second'],
  ['per_minute', 'minute'],
  ['per_day', '24 hours'],
] as const;

const BUDGET_HEAD = ['Account', ...WINDOWS.map(([, words]) => `In the last ${words}`), 'Restriction'];

export function BudgetsSection({ budgets }: Pick<Standing, 'budgets'>) {
  return (
    <section id="budgets" class="card" data-part aria-labelledby="budgets-heading">
      <h2 id="budgets-heading">Requests spent</h2>
      <Table label={{ by: 'budgets-heading' }} head={BUDGET_HEAD}>
        {budgets.map((row) => (
          <tr key={row.account}>
            <th scope="row">{row.account}</th>
            {WINDOWS.map(([name, words]) => (
              <td key={name}>
                <Spent of={row[name]} label={`Requests of ${row.account} in the last ${words}`} />
              </td>
            ))}
            <td>{pauseWords(row.pause)}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function Spent({
  of: { spent, limit },
  label,
}: {
  of: { spent: number; limit: number | null };
  label: string;
}) {
  if (limit === null) return <>{formatCount(spent)}, no limit</>;
  return (
    <>
      <meter
        value={spent}
        min={0}
        max={limit}
        low={0.7 * limit}
        high={0.9 * limit}
        optimum={0}
        aria-label={label}
      />{' '}
      <span class="nowrap">
        {formatCount(spent)} of {formatCount(limit)}
      </span>
    </>
  );
}

function pauseWords(pause: Standing['budgets'][number]['pause']): string {
  if (!pause) return 'none';
  return pause.in_force
    ? `paused until ${pause.until}: ${pause.reason}`
    : `over since ${pause.until}; the rate comes back until ${pause.back_at}`;
}
