/** Whose videos are these? Rows of a package by their ids, and of the other packages of its account. Raw statements. */
import { and, between, count, eq, isNotNull, isNull, lt, sql } from 'drizzle-orm';
import type { Db } from '../../database/connection.ts';
import { packageTable, pageHash, removalCandidate, video } from '../../database/schema/videos.ts';
import type { PackageKey } from '../../lib/package-key.ts';

const value = (name: string) => sql.placeholder(name);
const ofPackage = and(eq(video.account, value('account')), eq(video.package_id, value('packageId')));
const inRange = between(video.id, value('low'), value('high'));

/** A statement of drizzle's as better-sqlite3 runs it. */
function raw(db: Db, query: { toSQL(): { sql: string } }) {
  return db.$client.prepare(query.toSQL().sql);
}

/** Prepares: has the package a live row of this id? */
export function prepareIsLive(db: Db) {
  const query = db
    .select({ id: video.id })
    .from(video)
    .where(and(ofPackage, eq(video.id, value('id')), isNull(video.removed_at)));
  const statement = raw(db, query).pluck();
  return ({ account, packageId }: PackageKey, id: number): boolean =>
    statement.get(account, packageId, id) !== undefined;
}

/** Prepares: which of these ids have a row in the package, and is it live? Each is looked up: a cross join keeps its order. */
export function prepareRowsOf(db: Db) {
  const asked = sql`json_each(${value('ids')}) as asked`;
  const isAsked = sql`${video.account} = ${value('account')} and ${video.package_id} = ${value('packageId')}
    and ${video.id} = asked.value`;
  const columns = { id: video.id, isLive: sql`${video.removed_at} is null` };
  const statement = raw(db, db.select(columns).from(asked).crossJoin(video).where(isAsked)).raw();
  return ({ account, packageId }: PackageKey, ids: readonly number[]) =>
    statement.all(JSON.stringify(ids), account, packageId) as [id: number, isLive: 0 | 1][];
}

/**
 * Prepares: how many live rows with an id from `low` to `high` does no candidate say to be gone? Of indexes alone: no row is
 * looked up. With the number of live rows where that is known, only the candidates are counted.
 */
export function prepareCountListed(db: Db) {
  const { account: ofAccount, package_id: ofId, id } = removalCandidate;
  const rows = raw(db, db.select({ count: count() }).from(video).where(and(ofPackage, inRange))).pluck();
  const isRemoved = and(ofPackage, inRange, isNotNull(video.removed_at));
  const removed = raw(db, db.select({ count: count() }).from(video).where(isRemoved)).pluck();
  const isCandidate = and(
    eq(ofAccount, value('account')),
    eq(ofId, value('packageId')),
    between(id, value('low'), value('high')),
  );
  const candidates = raw(db, db.select({ count: count() }).from(removalCandidate).where(isCandidate)).pluck();
  return ({ account, packageId }: PackageKey, low: number, high: number, live?: number): number => {
    if (low > high) return 0;
    const place = [account, packageId, low, high] as const;
    if (live !== undefined) return live - (candidates.get(...place) as number);
    const all = rows.get(...place) as number;
    return all === 0 ? 0 : all - (removed.get(...place) as number) - (candidates.get(...place) as number);
  };
}

/** Prepares: how many live rows has the package, and how was its list ordered when it was last walked whole? */
export function prepareSizeOf(db: Db) {
  const isIt = and(
    eq(packageTable.account, value('account')),
    eq(packageTable.package_id, value('packageId')),
  );
  const columns = { live: packageTable.live_count, order: packageTable.order };
  const statement = raw(db, db.select(columns).from(packageTable).where(isIt)).raw();
  return ({ account, packageId }: PackageKey) => {
    const row = statement.get(account, packageId) as [number, 'trusted' | 'untrusted' | null] | undefined;
    return { live: row?.[0] ?? 0, order: row?.[1] ?? null };
  };
}

type MostIn = [packageId: number, totalcount: number | null, found: number];

/**
 * Prepares: in which other package of the account are the most of these ids live, if in any? Packages times ids are looked
 * up: only for a few ids, and only of a page that is odd.
 */
export function prepareMostIn(db: Db) {
  const asked = sql`json_each(${value('ids')}) as asked`;
  const isOther = sql`${packageTable.account} = ${value('account')} and ${packageTable.package_id} <> ${value('packageId')}
    and ${packageTable.live_count} > 0`;
  const isThere = sql`${video.account} = ${packageTable.account} and ${video.package_id} = ${packageTable.package_id}
    and ${video.id} = asked.value`;
  const query = db
    .select({ packageId: packageTable.package_id, totalcount: packageTable.totalcount, found: count() })
    .from(packageTable)
    .crossJoin(asked)
    .crossJoin(video)
    .where(and(isOther, isThere, isNull(video.removed_at)))
    .groupBy(packageTable.package_id)
    .orderBy(sql`count(*) desc`)
    .limit(1);
  const statement = raw(db, query).raw();
  return ({ account, packageId }: PackageKey, ids: readonly number[]) => {
    const row = statement.get(JSON.stringify(ids), account, packageId, 1) as MostIn | undefined;
    return row ? { packageId: row[0], totalcount: row[1], found: row[2] } : null;
  };
}

/** Prepares: the ids of live rows from `low` to `high`, the first `most` of them. */
export function prepareFirstLiveIds(db: Db) {
  const query = db
    .select({ id: video.id })
    .from(video)
    .where(and(ofPackage, inRange, isNull(video.removed_at)))
    .orderBy(video.id)
    .limit(value('most'));
  const statement = raw(db, query).pluck();
  return ({ account, packageId }: PackageKey, low: number, high: number, most: number) =>
    statement.all(account, packageId, low, high, most) as number[];
}

/** Prepares: the hashes of the known pages of packages that were walked whole before that time, at most `limit`. */
export function prepareHashesOf(db: Db) {
  const isOfIt = and(
    eq(packageTable.account, pageHash.account),
    eq(packageTable.package_id, pageHash.package_id),
  );
  const query = db
    .select({ packageId: pageHash.package_id, hash: pageHash.hash })
    .from(pageHash)
    .innerJoin(packageTable, isOfIt)
    .where(and(eq(pageHash.account, value('account')), lt(packageTable.first_walked_at, value('before'))))
    .limit(value('most'));
  const statement = raw(db, query).raw();
  return (account: string, before: string, most: number) =>
    statement.all(account, before, most) as [packageId: number, hash: string][];
}
