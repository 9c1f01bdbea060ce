/** The live file as the pipeline reads and writes it, and the request budgets that live in it. */
import { fromTimestamp, toTimestamp, type Clock, DAY_MS } from '../lib/clock.ts';
import { createBudget, createPlaces, type Limits, type OnWait } from '../budget/budget.ts';
import { correctDay, findBookedDay, readDayHistory, storeDays } from './store-days.ts';
import { openDatabase, openLedgerConnection, watchIdentity, type Tx } from '../database/connection.ts';
import { findPageHash, recognisePage, storeUnchangedPage } from './unchanged-pages.ts';
import { beginQuickWalk, finishQuickWalk, finishUnchangedList } from './quick-walks.ts';
import { storeBoundaryPage, storePage } from './store-page.ts';
import { PAUSE_MEMORY_MS } from '../budget/pauses.ts';
import type { Mode, Status, Trigger } from '../database/schema/values.ts';
import * as runs from './statements/run.ts';
import * as state from './statements/warehouse-state.ts';
import * as accounts from './accounts.ts';
import * as backups from './statements/backup.ts';
import { countExpected, countReplaced, hasLiveId } from './statements/expected-ids.ts';
import { acknowledgeDrift, countWalksWithoutDrift, listOpenDrift, recordDrift } from './statements/drift.ts';
import { deletePause, prunePauses } from '../budget/statements/pause.ts';
import * as targetLoads from './statements/target-loads.ts';
import { dropCandidates, countProofsByOrder, hasHeldBack } from './statements/removal.ts';
import { countLive, findLiveIds, retireVideos } from './statements/video.ts';
import { deletePagesAbout } from './statements/page-hash.ts';
import type { PackageKey } from '../lib/package-key.ts';
import * as packages from './statements/package.ts';
import { countOrphanFailures, findWalkOf, findWalks, forgetCheckpoints } from './statements/walk.ts';
import { transact } from '../database/transaction.ts';
import { beginWalk, finishWalk, stopWalk } from './walks.ts';

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

export interface ConfiguredAccount {
  name: string;
  packages: readonly { id: number; name: string | null; full?: string }[];
}

/** Each call is a read of the live file. */
const READS = {
  countRequests: runs.countRequests,
  findSilence: runs.findSilence,
  findWalks,
  findWalkOf,
  findLastRun: runs.findLastRun,
  getLastDurationMs: runs.getLastDurationMs,
  listPackagesByTurn: packages.listPackagesByTurn,
  listFullTurns: packages.listFullTurns,
  listPackagesServedSince: packages.listPackagesServedSince,
  findPageHash,
  recognisePage,
  hasLiveId,
  countReplaced,
  countLive,
  findLiveIds,
  countExpected,
  countProofsByOrder,
  readDayHistory,
  findBookedDay,
  getBookedZone: state.getBookedZone,
  getWarehouseId: state.getWarehouseId,
  isDemoFile: state.isDemoFile,
  hasAccount: accounts.hasAccount,
  listAccounts: accounts.listAccounts,
  hasHeldBack,
  listActivePackages: packages.listActivePackages,
  listTargetPackages: accounts.listTargetPackages,
  countTargetRows: accounts.countTargetRows,
  findLastBackups: backups.findLastBackups,
  listBackups: backups.listBackups,
  listTargetLoads: targetLoads.listTargetLoads,
  listOpenDrift,
};

/** Each call is one transaction. */
const WRITES = {
  beginRun,
  endRun,
  registerPackages,
  beginWalk,
  storePage,
  storeBoundaryPage,
  dropCandidates,
  finishWalk,
  stopWalk,
  beginQuickWalk,
  finishQuickWalk,
  recordZone: state.recordZone,
  markAsDemo: state.markAsDemo,
  renameAccount: accounts.renameAccount,
  forget: accounts.forget,
  storeDays,
  correctDay,
  acknowledgeDrift,
  /** False where the account is not paused. The run that was parked for the pause may continue. */
  endPause: (tx: Tx, ended: { account: string; at: string }): boolean => {
    const isEnded = deletePause(tx, ended) > 0;
    if (isEnded) runs.resumeParked(tx, ended);
    return isEnded;
  },
  beginBackup: backups.beginBackup,
  finishBackup: backups.finishBackup,
  failBackup: backups.failBackup,
  deleteBackup: backups.deleteBackup,
  deleteUnfinishedBackups: backups.deleteUnfinishedBackups,
  recordLoadReports: targetLoads.recordLoadReports,
  deleteTargetLoadsExcept: targetLoads.deleteTargetLoadsExcept,
};

/** These only record that nothing changed: without an fsync, a power failure costs a page, no row. */
const WRITES_WITHOUT_FSYNC = { storeUnchangedPage, finishUnchangedList };

/** The functions without their first parameter. */
type Bound<Functions> = {
  [Name in keyof Functions]: Functions[Name] extends (tx: never, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

function bind<Functions extends Record<string, (tx: Tx, ...rest: never[]) => unknown>>(
  functions: Functions,
  call: (work: (tx: Tx) => unknown) => unknown,
): Bound<Functions> {
  const bound = Object.entries(functions).map(([name, work]) => [
    name,
    (...rest: never[]) => call((tx) => work(tx, ...rest)),
  ]);
  return Object.fromEntries(bound) as Bound<Functions>;
}

export type Warehouse = ReturnType<typeof openWarehouse>;

/** Opens (or creates) the live file at `path`. Throws WarehouseError if it cannot be used. */
export function openWarehouse(path: string, clock: Clock) {
  const db = openDatabase(path, clock.now());
  const ledger = openLedgerConnection(path);
  const assertNotReplaced = watchIdentity(path);
  const takePlace = createPlaces();
  return {
    path,
    ...bind(READS, (read) => read(db)),
    ...bind(WRITES, (write) => transact(db, write)),
    ...bind(WRITES_WITHOUT_FSYNC, (write) => transact(ledger, write)),
    createBudget: (account: string, limits: Limits, onWait?: OnWait) =>
      createBudget(ledger, account, limits, clock, { takePlace, onWait }),
    /** Throws WarehouseError if another file, or none, is at the path now, or at that of its -wal. */
    assertNotReplaced,
    close: () => {
      ledger.$client.close();
      db.$client.close();
    },
  };
}

/** Begins a run, and closes what killed processes left running. Only the holder of the run lock may call it. */
function beginRun(tx: Tx, { trigger, mode, now, scope, origin }: NewRun): number {
  const started_at = toTimestamp(now);
  countOrphanFailures(tx);
  runs.interruptOrphans(tx, started_at);
  return runs.insertRun(tx, { trigger, mode, scope, started_at, origin_started_at: origin });
}

/** Stored as drift: any server that has a clock sends this header. */
const NO_DATE = [{ field: 'Date', kind: 'missing', sample: null }] as const;

function endRun(tx: Tx, runId: number, end: RunEnd): void {
  const { status, now, error, failures, resumeAt, clockOffsetMs, undated, retention } = end;
  const at = toTimestamp(now);
  const last = undated.length > 0 ? runs.findLastRun(tx, 'full') : null;
  // a clock that is wrong in one run only must delete nothing: the run before confirms it
  const confirmedAt = last ? Math.min(now, fromTimestamp(last.startedAt)) : now;
  runs.closeRun(tx, runId, {
    status,
    finished_at: at,
    requests: runs.countRequests(tx, { runId }),
    error,
    resume_at: resumeAt === null ? null : toTimestamp(Math.ceil(resumeAt / 1000) * 1000),
    clock_offset_ms: clockOffsetMs,
  });
  for (const failure of failures) runs.insertFailure(tx, { ...failure, runId });
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

/** Adds the configured packages, and retires the others. */
function registerPackages(tx: Tx, configuredAccounts: readonly ConfiguredAccount[], now: number): void {
  const followed = new Set<string>();
  for (const { name: account, packages: configured } of configuredAccounts) {
    for (const { id, name, full: schedule = null } of configured) {
      const key = { account, packageId: id };
      packages.returnPackage(tx, key);
      packages.registerPackage(tx, { ...key, name, schedule });
      followed.add(`${account}/${id}`);
    }
  }
  for (const { account, packageId } of packages.listActivePackages(tx))
    if (!followed.has(`${account}/${packageId}`)) retire(tx, { account, packageId }, now);
}

/** Ends the states of the package's videos: what a walk finds after a return is new knowledge. */
function retire(tx: Tx, key: PackageKey, now: number): void {
  const at = toTimestamp(now);
  const before = state.getChangeSeq(tx);
  const changeSeq = before + retireVideos(tx, { ...key, at, changeSeq: before });
  state.setChangeSeq(tx, { seq: changeSeq });
  packages.retirePackage(tx, { ...key, at, changeSeq });
  dropCandidates(tx, key, 'all');
  forgetCheckpoints(tx, key);
  deletePagesAbout(tx, { ...key, low: 0, high: Number.MAX_SAFE_INTEGER });
}
