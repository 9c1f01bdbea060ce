/** Removals that are held back, counted by the walks that held them. */
import { and, count, eq, lte, sql } from 'drizzle-orm';
import type { Tx } from '../database/connection.ts';
import { removalCandidate } from '../database/schema/videos.ts';
import type { PackageKey } from '../lib/package-key.ts';

const { account, package_id, held_by } = removalCandidate;

/** How many removals of the package are held back since this walk or an earlier one? */
export function countHeldSince(tx: Tx, key: PackageKey, walkId: number): number {
  const row = tx
    .select({ count: count() })
    .from(removalCandidate)
    .where(
      and(
        eq(removalCandidate.held_back, true),
        eq(account, key.account),
        eq(package_id, key.packageId),
        lte(sql`coalesce(${held_by}, 0)`, walkId),
      ),
    )
    .get();
  return row?.count ?? 0;
}
