/** The rows of videos. */
import { sql } from 'drizzle-orm';
import type { Tx } from '../../database/connection.ts';
import { prepareOnce, query, type SqlValue } from '../../database/query.ts';
import { receivedNames, video, type VideoRow } from '../../database/schema/videos.ts';
import type { Change } from '../../database/schema/values.ts';
import { upsert } from '../../database/upsert.ts';
import { CURRENT_RUN, EDITABLE_FIELDS } from '../../database/version-trigger.ts';
import type { IdRange, PackageKey } from '../../sync/package-key.ts';

/**
 * The SQL of a time, or of that of the row's present state if that is later: a state never ends before it
 * began.
 */
const notBefore = (time: string) => `max(${time}, video.changed_at)`;

const DIFFERS = EDITABLE_FIELDS.map((name) => `video.${name} is not excluded.${name}`).join(' or ');

/**
 * The main statement of a walk, which stores a video. It also writes an unchanged video that was removed,
 * which is live again.
 */
const upsertVideo = upsert(video, {
  columns: [
    'account',
    'package_id',
    ...receivedNames,
    'extra',
    'first_seen_at',
    'changed_at',
    'change_seq',
    'change',
  ],
  computed: { run_id: sql.raw(CURRENT_RUN) },
  set: {
    first_seen_at: sql`first_seen_at`,
    change: sql`change`,
    changed_at: sql.raw(notBefore('excluded.changed_at')),
    removed_at: null,
    first_missing_at: null,
  },
  where: sql.raw(`${DIFFERS} or video.removed_at is not null`),
});

/**
 * Returns a function that stores a video if it is new, differs or was removed; true if it wrote. Live rows in
 * the range `known` are read and compared before: that takes half the time of an upsert that changes nothing.
 * `isImport`: no full walk of the package has ended yet.
 */
export function createVideoWriter(
  tx: Tx,
  { account, packageId }: PackageKey,
  { at, known, isImport }: { at: string; known: IdRange | null; isImport: boolean },
) {
  const rows = known ? readLiveRows(tx, { account, packageId, ...known }) : null;
  const change: Change = isImport ? 'imported' : 'added';
  // one object takes the values of each row: to make a new one for each doubles the time of the import
  const shared = { account, package_id: packageId, first_seen_at: at, changed_at: at, change };
  return (row: VideoRow & Readonly<Record<string, SqlValue | undefined>>, changeSeq: number): boolean => {
    const values = rows?.get(row.id);
    if (values && EDITABLE_FIELDS.every((name, index) => values[index + 1] === (row[name] ?? null)))
      return false;
    rows?.delete(row.id); // a second record of this video is compared with the first one
    const stored = Object.assign(shared, row, { extra: row.extra ?? null, change_seq: changeSeq });
    return upsertVideo(tx, stored) === 1;
  };
}

export const OF_PACKAGE = 'account = :account and package_id = :packageId';
export const IN_RANGE = `${OF_PACKAGE} and id between :low and :high`;

const LIVE_ROWS = `select id, ${EDITABLE_FIELDS.join(', ')} from video
  where ${IN_RANGE} and removed_at is null`;

/** The values of live rows by id: the id, and the editable fields. */
function readLiveRows(tx: Tx, range: PackageKey & IdRange) {
  const rows = prepareOnce(tx, LIVE_ROWS).raw().all(range) as [number, ...SqlValue[]][];
  return new Map(rows.map((values) => [values[0], values]));
}

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

const selectLiveIds = query<{ id: number }, PackageKey & IdRange>(
  `select id from video where ${IN_RANGE} and removed_at is null order by id`,
).all;

/** The ids of live rows in the range, rising. */
export const findLiveIds = (tx: Tx, range: PackageKey & IdRange): number[] =>
  selectLiveIds(tx, range).map(({ id }) => id);

/** Makes a removed row live again, with the fields that it had. */
export const restoreVideo = query<never, PackageKey & { id: number; at: string; changeSeq: number }>(
  `update video set removed_at = null, first_missing_at = null, changed_at = ${notBefore(':at')},
    change_seq = :changeSeq
    where ${OF_PACKAGE} and id = :id`,
).run;

/** Marks a live row as removed; `provedAt` is when that was first proved. */
export const markRemoved = query<
  never,
  PackageKey & { id: number; provedAt: string; at: string; changeSeq: number }
>(
  `update video set removed_at = ${notBefore(':at')}, changed_at = ${notBefore(':at')},
    first_missing_at = ${notBefore('min(:provedAt, :at)')}, change_seq = :changeSeq
    where ${OF_PACKAGE} and id = :id`,
).run;

/** Marks the live rows as retired, with the numbers after `changeSeq`. Returns how many. */
export const retireVideos = query<never, PackageKey & { at: string; changeSeq: number }>(
  `update video set removed_at = ${notBefore(':at')}, changed_at = ${notBefore(':at')},
    change_seq = :changeSeq + live.number, change = 'retired'
    from (
      select id, row_number() over (order by id) as number from video
        where ${OF_PACKAGE} and removed_at is null
    ) as live
    where ${OF_PACKAGE} and video.id = live.id`,
).run;
