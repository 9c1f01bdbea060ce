/** Walks, and the packages they go over. */
import { and, desc, eq, isNull, notInArray, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Db, Tx } from '../file.ts';
import { walk, type Mode, type Status } from '../schema/runs.ts';
import { packageTable } from '../schema/videos.ts';
import type { PackageKey } from './video.ts';

const ofPackage = (key: PackageKey) =>
  and(eq(packageTable.account, key.account), eq(packageTable.package_id, key.packageId));

/** Makes the package known under its name of now; one that was retired is no longer. */
export function registerPackage(tx: Tx, key: PackageKey, name: string | null): void {
  tx.insert(packageTable)
    .values({ account: key.account, package_id: key.packageId, name })
    .onConflictDoUpdate({
      target: [packageTable.account, packageTable.package_id],
      set: { name, retired_at: null },
    })
    .run();
}

/** Retires the packages of the account that are not among `kept`. */
export function retirePackages(tx: Tx, account: string, kept: readonly number[], at: string): void {
  tx.update(packageTable)
    .set({ retired_at: at })
    .where(
      and(
        eq(packageTable.account, account),
        isNull(packageTable.retired_at),
        notInArray(packageTable.package_id, [...kept]),
      ),
    )
    .run();
}

/** Retires every package of the accounts that are not among `kept`. */
export function retireAccounts(tx: Tx, kept: readonly string[], at: string): void {
  tx.update(packageTable)
    .set({ retired_at: at })
    .where(and(isNull(packageTable.retired_at), notInArray(packageTable.account, [...kept])))
    .run();
}

/** What is known of the package, or undefined. */
export function findPackage(tx: Tx, key: PackageKey) {
  return tx.select().from(packageTable).where(ofPackage(key)).get();
}

/** The packages in force, the one longest unwalked first. */
export function packagesInForce(tx: Tx) {
  return tx
    .select()
    .from(packageTable)
    .where(isNull(packageTable.retired_at))
    .orderBy(packageTable.walked_at, packageTable.account, packageTable.package_id)
    .all();
}

/** Notes that rows of the package changed: so many more are live, and this is the last `change_seq` among them. */
export function notePackageChanged(tx: Tx, key: PackageKey, moreLive: number, changeSeq: number): void {
  tx.update(packageTable)
    .set({ live_count: sql`${packageTable.live_count} + ${moreLive}`, changed_seq: changeSeq })
    .where(ofPackage(key))
    .run();
}

/** Notes what a whole walk found. */
export function notePackageWalked(
  tx: Tx,
  key: PackageKey,
  found: { totalcount: number; page_size: number; walked_at: string; order: 'trusted' | 'untrusted' },
): void {
  tx.update(packageTable).set(found).where(ofPackage(key)).run();
}

/** The newest walk of the package in this mode, or undefined. */
export function lastWalk(tx: Tx, key: PackageKey, mode: Mode) {
  return tx
    .select()
    .from(walk)
    .where(and(eq(walk.account, key.account), eq(walk.package_id, key.packageId), eq(walk.mode, mode)))
    .orderBy(desc(walk.walk_id))
    .limit(1)
    .get();
}

export type NewWalk = typeof walk.$inferInsert;
export type WalkRow = typeof walk.$inferSelect;

/** Adds a walk and gives its id. */
export function insertWalk(tx: Tx, row: NewWalk): number {
  return tx.insert(walk).values(row).returning({ id: walk.walk_id }).get().id;
}

/** What one page adds to its walk. */
export interface PageCounts {
  inserted: number;
  updated: number;
  unchanged: number;
  restored: number;
  quarantined: number;
  unsettled: number;
}

/** Where a walk stands. */
export interface Checkpoint {
  /** The lowest id read; null where no page had a record yet. */
  id: number | null;
  page: number;
  pageSize: number;
  totalcount: number;
  orderViolated: boolean;
  /** Why some page was not read, in words; null where all were. */
  unread: string | null;
}

const plus = (column: SQLiteColumn, name: string) => sql`${column} + ${sql.placeholder(name)}`;
const given = (name: string) => sql`${sql.placeholder(name)}`;

/** Prepares: add one page to its walk, and move the checkpoint. */
export function prepareAdvanceWalk(db: Db) {
  const query = db
    .update(walk)
    .set({
      pages: plus(walk.pages, 'pages'),
      inserted: plus(walk.inserted, 'inserted'),
      updated: plus(walk.updated, 'updated'),
      unchanged: plus(walk.unchanged, 'unchanged'),
      restored: plus(walk.restored, 'restored'),
      quarantined: plus(walk.quarantined, 'quarantined'),
      unsettled: plus(walk.unsettled, 'unsettled'),
      totalcount: given('totalcount'),
      checkpoint_id: given('id'),
      checkpoint_page: given('page'),
      page_size: given('pageSize'),
      order_violated: given('violated'),
      unread: given('unread'),
    })
    .where(eq(walk.walk_id, sql.placeholder('walkId')))
    .prepare();
  return (walkId: number, counts: PageCounts & { pages: 0 | 1 }, checkpoint: Checkpoint): void => {
    query.run({ walkId, ...counts, ...checkpoint, violated: checkpoint.orderViolated ? 1 : 0 });
  };
}

/** Ends a walk. */
export function closeWalk(
  tx: Tx,
  walkId: number,
  end: {
    status: Status;
    finished_at: string;
    error: string | null;
    removed: number;
    held_back: number;
    requests: number;
  },
): void {
  tx.update(walk).set(end).where(eq(walk.walk_id, walkId)).run();
}

/** The walks of one run. */
export function walksOf(tx: Tx, runId: number): WalkRow[] {
  return tx.select().from(walk).where(eq(walk.run_id, runId)).orderBy(walk.walk_id).all();
}
