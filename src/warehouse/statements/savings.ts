/** What quick looks saved. */
import { lt, sql } from 'drizzle-orm';
import type { Tx } from '../../database/connection.ts';
import { savedRequests } from '../../database/schema/runs.ts';
import { prepareOnce } from '../../database/prepared.ts';

const add = prepareOnce((db) =>
  db
    .insert(savedRequests)
    .values({
      account: sql.placeholder('account'),
      date: sql.placeholder('date'),
      looks: 1,
      requests: sql.placeholder('requests'),
    })
    .onConflictDoUpdate({
      target: [savedRequests.account, savedRequests.date],
      set: {
        looks: sql`${savedRequests.looks} + 1`,
        requests: sql`${savedRequests.requests} + excluded.requests`,
      },
    })
    .prepare(),
);

/** Adds one look at a package to the day (UTC), and the requests that it saved against a full walk. */
export function addSaving(tx: Tx, account: string, date: string, requests: number): void {
  add(tx).run({ account, date, requests });
}

/** Forgets what was saved before the day (UTC). */
export function pruneSavings(tx: Tx, date: string): void {
  tx.delete(savedRequests).where(lt(savedRequests.date, date)).run();
}
