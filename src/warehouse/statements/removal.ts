/** Removal candidates: proved, not yet in effect. */
import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import { removalCandidate, type HeldReason } from '../../database/schema/videos.ts';
import { upsert } from '../../database/upsert.ts';
import type { PackageKey } from '../../sync/package-key.ts';
import { OF_PACKAGE } from './video.ts';

const selectMode = (walkId: string) => `(select mode from walk where walk.walk_id = ${walkId})`;

/**
 * The condition for a later proof that is better than the stored one: it does not rest on the order of the
 * list, or that order was not trusted before.
 */
const IS_BETTER = "(proof = 'order' and excluded.proof = 'whole') or held_reason = 'order'";
/** The condition for a candidate of a stopped full walk, which a quick walk does not take over. */
const IS_OF_STOPPED_WALK = `not held_back and ${selectMode('removal_candidate.walk_id')} = 'full'
  and ${selectMode('excluded.walk_id')} = 'quick'`;

/**
 * Records that a walk proved the id removed. The first proof keeps its time, unless the new one is better.
 */
export const upsertCandidate = upsert(removalCandidate, {
  columns: ['account', 'package_id', 'id', 'proved_at', 'walk_id', 'proof'],
  set: {
    walk_id: sql.raw(`case when ${IS_OF_STOPPED_WALK} then walk_id else excluded.walk_id end`),
    proved_at: sql.raw(`case when ${IS_BETTER} then excluded.proved_at else proved_at end`),
    proof: sql.raw(`case when ${IS_BETTER} then excluded.proof else proof end`),
  },
});

/**
 * Deletes the candidates with these ids, a JSON array: they were seen again, or their removal took effect.
 */
export const deleteCandidates = query<never, PackageKey & { ids: string }>(
  `delete from removal_candidate where ${OF_PACKAGE} and id in (select value from json_each(:ids))`,
).run;

const dropQuery = (condition: string) =>
  query<never, PackageKey>(`delete from removal_candidate where ${OF_PACKAGE} and ${condition}`).run;
const DROP_QUERIES = {
  all: dropQuery('true'),
  /** Those that are not held back, because their walk is not resumed, or its list was out of order. */
  unheld: dropQuery('not held_back'),
  /** Those that quick walks proved which stopped before their end. */
  quick: dropQuery(`not held_back and ${selectMode('removal_candidate.walk_id')} = 'quick'`),
  /** Those whose proof rests on the order of a list that turned out not to be sorted, held back or not. */
  byOrder: dropQuery("proof = 'order'"),
};

/** Deletes the candidates of one kind. */
export const dropCandidates = (tx: Tx, key: PackageKey, kind: keyof typeof DROP_QUERIES): number =>
  DROP_QUERIES[kind](tx, key);

/** Gives the candidates of an earlier walk to the one that resumes it. */
export const reassignCandidates = query<never, PackageKey & { from: number; to: number }>(
  `update removal_candidate set walk_id = :to where ${OF_PACKAGE} and walk_id = :from`,
).run;

/** Counts the removals that this walk proved by the order of the list. */
export const countProofsByOrder = query<never, PackageKey & { walkId: number }>(
  `select count(*) as count from removal_candidate
    where ${OF_PACKAGE} and walk_id = :walkId and proof = 'order'`,
).count;

/** The candidates of a package, held back or not. */
export const findCandidates = (tx: Tx, { account, packageId }: PackageKey) =>
  tx
    .select()
    .from(removalCandidate)
    .where(and(eq(removalCandidate.account, account), eq(removalCandidate.package_id, packageId)))
    .all();

/** Holds back what this walk proved for the first time. */
export const holdBackCandidates = query<
  never,
  PackageKey & { walkId: number; at: string; reason: HeldReason }
>(
  `update removal_candidate set held_back = 1, held_at = :at, held_by = :walkId, held_reason = :reason
    where ${OF_PACKAGE} and walk_id = :walkId and not held_back`,
).run;

const selectHeldBy = query<{ count: number }, { walkId: number }>(
  'select exists (select 1 from removal_candidate where held_back and held_by = :walkId) as count',
).count;

/** True if removals that this walk held back still wait. */
export const hasHeldBack = (tx: Tx, walkId: number): boolean => selectHeldBy(tx, { walkId }) > 0;
