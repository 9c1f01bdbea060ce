/** What quick looks saved. */
import { and, eq, gte, lt, sql } from 'drizzle-orm';
import type { Tx } from '../file.ts';
import { saving } from '../schema/runs.ts';
import { prepared } from './prepared.ts';

const add = prepared((db) =>
  db
    .insert(saving)
    .values({
      account: sql.placeholder('account'),
      date: sql.placeholder('date'),
      looks: 1,
      requests: sql.placeholder('requests'),
    })
    .onConflictDoUpdate({
      target: [saving.account, saving.date],
      set: { looks: sql`${saving.looks} + 1`, requests: sql`${saving.requests} + excluded.requests` },
    })
    .prepare(),
);

/** Adds one look at a package to the day (UTC), and the requests that it saved against a full walk. */
export function addSaving(tx: Tx, account: string, date: string, requests: number): void {
  add(tx).run({ account, date, requests });
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
