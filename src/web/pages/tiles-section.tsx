/** The tiles at the top of the status page: videos, storage, the run, requests, targets. */
import type { ComponentChildren } from 'preact';
import { formatAgo, formatBinaryBytes, formatCount, pluralize } from '../../lib/format.ts';
import type { StatusView } from '../views/status-view.ts';
import type { Tiles } from '../views/tiles.ts';
import { describeDelta, formatChange, formatShare } from './format.tsx';
import { ProgressTile } from './progress-section.tsx';

type TilesProps = Pick<StatusView, 'tiles' | 'progress' | 'nextRun' | 'now'>;

export function TilesSection({ tiles, now, ...run }: TilesProps) {
  const { videos, storage, requests, targets } = tiles;
  return (
    <section class="tiles" aria-label="Key figures">
      <VideosTile {...videos} />
      <StorageTile storage={storage} />
      <ProgressTile {...run} now={now} />
      <RequestsTile {...requests} />
      {targets && <TargetsTile {...targets} now={now} />}
    </section>
  );
}

interface TileProps {
  name: string;
  label: string;
  href: string;
  value: ComponentChildren;
  note: ComponentChildren;
  level?: 'warn' | 'bad' | undefined;
}

/** The first line is a link; the last one is cut with an ellipsis if it is too long. */
function Tile({ name, label, href, value, note, level }: TileProps) {
  return (
    <div id={`tile-${name}`} class={level ? `tile ${level}` : 'tile'} data-part>
      <h2>
        <a href={href}>{label}</a>
      </h2>
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

/** From this share of a day's budget on, the tile is coloured. */
const FULL_SHARE = 0.9;

function RequestsTile({ spent, limit, fullest, paused }: Tiles['requests']) {
  const share = fullest?.share ?? (limit ? spent / limit : 0);
  const [first] = paused;
  const isRestricted = first !== undefined;
  const note = isRestricted
    ? `paused: ${first}${paused.length > 1 ? ` and ${formatCount(paused.length - 1)} more` : ''}`
    : `${limit === null ? 'no limit' : `of ${formatCount(limit)}`}${fullest && fullest.share > 0 ? `; ${fullest.account} ${formatShare(fullest.share)}` : ''}`;
  return (
    <Tile
      name="requests"
      label="Requests in 24 h"
      href="#budgets"
      value={formatCount(spent)}
      note={<bdi title={note}>{note}</bdi>}
      level={isRestricted || share >= FULL_SHARE ? 'warn' : undefined}
    />
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
