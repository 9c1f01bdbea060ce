/**
 * Videos as they were first seen, and their later changes: each state has what led to it. Rows of `video` and
 * `video_version` are only appended, so lists go through them by rowid, the newest first.
 */
import type { video } from '../../database/schema/videos.ts';
import { CHANGES, type Change } from '../../database/schema/values.ts';
import { query } from '../../database/query.ts';
import type { PackageRow } from '../../sync/package-key.ts';

/** What can be listed: a kind of change, or `present`: the videos of the packages as they are now. */
export const LISTED_KINDS = ['present', ...CHANGES] as const;
export type ListedKind = (typeof LISTED_KINDS)[number];

/** The fields whose text can be searched. */
export const SEARCHED_FIELDS = ['title', 'series', 'author', 'copyright', 'content', 'tag', 'etc'] as const;
export type SearchedField = (typeof SEARCHED_FIELDS)[number];

type Video = typeof video.$inferSelect;

/** A change of a video, with the video as it is now. */
export type ChangeRow = Pick<
  Video,
  'account' | 'package_id' | 'id' | 'run_id' | 'change' | 'changed_fields'
> &
  Pick<Video, 'title' | 'duration' | 'filesize'> & {
    /** The number of its row. */
    position: number;
    /** When it was stored. */
    at: string;
    /** The former title, if it was changed. */
    title_before: string | null;
    /** What was searched: the field after the change, and before it. */
    searched: string;
    /** Why the video is not present now; null: it is. */
    gone: 'removed' | 'retired' | null;
    package_name: string | null;
  };

/** What is listed; null: any. */
export interface ChangeFilter {
  kind: ListedKind | null;
  field: SearchedField;
  /** What is searched, for LIKE with the escape `\`, in one spelling and in another one. */
  pattern: string;
  decomposed: string | null;
  /** The changes from `since` on, and before `until`. */
  since: string | null;
  until: string | null;
  run_id: number | null;
}

/** Rows are listed from `upto` down to the one above `after`. */
type ListParams = ChangeFilter & { after: number; upto: number };

/** `first`: videos as they were first seen; `later`: their changes. */
export type StepKind = 'first' | 'later';

/** The SQL of the searched field of a table; null counts as empty. */
function searched(table: string): string {
  const cases = SEARCHED_FIELDS.map((name) => `when '${name}' then ${table}.${name}`);
  return `coalesce(case :field ${cases.join(' ')} end, '')`;
}

const inTime = (column: string) =>
  `(:since is null or ${column} >= :since) and (:until is null or ${column} < :until)`;

const FOUND = `(searched like :pattern escape '\\'
    or :decomposed is not null and searched like :decomposed escape '\\')`;

/**
 * The rows of a table from `:upto` down, above `:after`. The subquery has a limit because SQLite would
 * otherwise drop its order. `+` keeps the conditions on the rowid from being used as an index: the rows of a
 * package have one.
 */
const listed = (table: string, ofPackage: boolean) => `(
  select rowid as position from ${table} ${
    ofPackage
      ? `where account = :account and package_id = :package_id
          and +rowid > :after and +rowid <= :upto order by +rowid desc`
      : `where rowid > :after and rowid <= :upto order by rowid desc`
  } limit -1) as list cross join ${table}`;

const NOW = `video.duration, video.filesize, iif(video.removed_at is null, null, video.change) as gone,
  package.name as package_name`;
const PACKAGE = `left join package
  on package.account = video.account and package.package_id = video.package_id`;

/** The SQL of a column in the state in which the video was first seen. */
const ofFirst = (column: string) => `iif(video.version_number = 1, video.${column}, (
    select ${column} from video_version
    where account = video.account and package_id = video.package_id and id = video.id
      and version_number = 1))`;
const FIRST_RUN = ofFirst('run_id');

const selectFirst = (ofPackage: boolean) => `
select position, video.account, video.package_id, video.id,
  ${ofFirst('change')} as change, first_seen_at as at, ${FIRST_RUN} as run_id,
  null as changed_fields, null as title_before, video.title,
  ${searched('video')} as searched, ${NOW}
from ${listed('video', ofPackage)} on video.rowid = position
${PACKAGE}
where ${FOUND} and ${inTime('first_seen_at')}
  and (:kind is null or iif(:kind = 'present', video.removed_at is null, ${ofFirst('change')} = :kind))
  and (:run_id is null or ${FIRST_RUN} = :run_id)`;

const WITH_NEWER = `left join video
  on video.account = old.account and video.package_id = old.package_id and video.id = old.id
left join video_version as newer on newer.account = old.account and newer.package_id = old.package_id
  and newer.id = old.id and newer.version_number = old.version_number + 1`;

/** The SQL of a column in the state after the one that ended: a former state, or the present one. */
const ofNewer = (column: string) => `iif(newer.id is null, video.${column}, newer.${column})`;

const selectLater = (ofPackage: boolean) => `
select position, old.account, old.package_id, old.id, ${ofNewer('change')} as change,
  old.valid_to as at, ${ofNewer('run_id')} as run_id,
  ${ofNewer('changed_fields')} as changed_fields,
  iif(${ofNewer('title')} is not old.title, old.title, null) as title_before, ${ofNewer('title')} as title,
  iif(newer.id is null, ${searched('video')}, ${searched('newer')}) || char(10)
    || ${searched('old')} as searched, ${NOW}
from ${listed('video_version', ofPackage)} as old on old.rowid = position
${WITH_NEWER}
${PACKAGE}
where ${inTime('old.valid_to')} and (:kind is null or ${ofNewer('change')} = :kind)
  and ${FOUND} and (:run_id is null or ${ofNewer('run_id')} = :run_id)`;

/** Both lists, the newest first. They are read row by row, until a page is full. */
export const CHANGE_LISTS = {
  ofFile: {
    first: query<ChangeRow, ListParams>(selectFirst(false)),
    later: query<ChangeRow, ListParams>(selectLater(false)),
  },
  ofPackage: {
    first: query<ChangeRow, ListParams & PackageRow>(selectFirst(true)),
    later: query<ChangeRow, ListParams & PackageRow>(selectLater(true)),
  },
};

type StepTime = { position: number; at: string };

/** The last change of each list up to a position, and when it took effect. */
export const STEP_TIMES = {
  first: query<StepTime, { after: number; upto: number }>(`
select rowid as position, first_seen_at as at from video
where rowid between :after + 1 and :upto order by rowid desc limit 1`),
  later: query<StepTime, { after: number; upto: number }>(`
select rowid as position, valid_to as at from video_version
where rowid between :after + 1 and :upto order by rowid desc limit 1`),
};

/** The last rows of both tables; 0 for an empty one. */
export const LAST_POSITIONS = query<{ first: number; later: number }>(`
select coalesce((select max(rowid) from video), 0) as first,
  coalesce((select max(rowid) from video_version), 0) as later`);

export const RUN_START = query<{ started_at: string }, { run_id: number }>(
  'select started_at from run where run_id = :run_id',
);

/**
 * How many changes of each kind a run made in a package; `retired`: how many videos left with it, outside of
 * runs (`:run_id` is null).
 */
export type RunChanges = Record<Change, number>;

export const CHANGES_OF_RUN = query<RunChanges, PackageRow & { run_id: number | null }>(`
select coalesce(sum(added), 0) as added, coalesce(sum(added), 0) as imported,
  coalesce(sum(edited), 0) as edited, coalesce(sum(removed), 0) as removed,
  coalesce(sum(restored), 0) as restored, coalesce(sum(restored), 0) as returned,
  coalesce((select last_count from package
    where account = :account and package_id = :package_id), 0) as retired
from walk
where run_id = :run_id and account = :account and package_id = :package_id`);

export interface VideoChanges extends PackageRow {
  /** Videos that were new, or came back; null before the end of its first full walk. */
  added: number | null;
  /** Also those that left with their package, which has come back. */
  removed: number;
  /** Videos of its first import, which do not count as added. */
  imported: number;
}

/** The condition for a walk that ended after the first one of its package, or has not ended yet. */
const IS_LATER = "first_walked_at < coalesce(finished_at, '9999-12-31 23:59:59')";

/**
 * The videos of each package that came and went since `:at`, the start of the day of the service in UTC. New
 * and restored videos are those of the walks that began since then. Until the first full walk of a package
 * has ended, its videos are imported, not added. `:position` is the last row of `video_version` before `:at`.
 */
export const VIDEO_CHANGES = query<VideoChanges, { at: string; position: number }>(`
with came as (
  select account, package_id, sum(restored) + coalesce(sum(added) filter (where ${IS_LATER}), 0) as added,
    coalesce(sum(added) filter (where ${IS_LATER} is not true), 0) as imported
  from walk
  join package using (account, package_id)
  where walk_id > coalesce((select walk_id from walk where started_at < :at order by walk_id desc limit 1), 0)
  group by account, package_id),
went as (
  select account, package_id, count(*) as removed
  from (
    select account, package_id from video where removed_at >= :at
    union all
    select account, package_id from video_version where rowid > :position and removed_at >= :at)
  group by account, package_id)
select package.account, package.package_id,
  iif(first_walked_at is null, null, coalesce(added, 0)) as added,
  coalesce(removed, 0) as removed,
  coalesce(imported, 0) as imported
from package
left join came on came.account = package.account and came.package_id = package.package_id
left join went on went.account = package.account and went.package_id = package.package_id
where retired_at is null`);
