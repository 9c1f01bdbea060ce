/** Records that could not be stored. */
import { and, eq, inArray, isNull, lt, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../database/connection.ts';
import { quarantine } from '../../database/schema/videos.ts';
import type { PackageKey } from '../../lib/package-key.ts';

export type NewQuarantine = Omit<typeof quarantine.$inferInsert, 'quarantine_id' | 'resolved_at'>;

const open = isNull(quarantine.resolved_at);

/** Keeps the record and gives true; the same one that is in quarantine already is only seen again. */
export function quarantineOnce(tx: Tx, row: NewQuarantine): boolean {
  const same = tx
    .select({ id: quarantine.quarantine_id })
    .from(quarantine)
    .where(
      and(
        open,
        eq(quarantine.account, row.account),
        eq(quarantine.stream, row.stream),
        row.package_id == null ? isNull(quarantine.package_id) : eq(quarantine.package_id, row.package_id),
        row.record_id == null ? isNull(quarantine.record_id) : eq(quarantine.record_id, row.record_id),
        eq(quarantine.raw, row.raw),
      ),
    )
    .get();
  if (!same) tx.insert(quarantine).values(row).run();
  else tx.update(quarantine).set({ seen_at: row.seen_at }).where(eq(quarantine.quarantine_id, same.id)).run();
  return !same;
}

/** A walk that saw every record resolves what it did not see in quarantine: it is there no more. */
export function resolveUnseen(tx: Tx, { account, packageId }: PackageKey, since: string, at: string): void {
  const ofPackage = and(eq(quarantine.stream, 'videos'), eq(quarantine.package_id, packageId));
  tx.update(quarantine)
    .set({ resolved_at: at })
    .where(and(open, eq(quarantine.account, account), ofPackage, lt(quarantine.seen_at, since)))
    .run();
}

/** A day that comes otherwise than before resolves how it came then, well or not. */
export function resolveEarlier(tx: Tx, account: string, date: string, at: string): void {
  const ofDay = and(eq(quarantine.stream, 'storage'), eq(quarantine.record_id, date));
  tx.update(quarantine)
    .set({ resolved_at: at })
    .where(and(open, eq(quarantine.account, account), ofDay, lt(quarantine.seen_at, at)))
    .run();
}

/** Prepares: which records of a package are in quarantine, by their ids? */
export function prepareOpenVideoIds(db: Db) {
  const query = db
    .selectDistinct({ id: quarantine.record_id })
    .from(quarantine)
    .where(
      and(
        open,
        eq(quarantine.account, sql.placeholder('account')),
        eq(quarantine.stream, 'videos'),
        eq(quarantine.package_id, sql.placeholder('packageId')),
      ),
    )
    .prepare();
  return ({ account, packageId }: PackageKey): string[] =>
    query.all({ account, packageId }).flatMap((row) => row.id ?? []);
}

/** Marks the records as come well. */
export function resolve(
  tx: Tx,
  account: string,
  stream: 'videos' | 'storage',
  packageId: number | null,
  recordIds: readonly string[],
  at: string,
): void {
  tx.update(quarantine)
    .set({ resolved_at: at })
    .where(
      and(
        open,
        eq(quarantine.account, account),
        eq(quarantine.stream, stream),
        packageId === null ? isNull(quarantine.package_id) : eq(quarantine.package_id, packageId),
        inArray(quarantine.record_id, [...recordIds]),
      ),
    )
    .run();
}
