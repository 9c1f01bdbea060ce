/** Walks: started, advanced, ended. */
import { and, desc, eq, sql } from 'drizzle-orm';
import type { Tx } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import { walk } from '../../database/schema/runs.ts';
import type { Mode } from '../../database/schema/values.ts';
import type { PackageKey } from '../../sync/package-key.ts';
import { recordFailedTurn } from './package.ts';

export type WalkRow = typeof walk.$inferSelect;

/** What one response adds to its walk. */
export interface PageCounts {
  added: number;
  edited: number;
  unchanged: number;
  restored: number;
  quarantined: number;
  unsettled: number;
}

/** The position of a walk. */
export interface Checkpoint {
  /** The lowest id read; null before the first record. */
  id: number | null;
  page: number;
  pageSize: number;
  totalcount: number;
  orderViolated: boolean;
  /** Why some page was not read; null if all were. */
  unreadReason: string | null;
}

/** A checkpoint as the columns of its walk. */
export const toCheckpointColumns = (checkpoint: Checkpoint) => ({
  checkpoint_id: checkpoint.id,
  checkpoint_page: checkpoint.page,
  page_size: checkpoint.pageSize,
  totalcount: checkpoint.totalcount,
  order_violated: checkpoint.orderViolated,
  unread_reason: checkpoint.unreadReason,
});

/** The newest walk of the package, in this mode or in any; or undefined. */
export const findLastWalk = (tx: Tx, { account, packageId }: PackageKey, mode?: Mode): WalkRow | undefined =>
  tx
    .select()
    .from(walk)
    .where(and(eq(walk.account, account), eq(walk.package_id, packageId), mode && eq(walk.mode, mode)))
    .orderBy(desc(walk.walk_id))
    .limit(1)
    .get();

/**
 * Adds one response to its walk, and stores the checkpoint. `pages`: whether it is a page of the walk;
 * `recognised`: whether its bytes were known.
 */
export function advanceWalk(
  tx: Tx,
  walkId: number,
  counts: PageCounts & { pages: 0 | 1; recognised: 0 | 1 },
  checkpoint: Checkpoint,
): void {
  const sums = Object.entries(counts).map(
    ([name, more]) => [name, sql`${sql.identifier(name)} + ${more}`] as const,
  );
  const values = { ...toCheckpointColumns(checkpoint), ...Object.fromEntries(sums) };
  tx.update(walk).set(values).where(eq(walk.walk_id, walkId)).run();
}

/** Deletes the checkpoints of a package, so that no walk is resumed whose videos were retired since. */
export const forgetCheckpoints = query<never, PackageKey>(
  'update walk set checkpoint_id = null where account = :account and package_id = :packageId',
).run;

/** Deletes a walk that found nothing. */
export const deleteWalk = query<never, { walkId: number }>('delete from walk where walk_id = :walkId').run;

/** The walks of one run. */
export const findWalks = (tx: Tx, runId: number): WalkRow[] =>
  tx.select().from(walk).where(eq(walk.run_id, runId)).orderBy(walk.walk_id).all();

/** The walk of a package in a run, or undefined: it is the newest of the package. */
export function findWalkOf(tx: Tx, key: PackageKey, runId: number): WalkRow | undefined {
  const newest = findLastWalk(tx, key);
  return newest?.run_id === runId ? newest : undefined;
}

const findOrphans = query<PackageKey & { walkId: number }>(
  `select account, package_id as packageId, walk_id as walkId from walk
    where status = 'running' and mode = 'full'`,
).all;

/** Counts a failure for each package whose full walk is still `running`: a killed process left it. */
export function countOrphanFailures(tx: Tx): void {
  for (const orphan of findOrphans(tx)) recordFailedTurn(tx, orphan);
}
