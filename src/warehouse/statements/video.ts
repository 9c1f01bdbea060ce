/** The rows of videos. */
import type { Tx } from '../../database/connection.ts';
import { prepareOnce, query } from '../../database/query.ts';
import { receivedNames, type VideoRow } from '../../database/received-columns.ts';
import { CURRENT_RUN, EDITABLE_FIELDS } from '../../database/version-trigger.ts';
import type { IdRange } from '../../lib/id-range.ts';
import type { PackageKey } from '../../lib/package-key.ts';

/** A time, or that of the row's present state if that is later: time never runs backward. */
const notBefore = (time: string) => `max(${time}, video.changed_at, coalesce(video.removed_at, ''))`;

/**
 * `or removed_at is not null`: an unchanged video that returns must not stay removed. Columns of vodhouse are bound
 * by position, so that no field of the service can replace them.
 */
const UPSERT = query<never>(
  `insert into video (account, package_id, ${receivedNames.join(', ')}, extra, first_seen_at, changed_at, change_seq, run_id)
    values (?, ?, ${receivedNames.map((name) => `@${name}`).join(', ')}, ?, ?, ?, ?, ${CURRENT_RUN})
    on conflict (account, package_id, id) do update set
      ${EDITABLE_FIELDS.map((name) => `${name} = excluded.${name}`).join(', ')},
      changed_at = ${notBefore('excluded.changed_at')}, removed_at = null, change_seq = excluded.change_seq
    where ${EDITABLE_FIELDS.map((name) => `video.${name} is not excluded.${name}`).join(' or ')}
      or video.removed_at is not null`,
);

/** Returns a function that stores a video if it is new, differs or was removed; true if it wrote. */
export function createVideoWriter(tx: Tx, { account, packageId }: PackageKey, at: string) {
  const statement = prepareOnce(tx, UPSERT.sql);
  return (row: VideoRow, changeSeq: number): boolean =>
    statement.run(row, account, packageId, row.extra ?? null, at, at, changeSeq).changes === 1;
}

const OF_PACKAGE = 'account = :account and package_id = :packageId';
const IN_RANGE = `${OF_PACKAGE} and id between :low and :high`;

/** Whether an id has a row, and whether that is live. */
export interface VideoState {
  id: number;
  isLive: 0 | 1;
}

export const findVideo = query<VideoState, PackageKey & { id: number }>(
  `select id, removed_at is null as isLive from video where ${OF_PACKAGE} and id = :id`,
).get;

export const findVideos = query<VideoState, PackageKey & IdRange>(
  `select id, removed_at is null as isLive from video where ${IN_RANGE}`,
).all;

export const countLive = query<never, PackageKey & IdRange>(
  `select count(*) as count from video where ${IN_RANGE} and removed_at is null`,
).count;

const selectLiveIds = query<{ id: number }, PackageKey & IdRange & { limit: number }>(
  `select id from video where ${IN_RANGE} and removed_at is null order by id limit :limit`,
).all;

/** The ids of live rows in the range, rising; at most `limit`. */
export const findLiveIds = (tx: Tx, range: PackageKey & IdRange, limit = -1): number[] =>
  selectLiveIds(tx, { ...range, limit }).map((row) => row.id);

/** Makes a removed row live again, with the fields that it had. */
export const restoreVideo = query<never, PackageKey & { id: number; at: string; changeSeq: number }>(
  `update video set removed_at = null, changed_at = ${notBefore(':at')}, change_seq = :changeSeq
    where ${OF_PACKAGE} and id = :id`,
).run;

/** Marks a live row as removed at the time of its proof. */
export const markRemoved = query<
  never,
  PackageKey & { id: number; provedAt: string; at: string; changeSeq: number }
>(
  `update video set removed_at = ${notBefore(':provedAt')}, changed_at = ${notBefore('max(:at, :provedAt)')},
    change_seq = :changeSeq where ${OF_PACKAGE} and id = :id`,
).run;
