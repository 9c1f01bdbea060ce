/** The live videos of a package as a list: by rank, by what they contain, and what of it changed. */
import {
  and,
  asc,
  between,
  count,
  eq,
  gt,
  isNotNull,
  isNull,
  max,
  notInArray,
  sql,
  type SQL,
} from 'drizzle-orm';
import type { Db } from '../../database/connection.ts';
import { packageTable, video, videoVersion } from '../../database/schema/videos.ts';
import type { PackageKey } from '../../lib/package-key.ts';
import { receivedColumns } from '../../database/received-columns.ts';

/** Columns that a list may be searched in. */
export type SearchColumn = 'title' | 'series' | 'author' | 'copyright' | 'content' | 'tag' | 'etc';
/** Columns that a list may be sorted by. */
export type SortColumn = 'id' | 'title' | 'duration' | 'filesize';

const value = (name: string) => sql.placeholder(name);
const ofPackage = and(eq(video.account, value('account')), eq(video.package_id, value('packageId')));
const inRange = between(video.id, value('low'), value('high'));

/**
 * A row as the service sent it, as JSON text: its 24 fields, and those that docs/service.md does not know behind them. Made by SQLite,
 * which writes the bytes as they are stored: as objects of JavaScript a page costs twice as much (measured). A frame rate is
 * stored as a double, and a whole one would be written as 30.0.
 */
const recordJson = (() => {
  const { v_framerate: rate } = receivedColumns;
  const framerate = sql`case when ${rate} = cast(${rate} as integer) then cast(${rate} as integer) else ${rate} end`;
  const fields = Object.entries(receivedColumns).map(
    ([name, column]) => sql`${sql.raw(`'${name}'`)}, ${name === 'v_framerate' ? framerate : column}`,
  );
  const known = sql`json_object(${sql.join(fields, sql`, `)})`;
  const all = sql`substr(${known}, 1, length(${known}) - 1) || ',' || substr(${video.extra}, 2)`;
  return sql<string>`case when ${video.extra} is null then ${known} else ${all} end`;
})();

/** A statement of drizzle's as better-sqlite3 runs it: to make an object of each value would cost as much again. */
function raw(db: Db, query: { toSQL(): { sql: string } }) {
  return db.$client.prepare(query.toSQL().sql);
}

/** Prepares: the ids of the live rows from `low` to `high`, without the first `skip`. Of indexes alone: no row is looked up. */
export function prepareLiveIdsAt(db: Db) {
  const removed = db
    .select({ id: video.id })
    .from(video)
    .where(and(ofPackage, inRange, isNotNull(video.removed_at)));
  const query = db
    .select({ id: video.id })
    .from(video)
    .where(and(ofPackage, inRange, notInArray(video.id, removed)))
    .orderBy(asc(video.id))
    .limit(value('take'))
    .offset(value('skip'));
  const statement = raw(db, query).pluck();
  return ({ account, packageId }: PackageKey, low: number, high: number, skip: number, take: number) =>
    statement.all(account, packageId, low, high, account, packageId, low, high, take, skip) as number[];
}

/**
 * Prepares: the rows of these ids, in this order, as the bytes of a JSON array. A cross join, for SQLite keeps to its order: it
 * looks each id up.
 */
export function prepareRecords(db: Db) {
  const records = sql`cast('[' || coalesce(group_concat(${recordJson}), '') || ']' as blob)`;
  const wished = sql`json_each(${value('ids')}) as wished`;
  const isWished = sql`${video.account} = ${value('account')} and ${video.package_id} = ${value('packageId')}
    and ${video.id} = wished.value`;
  const statement = raw(db, db.select({ records }).from(wished).crossJoin(video).where(isWished)).pluck();
  return ({ account, packageId }: PackageKey, ids: readonly number[]) =>
    statement.get(JSON.stringify(ids), account, packageId) as Uint8Array<ArrayBuffer>;
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

/** What is known of a package that was walked whole. */
export interface WalkedPackage {
  walked_at: string;
  changed_seq: number;
  live_count: number;
}

/** Prepares: when was the package last walked whole, what changed last in it, how many rows are live? None before that walk. */
export function prepareWalkedPackage(db: Db) {
  const { account, package_id, walked_at, changed_seq, live_count } = packageTable;
  const isWalked = and(
    eq(account, value('account')),
    eq(package_id, value('packageId')),
    isNotNull(walked_at),
  );
  const statement = raw(
    db,
    db.select({ walked_at, changed_seq, live_count }).from(packageTable).where(isWalked),
  );
  return ({ account, packageId }: PackageKey) =>
    statement.get(account, packageId) as WalkedPackage | undefined;
}
