/** What changed in the published file since the mark of a target. */
import type { Database } from '../../database/sqlite.ts';
import type { Table } from '../mart.ts';
import type { RowSet } from './copy-lines.ts';
import { listAccountSlices, listWarehouseSlices, selectOwned, type Owner } from './shipped-tables.ts';
import { findSliceChanges, type Checksums, type SliceChanges } from './slices.ts';
import type { Source } from './source.ts';

/** One state of a video: a point of the history that a target has, and that the published file must have too. */
export interface Anchor {
  packageId: number;
  videoId: number;
  changeSeq: number;
  /** UTC, `YYYY-MM-DD HH:MM:SS`. */
  validFrom: string;
}

/** Rows of one large table. */
export interface TableRows {
  table: Table;
  rows: RowSet;
}

/** The changes of an account since a mark. */
export interface Delta {
  /** Videos with a new state. */
  videos: TableRows;
  /** Former states that the target lacks or holds as present. */
  history: TableRows;
  /** Videos whose tags changed, and all tags that they have now; null where the published file has no tags. */
  tags: (TableRows & { videos: RowSet }) | null;
  slices: SliceChanges[];
  /** How many videos have a new state. */
  changedVideos: number;
  /** The newest of the new states; null if there are none. */
  newest: Anchor | null;
}

/**
 * Does the published file have this state of a video? Null if it cannot know: it has no such package, or one whose states are
 * all newer, because the package was forgotten and came back.
 */
export function hasAnchor(source: Source, account: string, anchor: Anchor): boolean | null {
  const { packageId, videoId, changeSeq, validFrom } = anchor;
  const find = (table: string) =>
    source.db
      .prepare(`select valid_from from ${table} where package_key = ? and video_id = ? and change_seq = ?`)
      .pluck()
      .get(`${account}/${packageId}`, videoId, changeSeq) as string | undefined;
  if ((find('videos') ?? find('video_history')) === validFrom) return true;
  return hasStatesUntil(source, account, packageId, changeSeq) ? false : null;
}

/** Does a package have states up to a change? */
export function hasStatesUntil({ db }: Source, account: string, packageId: number, mark: number): boolean {
  const packageKey = `${account}/${packageId}`;
  const find = (table: string) =>
    db
      .prepare(`select 1 from ${table} where package_key = ? and change_seq <= ? limit 1`)
      .get(packageKey, mark);
  return (find('videos') ?? find('video_history')) !== undefined;
}

/** The number of the last run that the published file has; 0 if it has none. */
export const getLastRun = ({ db }: Source): number =>
  db.prepare('select coalesce(max(run_id), 0) from runs').pluck().get() as number;

/** The numbers of the packages of an account. */
export function listPackageIds({ db }: Source, account: string): number[] {
  return db.prepare('select package_id from packages where account = ?').pluck().all(account) as number[];
}

/** Has a walk over a package of the account ended? */
export const isFetched = ({ db }: Source, account: string): boolean =>
  db
    .prepare('select 1 from packages where account = ? and first_walked_at is not null limit 1')
    .get(account) !== undefined;

/** All rows of an account. `known` as for `findDelta`. */
export function selectAll(source: Source, account: string): Delta {
  const { db, marts } = source;
  const all = (table: Table): TableRows => ({ table, rows: selectOwned(table, { account }) });
  const videos = all(marts.videos);
  return {
    videos,
    history: all(marts.videoHistory),
    tags: marts.videoTags && { ...all(marts.videoTags), videos: videos.rows },
    slices: findSlices(source, { account }, () => new Map()),
    changedVideos: 0,
    newest: findNewest(db, videos.rows),
  };
}

/**
 * What changed in an account since `mark` (a `change_seq`). `known` has the slices that the target has of a table. Uses
 * temporary tables of the connection.
 */
export function findDelta(
  source: Source,
  account: string,
  mark: number,
  known: (table: string) => Checksums,
): Delta {
  const { db, marts } = source;
  storeSuperseded(source, account, mark);
  if (marts.videoTags) {
    storeRowids(db, 'retagged_videos', RETAGGED_VIDEOS, { mark });
    storeRowids(db, 'changed_tags', CHANGED_TAGS, {});
  }
  const videos = { table: marts.videos, rows: { rowids: 'changed_videos' } };
  return {
    videos,
    history: { table: marts.videoHistory, rows: { rowids: 'changed_history' } },
    tags: marts.videoTags && {
      table: marts.videoTags,
      rows: { rowids: 'changed_tags' },
      videos: { rowids: 'retagged_videos' },
    },
    slices: findSlices(source, { account }, known),
    changedVideos: db.prepare('select count(*) from temp.changed_videos').pluck().get() as number,
    newest: findNewest(db, videos.rows),
  };
}

/**
 * Finds the videos of an account with a state after `mark`, and the states that were superseded after it: their rowids are in
 * the temporary tables `changed_videos` and `changed_history` of the connection.
 */
export function storeSuperseded({ db, marts }: Source, account: string, mark: number): void {
  const { where, parameters } = selectOwned(marts.videos, { account });
  storeRowids(
    db,
    'changed_videos',
    `select t.rowid from videos t where ${where} and t.change_seq > :mark order by t.rowid`,
    { ...parameters, mark },
  );
  storeRowids(db, 'changed_history', CHANGED_HISTORY, { mark });
}

/** The changes of the tables that belong to a warehouse. */
export function findWarehouseChanges(source: Source, known: (table: string) => Checksums): SliceChanges[] {
  return findSlices(source, { warehouseId: source.warehouseId }, known);
}

function findSlices({ db, marts }: Source, owner: Owner, known: (table: string) => Checksums) {
  const tables = 'account' in owner ? listAccountSlices(marts) : listWarehouseSlices(marts);
  return tables.map((sliced) => findSliceChanges(db, sliced, owner, known(sliced.table.name)));
}

function storeRowids(db: Database, name: string, select: string, parameters: object): void {
  db.exec(`drop table if exists temp."${name}"; create temp table "${name}" (row integer primary key)`);
  db.prepare(`insert into temp."${name}" ${select}`).run(parameters);
}

/** The number of the state of a video that the target holds as the present one. */
const LAST_KNOWN_SEQ = `select max(b.change_seq) from video_history b
    where b.package_key = v.package_key and b.video_id = v.video_id and b.change_seq <= :mark`;

/**
 * States that were superseded after the mark: their next state is newer. Those are the states after the mark, and the last
 * one before it, which the target holds as the present one.
 */
const CHANGED_HISTORY = `select h.rowid from temp.changed_videos c
cross join videos v on v.rowid = c.row
cross join video_history h on h.package_key = v.package_key and h.video_id = v.video_id
  and h.change_seq >= ifnull((${LAST_KNOWN_SEQ}), 0)
order by h.rowid`;

/** Most changes leave the tags of a video: they are those of the state that the target holds as the present one. */
const RETAGGED_VIDEOS = `select c.row from temp.changed_videos c
cross join videos v on v.rowid = c.row
left join video_history h on h.package_key = v.package_key and h.video_id = v.video_id and h.change_seq = (${LAST_KNOWN_SEQ})
where h.change_seq is null or h.tags is not v.tags or h.is_removed is not v.is_removed`;

const CHANGED_TAGS = `select t.rowid from temp.retagged_videos c
cross join videos v on v.rowid = c.row
cross join video_tags t on t.package_key = v.package_key and t.video_id = v.video_id
order by t.rowid`;

/** The newest present state of a set of videos; null if there are none. */
export function findNewest(db: Database, rows: RowSet): Anchor | null {
  const isList = 'rowids' in rows;
  const from = isList ? `temp."${rows.rowids}" c cross join videos t on t.rowid = c.row` : 'videos t';
  return (
    (db
      .prepare(
        `select t.package_id as packageId, t.video_id as videoId, max(t.change_seq) as changeSeq, t.valid_from as validFrom
from ${from} where ${isList ? 'true' : rows.where} having count(*) > 0`,
      )
      .get(isList ? {} : rows.parameters) as Anchor | undefined) ?? null
  );
}
