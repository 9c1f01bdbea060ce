/** The tiles at the top of the status page: videos, storage, the last run and the next one, freshness, targets. */
import type { ComponentChildren } from 'preact';
import type { HealthReport } from '../../health/report.ts';
import { summarizeTarget } from '../../health/targets.ts';
import { createCalendar, daysBetween } from '../../lib/calendar.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/days.ts';
import { formatBinaryBytes, formatCount, pluralize } from '../../lib/format.ts';
import { runPath } from '../paths.ts';
import { findToday, type PageSources } from '../routing.ts';
import { findDelta, sumSizes } from '../storage-days.ts';
import { describeDelta, formatChange, RelativeTime } from './format.tsx';
import { ProgressTile } from './progress.tsx';
import { formatRunChanges } from './run-tables.tsx';

interface TileProps {
  name: string;
  label: string;
  /** Left out: the label is no link. */
  href?: string;
  value: ComponentChildren;
  note: ComponentChildren;
  level?: 'warn' | 'bad' | undefined;
}

/** The last line is cut with an ellipsis if it is too long. */
export function Tile({ name, label, href, value, note, level }: TileProps) {
  return (
    <div id={`tile-${name}`} class={level ? `tile ${level}` : 'tile'} data-part>
      <h2>{href === undefined ? label : <a href={href}>{label}</a>}</h2>
      <p class="value">{value}</p>
      <p class="note">{note}</p>
    </div>
  );
}

type TilesProps = { sources: PageSources; health: HealthReport };

export function TilesSection(props: TilesProps) {
  return (
    <section class="tiles" aria-label="Key figures">
      <VideosTile {...props} />
      <StorageTile {...props} />
      <LastRunTile {...props} />
      <ProgressTile {...props} />
      <FreshnessTile {...props} />
      <TargetsTile {...props} />
    </section>
  );
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** With what changed since midnight of the service. */
function VideosTile({ sources: { config, details }, health: { packages, now } }: TilesProps) {
  const midnight = createCalendar(config.timezone).startOf(findToday(config, now));
  const changes = details.videoChanges(toTimestamp(midnight));
  const added = sum(changes.map((row) => row.added ?? 0));
  const removed = sum(changes.map((row) => row.removed));
  const firstSeen = sum(changes.map((row) => row.first_seen));
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
      value={formatCount(sum(packages.map(({ videos }) => videos)))}
      note={notes.length === 0 ? 'no change today' : notes.join(', ')}
    />
  );
}

/** Enough for a booked day a week before the last one, also after an outage. */
const STORAGE_DAYS = 30;

function StorageTile({ sources: { config, details } }: TilesProps) {
  const tile = { name: 'storage', label: 'Storage', href: '/storage' };
  const accounts = config.accounts
    .filter(({ storage }) => storage !== null)
    .map(({ name }) => details.storageDays(name, STORAGE_DAYS))
    .filter((days) => days.length > 0);
  if (accounts.length === 0) return <Tile {...tile} value="–" note="not read yet" />;
  const newest = accounts.flatMap((days) => days.at(-1) ?? []);
  const sizes = newest.map(sumSizes);
  const bytes = formatBinaryBytes(sum(sizes.map((size) => size.bytes ?? 0)));
  return (
    <Tile
      {...tile}
      label={newest.some(({ state }) => state === 'live') ? 'Storage (live)' : 'Storage'}
      value={sizes.every(({ isComplete }) => isComplete) ? bytes : `at least ${bytes}`}
      note={describeStorageChange(accounts)}
    />
  );
}

/** Between booked days. All accounts must have the same sizes as many days before. */
function describeStorageChange(
  accounts: readonly ReturnType<PageSources['details']['storageDays']>[],
): string {
  const deltas = accounts.map((rows) => {
    const booked = rows.filter(({ state }) => state === 'booked');
    const last = booked.at(-1);
    const before = last && booked.findLast(({ date }) => date <= addDays(last.date, -7));
    const delta = before && findDelta([{ row: before }, { row: last }]);
    return delta ? { ...delta, days: daysBetween(delta.since, delta.until) } : null;
  });
  const known = deltas.filter((delta) => delta !== null);
  const [first] = known;
  if (!first || known.length < deltas.length || known.some(({ days }) => days !== first.days))
    return 'no older day';
  const [bytes, from] = [sum(known.map((delta) => delta.bytes)), sum(known.map((delta) => delta.from))];
  const change = describeDelta({ bytes, share: from === 0 ? null : bytes / from });
  return `${change} ${first.days === 7 ? 'a week' : `in ${pluralize(first.days, 'day')}`}`;
}

/** The last run that ended. */
function LastRunTile({ health: { runs, now } }: TilesProps) {
  const run = runs.find(({ status }) => status !== 'running');
  if (!run) return <Tile name="last-run" label="Last run" href="/runs" value="–" note="none yet" />;
  return (
    <Tile
      name="last-run"
      label={`Last run: ${run.status}`}
      href={runPath(run.run_id)}
      value={<RelativeTime at={run.finished_at ?? run.started_at} now={now} />}
      note={formatRunChanges(run)}
      level={run.status === 'succeeded' ? undefined : run.status === 'failed' ? 'bad' : 'warn'}
    />
  );
}

/** How old the oldest package is, and the published file. */
function FreshnessTile({ health: { packages, published, now } }: TilesProps) {
  const walked = packages.map(({ walked_at: at }) => at).sort();
  const oldest = walked.includes(null) ? null : walked[0];
  return (
    <Tile
      name="freshness"
      label="Oldest package"
      href="/packages?sort=walked"
      value={oldest ? <RelativeTime at={oldest} now={now} /> : 'not synced yet'}
      note={
        published && (
          <>
            published file: <RelativeTime at={published.published_at} now={now} />
          </>
        )
      }
      level={packages.some(({ stale }) => stale) ? 'bad' : undefined}
    />
  );
}

/** Nothing where the config has no targets. */
function TargetsTile({ health: { targets, now } }: TilesProps) {
  if (targets.length === 0) return null;
  const summaries = targets.map((report) => summarizeTarget(report, now));
  const behind = summaries.filter(({ isBehind }) => isBehind).length;
  const all = formatCount(targets.length);
  const loadedAt = summaries
    .flatMap((each) => each.loadedAt ?? [])
    .sort()
    .at(-1);
  return (
    <Tile
      name="targets"
      label="Targets"
      href="#targets"
      value={behind === 0 ? `${all} up to date` : `${formatCount(behind)} of ${all} behind`}
      note={
        loadedAt === undefined ? (
          'not loaded yet'
        ) : (
          <>
            loaded <RelativeTime at={loadedAt} now={now} />
          </>
        )
      }
    />
  );
}
