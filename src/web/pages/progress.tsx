/** The tile of the current run, or of the next one; and the data that keep an open page up to date. */
import { renderToString } from 'preact-render-to-string';
import type { Config } from '../../config/config.ts';
import { fromTimestamp, toTimestamp } from '../../lib/clock.ts';
import { countPages } from '../../lib/count-pages.ts';
import { formatCount, formatDuration, pluralize } from '../../lib/format.ts';
import type { RunningWalk } from '../../queries/named/status.ts';
import type { RunningRun } from '../../queries/page-queries.ts';
import type { PageSources, Routing } from '../routing.ts';
import { ClockTime, Countdown, Zone } from './format.tsx';

export function addProgressData({ sources, json }: Routing): void {
  json('/live.json', () => {
    const now = sources.clock.now();
    const running = sources.details.runningRun();
    const html = (
      <Zone.Provider value={sources.config.timezone}>
        <Progress sources={sources} running={running} now={now} />
      </Zone.Provider>
    );
    return {
      stamp: readStamp(sources, running, now),
      running: running !== null,
      progress: renderToString(html),
    };
  });
}

/** During a run the page refreshes at most this often. */
const REFRESH_MS = 5_000;

/** Changes when the page has something new to show. */
export function readStamp({ details }: PageSources, running: RunningRun | null, now: number): string {
  const { change_seq: seq, ...others } = details.changeMarker();
  const facts = running ? [running.run_id, Math.floor(now / REFRESH_MS)] : [seq];
  return [...facts, ...Object.values(others)].join('.').replaceAll(' ', 'T');
}

interface ProgressProps {
  sources: PageSources;
  running: RunningRun | null;
  now: number;
}

/** Its content is fetched every second during a run; it is as high without one, so that nothing below it moves. */
export function ProgressTile({
  sources,
  health: { now },
}: {
  sources: PageSources;
  health: { now: number };
}) {
  return (
    <div id="progress" class="tile" role="group" aria-label="Current run">
      <Progress sources={sources} running={sources.details.runningRun()} now={now} />
    </div>
  );
}

function Progress({ sources: { config, nextRun }, running: run, now }: ProgressProps) {
  if (!run) return <NextRun at={nextRun(now)} now={now} />;
  const elapsed = formatDuration(Math.max(0, now - fromTimestamp(run.started_at)));
  // of a quick run, walks that find nothing are not stored
  const all = run.mode === 'full' && run.scope === null ? countPackages(config.accounts, run) : null;
  return (
    <>
      <h2>{`Run ${run.run_id}, ${run.mode}, for ${elapsed}`}</h2>
      <p class="value">
        {all === null ? (
          'in progress'
        ) : (
          <>
            {formatCount(Math.min(run.walked, all))} of {formatCount(all)}{' '}
            <small>{all === 1 ? 'package' : 'packages'}</small>{' '}
            <progress value={Math.min(run.walked, all)} max={Math.max(1, all)} aria-label="Packages walked" />
          </>
        )}
      </p>
      <p class="note">
        <Walks walks={run.running_walks} />
      </p>
    </>
  );
}

/** The packages that a full run is to walk: a run of the schedule leaves out those with their own one, unless they are due. */
function countPackages(accounts: Config['accounts'], { trigger }: RunningRun): number {
  const packages = accounts.flatMap((account) => account.packages);
  return packages.filter(({ full }) => full === undefined || trigger === 'manual').length;
}

/** The first walk with its pages, and how many more there are. */
function Walks({ walks: [first, ...others] }: { walks: readonly RunningWalk[] }) {
  if (!first) return null;
  const name = <bdi>{first.name ?? `${first.account}/${first.package_id}`}</bdi>;
  const more = others.length > 0 ? `, and ${formatCount(others.length)} more` : '';
  const { totalcount, page_size: size, checkpoint_page: page } = first;
  if (first.mode === 'quick' || !totalcount || !size || page === null) {
    return (
      <>
        {name}
        {`: starting${more}`}
      </>
    );
  }
  const all = countPages(totalcount, size);
  const done = Math.min(all, Math.max(0, all - page + 1));
  return (
    <>
      <progress value={done} max={all} aria-label="Pages read" />{' '}
      {`${formatCount(done)} of ${pluralize(all, 'page')}: `}
      {name}
      {more}
    </>
  );
}

function NextRun({ at, now }: { at: number; now: number }) {
  const isKnown = Number.isFinite(at);
  return (
    <>
      <h2>Next full run</h2>
      <p class="value">{isKnown ? <ClockTime at={toTimestamp(at)} now={now} /> : '–'}</p>
      <p class="note">{isKnown ? <Countdown at={at} now={now} /> : 'not scheduled'}</p>
    </>
  );
}
