/** The run in progress, or when the next one is due. */
import { toTimestamp } from '../../lib/clock.ts';
import { formatCount, formatDuration, pluralize } from '../../lib/format.ts';
import type { WalkProgress } from '../run-progress.ts';
import type { StatusView } from '../status-view.ts';
import { packagePath, Timestamp } from './format.tsx';

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
