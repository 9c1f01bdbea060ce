/** One package and one video. */
import type { Db } from '../../database/connection.ts';
import type { walk } from '../../database/schema/runs.ts';
import type { Status, WalkChange } from '../../database/schema/values.ts';
import type { video } from '../../database/schema/videos.ts';
import { EDITABLE_FIELDS } from '../../database/version-trigger.ts';
import { query } from '../../database/query.ts';
import { readSnapshot } from '../../database/transaction.ts';
import type { PackageRow } from '../../sync/package-key.ts';

/**
 * How many videos a package had on each day of the service from `:since` on. A day on which no walk ended has
 * no row.
 */
export const PACKAGE_SIZES = query<{ date: string; videos: number }, PackageRow & { since: string }>(`
select date, videos
from package_day
where account = :account and package_id = :package_id and date >= :since
order by date`);

/**
 * By how much all packages of the config together grew on each day from `:since` on; `:at` is when that day
 * began.
 */
export const DAILY_GROWTH = query<{ date: string; grown: number }, { since: string; at: string }>(`
select date, sum(videos - coalesce(before, iif(first_walked_at < :at, videos, 0))) as grown
from (
  select date, videos, first_walked_at,
    lag(videos) over (partition by package_day.account, package_day.package_id order by date) as before
  from package
  -- each package has a row for each day of its life: the cross join reads them by their key
  cross join package_day using (account, package_id)
  where retired_at is null and date >= :since)
group by date
order by date desc`);

/** The videos of all packages of the config at the end of a day. */
interface DayTotal {
  date: string;
  videos: number;
}

/**
 * `since`: the first day, which began at `at`. `videos`: the number of now, from which the days are counted
 * back.
 */
interface TotalsRequest {
  since: string;
  at: string;
  today: string;
  videos: number;
}

/**
 * The returned function reads the number of all videos on each day from `since` until yesterday, the newest
 * day first. It reads the live file once a day of the service, because past days do not change.
 */
export function createPastTotals(db: Db): (asked: TotalsRequest) => DayTotal[] {
  let kept: { today: string; totals: DayTotal[] } | null = null;
  return ({ since, at, today, videos }) => {
    if (kept?.today === today) return kept.totals;
    let left = videos;
    const totals = DAILY_GROWTH.all(db, { since, at }).map(({ date, grown }) => {
      left -= grown;
      return { date, videos: left + grown };
    });
    kept = { today, totals: totals.filter(({ date }) => date < today) };
    return kept.totals;
  };
}

/** The walks of a package that began at `:at` or later, have ended, and did not succeed. */
export const PACKAGE_TROUBLE = query<{ started_at: string; status: Status }, PackageRow & { at: string }>(`
select started_at, status
from walk
where account = :account and package_id = :package_id and started_at >= :at
  and status <> 'succeeded' and status <> 'running'`);

type Walk = typeof walk.$inferSelect;

export type PackageWalk = Pick<
  Walk,
  'walk_id' | 'run_id' | 'mode' | 'status' | 'started_at' | 'finished_at'
> &
  Pick<Walk, 'pages' | 'requests' | 'held_back' | 'error' | WalkChange>;

/** The last walks of a package. */
export const PACKAGE_WALKS = query<PackageWalk, PackageRow & { limit: number }>(`
select walk_id, run_id, mode, status, started_at, finished_at, pages, requests,
  added, edited, removed, restored, held_back, error
from walk
where account = :account and package_id = :package_id
order by walk_id desc
limit :limit`);

type Video = typeof video.$inferSelect;

/** The keys that let a video be played. No page shows them. */
export const HIDDEN_FIELDS: readonly string[] = ['access_key', 'org_access_key'];

const SHOWN = EDITABLE_FIELDS.filter((name) => !HIDDEN_FIELDS.includes(name)).join(', ');

export type VideoRow = Omit<Video, 'access_key' | 'org_access_key'>;

type VideoKey = PackageRow & { id: number };

/** The present state of one video. */
export const VIDEO = query<VideoRow, VideoKey>(`
select account, package_id, id, ${SHOWN}, first_seen_at, changed_at, removed_at, first_missing_at,
  change_seq, change
from video
where account = :account and package_id = :package_id and id = :id`);

export type VersionRow = VideoRow & { valid_to: string };

/** The earlier states of a video, the newest first. */
export const VERSIONS = query<VersionRow, VideoKey & { limit: number }>(`
select account, package_id, id, ${SHOWN}, first_seen_at, changed_at, removed_at, first_missing_at,
  change_seq, change, valid_to
from video_version
where account = :account and package_id = :package_id and id = :id
order by change_seq desc
limit :limit`);

/** How many versions the page of a video shows. */
const SHOWN_VERSIONS = 100;

/** A video in its present state and in earlier ones. */
interface VideoStates {
  now: VideoRow;
  /** The newest first, a hundred at most. */
  before: VersionRow[];
  /** The state before those; null if `before` has all. */
  earlier: VersionRow | null;
}

/** Reads a video with its history; null where the live file does not have it. */
export function readVideo(db: Db, key: VideoKey): VideoStates | null {
  return readSnapshot(db, () => {
    const now = VIDEO.get(db, key);
    if (!now) return null;
    const states = VERSIONS.all(db, { ...key, limit: SHOWN_VERSIONS + 1 });
    return { now, before: states.slice(0, SHOWN_VERSIONS), earlier: states[SHOWN_VERSIONS] ?? null };
  });
}
