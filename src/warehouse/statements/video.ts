/** The statements of one page of videos. The upsert is built by drizzle once and run as a raw prepared statement. */
import { and, between, count, eq, isNull, or, sql, type SQL } from 'drizzle-orm';
import type { Statement } from 'better-sqlite3';
import type { Db } from '../../database/connection.ts';
import { video } from '../../database/schema/videos.ts';
import type { PackageKey } from '../../lib/package-key.ts';
import { receivedNames, videoColumns, type VideoRow } from '../../database/received-columns.ts';

const keyColumns = ['account', 'package_id', 'id'];

/** Stores one video where it is new, differs or was removed; gives true where something was written. */
export type UpsertVideo = (row: VideoRow, key: PackageKey, at: string, changeSeq: number) => boolean;

/**
 * Prepares the upsert. The guard says "or was removed": without that, an unchanged video that comes back would stay
 * removed. What vodhouse knows itself is bound by position, so that no field of the service can pass for it.
 */
export function prepareUpsert(db: Db): UpsertVideo {
  const statement: Statement = db.$client.prepare(upsertSql(db));
  return (row, key, at, changeSeq) =>
    statement.run(row, key.account, key.packageId, row.extra ?? null, at, at, changeSeq).changes === 1;
}

function upsertSql(db: Db): string {
  const values = Object.fromEntries(Object.keys(videoColumns).map((name) => [name, sql.placeholder(name)]));
  const compared = [...receivedNames, 'extra' as const].filter((name) => !keyColumns.includes(name));
  const set = Object.fromEntries(
    [...compared, 'changed_at', 'change_seq'].map((name) => [name, excluded(name)]),
  );
  const differs = compared.map((name) => sql`${videoColumns[name]} is not ${excluded(name)}`);
  const query = db
    .insert(video)
    .values({ ...values, removed_at: sql`null` } as unknown as typeof video.$inferInsert)
    .onConflictDoUpdate({
      target: [video.account, video.package_id, video.id],
      set: { ...set, changed_at: notBefore(sql`excluded.changed_at`), removed_at: sql`null` },
      setWhere: or(...differs, sql`${video.removed_at} is not null`) as SQL,
    })
    .toSQL();
  return nameParameters(query.sql, query.params);
}

/** A moment, or that of the row's present state where that is later: time never runs backward, whatever the clock does. */
function notBefore(moment: SQL): SQL {
  return sql`max(${moment}, ${video.changed_at}, coalesce(${video.removed_at}, ''))`;
}

function excluded(name: string): SQL {
  return sql`excluded.${sql.identifier(name)}`;
}

/** Received fields become named parameters, the others stay positional. */
function nameParameters(text: string, parameters: unknown[]): string {
  let position = 0;
  return text.replaceAll('?', () => {
    const { value } = parameters[position++] as { value: { name: string } };
    return receivedNames.some((field) => field === value.name) ? `@${value.name}` : '?';
  });
}

const ofAnyPackage = and(
  eq(video.account, sql.placeholder('account')),
  eq(video.package_id, sql.placeholder('packageId')),
);

/**
 * Prepares: which ids from `low` to `high` are known, and is each of them live? A raw statement: a page has a thousand,
 * and drizzle would make an object of each.
 */
export function prepareKnownVideos(db: Db) {
  const inRange = between(video.id, sql.placeholder('low'), sql.placeholder('high'));
  const query = db
    .select({ id: video.id, isLive: sql`${video.removed_at} is null` })
    .from(video)
    .where(and(ofAnyPackage, inRange))
    .toSQL();
  const statement = db.$client.prepare(query.sql).raw();
  return ({ account, packageId }: PackageKey, low: number, high: number) =>
    statement.all(account, packageId, low, high) as [id: number, isLive: 0 | 1][];
}

/** Prepares: how many live rows have an id from `low` to `high`? */
export function prepareCountLive(db: Db) {
  const inRange = between(video.id, sql.placeholder('low'), sql.placeholder('high'));
  const query = db
    .select({ count: count() })
    .from(video)
    .where(and(ofAnyPackage, inRange, isNull(video.removed_at)))
    .prepare();
  return ({ account, packageId }: PackageKey, low: number, high: number): number =>
    query.get({ account, packageId, low, high })?.count ?? 0;
}

/** Prepares: which live rows have an id from `low` to `high`? */
export function prepareLiveIds(db: Db) {
  const inRange = between(video.id, sql.placeholder('low'), sql.placeholder('high'));
  const query = db
    .select({ id: video.id })
    .from(video)
    .where(and(ofAnyPackage, inRange, isNull(video.removed_at)))
    .orderBy(video.id)
    .prepare();
  return ({ account, packageId }: PackageKey, low: number, high: number): number[] =>
    query.all({ account, packageId, low, high }).map((row) => row.id);
}

/** Prepares: is the id known, and is its row live? Undefined where it is not known. */
export function prepareFindVideo(db: Db) {
  const query = db
    .select({ id: video.id, removedAt: video.removed_at })
    .from(video)
    .where(and(ofAnyPackage, eq(video.id, sql.placeholder('id'))))
    .prepare();
  return ({ account, packageId }: PackageKey, id: number) => query.get({ account, packageId, id });
}

/** Prepares: mark one removed row as live again, with the fields that it had. */
export function prepareRestore(db: Db) {
  const query = db
    .update(video)
    .set({
      removed_at: null,
      changed_at: notBefore(sql`${sql.placeholder('at')}`),
      change_seq: sql`${sql.placeholder('changeSeq')}`,
    })
    .where(and(ofAnyPackage, eq(video.id, sql.placeholder('id'))))
    .prepare();
  return ({ account, packageId }: PackageKey, row: { id: number; at: string; changeSeq: number }): void => {
    query.run({ account, packageId, ...row });
  };
}

/** Prepares: mark one live row as removed at the time of its proof. */
export function prepareMarkRemoved(db: Db) {
  const query = db
    .update(video)
    .set({
      removed_at: notBefore(sql`${sql.placeholder('provedAt')}`),
      changed_at: notBefore(sql`max(${sql.placeholder('at')}, ${sql.placeholder('provedAt')})`),
      change_seq: sql`${sql.placeholder('changeSeq')}`,
    })
    .where(and(ofAnyPackage, eq(video.id, sql.placeholder('id'))))
    .prepare();
  return (
    { account, packageId }: PackageKey,
    row: { id: number; provedAt: string; at: string; changeSeq: number },
  ): void => {
    query.run({ account, packageId, ...row });
  };
}
