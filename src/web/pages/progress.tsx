/** The tile of the current run, or of the last one and the next one. */
import type { Config } from '../../config/config.ts';
import { fromTimestamp, toTimestamp } from '../../lib/clock.ts';
import { countPages } from '../../service/count-pages.ts';
import { formatCount, formatDuration } from '../../lib/format.ts';
import { RUN_STRIP, type RunningRun, type RunningWalk } from '../../queries/named/runs.ts';
import { withShownStatus } from '../../queries/named/shown-status.ts';
import { runPath } from './paths.ts';
import type { PageSources } from './routing.ts';
import { ClockTime, PackageName, RelativeTime } from './format.tsx';
import { RunBars } from './run-strip.tsx';

interface ProgressProps {
  sources: PageSources;
  running: RunningRun | null;
  now: number;
}

/** It is as high with a run as without one, so that nothing below it moves. */
export function ProgressTile({ sources, running, now }: ProgressProps) {
  return (
    <div id="progress" class="tile" role="group" aria-label="Current run" data-part>
      {running ? (
        <CurrentRun sources={sources} run={running} now={now} />
      ) : (
        <LastRun sources={sources} now={now} />
      )}
    </div>
  );
}

type CurrentProps = { sources: PageSources; run: RunningRun; now: number };

function CurrentRun({ sources, run, now }: CurrentProps) {
  const elapsed = formatDuration(Math.max(0, now - fromTimestamp(run.started_at)));
  // of a quick run, walks that find nothing are not stored
  const all = run.mode === 'full' && run.scope === null ? countPackages(sources.config.accounts, run) : null;
  return (
    <>
      <h2>{`Run ${run.run_id}, ${run.mode}, for ${elapsed}`}</h2>
      <p class="value">
        <span>
          {all === null ? 'in progress' : `${formatCount(Math.min(run.walked, all))} of ${formatCount(all)} `}
          {all !== null && <small>{all === 1 ? 'package' : 'packages'}</small>}
        </span>
      </p>
      <p class="note">
        <Pages walk={run.running_walks[0]} />
      </p>
    </>
  );
}

/**
 * The packages that a full run is to walk: a run of the schedule leaves out those with their own one, unless
 * they are due.
 */
function countPackages(accounts: Config['accounts'], { trigger }: RunningRun): number {
  const packages = accounts.flatMap((account) => account.packages);
  return packages.filter(({ full }) => full === undefined || trigger === 'manual').length;
}

/** How far the first walk in progress is. */
function Pages({ walk }: { walk: RunningWalk | undefined }) {
  if (!walk) return null;
  const { totalcount, page_size: size, checkpoint_page: page } = walk;
  const name = <PackageName of={walk} name={walk.name} />;
  if (walk.mode === 'quick' || !totalcount || !size || page === null) return name;
  const all = countPages(totalcount, size);
  const done = Math.min(all, Math.max(0, all - page + 1));
  return (
    <>
      <progress value={done} max={all} aria-label="Pages read" /> {name}
    </>
  );
}

const STRIP_RUNS = 12;

/** How the last run ended, and when the next full one is due. */
function LastRun({ sources: { db, nextRun }, now }: { sources: PageSources; now: number }) {
  const runs = withShownStatus(db, RUN_STRIP.all(db, { limit: STRIP_RUNS }));
  const [last] = runs;
  const next = nextRun(now);
  return (
    <>
      <h2>{last ? <a href={runPath(last.run_id)}>Last run: {last.status}</a> : 'Last run'}</h2>
      <p class="value">
        <span>{last ? <RelativeTime at={last.finished_at ?? last.started_at} now={now} /> : '–'}</span>{' '}
        <RunBars runs={runs} now={now} step={5} highest={20} />
      </p>
      <p class="note">
        {Number.isFinite(next) ? (
          <>
            next full run at <ClockTime at={toTimestamp(next)} now={now} />
          </>
        ) : (
          'no full run is scheduled'
        )}
      </p>
    </>
  );
}
