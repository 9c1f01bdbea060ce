/** The tiles at the top of the status page: videos, storage, the last run and the next one, freshness, targets. */
import type { ComponentChildren } from 'preact';
import { toTimestamp } from '../../lib/clock.ts';
import { formatAgo, formatBinaryBytes, formatCount, formatDuration, pluralize } from '../../lib/format.ts';
import type { WalkProgress } from '../views/run-progress.ts';
import type { StatusView } from '../views/status-view.ts';
import type { Tiles } from '../views/tiles.ts';
import { ClockTime, Countdown, describeDelta, formatChange, RelativeTime, runPath } from './format.tsx';
import { formatRunChanges } from './run-tables.tsx';

type TilesProps = Pick<StatusView, 'tiles' | 'progress' | 'nextRun' | 'now'>;

export function TilesSection({ tiles, now, ...run }: TilesProps) {
  const { videos, storage, lastRun, freshness, targets } = tiles;
  return (
    <section class="tiles" aria-label="Key figures">
      <VideosTile {...videos} />
      <StorageTile storage={storage} />
      <LastRunTile run={lastRun} now={now} />
      <ProgressTile {...run} now={now} />
      <FreshnessTile {...freshness} now={now} />
      {targets && <TargetsTile {...targets} now={now} />}
    </section>
  );
}

interface TileProps {
  name: string;
  label: string;
  /** Null: the label is no link. */
  href: string | null;
  value: ComponentChildren;
  note: ComponentChildren;
  level?: 'warn' | 'bad' | undefined;
}

/** The last line is cut with an ellipsis if it is too long. */
export function Tile({ name, label, href, value, note, level }: TileProps) {
  return (
    <div id={`tile-${name}`} class={level ? `tile ${level}` : 'tile'} data-part>
      <h2>{href === null ? label : <a href={href}>{label}</a>}</h2>
      <p class="value">{value}</p>
      <p class="note">{note}</p>
    </div>
  );
}

function VideosTile({ count, today: { added, removed, firstSeen } }: Tiles['videos']) {
  const parts = added > 0 && removed > 0 ? ` (+${formatCount(added)} \u2212${formatCount(removed)})` : '';
  const notes = [
    ...(added + removed > 0 ? [`${formatChange(added - removed)} today${parts}`] : []),
    ...(firstSeen > 0 ? [`${formatCount(firstSeen)} first seen today`] : []),
  ];
  return (
    <Tile
      name="videos"
      label="Videos"
      href="/packages"
      value={formatCount(count)}
      note={notes.length === 0 ? 'no change today' : notes.join(', ')}
    />
  );
}

function StorageTile({ storage }: Pick<Tiles, 'storage'>) {
  if (!storage) return <Tile name="storage" label="Storage" href="/storage" value="–" note="not read yet" />;
  const { bytes, isComplete, isLive, change } = storage;
  const value = `${isComplete ? '' : 'at least '}${formatBinaryBytes(bytes)}`;
  const note =
    change === null
      ? 'no older day'
      : `${describeDelta(change)} ${change.days === 7 ? 'a week' : `in ${pluralize(change.days, 'day')}`}`;
  return (
    <Tile
      name="storage"
      label={isLive ? 'Storage (live)' : 'Storage'}
      href="/storage"
      value={value}
      note={note}
    />
  );
}

/** The last run that ended. */
function LastRunTile({ run, now }: { run: Tiles['lastRun']; now: number }) {
  if (!run) return <Tile name="last-run" label="Last run" href="/runs" value="–" note="none yet" />;
  const level = { failed: 'bad', partial: 'warn', parked: 'warn', interrupted: 'warn' } as const;
  return (
    <Tile
      name="last-run"
      label={`Last run: ${run.status}`}
      href={runPath(run.run_id)}
      value={<RelativeTime at={run.finished_at ?? run.started_at} now={now} />}
      note={formatRunChanges(run)}
      level={level[run.status as keyof typeof level]}
    />
  );
}

/** How old the oldest package is, and the published file. */
function FreshnessTile({ oldest, isStale, published, now }: Tiles['freshness'] & { now: number }) {
  return (
    <Tile
      name="freshness"
      label="Oldest package"
      href="/packages?sort=walked"
      value={oldest === null ? 'never walked' : <RelativeTime at={oldest} now={now} />}
      note={published && <PublishedNote {...published} now={now} />}
      level={isStale ? 'bad' : undefined}
    />
  );
}

function PublishedNote({ published_at: at, now }: { published_at: string | null; now: number }) {
  if (at === null) return <>no published file yet</>;
  return (
    <>
      published file: <RelativeTime at={at} now={now} />
    </>
  );
}

type TargetsProps = NonNullable<Tiles['targets']> & { now: number };

function TargetsTile({ count, behind, loadedAt, now }: TargetsProps) {
  const loaded = loadedAt === null ? 'not loaded yet' : `loaded ${formatAgo(Math.max(0, now - loadedAt))}`;
  return (
    <Tile
      name="targets"
      label="Targets"
      href="#targets"
      value={
        behind === 0
          ? `${formatCount(count)} up to date`
          : `${formatCount(behind)} of ${formatCount(count)} behind`
      }
      note={loaded}
    />
  );
}

type ProgressProps = Pick<StatusView, 'progress' | 'nextRun' | 'now'>;

/** Its content is fetched every second during a run; it is as high without one, so that nothing below it moves. */
function ProgressTile(parts: ProgressProps) {
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
