/** What quick walks and known pages saved. */
import { and, eq, gte, sql } from 'drizzle-orm';
import type { Tx } from '../database/connection.ts';
import { savedRequests, walk } from '../database/schema/runs.ts';

/** The looks of the account from the day (UTC) on, and the requests that they saved. */
export function savedSince(tx: Tx, account: string, date: string): { looks: number; requests: number } {
  const sums = tx
    .select({
      looks: sql<number>`coalesce(sum(${savedRequests.looks}), 0)`,
      requests: sql<number>`coalesce(sum(${savedRequests.requests}), 0)`,
    })
    .from(savedRequests)
    .where(and(eq(savedRequests.account, account), gte(savedRequests.date, date)))
    .get();
  return sums ?? { looks: 0, requests: 0 };
}

/** How many pages were known by their bytes in walks of the account that began at `since` or later? */
export function countRecognised(tx: Tx, account: string, since: string): number {
  const row = tx
    .select({ pages: sql<number>`coalesce(sum(${walk.recognised}), 0)` })
    .from(walk)
    .where(and(eq(walk.account, account), gte(walk.started_at, since)))
    .get();
  return row?.pages ?? 0;
}
