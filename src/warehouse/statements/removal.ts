/** Removal candidates: proved, not yet in effect. */
import { and, between, eq, sql, type SQL } from 'drizzle-orm';
import type { Db, Tx } from '../../database/connection.ts';
import { walk } from '../../database/schema/runs.ts';
import { removalCandidate, type HeldReason, type Proof } from '../../database/schema/videos.ts';
import { prepareOnce } from '../../database/prepared.ts';
import type { PackageKey } from '../../lib/package-key.ts';

const ofPackage = (key: PackageKey) =>
  and(eq(removalCandidate.account, key.account), eq(removalCandidate.package_id, key.packageId));

/** Prepares: which candidates have an id from `low` to `high`? */
export function prepareCandidatesBetween(db: Db) {
  const query = db
    .select({ id: removalCandidate.id })
    .from(removalCandidate)
    .where(
      and(
        eq(removalCandidate.account, sql.placeholder('account')),
        eq(removalCandidate.package_id, sql.placeholder('packageId')),
        between(removalCandidate.id, sql.placeholder('low'), sql.placeholder('high')),
      ),
    )
    .prepare();
  return ({ account, packageId }: PackageKey, low: number, high: number): number[] =>
    query.all({ account, packageId, low, high }).map((row) => row.id);
}

/**
 * Prepares: note that this walk proved the id removed. The first proof keeps its time, unless it was the weaker one: it
 * rested on the order of the list and this one does not, or that order had to earn trust first.
 */
export function prepareNoteCandidate(db: Db) {
  const isBetter = sql`(${removalCandidate.proof} = 'order' and excluded.proof = 'whole') or ${removalCandidate.held_reason} = 'order'`;
  const modeOf = (id: SQL) => sql`(select ${walk.mode} from ${walk} where ${walk.walk_id} = ${id})`;
  // what a full walk proved before it was stopped is its own: a quick walk between does not take it over
  const isOfStoppedWalk = sql`not ${removalCandidate.held_back} and ${modeOf(sql`excluded.walk_id`)} = 'quick' and ${modeOf(sql`${removalCandidate.walk_id}`)} = 'full'`;
  const query = db
    .insert(removalCandidate)
    .values({
      account: sql.placeholder('account'),
      package_id: sql.placeholder('packageId'),
      id: sql.placeholder('id'),
      proved_at: sql.placeholder('provedAt'),
      walk_id: sql.placeholder('walkId'),
      proof: sql.placeholder('proof'),
    })
    .onConflictDoUpdate({
      target: [removalCandidate.account, removalCandidate.package_id, removalCandidate.id],
      set: {
        walk_id: sql`case when ${isOfStoppedWalk} then ${removalCandidate.walk_id} else excluded.walk_id end`,
        proved_at: sql`case when ${isBetter} then excluded.proved_at else ${removalCandidate.proved_at} end`,
        proof: sql`case when ${isBetter} then excluded.proof else ${removalCandidate.proof} end`,
      },
    })
    .prepare();
  return (
    { account, packageId }: PackageKey,
    row: { id: number; provedAt: string; walkId: number; proof: Proof },
  ): void => {
    query.run({ account, packageId, ...row });
  };
}

/** Prepares: strike a candidate; it was seen again, or its removal has taken effect. */
export function prepareDeleteCandidate(db: Db) {
  const query = db
    .delete(removalCandidate)
    .where(
      and(
        eq(removalCandidate.account, sql.placeholder('account')),
        eq(removalCandidate.package_id, sql.placeholder('packageId')),
        eq(removalCandidate.id, sql.placeholder('id')),
      ),
    )
    .prepare();
  return ({ account, packageId }: PackageKey, id: number): void => {
    query.run({ account, packageId, id });
  };
}

/** Drops the candidates that are not held back: their walk is not gone on from, or was found out of order. */
export function dropUnheldCandidates(tx: Tx, key: PackageKey): void {
  tx.delete(removalCandidate)
    .where(and(ofPackage(key), eq(removalCandidate.held_back, false)))
    .run();
}

const ofAny = and(
  eq(removalCandidate.account, sql.placeholder('account')),
  eq(removalCandidate.package_id, sql.placeholder('packageId')),
);
const anyCandidate = prepareOnce((db) =>
  db.select({ id: removalCandidate.id }).from(removalCandidate).where(ofAny).limit(1).prepare(),
);

/** Drops what quick walks proved and did not come to mark as removed: they stopped before their end. */
export function dropCandidatesOfQuickWalks(tx: Tx, key: PackageKey): void {
  const isQuick = sql`${removalCandidate.walk_id} in (${tx.select({ id: walk.walk_id }).from(walk).where(eq(walk.mode, 'quick'))})`;
  if (!anyCandidate(tx).get({ account: key.account, packageId: key.packageId })) return;
  tx.delete(removalCandidate)
    .where(and(ofPackage(key), eq(removalCandidate.held_back, false), isQuick))
    .run();
}

/** Drops the candidates, held back or not, whose proof rests on the order of a list that is not sorted. */
export function dropCandidatesByOrder(tx: Tx, key: PackageKey): void {
  tx.delete(removalCandidate)
    .where(and(ofPackage(key), eq(removalCandidate.proof, 'order')))
    .run();
}

/** Hands the candidates of an earlier walk to the one that goes on from it. */
export function reassignCandidates(tx: Tx, key: PackageKey, fromWalk: number, toWalk: number): void {
  tx.update(removalCandidate)
    .set({ walk_id: toWalk })
    .where(and(ofPackage(key), eq(removalCandidate.walk_id, fromWalk)))
    .run();
}

/** Has this walk proved removals that rest on the order of the list? */
export function hasProofsByOrder(tx: Tx, key: PackageKey, walkId: number): boolean {
  const byOrder = and(eq(removalCandidate.walk_id, walkId), eq(removalCandidate.proof, 'order'));
  return (
    tx
      .select()
      .from(removalCandidate)
      .where(and(ofPackage(key), byOrder))
      .limit(1)
      .get() !== undefined
  );
}

/** The candidates of a package, held back or not. */
export function candidatesOf(tx: Tx, key: PackageKey) {
  return tx.select().from(removalCandidate).where(ofPackage(key)).all();
}

/** Holds back those that this walk proved for the first time. */
export function holdBackCandidates(
  tx: Tx,
  key: PackageKey,
  walkId: number,
  at: string,
  reason: HeldReason,
): void {
  tx.update(removalCandidate)
    .set({ held_back: true, held_at: at, held_by: walkId, held_reason: reason })
    .where(and(ofPackage(key), eq(removalCandidate.walk_id, walkId), eq(removalCandidate.held_back, false)))
    .run();
}
