/** The tile of the run in progress, or of the next one. */
import { formatCount, formatDuration, pluralize } from '../../lib/format.ts';
import { toTimestamp } from '../../lib/clock.ts';
import type { WalkProgress } from '../views/run-progress.ts';
import type { StatusView } from '../views/status-view.ts';
import { ClockTime, Countdown } from './format.tsx';

type ProgressProps = Pick<StatusView, 'progress' | 'nextRun' | 'now'>;

/** Its content is fetched every second during a run; it is as high without one, so that nothing below it moves. */
export function ProgressTile(parts: ProgressProps) {
  return (
    <div id="progress" class="tile" role="group" aria-label="Current run">
      <Progress {...parts} />
    </div>
  );
}

/** The content of the tile, which the browser also fetches by itself. */
export function Progress({ progress: run, nextRun, now }: ProgressProps) {
  if (!run) return <NextRun at={nextRun} now={now} />;
  return (
    <>
      <h2>{`Run ${run.run_id}, ${run.mode}, for ${formatDuration(run.elapsedMs)}`}</h2>
      <p class="value">
        {run.packages ? (
          <>
            {formatCount(run.packages.done)} of {formatCount(run.packages.all)}{' '}
            <small>{run.packages.all === 1 ? 'package' : 'packages'}</small>{' '}
            <progress
              value={run.packages.done}
              max={Math.max(1, run.packages.all)}
              aria-label="Packages walked"
            />
          </>
        ) : (
          'in progress'
        )}
      </p>
      <p class="note">
        <Walks walks={run.walks} />
      </p>
    </>
  );
}

/** The first walk with its pages, and how many more there are. */
function Walks({ walks: [first, ...others] }: { walks: readonly WalkProgress[] }) {
  if (!first) return null;
  const name = first.name ?? `${first.account}/${first.package_id}`;
  const more = others.length > 0 ? `, and ${formatCount(others.length)} more` : '';
  if (!first.pages) {
    return (
      <>
        <bdi>{name}</bdi>
        {`: starting${more}`}
      </>
    );
  }
  const { done, all } = first.pages;
  return (
    <>
      <progress value={done} max={all} aria-label={`Pages of ${name} read`} />{' '}
      {`${formatCount(done)} of ${pluralize(all, 'page')}: `}
      <bdi>{name}</bdi>
      {more}
    </>
  );
}

function NextRun({ at, now }: { at: number; now: number }) {
  if (!Number.isFinite(at)) {
    return (
      <>
        <h2>Next run</h2>
        <p class="value">–</p>
        <p class="note">No full run is scheduled.</p>
      </>
    );
  }
  return (
    <>
      <h2>Next full run</h2>
      <p class="value">
        <ClockTime at={toTimestamp(at)} now={now} />
      </p>
      <p class="note">
        <Countdown at={at} now={now} />
      </p>
    </>
  );
}
