/** The live videos of a package as a list: by rank, by what they contain, and what of it changed. */
import {
  and,
  asc,
  between,
  count,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lte,
  max,
  sql,
  type SQL,
} from 'drizzle-orm';
import type { Db } from '../file.ts';
import { packageTable, video, videoVersion } from '../schema/videos.ts';
import { prepared } from './prepared.ts';
import { receivedColumns, type PackageKey, type VideoRow } from './video.ts';

/** A live row with the fields that came, and the JSON text of those that service.md does not know. */
export type ListedVideo = Omit<VideoRow, 'extra'> & { extra: string | null };

/** Columns that a list may be searched in. */
export type SearchColumn = 'title' | 'series' | 'author' | 'copyright' | 'content' | 'tag' | 'etc';
/** Columns that a list may be sorted by. */
export type SortColumn = 'id' | 'title' | 'duration' | 'filesize';

const value = (name: string) => sql.placeholder(name);
const ofPackage = and(eq(video.account, value('account')), eq(video.package_id, value('packageId')));
const inRange = between(video.id, value('low'), value('high'));
const listed = { ...receivedColumns, extra: video.extra };

/** A statement of drizzle's as better-sqlite3 runs it: to make an object of each value would cost as much again. */
function raw(db: Db, query: { toSQL(): { sql: string } }) {
  return db.$client.prepare(query.toSQL().sql);
}

/** Prepares: the live rows with an id from `low` to `high`, by id, without the first `skip` of them. */
export function prepareLivePage(db: Db) {
  const query = db
    .select(listed)
    .from(video)
    .where(and(ofPackage, inRange, isNull(video.removed_at)))
    .orderBy(asc(video.id))
    .limit(value('take'))
    .offset(value('skip'));
  const statement = raw(db, query);
  return ({ account, packageId }: PackageKey, low: number, high: number, skip: number, take: number) =>
    statement.all(account, packageId, low, high, take, skip) as ListedVideo[];
}

/**
 * Prepares: the same of a stretch of ids none of which is removed. Where the page begins is found in the index alone: rows are
 * looked up in the table to see whether they are removed, and there may be a thousand to skip.
 */
export function prepareWholePage(db: Db) {
  const first = db
    .select({ id: video.id })
    .from(video)
    .where(and(ofPackage, inRange))
    .orderBy(asc(video.id))
    .limit(1)
    .offset(value('skip'));
  const query = db
    .select(listed)
    .from(video)
    .where(and(ofPackage, gte(video.id, first), lte(video.id, value('high'))))
    .orderBy(asc(video.id))
    .limit(value('take'));
  const statement = raw(db, query);
  return ({ account, packageId }: PackageKey, low: number, high: number, skip: number, take: number) =>
    statement.all(account, packageId, account, packageId, low, high, 1, skip, high, take) as ListedVideo[];
}

/** Prepares: the rows of these ids, in no order. */
export function prepareVideosById(db: Db) {
  const ids = sql`(select value from json_each(${value('ids')}))`;
  const statement = raw(
    db,
    db
      .select(listed)
      .from(video)
      .where(and(ofPackage, inArray(video.id, ids))),
  );
  return ({ account, packageId }: PackageKey, ids: readonly number[]) =>
    statement.all(account, packageId, JSON.stringify(ids)) as ListedVideo[];
}

/** Prepares: the id that comes `distance` ids after the last one below `low`, known or removed, up to `high`. */
export function prepareIdAfter(db: Db) {
  const query = db
    .select({ id: video.id })
    .from(video)
    .where(and(ofPackage, inRange))
    .orderBy(asc(video.id))
    .limit(1)
    .offset(value('distance'));
  const statement = raw(db, query).pluck();
  return ({ account, packageId }: PackageKey, low: number, high: number, distance: number) =>
    statement.get(account, packageId, low, high, 1, distance) as number | undefined;
}

/** Prepares: how many ids from `low` to `high` are known, removed ones among them? */
export function prepareCountKnown(db: Db) {
  const statement = raw(db, db.select({ count: count() }).from(video).where(and(ofPackage, inRange))).pluck();
  return ({ account, packageId }: PackageKey, low: number, high: number) =>
    statement.get(account, packageId, low, high) as number;
}

/** Prepares: how many of them are removed? */
export function prepareCountRemoved(db: Db) {
  const isRemoved = and(ofPackage, inRange, isNotNull(video.removed_at));
  const statement = raw(db, db.select({ count: count() }).from(video).where(isRemoved)).pluck();
  return ({ account, packageId }: PackageKey, low: number, high: number) =>
    statement.get(account, packageId, low, high) as number;
}

/** A row that came or changed; `row` counts up by one each. */
export interface ChangedRow {
  row: number;
  account: string;
  package_id: number;
  id: number;
}

/**
 * Prepares: which rows came after row `after`? Neither table ever loses a row, and both count their rows up: what is in
 * `video` after it is new, what is in `video_version` after it was changed, removed or restored.
 */
export function prepareChangedSince(db: Db, table: typeof video | typeof videoVersion) {
  const { account, package_id, id } = table;
  const row = sql<number>`rowid`;
  const statement = raw(
    db,
    db
      .select({ row: sql`rowid as row`, account, package_id, id })
      .from(table)
      .where(gt(row, value('after')))
      .orderBy(row),
  );
  return (after: number) => statement.all(after) as ChangedRow[];
}

/** Prepares: which is the last row? 0 where there is none. */
export function prepareLastRow(db: Db, table: typeof video | typeof videoVersion) {
  const statement = raw(db, db.select({ row: max(sql`rowid`) }).from(table)).pluck();
  return () => (statement.get() as number | null) ?? 0;
}

/**
 * The ids of the live rows in the order of a column, NULL first and equal values by id; only those where another column
 * holds the text as it is, where one is given. `instr` compares bytes and knows no wildcards.
 */
export function sortedIds(
  db: Db,
  { account, packageId }: PackageKey,
  sort: SortColumn,
  search: { item: SearchColumn; keyword: string } | undefined,
): number[] {
  const contains: SQL[] = search ? [sql`instr(${video[search.item]}, ${search.keyword}) > 0`] : [];
  const query = db
    .select({ id: video.id })
    .from(video)
    .where(
      and(eq(video.account, account), eq(video.package_id, packageId), isNull(video.removed_at), ...contains),
    )
    .orderBy(asc(video[sort]), asc(video.id))
    .toSQL();
  return db.$client.prepare(query.sql).pluck().all(query.params) as number[];
}

const oneInForce = prepared((db) =>
  db
    .select({
      walkedAt: packageTable.walked_at,
      changedSeq: packageTable.changed_seq,
      liveCount: packageTable.live_count,
    })
    .from(packageTable)
    .where(
      and(
        eq(packageTable.account, value('account')),
        eq(packageTable.package_id, value('packageId')),
        isNull(packageTable.retired_at),
      ),
    )
    .prepare(),
);

/** When was the package last walked whole, what changed last in it, and how many of its rows are live? */
export function packageOf(db: Db, { account, packageId }: PackageKey) {
  return oneInForce(db).get({ account, packageId });
}
