/** Walks: begun, moved on, ended. */
import { and, desc, eq, sql, ne } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Db, Tx } from '../../database/connection.ts';
import { walk, type Mode, type Status } from '../../database/schema/runs.ts';
import { recordTurn } from './package.ts';
import { prepareOnce } from '../../database/prepared.ts';
import type { PackageKey } from '../../lib/package-key.ts';

const last = prepareOnce((db) =>
  db
    .select()
    .from(walk)
    .where(
      and(
        eq(walk.account, sql.placeholder('account')),
        eq(walk.package_id, sql.placeholder('packageId')),
        eq(walk.mode, sql.placeholder('mode')),
      ),
    )
    .orderBy(desc(walk.walk_id))
    .limit(1)
    .prepare(),
);

/** The newest walk of the package in this mode, or undefined. */
export function lastWalk(tx: Tx, { account, packageId }: PackageKey, mode: Mode) {
  return last(tx).get({ account, packageId, mode });
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
      unread_reason: given('unread'),
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

/** Sets when a walk began, where that is known better by now: the machine's clock was wrong. */
export function correctWalkStart(tx: Tx, walkId: number, at: string): void {
  const { started_at, origin_started_at } = walk;
  tx.update(walk)
    .set({
      started_at: at,
      origin_started_at: sql`case when ${origin_started_at} = ${started_at} then ${at} else ${origin_started_at} end`,
    })
    .where(and(eq(walk.walk_id, walkId), ne(started_at, at)))
    .run();
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

/** Takes a walk out that found nothing. */
export function deleteWalk(tx: Tx, walkId: number): void {
  tx.delete(walk).where(eq(walk.walk_id, walkId)).run();
}

/** The walks of one run. */
export function walksOf(tx: Tx, runId: number): WalkRow[] {
  return tx.select().from(walk).where(eq(walk.run_id, runId)).orderBy(walk.walk_id).all();
}

/** Counts a failure for each package whose full walk is `running` under nobody: a killed process left it. */
export function countOrphanFailures(tx: Tx): void {
  const left = tx
    .select()
    .from(walk)
    .where(and(eq(walk.status, 'running'), eq(walk.mode, 'full')))
    .all();
  for (const row of left) {
    recordTurn(tx, { account: row.account, packageId: row.package_id }, row.walk_id, true);
  }
}
