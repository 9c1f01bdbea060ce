/** Runs: begun, ended, left over, pruned. */
import { and, count, desc, eq, gte, inArray, isNull, lt, notInArray, sql } from 'drizzle-orm';
import { fromTimestamp, toTimestamp } from '../../lib/clock.ts';
import type { Tx } from '../../database/connection.ts';
import { prepareOnce } from '../../database/prepared.ts';
import { request, run, runFailure, walk, type Mode, type Status } from '../../database/schema/runs.ts';

/** Adds a run and gives its id. */
export function insertRun(
  tx: Tx,
  row: Pick<typeof run.$inferInsert, 'trigger' | 'mode' | 'started_at' | 'scope' | 'origin_started_at'>,
): number {
  return tx
    .insert(run)
    .values({ ...row, status: 'running' })
    .returning({ id: run.run_id })
    .get().id;
}

/** Marks what a killed process left `running` as interrupted. Only for whoever holds the run lock. */
export function interruptOrphans(tx: Tx, at: string): void {
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
  end: {
    status: Status;
    finished_at: string;
    requests: number;
    error: string | null;
    resume_at: string | null;
    clock_offset_ms: number | null;
  },
): void {
  tx.update(run).set(end).where(eq(run.run_id, runId)).run();
}

/** One thing that a run could not do; `package_id` is null for the storage, `stream` for the account as a whole. */
export type RunFailure = Omit<typeof runFailure.$inferSelect, 'run_id'>;

/** Records what a run could not do. */
export function insertFailures(tx: Tx, runId: number, failures: readonly RunFailure[]): void {
  for (const failure of failures) {
    tx.insert(runFailure)
      .values({ ...failure, run_id: runId })
      .run();
  }
}

/** Moves the times of a run by `offsetMs` milliseconds: the clock that they were read from was wrong. */
export function shiftRun(tx: Tx, runId: number, offsetMs: number): void {
  const row = tx.select().from(run).where(eq(run.run_id, runId)).get();
  if (!row) return;
  const shifted = (timestamp: string) => toTimestamp(fromTimestamp(timestamp) + offsetMs);
  const { started_at, finished_at, resume_at } = row;
  tx.update(run)
    .set({
      started_at: shifted(started_at),
      finished_at: finished_at && shifted(finished_at),
      resume_at: resume_at && shifted(resume_at),
    })
    .where(eq(run.run_id, runId))
    .run();
}

const ofRun = eq(request.run_id, sql.placeholder('runId'));
const countOfRun = prepareOnce((db) => db.select({ count: count() }).from(request).where(ofRun).prepare());
const countOfPackage = prepareOnce((db) =>
  db
    .select({ count: count() })
    .from(request)
    .where(
      and(
        ofRun,
        eq(request.account, sql.placeholder('account')),
        eq(request.package_id, sql.placeholder('packageId')),
      ),
    )
    .prepare(),
);

/** How many requests did the run send; for one package, or in all? */
export function countRequests(tx: Tx, runId: number, account?: string, packageId?: number): number {
  const row =
    account === undefined || packageId === undefined
      ? countOfRun(tx).get({ runId })
      : countOfPackage(tx).get({ runId, account, packageId });
  return row?.count ?? 0;
}

const lastWhole = prepareOnce((db) =>
  db
    .select()
    .from(run)
    .where(
      and(
        eq(run.mode, sql.placeholder('mode')),
        isNull(run.scope),
        notInArray(run.status, ['running', 'interrupted']),
      ),
    )
    .orderBy(desc(run.run_id))
    .limit(1)
    .prepare(),
);

/** The newest run over everything in this mode that came to its end, whatever came of it; or undefined. */
export function lastUnscopedRun(tx: Tx, mode: Mode) {
  return lastWhole(tx).get({ mode });
}

/** How long did the newest whole run in this mode take that did all it could, in milliseconds? 0 before the first. */
export function lastDurationMs(tx: Tx, mode: Mode): number {
  const last = tx
    .select({ started: run.started_at, finished: run.finished_at })
    .from(run)
    .where(and(eq(run.mode, mode), isNull(run.scope), inArray(run.status, ['succeeded', 'partial'])))
    .orderBy(desc(run.run_id))
    .limit(1)
    .get();
  return last?.finished ? fromTimestamp(last.finished) - fromTimestamp(last.started) : 0;
}

/**
 * Forgets requests on their way until before `ms`: the oldest ones, up to the first that is younger. They stand in the
 * order of their sending, so that nothing is looked at but what goes.
 */
export function pruneRequests(tx: Tx, ms: number): void {
  const firstKept = tx
    .select({ id: request.request_id })
    .from(request)
    .where(gte(request.spent_until_ms, ms))
    .orderBy(request.request_id)
    .limit(1)
    .get();
  tx.delete(request)
    .where(firstKept ? lt(request.request_id, firstKept.id) : undefined)
    .run();
}

/** Forgets runs begun before `at`, with their walks. */
export function pruneRuns(tx: Tx, at: string): void {
  tx.delete(run).where(lt(run.started_at, at)).run();
}
