/** How many ids of a package the service is believed to list: live rows, not proved gone, and what is in quarantine. */
import { and, between, count, eq, isNotNull, isNull, max, notExists, sql } from 'drizzle-orm';
import type { Db } from '../../database/connection.ts';
import { packageTable, quarantine, removalCandidate, video } from '../../database/schema/videos.ts';
import { prepareOpenVideoIds } from './quarantine.ts';
import type { PackageKey } from '../../lib/package-key.ts';

/** Ids from `low` to `high`, and the pages that they stand on from `fromPage` to `toPage`, all included. */
export interface KnownRange {
  low: number;
  high: number;
  fromPage: number;
  toPage: number;
}

const value = (name: string) => sql.placeholder(name);

/**
 * Prepares: how many records is the service believed to list in the range? Rows are counted by their key alone, and the
 * few that are removed by an index of their own; below an id, by those above it. A million rows must not be read for this.
 */
export function prepareCountExpected(db: Db): (key: PackageKey, range: KnownRange) => number {
  const ofVideo = and(eq(video.account, value('account')), eq(video.package_id, value('packageId')));
  const inRange = and(ofVideo, between(video.id, value('low'), value('high')));
  const rows = db.select({ count: count() }).from(video).where(inRange).prepare();
  const removed = db
    .select({ count: count() })
    .from(video)
    .where(and(inRange, isNotNull(video.removed_at)))
    .prepare();
  const candidates = db
    .select({ count: count() })
    .from(removalCandidate)
    .where(
      and(
        eq(removalCandidate.account, value('account')),
        eq(removalCandidate.package_id, value('packageId')),
        between(removalCandidate.id, value('low'), value('high')),
      ),
    )
    .prepare();
  const all = db
    .select({ count: packageTable.live_count })
    .from(packageTable)
    .where(and(eq(packageTable.account, value('account')), eq(packageTable.package_id, value('packageId'))))
    .prepare();
  const refused = prepareCountRefused(db);
  const live = (place: PackageKey & { low: number; high: number }) =>
    (rows.get({ ...place })?.count ?? 0) - (removed.get({ ...place })?.count ?? 0);
  return ({ account, packageId }, { low, high, fromPage, toPage }) => {
    const place = { account, packageId, low, high };
    const above = { account, packageId, low: high + 1, high: Number.MAX_SAFE_INTEGER };
    const liveHere = low <= 1 ? (all.get({ ...place })?.count ?? 0) - live(above) : live(place);
    return liveHere - (candidates.get(place)?.count ?? 0) + refused({ ...place, fromPage, toPage });
  };
}

/** In quarantine without a live row; one without a readable id stands where its page was. */
function prepareCountRefused(db: Db) {
  const id = sql<number>`cast(${quarantine.record_id} as integer)`;
  const liveRow = db
    .select({ one: sql`1` })
    .from(video)
    .where(
      and(
        eq(video.account, quarantine.account),
        sql`${video.package_id} = ${quarantine.package_id}`,
        eq(video.id, id),
        isNull(video.removed_at),
      ),
    );
  const open = and(
    isNull(quarantine.resolved_at),
    eq(quarantine.account, value('account')),
    eq(quarantine.stream, 'videos'),
    eq(quarantine.package_id, value('packageId')),
  );
  const named = db
    .select({ count: sql<number>`count(distinct ${quarantine.record_id})` })
    .from(quarantine)
    .where(
      and(
        open,
        isNotNull(quarantine.record_id),
        between(id, value('low'), value('high')),
        notExists(liveRow),
      ),
    )
    .prepare();
  const nameless = db
    .select({ count: count() })
    .from(quarantine)
    .where(
      and(open, isNull(quarantine.record_id), between(quarantine.page, value('fromPage'), value('toPage'))),
    )
    .prepare();
  return (place: PackageKey & KnownRange): number =>
    (named.get({ ...place })?.count ?? 0) + (nameless.get({ ...place })?.count ?? 0);
}

/** Prepares: which is the highest id that there ever was in the package, in a row or in quarantine? 0 for none. */
export function prepareHighestId(db: Db): (key: PackageKey) => number {
  const rows = db
    .select({ id: max(video.id) })
    .from(video)
    .where(and(eq(video.account, value('account')), eq(video.package_id, value('packageId'))))
    .prepare();
  const refused = prepareOpenVideoIds(db);
  return ({ account, packageId }) => {
    const ids = refused({ account, packageId }).map(Number).filter(Number.isSafeInteger);
    return Math.max(rows.get({ account, packageId })?.id ?? 0, ...ids);
  };
}
