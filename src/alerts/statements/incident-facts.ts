/** What of the file may be an incident. Each is asked once a minute: it must cost little, whatever the file holds. */
import { and, desc, eq, isNull, ne, sql } from 'drizzle-orm';
import type { Tx } from '../../database/connection.ts';
import { request, run, walk, warehouseState } from '../../database/schema/runs.ts';
import { storageDiscrepancy, storageGap } from '../../database/schema/storage.ts';
import { packageTable } from '../../database/schema/videos.ts';

/** A package whose last full walk that came to an end failed. */
export interface FailedWalk {
  account: string;
  package_id: number;
  walk_id: number;
  error: string | null;
  /** End of the first of the failures in a row, and how many they are. */
  since: string;
  failures: number;
}

/** Which packages in force failed when they were last walked? What was broken off or put off says nothing. */
export function failedWalks(tx: Tx): FailedWalk[] {
  const last = (statuses: string) => sql`select x.walk_id from ${walk} x
    where x.account = p.account and x.package_id = p.package_id and x.mode = 'full' and x.status in (${sql.raw(statuses)})
    order by x.walk_id desc limit 1`;
  return tx.all<FailedWalk>(sql`
    with last as (
      select p.account, p.package_id, (${last(`'succeeded', 'partial', 'failed'`)}) as walk_id,
        coalesce((${last(`'succeeded', 'partial'`)}), 0) as well_id
      from ${packageTable} p where p.retired_at is null and p.failed_walks > 0
    )
    select l.account, l.package_id, l.walk_id, w.error, min(f.finished_at) as since, count(*) as failures
    from last l
    join ${walk} w on w.walk_id = l.walk_id and w.status = 'failed'
    join ${walk} f on f.account = l.account and f.package_id = l.package_id and f.walk_id > l.well_id
      and f.mode = 'full' and f.status = 'failed'
    group by l.account, l.package_id`);
}

/** A run over everything that failed, as the last one. */
export interface FailedRun {
  run_id: number;
  error: string | null;
  /** End of the first of the failures in a row. */
  since: string;
  /** Full walks of packages that failed in it. */
  walks: number;
}

/** The last run over everything that came to an end, where it failed; else null. */
export function failedRun(tx: Tx): FailedRun | null {
  const rows = tx.all<FailedRun>(sql`
    with whole as (select run_id, status, error, finished_at from ${run}
      where scope is null and status in ('succeeded', 'partial', 'failed')),
    last as (select * from whole order by run_id desc limit 1),
    well as (select run_id from whole where status <> 'failed' order by run_id desc limit 1)
    select last.run_id, last.error,
      (select min(finished_at) from whole where run_id > coalesce((select run_id from well), 0)) as since,
      (select count(*) from ${walk} w where w.run_id = last.run_id and w.mode = 'full' and w.status = 'failed') as walks
    from last where last.status = 'failed'`);
  return rows[0] ?? null;
}

/** A run over everything whose error names the storage of the account, which it asked for. */
export interface StorageRun {
  run_id: number;
  error: string;
  started_at: string;
  finished_at: string;
}

/**
 * In which of the last runs over everything, since one succeeded, did the storage of the account fail, as their errors
 * begin to say it? The newest first. What was put off says nothing.
 */
export function storageRuns(tx: Tx, account: string): StorageRun[] {
  return tx.all<StorageRun>(sql`
    with recent as (select run_id, status, error, started_at, finished_at from ${run}
      where scope is null and status in ('succeeded', 'partial', 'failed') order by run_id desc limit 50)
    select r.run_id, r.error, r.started_at, r.finished_at from recent r
    where r.run_id > coalesce((select max(run_id) from recent where status = 'succeeded'), 0)
      and instr('; ' || r.error, ${`; account ${account}, storage `}) > 0
      and exists (select 1 from ${request} q
        where q.run_id = r.run_id and q.account = ${account} and q.purpose = 'storage')
    order by r.run_id desc`);
}

/** Is a run under way, as far as the file knows? */
export function isRunning(tx: Tx): boolean {
  const last = tx.select({ status: run.status }).from(run).orderBy(desc(run.run_id)).limit(1).get();
  return last?.status === 'running';
}

/** When was the file made? */
export function madeAt(tx: Tx): string | null {
  return tx.select({ at: warehouseState.created_at }).from(warehouseState).get()?.at ?? null;
}

/** A field of a booked day that the service later told otherwise. */
export interface Difference {
  date: string;
  field: string;
  booked: number | null;
  observed: number | null;
  /** When it was first told otherwise. */
  since: string;
}

/** Which booked figures of the account does the service now report differently? */
export function differencesOf(tx: Tx, account: string): Difference[] {
  const { date, field, booked, observed, observed_at, discrepancy_id } = storageDiscrepancy;
  const rows = tx
    .select({ date, field, booked, observed, since: observed_at })
    .from(storageDiscrepancy)
    .where(and(eq(storageDiscrepancy.account, account), isNull(storageDiscrepancy.resolved_at)))
    .orderBy(date, field, discrepancy_id)
    .all();
  const found = new Map<string, Difference>();
  for (const row of rows) {
    const key = `${row.date} ${row.field}`;
    found.set(key, { ...row, since: found.get(key)?.since ?? row.since });
  }
  return [...found.values()];
}

/** Which days of the account were not returned, or not complete, and since when? */
export function openGaps(tx: Tx, account: string): { date: string; since: string }[] {
  const { date, first_missed_at, given_up_at, reason } = storageGap;
  return tx
    .select({ date, since: first_missed_at })
    .from(storageGap)
    .where(and(eq(storageGap.account, account), isNull(given_up_at), ne(reason, 'unconfirmed')))
    .orderBy(date)
    .all();
}
