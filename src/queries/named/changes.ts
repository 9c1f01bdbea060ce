/**
 * Changes of videos: each state has what led to it. Rows of `video` and `video_version` are only appended, so the newest ones are
 * found by rowid; no query scans `video`.
 */
import type { Change, video } from '../../database/schema/videos.ts';
import { query } from '../../database/query.ts';

export { CHANGES, type Change } from '../../database/schema/videos.ts';

type Video = typeof video.$inferSelect;

/** Positions from `upto` down, above `after`. */
type Part = { after: number; upto: number; limit: number };

type PartOfPackage = Part & { account: string; package_id: number };

/** A change of a video, with the video as it is now. */
export type ChangeRow = Pick<
  Video,
  'account' | 'package_id' | 'id' | 'run_id' | 'changed_fields' | 'title_before' | 'duration' | 'filesize'
> & {
  /** The number of its row. */
  position: number;
  change: Change;
  /** When it was seen, or took effect. */
  at: string;
  /** As `at`; of a removal, when it was proved. */
  shown_at: string;
  /** After the change. */
  title: string | null;
  /** Of the present state; null: it is not removed. */
  removed_at: string | null;
  package_name: string | null;
};

/** The newest positions of a part; of a package by its index, which has them all. */
const selectPositions = (table: string, ofPackage: boolean) =>
  ofPackage
    ? `select rowid as position from ${table}
  where account = :account and package_id = :package_id and +rowid between :after + 1 and :upto
  order by +rowid desc
  limit :limit`
    : `select rowid as position from ${table}
  where rowid between :after + 1 and :upto
  order by rowid desc
  limit :limit`;

const NOW = `video.duration, video.filesize, video.removed_at, package.name as package_name`;
const PACKAGE = `left join package on package.account = video.account and package.package_id = video.package_id`;
const OF_VIDEO = `account = video.account and package_id = video.package_id and id = video.id`;

const selectFirst = (ofPackage: boolean) => `
select position, video.account, video.package_id, video.id, 'added' as change, first_seen_at as at, first_seen_at as shown_at,
  iif(version_number = 1, run_id, (
    select run_id from video_version where ${OF_VIDEO} and version_number = 1)) as run_id,
  null as changed_fields, null as title_before, video.title, ${NOW}
from (${selectPositions('video', ofPackage)}) as part
cross join video on video.rowid = position
${PACKAGE}
order by position desc`;

/** Of the state after the one that ended: a former one, or the present one. */
const ofNewer = (column: string) => `iif(newer.id is null, video.${column}, newer.${column})`;

const selectLater = (ofPackage: boolean) => `
select position, old.account, old.package_id, old.id, ${ofNewer('change')} as change, ${ofNewer('changed_at')} as at,
  coalesce(${ofNewer('removed_at')}, ${ofNewer('changed_at')}) as shown_at, ${ofNewer('run_id')} as run_id,
  ${ofNewer('changed_fields')} as changed_fields, ${ofNewer('title_before')} as title_before,
  ${ofNewer('title')} as title, ${NOW}
from (${selectPositions('video_version', ofPackage)}) as part
cross join video_version as old on old.rowid = position
left join video on video.account = old.account and video.package_id = old.package_id and video.id = old.id
left join video_version as newer on newer.account = old.account and newer.package_id = old.package_id
  and newer.id = old.id and newer.version_number = old.version_number + 1
${PACKAGE}
order by position desc`;

export const FIRST_STATES = query<ChangeRow, Part>(
  'Videos as they were added',
  'The newest first, those with `rowid` from `:upto` down to above `:after`. The page of all changes merges them with the next list, by `at`.',
  selectFirst(false),
);

export const FIRST_STATES_OF_PACKAGE = query<ChangeRow, PartOfPackage>(
  'Videos of a package as they were added',
  '',
  selectFirst(true),
);

export const LATER_STATES = query<ChangeRow, Part>(
  'Videos as they changed',
  'The newest first, each with the change that ended the state at `position`.',
  selectLater(false),
);

export const LATER_STATES_OF_PACKAGE = query<ChangeRow, PartOfPackage>(
  'Videos of a package as they changed',
  '',
  selectLater(true),
);

export const LAST_POSITIONS = query<{ first: number; later: number }>(
  'Where the list of all changes begins',
  'The last rows of both tables; 0 without any.',
  `
select coalesce((select max(rowid) from video), 0) as first, coalesce((select max(rowid) from video_version), 0) as later`,
);

/** A run by its time. */
export interface RunSpan {
  run_id: number;
  started_at: string;
  finished_at: string | null;
}

export const RUN_FROM = query<RunSpan, { run_id: number }>(
  'The first run from a number on',
  '',
  `
select run_id, started_at, finished_at
from run
where run_id >= :run_id
order by run_id
limit 1`,
);

export interface WalkChanges {
  account: string;
  package_id: number;
  added: number;
  edited: number;
  removed: number;
  restored: number;
}

export const CHANGES_OF_RUN = query<WalkChanges, { run_id: number }>(
  'What a run changed, by package',
  '',
  `
select account, package_id, sum(inserted) as added, sum(updated) as edited, sum(removed) as removed, sum(restored) as restored
from walk
where run_id = :run_id and inserted + updated + removed + restored > 0
group by account, package_id`,
);
