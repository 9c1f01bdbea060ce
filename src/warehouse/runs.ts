/** Runs: begun and ended, and what a pause holds back. */
import { eq } from 'drizzle-orm';
import { DAY_MS, fromTimestamp, toTimestamp } from '../lib/clock.ts';
import { PAUSE_MEMORY_MS, roundUp } from '../budget/pauses.ts';
import { deletePause, prunePauses } from '../budget/statements/pause.ts';
import type { Tx } from '../database/connection.ts';
import { KILLED, run, runFailure, walk } from '../database/schema/runs.ts';
import type { Mode, Status, Trigger } from '../database/schema/values.ts';
import { countWalksWithoutDrift, recordDrift } from './statements/drift.ts';
import * as runs from './statements/run.ts';
import { countOrphanFailures } from './statements/walk.ts';

export interface NewRun {
  trigger: Trigger;
  mode: Mode;
  now: number;
  /** The options that limit the run, as text; null for an unscoped run. */
  scope: string | null;
  /** Start of the original run that this run resumes, `YYYY-MM-DD HH:MM:SS`; else null. */
  origin: string | null;
}

export interface RunEnd {
  status: Status;
  now: number;
  error: string | null;
  /** One for each package, storage or account that failed. */
  failures: readonly runs.RunFailure[];
  /** When a parked run may continue, in milliseconds since 1970; null for any other. */
  resumeAt: number | null;
  /** The service's clock minus the machine's, in milliseconds; null if the machine's is right. */
  clockOffsetMs: number | null;
  /** Accounts whose responses have no date, if none of the run confirms the machine's clock. */
  undated: readonly string[];
  /** Age in days at which requests and runs are deleted; null for nothing is deleted by age. */
  retention: { requestsDays: number; runsDays: number } | null;
}

/**
 * Begins a run, and closes what killed processes left running. Only the holder of the run lock may call it.
 */
export function beginRun(tx: Tx, { trigger, mode, now, scope, origin }: NewRun): number {
  const started_at = toTimestamp(now);
  countOrphanFailures(tx);
  const killed = { status: 'interrupted', finished_at: started_at, error: KILLED } as const;
  tx.update(run).set(killed).where(eq(run.status, 'running')).run();
  tx.update(walk).set(killed).where(eq(walk.status, 'running')).run();
  const row = { trigger, mode, status: 'running', started_at, scope, origin_started_at: origin } as const;
  return tx.insert(run).values(row).returning({ id: run.run_id }).get().id;
}

/** A missing `Date` header, which is stored as drift, because any server that has a clock sends it. */
const NO_DATE = [{ field: 'Date', kind: 'missing', sample: null }] as const;

/** Stores how a run ended, and deletes what is old by its age. */
export function endRun(tx: Tx, runId: number, end: RunEnd): void {
  const { status, now, error, failures, resumeAt, clockOffsetMs, undated, retention } = end;
  const at = toTimestamp(now);
  const last = undated.length > 0 ? runs.findLastRun(tx, 'full') : null;
  // Without dates in the responses, the start of the run before bounds the age by which rows are deleted: a
  // clock that is wrong in one run only must delete nothing.
  const confirmedAt = last ? Math.min(now, fromTimestamp(last.startedAt)) : now;
  const result = {
    status,
    finished_at: at,
    requests: runs.countRequests(tx, { runId }),
    error,
    resume_at: resumeAt === null ? null : roundUp(resumeAt),
    clock_offset_ms: clockOffsetMs,
  };
  tx.update(run).set(result).where(eq(run.run_id, runId)).run();
  for (const { packageId, ...failure } of failures)
    tx.insert(runFailure)
      .values({ ...failure, run_id: runId, package_id: packageId })
      .run();
  for (const account of undated) recordDrift(tx, { account, stream: 'videos', packageId: null }, NO_DATE, at);
  countWalksWithoutDrift(tx, { runId, at });
  if (retention) prune(tx, confirmedAt, retention);
}

function prune(tx: Tx, now: number, retention: NonNullable<RunEnd['retention']>): void {
  const runsBefore = toTimestamp(now - retention.runsDays * DAY_MS);
  runs.pruneRequests(tx, { ms: now - retention.requestsDays * DAY_MS });
  runs.pruneRuns(tx, { at: runsBefore });
  runs.pruneSavedRequests(tx, { date: runsBefore.slice(0, 10) });
  prunePauses(tx, { at: toTimestamp(now - PAUSE_MEMORY_MS) });
}

/** Ends the pause of an account, so that parked runs may continue. False if the account is not paused. */
export function endPause(tx: Tx, { account, at }: { account: string; at: string }): boolean {
  const isEnded = deletePause(tx, { account, at }) > 0;
  if (isEnded) runs.resumeParked(tx, { at });
  return isEnded;
}
