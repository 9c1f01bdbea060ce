/** Runs: begun, ended, left over, pruned. */
import { and, count, desc, eq, isNull, lt, notInArray } from 'drizzle-orm';
import type { Tx } from '../file.ts';
import { request, run, walk, type Mode, type Status, type Trigger } from '../schema/runs.ts';

/** Adds a run and gives its id. */
export function insertRun(
  tx: Tx,
  row: { trigger: Trigger; mode: Mode; started_at: string; scope: string | null },
): number {
  return tx
    .insert(run)
    .values({ ...row, status: 'running' })
    .returning({ id: run.run_id })
    .get().id;
}

/** Marks what a killed process left `running` as interrupted. Only for whoever holds the run lock. */
export function closeLeftOvers(tx: Tx, at: string): void {
  const end = {
    status: 'interrupted' as const,
    finished_at: at,
    error: 'the process ended before the run did',
  };
  tx.update(run).set(end).where(eq(run.status, 'running')).run();
  tx.update(walk).set(end).where(eq(walk.status, 'running')).run();
}

/** Ends a run. */
export function closeRun(
  tx: Tx,
  runId: number,
  end: { status: Status; finished_at: string; requests: number; error: string | null },
): void {
  tx.update(run).set(end).where(eq(run.run_id, runId)).run();
}

/** How many requests did the run send; for one package, or in all? */
export function countRequests(tx: Tx, runId: number, account?: string, packageId?: number): number {
  const ofPackage =
    account === undefined || packageId === undefined
      ? undefined
      : and(eq(request.account, account), eq(request.package_id, packageId));
  const row = tx
    .select({ count: count() })
    .from(request)
    .where(and(eq(request.run_id, runId), ofPackage))
    .get();
  return row?.count ?? 0;
}

/** The newest run over everything in this mode that came to its end, whatever came of it; or undefined. */
export function lastWholeRun(tx: Tx, mode: Mode) {
  return tx
    .select()
    .from(run)
    .where(and(eq(run.mode, mode), isNull(run.scope), notInArray(run.status, ['running', 'interrupted'])))
    .orderBy(desc(run.run_id))
    .limit(1)
    .get();
}

/** The newest runs, newest first. */
export function newestRuns(tx: Tx, limit: number) {
  return tx.select().from(run).orderBy(desc(run.run_id)).limit(limit).all();
}

/** Forgets requests sent before `requestsBeforeMs` and runs begun before `runsBefore`, with their walks. */
export function prune(tx: Tx, requestsBeforeMs: number, runsBefore: string): void {
  tx.delete(request).where(lt(request.spent_until_ms, requestsBeforeMs)).run();
  tx.delete(run).where(lt(run.started_at, runsBefore)).run();
}
