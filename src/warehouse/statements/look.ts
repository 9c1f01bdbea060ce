/** What quick looks saved. */
import { and, eq, gte, lt, sql } from 'drizzle-orm';
import type { Tx } from '../file.ts';
import { saving } from '../schema/runs.ts';

/** Adds one look at a package to the day (UTC), and the requests that it saved against a full walk. */
export function addSaving(tx: Tx, account: string, date: string, requests: number): void {
  tx.insert(saving)
    .values({ account, date, looks: 1, requests })
    .onConflictDoUpdate({
      target: [saving.account, saving.date],
      set: { looks: sql`${saving.looks} + 1`, requests: sql`${saving.requests} + ${requests}` },
    })
    .run();
}

/** The looks of the account from the day (UTC) on, and the requests that they saved. */
export function savedSince(tx: Tx, account: string, date: string): { looks: number; requests: number } {
  const sums = tx
    .select({
      looks: sql<number>`coalesce(sum(${saving.looks}), 0)`,
      requests: sql<number>`coalesce(sum(${saving.requests}), 0)`,
    })
    .from(saving)
    .where(and(eq(saving.account, account), gte(saving.date, date)))
    .get();
  return sums ?? { looks: 0, requests: 0 };
}

/** Forgets what was saved before the day (UTC). */
export function pruneSavings(tx: Tx, date: string): void {
  tx.delete(saving).where(lt(saving.date, date)).run();
}
