/**
 * Additions, edits, removals and returns. Rows of `video` and `video_version` are only appended, so the newest ones are
 * found by rowid; no query scans `video`.
 */
import type { video } from '../../database/schema/videos.ts';
import { query } from '../../database/query.ts';
import { differingFields, EDITABLE_FIELDS } from '../../database/version-trigger.ts';

type Video = typeof video.$inferSelect;
type VideoOfPackage = Pick<Video, 'account' | 'package_id' | 'id' | 'title'> & {
  package_name: string | null;
};

export type Added = VideoOfPackage & Pick<Video, 'first_seen_at' | 'duration' | 'filesize' | 'removed_at'>;

export const ADDED = query<Added, { limit: number }>(
  'The latest additions',
  'Videos in the order in which they were first stored.',
  `
select video.account, video.package_id, package.name as package_name, id, title, first_seen_at, duration, filesize, removed_at
from video
left join package on package.account = video.account and package.package_id = video.package_id
where video.rowid > (select max(rowid) from video) - :limit
order by video.rowid desc
limit :limit`,
);

export type Edited = VideoOfPackage & {
  /** When the present state began. */
  at: string;
  old_title: string | null;
  /** 1 if the video had been removed before. */
  restored: 0 | 1;
  /** Names of the fields that changed, each followed by a space. */
  fields: string;
};

export const EDITED = query<Edited, { window: number; limit: number }>(
  'The latest edits',
  'The last edit of each video among the last `:window` superseded states, with the old title, the new title and the names of all fields that differ.',
  `
select video.account, video.package_id, package.name as package_name, video.id, old.valid_to as at,
  old.title as old_title, video.title, old.removed_at is not null as restored,
  coalesce(${differingFields('old', 'video')}, '') as fields
from video_version as old
join video on video.account = old.account and video.package_id = old.package_id and video.id = old.id
left join package on package.account = old.account and package.package_id = old.package_id
where old.rowid > (select max(rowid) from video_version) - :window
  and video.removed_at is null
  and old.change_seq = (
    select max(change_seq) from video_version as newest
    where newest.account = old.account and newest.package_id = old.package_id and newest.id = old.id)
order by old.rowid desc
limit :limit`,
);

export type Removed = VideoOfPackage & {
  removed_at: string;
  /** When the removal took effect. */
  changed_at: string;
};

export const REMOVED = query<Removed, { limit: number }>(
  'The latest removals',
  '`removed_at` is the time of the proof, `changed_at` the time at which the removal took effect.',
  `
select video.account, video.package_id, package.name as package_name, id, title, removed_at, changed_at
from video
left join package on package.account = video.account and package.package_id = video.package_id
where removed_at > ''
order by removed_at desc, video.rowid desc
limit :limit`,
);

/** Positions from `upto` down, above `after`. */
type Part = { after: number; upto: number; limit: number };

type PartOfPackage = Part & { account: string; package_id: number };

/** A video that was stored for the first time, or a state that ended. */
export interface Step {
  /** The number of its row. */
  position: number;
  account: string;
  package_id: number;
  id: number;
  /** The `change_seq` of the state that ended; null: it is the first one that began. */
  ended_seq: number | null;
  was_removed: 0 | 1;
  /** Of the state that began: the time of the proof; null: it is not removed. */
  removed_at: string | null;
  /** When it was seen, or took effect. */
  at: string;
}

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

const selectFirst = (ofPackage: boolean) => `
select position, account, package_id, id, null as ended_seq, 0 as was_removed, null as removed_at, first_seen_at as at
from (${selectPositions('video', ofPackage)}) as part
cross join video on video.rowid = position
order by position desc`;

const selectLater = (ofPackage: boolean) => `
select position, old.account, old.package_id, old.id, old.change_seq as ended_seq,
  old.removed_at is not null as was_removed,
  iif(newer.id is null, video.removed_at, newer.removed_at) as removed_at,
  iif(newer.id is null, video.changed_at, newer.changed_at) as at
from (${selectPositions('video_version', ofPackage)}) as part
cross join video_version as old on old.rowid = position
left join video on video.account = old.account and video.package_id = old.package_id and video.id = old.id
left join video_version as newer on newer.account = old.account and newer.package_id = old.package_id
  and newer.id = old.id and newer.change_seq = (
    select min(change_seq) from video_version as later
    where later.account = old.account and later.package_id = old.package_id and later.id = old.id
      and later.change_seq > old.change_seq)
order by position desc`;

export const FIRST_STATES = query<Step, Part>(
  'Videos as they were added',
  'The newest first, those with `rowid` from `:upto` down to above `:after`. The page of all changes merges them with the next list, by `at`.',
  selectFirst(false),
);

export const FIRST_STATES_OF_PACKAGE = query<Step, PartOfPackage>(
  'Videos of a package as they were added',
  '',
  selectFirst(true),
);

export const LATER_STATES = query<Step, Part>(
  'Videos as they changed',
  'The newest first. With `removed_at` it is a removal, with `was_removed` a return, else an edit.',
  selectLater(false),
);

export const LATER_STATES_OF_PACKAGE = query<Step, PartOfPackage>(
  'Videos of a package as they changed',
  '',
  selectLater(true),
);

export const LAST_POSITIONS = query<{ first: number; later: number; run_id: number }>(
  'Where the list of all changes begins',
  'The last rows of both tables, and the last run; 0 without any.',
  `
select coalesce((select max(rowid) from video), 0) as first, coalesce((select max(rowid) from video_version), 0) as later,
  coalesce((select max(run_id) from run), 0) as run_id`,
);

/** The video of a step, as the page shows it. */
export type ChangedVideo = Pick<Video, 'title' | 'duration' | 'filesize' | 'removed_at'> & {
  package_name: string | null;
};

interface StepKey extends Record<string, string | number | null> {
  account: string;
  package_id: number;
  id: number;
}

export const CHANGED_VIDEO = query<ChangedVideo, StepKey>(
  'A video of the list of all changes',
  'As it is now.',
  `
select package.name as package_name, title, duration, filesize, removed_at
from video
left join package on package.account = video.account and package.package_id = video.package_id
where video.account = :account and video.package_id = :package_id and video.id = :id`,
);

/** What a change replaced. */
export interface Replaced {
  old_title: string | null;
  title: string | null;
  /** Names of the fields that changed, each followed by a space. */
  fields: string;
}

const STATE = ['change_seq', ...EDITABLE_FIELDS].join(', ');
const OF_VIDEO = 'account = :account and package_id = :package_id and id = :id';

export const REPLACED = query<Replaced, StepKey>(
  'What a change replaced',
  'The old and the new title, and the names of all fields that differ, of the state `:ended_seq` and the one after it.',
  `
select old.title as old_title, new.title, coalesce(${differingFields('old', 'new')}, '') as fields
from video_version as old
cross join (
  select ${STATE} from video_version where ${OF_VIDEO} and change_seq > :ended_seq
  union all
  select ${STATE} from video where ${OF_VIDEO}
  order by change_seq
  limit 1) as new
where old.account = :account and old.package_id = :package_id and old.id = :id and old.change_seq = :ended_seq`,
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
  package_name: string | null;
  added: number;
  edited: number;
  removed: number;
  restored: number;
}

export const CHANGES_OF_RUN = query<WalkChanges, { run_id: number }>(
  'What a run changed, by package',
  '',
  `
select walk.account, walk.package_id, package.name as package_name, sum(inserted) as added, sum(updated) as edited,
  sum(removed) as removed, sum(restored) as restored
from walk
left join package on package.account = walk.account and package.package_id = walk.package_id
where run_id = :run_id and inserted + updated + removed + restored > 0
group by walk.account, walk.package_id`,
);
