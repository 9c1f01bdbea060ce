/** The newest moment that the file holds: does it lie ahead of the clock? */
import { gt, max, or, sql, type SQL } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Tx } from './connection.ts';
import { run } from './schema/runs.ts';
import { packageTable } from './schema/videos.ts';

/** The newest moment of a run or a walk; null where there is none. Reads two small tables. */
export function getNewestTime(tx: Tx): string | null {
  const ofRuns = tx
    .select({ started: max(run.started_at), finished: max(run.finished_at) })
    .from(run)
    .get();
  const { walked_at, looked_at } = packageTable;
  const ofPackages = tx
    .select({ walked: max(walked_at), looked: max(looked_at) })
    .from(packageTable)
    .get();
  const moments = [ofRuns?.started, ofRuns?.finished, ofPackages?.walked, ofPackages?.looked];
  return (
    moments
      .flatMap((moment) => moment ?? [])
      .sort()
      .at(-1) ?? null
  );
}

/** Lowers the moments of runs and walks that lie after `at` to it: a clock that was ahead wrote them. */
export function clampFutureTimes(tx: Tx, at: string): void {
  const lower = (column: SQLiteColumn): SQL => sql`min(${column}, ${at})`;
  const { started_at, finished_at } = run;
  tx.update(run)
    .set({ started_at: lower(started_at), finished_at: lower(finished_at) })
    .where(or(gt(started_at, at), gt(finished_at, at)))
    .run();
  const { first_walked_at, walked_at, looked_at } = packageTable;
  const moments = { first_walked_at, walked_at, looked_at };
  tx.update(packageTable)
    .set(Object.fromEntries(Object.entries(moments).map(([name, column]) => [name, lower(column)])))
    .where(or(...Object.values(moments).map((column) => gt(column, at))))
    .run();
}
