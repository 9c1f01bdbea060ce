/** The run in progress, or when the next one is due. */
import { toTimestamp } from '../../lib/clock.ts';
import { formatCount, formatDuration, pluralize } from '../../lib/format.ts';
import type { WalkProgress } from '../views/run-progress.ts';
import type { StatusView } from '../views/status-view.ts';
import { packagePath, Timestamp } from './format.tsx';

type ProgressProps = Pick<StatusView, 'progress' | 'nextRun'>;

export function ProgressSection(parts: ProgressProps) {
  return (
    <section id="progress" class="card" aria-label="Current run">
      <Progress {...parts} />
    </section>
  );
}

/** The content of the section, which the browser also fetches by itself. */
export function Progress({ progress: run, nextRun }: ProgressProps) {
  if (!run) return <NextRun at={nextRun} />;
  return (
    <>
      <h2>
        Run {run.run_id} in progress <small>{`${run.mode}, for ${formatDuration(run.elapsedMs)}`}</small>
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
            <WalkLine walk={walk} />
          </li>
        ))}
      </ul>
    </>
  );
}

function NextRun({ at }: { at: number }) {
  return (
    <>
      <h2>No run in progress</h2>
      <p class="soft">
        {Number.isFinite(at) ? (
          <>
            The next full run is due at <Timestamp at={toTimestamp(at)} /> UTC.
          </>
        ) : (
          'No full run is scheduled.'
        )}
      </p>
    </>
  );
}

function WalkLine({ walk }: { walk: WalkProgress }) {
  const name = walk.name ?? `${walk.account}/${walk.package_id}`;
  if (!walk.pages) {
    return (
      <>
        <bdi>{name}</bdi>: starting
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
