/** The warehouse as the pipeline sees it: one interface, so that a second engine can stand behind it. */
import { toTimestamp, type Clock, DAY_MS } from '../lib/clock.ts';
import { matchPage, findPageHashes, type PageMatch, type PlacedPage } from './package-membership.ts';
import { getBookedZone, type BookedZone } from './booked-zone.ts';
import type { AccountBudget } from '../lib/request-budget.ts';
import { createBudget, type Limits, type OnWait } from '../budget/budget.ts';
import { correctDay, findBookedDay, readDayHistory, storeDays } from './store-days.ts';
import type { BookedDay, Correction, DayCounts, DaysToStore, DayHistory } from './store-days.ts';
import { openDatabase, openLedgerConnection, type Db, type Tx } from '../database/connection.ts';
import { getFileIdentity, assertSameFile } from '../database/file-identity.ts';
import { recognisePage, storeUnchangedPage } from './unchanged-pages.ts';
import type { UnchangedPage, UnchangedPageToStore } from './unchanged-pages.ts';
import { beginQuickWalk, finishQuickWalk, finishUnchangedList } from './quick-walks.ts';
import type { ListBaseline, QuickWalkEnd, QuickWalkResult } from './quick-walks.ts';
import { storeBoundaryPage, storePage } from './store-page.ts';
import { PAUSE_MEMORY_MS } from '../budget/pauses.ts';
import type { BoundaryPageToStore, PageOutcome, PageToStore } from './store-page.ts';
import type { Mode, Status, Trigger } from '../database/schema/runs.ts';
import * as runs from './statements/run.ts';
import { readZone, writeZone } from './statements/change-seq.ts';
import type { PageCounts, WalkRow } from './statements/walk.ts';
import { countExpected, type PagedIdRange } from './statements/expected-ids.ts';
import { prunePauses } from '../budget/statements/pause.ts';
import { hasProofsByOrder } from './statements/removal.ts';
import type { HashedPage } from './statements/page-hash.ts';
import { countLive, findLiveIds } from './statements/video.ts';
import * as packages from './statements/package.ts';
import { countOrphanFailures, findWalks } from './statements/walk.ts';
import { transact } from '../database/transaction.ts';
import { clampFutureTimes, getNewestTime } from '../database/newest-time.ts';
import { beginWalk, dropProofs, dropProofsByOrder, finishWalk, stopWalk } from './walks.ts';
import type { StartedWalk, NewWalk, Removals, WalkEnd } from './walks.ts';
import type { PackageKey } from '../lib/package-key.ts';
import type { IdRange } from '../lib/id-range.ts';

export interface NewRun {
  trigger: Trigger;
  mode: Mode;
  now: number;
  /** What was asked for where that was not everything, in words; null for everything. */
  scope: string | null;
  /** Start of the first of the runs that this one goes on from, `YYYY-MM-DD HH:MM:SS`; null where it goes on from none. */
  origin: string | null;
}

/** A run over everything that came to its end, whatever came of it. */
export interface UnscopedRun {
  /** Its start, or that of the first of the runs that it goes on from. */
  startedAt: string;
  /** Its own number: runs are numbered in their order. */
  runId: number;
  status: Status;
  /** From when on it may be gone on with, where it was parked; or null. */
  resumeAt: string | null;
}

export interface RunEnd {
  status: Status;
  now: number;
  error: string | null;
  /** One for each package, storage or account that failed. */
  failures: readonly runs.RunFailure[];
  /** From when on a parked run may be gone on with, in milliseconds since 1970; null for any other. */
  resumeAt: number | null;
  /** What the run found out about the clocks. */
  clock: { offsetMs: number | null; isMachineOff: boolean; isFileWrong: boolean; mayPrune: boolean };
  /** Days after which requests and runs are forgotten. */
  retention: { requestsDays: number; runsDays: number };
}

export interface ConfiguredAccount {
  name: string;
  packages: readonly { id: number; name: string | null }[];
}

export interface Warehouse {
  /** Begins a run, and closes what killed processes left running. Only for whoever holds the run lock. */
  beginRun(run: NewRun): Promise<number>;
  endRun(runId: number, end: RunEnd): Promise<void>;
  /** The newest moment that the file holds of a run, a walk or a reading, `YYYY-MM-DD HH:MM:SS`; null where it holds none. */
  getNewestTime(): Promise<string | null>;
  /** How many requests the run sent. */
  countRequests(runId: number): Promise<number>;
  findWalks(runId: number): Promise<WalkRow[]>;
  /** The newest run over everything that came to its end, whatever came of it; null before the first. */
  findLastUnscopedRun(mode: Mode): Promise<UnscopedRun | null>;
  /** How long the last run in this mode took, in milliseconds; 0 before the first. */
  getLastDurationMs(mode: Mode): Promise<number>;
  /** Makes the configured packages known, and retires the others. */
  registerPackages(accounts: readonly ConfiguredAccount[], now: number): Promise<void>;
  /** The packages that are known of the account, the one longest unserved in this mode first. */
  listPackagesByTurn(account: string, mode: Mode): Promise<packages.PackageInTurn[]>;
  /** Those that had their turn in the run begun at `origin`, or in one that went on from it. */
  listPackagesServedSince(account: string, mode: Mode, origin: string): Promise<number[]>;
  beginWalk(walk: NewWalk): Promise<StartedWalk>;
  storePage(page: PageToStore): Promise<PageOutcome>;
  /** Stores a look across the boundary of two pages; the walk goes on from where it was. */
  storeBoundaryPage(look: BoundaryPageToStore): Promise<PageOutcome>;
  /** The page whose records have this hash, if the rows say all that it says; null where it must be read. */
  recognisePage(page: HashedPage): Promise<UnchangedPage | null>;
  storeUnchangedPage(page: UnchangedPageToStore): Promise<PageCounts>;
  /** How a page fits to the rows of its package; null where most of its videos are live. */
  matchPage(page: PlacedPage): Promise<PageMatch | null>;
  /** Hashes of the known pages of packages that were walked whole before that moment (ms), with their packages. */
  findPageHashes(account: string, before: number): Promise<[packageId: number, hash: string][]>;
  /** How many live rows have an id in the range? */
  countLive(key: PackageKey, range: IdRange): Promise<number>;
  /** The ids of live rows in the range, rising. */
  findLiveIds(key: PackageKey, range: IdRange): Promise<number[]>;
  /** Forgets what the walk under way proved so far. */
  dropProofs(key: PackageKey): Promise<void>;
  /** Forgets all that was proved by the order of the list, also by earlier walks. */
  dropProofsByOrder(key: PackageKey): Promise<void>;
  /** Ends a walk that read every page; removals take effect or are held back. */
  finishWalk(end: WalkEnd): Promise<Removals>;
  /** Ends a walk that stopped before its end; its checkpoint stays. */
  stopWalk(stop: Parameters<typeof stopWalk>[1]): Promise<void>;
  /** Begins a quick look, and says what is known of the list: see Looks. */
  beginQuickWalk(key: PackageKey, now: number): Promise<ListBaseline | 'unwalked' | 'left'>;
  /** How many records is the service believed to list in the range? */
  countExpected(key: PackageKey, range: PagedIdRange): Promise<number>;
  /** Has this walk proved removals by the order of the list? */
  hasProofs(key: PackageKey, walkId: number): Promise<boolean>;
  /** Ends a quick look at pages that were all known. */
  finishUnchangedList(end: QuickWalkResult): Promise<void>;
  /** Ends a quick walk; it leaves a row only where it found something. */
  finishQuickWalk(end: QuickWalkEnd): Promise<void>;
  readDayHistory(account: string): Promise<DayHistory>;
  /** Records the time zone by which days are booked from now on. */
  recordZone(timezone: string): Promise<void>;
  storeDays(days: DaysToStore): Promise<DayCounts>;
  /** The booked day, or null where it is not booked. */
  findBookedDay(account: string, date: string): Promise<BookedDay | null>;
  /** Takes figures in place of the booked ones; the booked row stands. */
  correctDay(correction: Correction): Promise<void>;
}

/** A warehouse in a SQLite file, with the request budgets that live in it. */
export interface SqliteWarehouse extends Warehouse {
  /** `budgetClock`: the time by which requests are counted, where that is not the warehouse's own clock. */
  createBudget(account: string, limits: Limits, onWait?: OnWait, budgetClock?: Clock): AccountBudget;
  getBookedZone(): BookedZone;
  /** Throws WarehouseError where the file is not at its path any more: see `refuseOther`. */
  assertNotReplaced(): void;
  close(): void;
}

/** Opens (or creates) the live file at `path`. Throws WarehouseError if it cannot be used. */
export function openWarehouse(path: string, clock: Clock): SqliteWarehouse {
  const db = openDatabase(path, clock.now());
  const opened = getFileIdentity(path);
  const ledger = openLedgerConnection(path);
  return {
    ...runsAndPackages(db),
    ...walksAndPages(db, ledger),
    ...storageDays(db),
    createBudget: (account, limits, onWait, budgetClock = clock) =>
      createBudget(ledger, account, limits, budgetClock, onWait),
    getBookedZone: () => getBookedZone(db),
    assertNotReplaced: () => assertSameFile(path, opened),
    close: () => {
      ledger.$client.close();
      db.$client.close();
    },
  };
}

function runsAndPackages(db: Db) {
  return {
    beginRun: async (run) => beginRun(db, run),
    endRun: async (runId, end) => endRun(db, runId, end),
    getNewestTime: async () => getNewestTime(db),
    countRequests: async (runId) => runs.countRequests(db, runId),
    findWalks: async (runId) => findWalks(db, runId),
    findLastUnscopedRun: async (mode) => findLastUnscopedRun(db, mode),
    getLastDurationMs: async (mode) => runs.getLastDurationMs(db, mode),
    registerPackages: async (accounts, now) => registerPackages(db, accounts, now),
    listPackagesByTurn: async (account, mode) => packages.listPackagesByTurn(db, account, mode),
    listPackagesServedSince: async (account, mode, origin) =>
      packages.listPackagesServedSince(db, account, mode, origin),
  } satisfies Partial<Warehouse>;
}

/** What only says that nothing changed goes through the ledger: without an fsync, a power failure costs a page, no row. */
function walksAndPages(db: Db, ledger: Db) {
  return {
    beginWalk: async (walk) => beginWalk(db, walk),
    storePage: async (page) => storePage(db, page),
    storeBoundaryPage: async (read) => storeBoundaryPage(db, read),
    recognisePage: async (page) => recognisePage(ledger, page),
    storeUnchangedPage: async (page) => storeUnchangedPage(ledger, page),
    matchPage: async (page) => matchPage(db, page),
    findPageHashes: async (account, before) => findPageHashes(db, account, before),
    countLive: async (key, range) => countLive(db, key, range),
    findLiveIds: async (key, range) => findLiveIds(db, key, range),
    dropProofs: async (key) => dropProofs(db, key),
    dropProofsByOrder: async (key) => dropProofsByOrder(db, key),
    finishWalk: async (end) => finishWalk(db, end),
    stopWalk: async (stop) => stopWalk(db, stop),
    beginQuickWalk: async (key, now) => beginQuickWalk(db, key, now),
    countExpected: async (key, range) => countExpected(db, key, range),
    hasProofs: async (key, walkId) => hasProofsByOrder(db, key, walkId),
    finishUnchangedList: async (end) => finishUnchangedList(ledger, end),
    finishQuickWalk: async (end) => finishQuickWalk(db, end),
  } satisfies Partial<Warehouse>;
}

function storageDays(db: Db) {
  return {
    readDayHistory: async (account) => readDayHistory(db, account),
    recordZone: async (timezone) => recordZone(db, timezone),
    storeDays: async (days) => storeDays(db, days),
    findBookedDay: async (account, date) => findBookedDay(db, account, date),
    correctDay: async (correction) => correctDay(db, correction),
  } satisfies Partial<Warehouse>;
}

function beginRun(db: Db, { trigger, mode, now, scope, origin }: NewRun): number {
  return transact(db, (tx) => {
    countOrphanFailures(tx);
    runs.interruptOrphans(tx, toTimestamp(now));
    const started = { started_at: toTimestamp(now), origin_started_at: origin };
    return runs.insertRun(tx, { trigger, mode, scope, ...started });
  });
}

function endRun(db: Db, runId: number, runEnd: RunEnd): void {
  const { status, now, error, failures, resumeAt, clock, retention } = runEnd;
  transact(db, (tx) => {
    const requests = runs.countRequests(tx, runId);
    const resume_at = resumeAt === null ? null : toTimestamp(Math.ceil(resumeAt / 1000) * 1000);
    const end = { status, finished_at: toTimestamp(now), requests, error, resume_at };
    runs.closeRun(tx, runId, { ...end, clock_offset_ms: clock.offsetMs });
    runs.insertFailures(tx, runId, failures);
    if (clock.isMachineOff) runs.shiftRun(tx, runId, clock.offsetMs ?? 0);
    if (clock.isFileWrong) clampFutureTimes(tx, toTimestamp(now));
    if (clock.mayPrune) prune(tx, now, retention);
  });
}

function prune(tx: Tx, now: number, retention: RunEnd['retention']): void {
  const runsBefore = toTimestamp(now - retention.runsDays * DAY_MS);
  runs.pruneRequests(tx, now - retention.requestsDays * DAY_MS);
  runs.pruneRuns(tx, runsBefore);
  runs.pruneSavedRequests(tx, runsBefore.slice(0, 10));
  prunePauses(tx, toTimestamp(now - PAUSE_MEMORY_MS));
}

function recordZone(db: Db, timezone: string): void {
  if (readZone(db) !== timezone) transact(db, (tx) => writeZone(tx, timezone));
}

function findLastUnscopedRun(db: Db, mode: Mode): UnscopedRun | null {
  const last = runs.findLastUnscopedRun(db, mode);
  if (!last) return null;
  const { run_id: runId, started_at, origin_started_at: origin, status, resume_at: resumeAt } = last;
  return { startedAt: origin ?? started_at, runId, status, resumeAt };
}

function registerPackages(db: Db, accounts: readonly ConfiguredAccount[], now: number): void {
  transact(db, (tx) => {
    const at = toTimestamp(now);
    for (const account of accounts) {
      for (const { id, name } of account.packages) {
        packages.registerPackage(tx, { account: account.name, packageId: id }, name);
      }
      packages.retirePackages(
        tx,
        account.name,
        account.packages.map((each) => each.id),
        at,
      );
    }
    packages.retireAccounts(
      tx,
      accounts.map((account) => account.name),
      at,
    );
  });
}
