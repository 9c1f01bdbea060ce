/** The tiles at the top of the status page: videos, storage, the last run and the next one, freshness. */
import { Fragment, type ComponentChildren } from 'preact';
import type { HealthReport } from '../../health/report.ts';
import { findOldest } from '../../health/text.ts';
import { createCalendar, daysBetween } from '../../lib/calendar.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/days.ts';
import { formatChange, formatCount, pluralize } from '../../lib/format.ts';
import { readTodaysChanges } from '../../queries/changes/todays-changes.ts';
import type { RunningRun } from '../../queries/named/runs.ts';
import type { createPastTotals } from '../../queries/named/videos.ts';
import { Line, type Point } from '../charts/figures.tsx';
import { findToday, type PageSources } from './routing.ts';
import {
  findDelta,
  formatTotal,
  sumCalendars,
  sumRows,
  sumSizes,
  type CalendarDay,
} from '../charts/storage-days.ts';
import { formatSizeChange, RelativeTime } from './format.tsx';
import { ProgressTile } from './progress.tsx';
import { readCalendars } from './storage.tsx';

interface TileProps {
  name: string;
  label: string;
  /** Left out: the label is no link. */
  href?: string;
  value: ComponentChildren;
  note: ComponentChildren;
  /** A small chart next to the value. */
  chart?: ComponentChildren;
  level?: 'warn' | 'bad' | undefined;
}

export function Tile({ name, label, href, value, note, chart, level }: TileProps) {
  return (
    <div id={`tile-${name}`} class={level ? `tile ${level}` : 'tile'} data-part>
      <h2>{href === undefined ? label : <a href={href}>{label}</a>}</h2>
      <p class="value">
        <span>{value}</span> {chart}
      </p>
      <p class="note">{note}</p>
    </div>
  );
}

interface TilesProps {
  sources: PageSources;
  readPastTotals: ReturnType<typeof createPastTotals>;
  health: HealthReport;
  running: RunningRun | null;
}

export function TilesSection(props: TilesProps) {
  return (
    <section class="tiles" aria-label="Key figures">
      <VideosTile {...props} />
      <StorageTile {...props} />
      <ProgressTile {...props} now={props.health.now} />
      <FreshnessTile {...props} />
    </section>
  );
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Days that the charts show; the last one is today. */
const DAYS = 30;

const Trend = ({ points }: { points: readonly Point[] }) =>
  points.length > 1 && <Line points={points} width={64} height={20} />;

/** The number of videos, and how it changed since midnight of the service. */
function VideosTile({ sources: { config, db }, readPastTotals, health: { packages, now } }: TilesProps) {
  const { startOf } = createCalendar(config.timezone);
  const today = findToday(config, now);
  const midnight = startOf(today);
  const first = addDays(today, 1 - DAYS);
  const videos = sum(packages.map((row) => row.videos));
  const past = readPastTotals({ since: first, at: toTimestamp(startOf(first)), today, videos });
  const points = [{ date: today, videos }, ...past].map((day): Point => [day.date, day.videos]);
  const changes = readTodaysChanges(db, toTimestamp(midnight));
  const added = sum(changes.map((row) => row.added ?? 0));
  const removed = sum(changes.map((row) => row.removed));
  const imported = sum(changes.map((row) => row.imported));
  const parts = added > 0 && removed > 0 ? ` (+${formatCount(added)} \u2212${formatCount(removed)})` : '';
  const notes = [
    ...(added + removed > 0 ? [`${formatChange(added - removed)} today${parts}`] : []),
    ...(imported > 0 ? [`${formatCount(imported)} imported today`] : []),
  ];
  return (
    <Tile
      name="videos"
      label="Videos"
      href="/packages"
      value={formatCount(videos)}
      chart={<Trend points={points} />}
      note={notes.length === 0 ? 'no change today' : notes.join(', ')}
    />
  );
}

function StorageTile({ sources }: TilesProps) {
  const tile = { name: 'storage', label: 'Storage', href: '/storage' };
  const accounts = readCalendars(sources, DAYS);
  if (accounts.length === 0) return <Tile {...tile} value="–" note="not in the config" />;
  const read = accounts.filter(({ latest }) => latest !== null);
  const total = sumRows(read.flatMap(({ latest }) => latest ?? []));
  if (!total) return <Tile {...tile} value="–" note="not read yet" />;
  const days = sumCalendars(read);
  const points = days.flatMap(({ date, row }): Point[] => (row ? [[date, sumSizes(row).bytes ?? 0]] : []));
  return (
    <Tile
      {...tile}
      label={total.state === 'live' ? 'Storage (live)' : 'Storage'}
      value={formatTotal(total)}
      note={describeGrowth(days)}
      chart={<Trend points={points} />}
    />
  );
}

/** The growth of a week, or of more days where a week before the last booked day none was booked. */
function describeGrowth(days: readonly CalendarDay[]): string {
  const booked = days.filter(({ row }) => row?.state === 'booked');
  const last = booked.at(-1);
  const before = last && booked.findLast(({ date }) => date <= addDays(last.date, -7));
  const delta = before && findDelta([before, last]);
  if (!delta) return 'growth not known yet';
  const count = daysBetween(delta.since, delta.until);
  return `${formatSizeChange(delta.bytes)} ${count === 7 ? 'a week' : `in ${pluralize(count, 'day')}`}`;
}

/** How old the oldest package is, the published file, and the oldest account of each target. */
function FreshnessTile({ health: { packages, published, targets, now } }: TilesProps) {
  const oldest = findOldest(packages.map(({ walked_at: at }) => at));
  const copies = [
    ...(published ? [{ name: 'published', at: published.published_at }] : []),
    ...targets.map(({ target, accounts }) => ({
      name: target,
      at: findOldest(accounts.map((row) => row.loaded_at)),
    })),
  ];
  return (
    <Tile
      name="freshness"
      label="Oldest package"
      href="/packages?sort=walked"
      value={
        oldest ? <RelativeTime at={oldest} now={now} /> : packages.length > 0 ? 'not synced yet' : 'none'
      }
      note={copies.map(({ name, at }, index) => (
        <Fragment key={name}>
          {index > 0 && ' · '}
          <span class="nowrap">
            {name} <RelativeTime at={at} now={now} />
          </span>
        </Fragment>
      ))}
      level={packages.some(({ stale }) => stale) ? 'bad' : undefined}
    />
  );
}
