/** Pages whose records need no second look while their bytes, and the rows they speak of, stay as they are. */
import { and, between, eq, gt, ne, or, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../database/connection.ts';
import { packageTable, pageHash, video } from '../../database/schema/videos.ts';
import type { PackageKey } from '../../lib/package-key.ts';

export type PageHash = typeof pageHash.$inferSelect;

/** Which page of which package, at which page size. */
export interface PagePlace extends PackageKey {
  page: number;
  pageSize: number;
}

const atPlace = and(
  eq(pageHash.account, sql.placeholder('account')),
  eq(pageHash.package_id, sql.placeholder('packageId')),
  eq(pageHash.page, sql.placeholder('page')),
  eq(pageHash.page_size, sql.placeholder('pageSize')),
);

const placeOf = ({ account, packageId, page, pageSize }: PagePlace) => ({
  account,
  packageId,
  page,
  pageSize,
});

/** A page of a package, and the hash of its records. */
export interface HashedPage extends PackageKey {
  page: number;
  hash: string;
}

/** Prepares: what is known of a page of this number whose records have this hash? */
export function prepareFindByHash(db: Db) {
  const query = db
    .select()
    .from(pageHash)
    .where(
      and(
        eq(pageHash.account, sql.placeholder('account')),
        eq(pageHash.package_id, sql.placeholder('packageId')),
        eq(pageHash.page, sql.placeholder('page')),
        eq(pageHash.hash, sql.placeholder('hash')),
      ),
    )
    .prepare();
  return ({ account, packageId, page, hash }: HashedPage): PageHash | undefined =>
    query.get({ account, packageId, page, hash });
}

/** Prepares: keep what is known of a page. */
export function prepareKeepPageHash(db: Db) {
  const names = ['hash', 'records', 'first_id', 'last_id', 'proof_low', 'proof_high', 'change_seq', 'drift'];
  const known = Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]));
  const set = Object.fromEntries(names.map((name) => [name, sql`excluded.${sql.identifier(name)}`]));
  const query = db
    .insert(pageHash)
    .values({
      account: sql.placeholder('account'),
      package_id: sql.placeholder('package_id'),
      page: sql.placeholder('page'),
      page_size: sql.placeholder('page_size'),
      ...known,
    } as unknown as PageHash)
    .onConflictDoUpdate({
      target: [pageHash.account, pageHash.package_id, pageHash.page, pageHash.page_size],
      set,
    })
    .prepare();
  return (row: PageHash): void => {
    query.run({ ...row });
  };
}

/** Prepares: forget the page in this place. */
export function prepareForgetPageHash(db: Db) {
  const query = db.delete(pageHash).where(atPlace).prepare();
  return (place: PagePlace): void => {
    query.run(placeOf(place));
  };
}

/** Prepares: note that page and rows are still equal at this `change_seq`. */
export function prepareConfirmPageHash(db: Db) {
  const query = db
    .update(pageHash)
    .set({ change_seq: sql`${sql.placeholder('changeSeq')}` })
    .where(atPlace)
    .prepare();
  return (place: PagePlace, changeSeq: number): void => {
    query.run({ ...placeOf(place), changeSeq });
  };
}

/** Forgets the pages behind the last one, and those of other page sizes. */
export function forgetOtherPages(tx: Tx, key: PackageKey, lastPage: number, pageSize: number): void {
  const ofPackage = and(eq(pageHash.account, key.account), eq(pageHash.package_id, key.packageId));
  tx.delete(pageHash)
    .where(and(ofPackage, or(gt(pageHash.page, lastPage), ne(pageHash.page_size, pageSize))))
    .run();
}

/** Prepares: has a row with an id from `low` to `high` changed after `changeSeq`? */
export function prepareChangedSince(db: Db) {
  const ofPackage = and(
    eq(packageTable.account, sql.placeholder('account')),
    eq(packageTable.package_id, sql.placeholder('packageId')),
    gt(packageTable.changed_seq, sql.placeholder('changeSeq')),
  );
  const anyRow = db
    .select({ one: sql`1` })
    .from(packageTable)
    .where(ofPackage)
    .prepare();
  const rowInRange = db
    .select({ one: sql`1` })
    .from(video)
    .where(
      and(
        eq(video.account, sql.placeholder('account')),
        eq(video.package_id, sql.placeholder('packageId')),
        between(video.id, sql.placeholder('low'), sql.placeholder('high')),
        gt(video.change_seq, sql.placeholder('changeSeq')),
      ),
    )
    .limit(1)
    .prepare();
  return ({ account, packageId }: PackageKey, low: number, high: number, changeSeq: number): boolean => {
    const since = { account, packageId, changeSeq };
    return anyRow.get(since) !== undefined && rowInRange.get({ ...since, low, high }) !== undefined;
  };
}
