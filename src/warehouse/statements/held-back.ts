/** Removals that are held back, as `status` shows them. */
import { and, count, eq, lte, sql } from 'drizzle-orm';
import type { Tx } from '../file.ts';
import { HELD_REASONS, removalCandidate, video, type HeldReason } from '../schema/videos.ts';
import type { PackageKey } from './video.ts';

const { account, package_id, id, held_at, held_by, held_reason, proved_at } = removalCandidate;
const held = eq(removalCandidate.held_back, true);

/** The removals of one package that are held back. */
export interface HeldBack {
  account: string;
  package_id: number;
  removals: number;
  /** The moment the first of them was held back. */
  since: string;
  /** The last of the walks that held them back; null where all are from before that was noted. */
  held_by: number | null;
  /** Why, each reason once; empty where all are from before that was noted. */
  reasons: HeldReason[];
}

/** How many removals are held back, since when and why, a package? */
export function heldBackByPackage(tx: Tx): HeldBack[] {
  const rows = tx
    .select({
      account,
      package_id,
      removals: count(),
      since: sql<string>`min(coalesce(${held_at}, ${proved_at}))`,
      held_by: sql<number | null>`max(${held_by})`,
      reasons: sql<string | null>`group_concat(distinct ${held_reason})`,
    })
    .from(removalCandidate)
    .where(held)
    .groupBy(account, package_id)
    .all();
  return rows.map((row) => {
    const reasons = row.reasons?.split(',') ?? [];
    return { ...row, reasons: HELD_REASONS.filter((reason) => reasons.includes(reason)) };
  });
}

/** The first few videos whose removal is held back in a package. */
export function heldBackExamples(tx: Tx, key: PackageKey, limit: number) {
  const sameVideo = and(eq(video.account, account), eq(video.package_id, package_id), eq(video.id, id));
  return tx
    .select({ id, title: video.title })
    .from(removalCandidate)
    .innerJoin(video, sameVideo)
    .where(and(held, eq(account, key.account), eq(package_id, key.packageId)))
    .orderBy(id)
    .limit(limit)
    .all();
}

/** How many removals of the package are held back since this walk or an earlier one? */
export function countHeldSince(tx: Tx, key: PackageKey, walkId: number): number {
  const row = tx
    .select({ count: count() })
    .from(removalCandidate)
    .where(
      and(
        held,
        eq(account, key.account),
        eq(package_id, key.packageId),
        lte(sql`coalesce(${held_by}, 0)`, walkId),
      ),
    )
    .get();
  return row?.count ?? 0;
}
