/** Packages: known, retired, walked, looked at, and whose turn is next. */
import { and, eq, gte, inArray, isNull, notInArray, sql, type SQL } from 'drizzle-orm';
import type { Tx } from '../../database/connection.ts';
import { run, walk, type Mode } from '../../database/schema/runs.ts';
import { packageDay, packageTable } from '../../database/schema/videos.ts';
import { prepareOnce } from '../../database/prepared.ts';
import type { PackageKey } from '../../lib/package-key.ts';

const value = (name: string) => sql.placeholder(name);
const ofAny = and(
  eq(packageTable.account, value('account')),
  eq(packageTable.package_id, value('packageId')),
);
const ofPackage = (key: PackageKey) =>
  and(eq(packageTable.account, key.account), eq(packageTable.package_id, key.packageId));

const register = prepareOnce((db) =>
  db
    .insert(packageTable)
    .values({ account: value('account'), package_id: value('packageId'), name: value('name') })
    .onConflictDoUpdate({
      target: [packageTable.account, packageTable.package_id],
      set: { name: sql`excluded.name`, retired_at: null },
      setWhere: sql`${packageTable.name} is not excluded.name or ${packageTable.retired_at} is not null`,
    })
    .prepare(),
);

/** Makes the package known under its name of now; one that was retired is no longer. */
export function registerPackage(tx: Tx, { account, packageId }: PackageKey, name: string | null): void {
  register(tx).run({ account, packageId, name });
}

/** Retires the packages of the account that are not among `kept`. */
export function retirePackages(tx: Tx, account: string, kept: readonly number[], at: string): void {
  tx.update(packageTable)
    .set({ retired_at: notBeforeWalks(at) })
    .where(
      and(
        eq(packageTable.account, account),
        isNull(packageTable.retired_at),
        notInArray(packageTable.package_id, [...kept]),
      ),
    )
    .run();
}

/** A moment, or that of the last walk where it is later: a clock that is behind must not end a package before its history. */
function notBeforeWalks(at: string): SQL {
  const { walked_at, looked_at } = packageTable;
  return sql`max(${at}, coalesce(${walked_at}, ''), coalesce(${looked_at}, ''))`;
}

/** Retires every package of the accounts that are not among `kept`. */
export function retireAccounts(tx: Tx, kept: readonly string[], at: string): void {
  tx.update(packageTable)
    .set({ retired_at: notBeforeWalks(at) })
    .where(and(isNull(packageTable.retired_at), notInArray(packageTable.account, [...kept])))
    .run();
}

const find = prepareOnce((db) => db.select().from(packageTable).where(ofAny).prepare());

/** What is known of the package, or undefined. */
export function findPackage(tx: Tx, { account, packageId }: PackageKey) {
  return find(tx).get({ account, packageId });
}

/** A package in the order of turns. */
export interface PackageInTurn {
  id: number;
  /** Its last full walk failed. */
  failedBefore: boolean;
}

/** The packages of an account by how long they have been unserved in this mode, the longest first. */
export function packagesByTurn(tx: Tx, account: string, mode: Mode): PackageInTurn[] {
  const { last_turn_walk_id, looked_at, package_id, failed_walks } = packageTable;
  return tx
    .select({ id: package_id, failed: failed_walks })
    .from(packageTable)
    .where(eq(packageTable.account, account))
    .orderBy(mode === 'full' ? last_turn_walk_id : looked_at, sql`rowid`) // and then as they stand in the config
    .all()
    .map(({ id, failed }) => ({ id, failedBefore: failed > 0 }));
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
export function addLiveCount(tx: Tx, key: PackageKey, moreLive: number, changeSeq: number): void {
  tx.update(packageTable)
    .set({ live_count: sql`${packageTable.live_count} + ${moreLive}`, changed_seq: changeSeq })
    .where(ofPackage(key))
    .run();
}

const noteSize = prepareOnce((db) =>
  db
    .insert(packageDay)
    .select(
      db
        .select({
          account: packageTable.account,
          package_id: packageTable.package_id,
          date: sql<string>`${sql.placeholder('date')}`.as('date'),
          videos: packageTable.live_count,
        })
        .from(packageTable)
        .where(ofAny),
    )
    .onConflictDoUpdate({
      target: [packageDay.account, packageDay.package_id, packageDay.date],
      set: { videos: sql`excluded.videos` },
    })
    .prepare(),
);

/** Notes how many videos the package has on this day (UTC). */
export function recordSize(tx: Tx, { account, packageId }: PackageKey, date: string): void {
  noteSize(tx).run({ account, packageId, date });
}

/** Notes what a whole walk found. */
export function recordFullWalk(
  tx: Tx,
  key: PackageKey,
  found: { totalcount: number; page_size: number; walked_at: string; order: 'trusted' | 'untrusted' },
): void {
  const looked = { looked_at: found.walked_at, missing_records: null };
  const first = sql`coalesce(${packageTable.first_walked_at}, ${found.walked_at})`;
  tx.update(packageTable)
    .set({ ...found, ...looked, first_walked_at: first })
    .where(ofPackage(key))
    .run();
}

/**
 * Notes that a package had its turn by this walk. One that failed keeps its place, so that the next run tries again; the
 * second failure in a row sends it to the end of the line.
 */
export function recordTurn(tx: Tx, key: PackageKey, walkId: number, failed: boolean): void {
  const { last_turn_walk_id: turn, failed_walks: failures } = packageTable;
  tx.update(packageTable)
    .set({
      last_turn_walk_id: failed ? sql`case when ${failures} % 2 = 1 then ${walkId} else ${turn} end` : walkId,
      failed_walks: failed ? sql`${failures} + 1` : 0,
    })
    .where(ofPackage(key))
    .run();
}

export type QuickWalkRecord = Pick<
  typeof packageTable.$inferSelect,
  'totalcount' | 'page_size' | 'looked_at' | 'missing_records'
>;

const noteLooked = prepareOnce((db) =>
  db
    .update(packageTable)
    .set({
      totalcount: sql`${value('totalcount')}`,
      page_size: sql`${value('page_size')}`,
      looked_at: sql`${value('looked_at')}`,
      missing_records: sql`${value('missing_records')}`,
    })
    .where(ofAny)
    .prepare(),
);

/** Notes what a quick look found the list to be. */
export function recordQuickWalk(tx: Tx, { account, packageId }: PackageKey, looked: QuickWalkRecord): void {
  noteLooked(tx).run({ account, packageId, ...looked });
}

/** Notes that the list was seen out of order: a whole walk has to earn it trust again. */
export function markUntrusted(tx: Tx, key: PackageKey): void {
  tx.update(packageTable).set({ order: 'untrusted' }).where(ofPackage(key)).run();
}

/** Notes that a quick look came to the package and failed: it waits for its next turn like the others. */
export function recordFailedQuickWalk(tx: Tx, key: PackageKey, at: string): void {
  tx.update(packageTable).set({ looked_at: at }).where(ofPackage(key)).run();
}
