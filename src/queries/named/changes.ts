/**
 * The latest additions, edits and removals. Rows of `video` and `video_version` are only appended, so the newest ones are
 * found by rowid; no query scans `video`.
 */
import { getTableColumns } from 'drizzle-orm';
import { video } from '../../database/schema/videos.ts';
import { query } from '../../database/query.ts';

/** Columns that vodhouse itself writes: their changes are no edits. */
const OWN_COLUMNS = [
  'account',
  'package_id',
  'id',
  'first_seen_at',
  'changed_at',
  'removed_at',
  'change_seq',
];

/** The fields of docs/service.md 2.1 (and `extra`) that an edit may change. */
export const EDITABLE_FIELDS: readonly string[] = Object.keys(getTableColumns(video)).filter(
  (name) => !OWN_COLUMNS.includes(name),
);

/** Names of the fields in which two rows differ, each followed by a space. */
function differingFields(one: string, other: string): string {
  return EDITABLE_FIELDS.map((name) => `iif(${one}.${name} is not ${other}.${name}, '${name} ', '')`).join(
    '\n    || ',
  );
}

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
  returned: 0 | 1;
  /** Names of the fields that changed, each followed by a space. */
  fields: string;
};

export const EDITED = query<Edited, { window: number; limit: number }>(
  'The latest edits',
  'The last edit of each video among the last `:window` superseded states, with the old title, the new title and the names of all fields that differ.',
  `
select video.account, video.package_id, package.name as package_name, video.id, old.valid_to as at,
  old.title as old_title, video.title, old.removed_at is not null as returned,
  ${differingFields('old', 'video')} as fields
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

export type Removed = VideoOfPackage & { removed_at: string };

export const REMOVED = query<Removed, { limit: number }>(
  'The latest removals',
  '`removed_at` is the time of the proof.',
  `
select video.account, video.package_id, package.name as package_name, id, title, removed_at
from video
left join package on package.account = video.account and package.package_id = video.package_id
where removed_at > ''
order by removed_at desc, video.rowid desc
limit :limit`,
);
