/** Walks, and the packages they go over. */
import { and, desc, eq, gte, inArray, isNull, notInArray, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Db, Tx } from '../file.ts';
import { run, walk, type Mode, type Status } from '../schema/runs.ts';
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

/** The packages of an account by how long they have been unserved in this mode, the longest first. */
export function packagesByTurn(tx: Tx, account: string, mode: Mode): number[] {
  const { turn_walk_id, looked_at, package_id } = packageTable;
  return tx
    .select({ id: package_id })
    .from(packageTable)
    .where(eq(packageTable.account, account))
    .orderBy(mode === 'full' ? turn_walk_id : looked_at, package_id)
    .all()
    .map(({ id }) => id);
}

/** The packages of an account that had their turn in a run begun at `since`, or in one that went on from it. */
export function packagesServedSince(tx: Tx, account: string, mode: Mode, since: string): number[] {
  if (mode === 'quick') {
    return tx
      .select({ id: packageTable.package_id })
      .from(packageTable)
      .where(and(eq(packageTable.account, account), gte(packageTable.looked_at, since)))
      .all()
      .map(({ id }) => id);
  }
  return tx
    .selectDistinct({ id: walk.package_id })
    .from(walk)
    .innerJoin(run, eq(run.run_id, walk.run_id))
    .where(
      and(
        eq(walk.account, account),
        eq(walk.mode, mode),
        inArray(walk.status, ['succeeded', 'partial', 'failed']),
        eq(sql`coalesce(${run.origin_started_at}, ${run.started_at})`, since),
      ),
    )
    .all()
    .map(({ id }) => id);
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
  const looked = { looked_at: found.walked_at, unexplained: null };
  tx.update(packageTable)
    .set({ ...found, ...looked })
    .where(ofPackage(key))
    .run();
}

/** Notes that a package had its turn by this walk. One that failed once keeps its place: the next run tries again. */
export function notePackageServed(tx: Tx, key: PackageKey, walkId: number, failed: boolean): void {
  const { turn_walk_id: turn, failed_walks: failures } = packageTable;
  tx.update(packageTable)
    .set({
      turn_walk_id: failed ? sql`case when ${failures} > 0 then ${walkId} else ${turn} end` : walkId,
      failed_walks: failed ? sql`${failures} + 1` : 0,
    })
    .where(ofPackage(key))
    .run();
}

/** Counts a failure for each package whose full walk is `running` under nobody: a killed process left it. */
export function noteLeftOverWalks(tx: Tx): void {
  const left = tx
    .select()
    .from(walk)
    .where(and(eq(walk.status, 'running'), eq(walk.mode, 'full')))
    .all();
  for (const row of left) {
    notePackageServed(tx, { account: row.account, packageId: row.package_id }, row.walk_id, true);
  }
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

/** Whether an answer was a page of the walk, and one that was known by its bytes. */
interface PageKind {
  pages: 0 | 1;
  recognised?: 1;
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
      recognised: plus(walk.recognised, 'recognised'),
      totalcount: given('totalcount'),
      checkpoint_id: given('id'),
      checkpoint_page: given('page'),
      page_size: given('pageSize'),
      order_violated: given('violated'),
      unread: given('unread'),
    })
    .where(eq(walk.walk_id, sql.placeholder('walkId')))
    .prepare();
  return (walkId: number, counts: PageCounts & PageKind, checkpoint: Checkpoint): void => {
    query.run({
      walkId,
      recognised: 0,
      ...counts,
      ...checkpoint,
      violated: checkpoint.orderViolated ? 1 : 0,
    });
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
    unsettled?: number;
  },
): void {
  tx.update(walk).set(end).where(eq(walk.walk_id, walkId)).run();
}

/** How many pages were known by their bytes in walks of the account that began at `since` or later? */
export function countRecognised(tx: Tx, account: string, since: string): number {
  const row = tx
    .select({ pages: sql<number>`coalesce(sum(${walk.recognised}), 0)` })
    .from(walk)
    .where(and(eq(walk.account, account), gte(walk.started_at, since)))
    .get();
  return row?.pages ?? 0;
}

/** Takes a walk out that found nothing. */
export function deleteWalk(tx: Tx, walkId: number): void {
  tx.delete(walk).where(eq(walk.walk_id, walkId)).run();
}

/** The walks of one run. */
export function walksOf(tx: Tx, runId: number): WalkRow[] {
  return tx.select().from(walk).where(eq(walk.run_id, runId)).orderBy(walk.walk_id).all();
}
