/** The warehouse as the pipeline sees it: one interface, so that a second engine can stand behind it. */
import { toTimestamp, type Clock } from '../lib/clock.ts';
import { createBudget, type Limits } from './budget.ts';
import { knownDays, storeDays, type DayCounts, type DaysToStore, type KnownDays } from './days.ts';
import { openFile, openLedgerConnection, type Db } from './file.ts';
import { createKnownPages, type KnownPage, type KnownPageToStore } from './known-pages.ts';
import { createPageStore, type BoundaryLook, type IdRange, type PageToStore } from './pages.ts';
import type { Mode, Status, Trigger } from './schema/runs.ts';
import * as runs from './statements/run.ts';
import type { PageCounts, WalkRow } from './statements/walk.ts';
import type { HashedPage } from './statements/page-hash.ts';
import { prepareCountLive, prepareLiveIds, type PackageKey } from './statements/video.ts';
import { lastWalk, registerPackage, retireAccounts, retirePackages, walksOf } from './statements/walk.ts';
import { transact } from './transact.ts';
import { beginWalk, dropProofs, dropProofsByOrder, finishWalk, stopWalk } from './walks.ts';
import type { BegunWalk, NewWalk, Removals, WalkEnd } from './walks.ts';

export interface NewRun {
  trigger: Trigger;
  mode: Mode;
  now: number;
  /** What was asked for where that was not everything, in words; null for everything. */
  scope: string | null;
}

export interface RunEnd {
  status: Status;
  now: number;
  error: string | null;
  /** Days after which requests and runs are forgotten. */
  retention: { requestsDays: number; runsDays: number };
}

export interface ConfiguredAccount {
  name: string;
  packages: readonly { id: number; name: string | null }[];
}

/** A package as the run orders them. */
export interface PackageState {
  packageId: number;
  /** Its last walk, however that ended: walks are numbered in their order; 0 before the first. */
  lastWalkId: number;
}

export interface Warehouse {
  /** Begins a run, and closes what killed processes left running. Only for whoever holds the run lock. */
  beginRun(run: NewRun): Promise<number>;
  endRun(runId: number, end: RunEnd): Promise<void>;
  /** How many requests the run sent. */
  requestsOf(runId: number): Promise<number>;
  walksOf(runId: number): Promise<WalkRow[]>;
  /** The newest run over everything that came to its end, whatever came of it; null before the first. */
  lastWholeRun(mode: Mode): Promise<{ startedAt: string; status: Status } | null>;
  /** Makes the configured packages known, and retires the others. */
  register(accounts: readonly ConfiguredAccount[], now: number): Promise<void>;
  packageState(account: string, packageId: number): Promise<PackageState>;
  beginWalk(walk: NewWalk): Promise<BegunWalk>;
  storePage(page: PageToStore): Promise<PageCounts>;
  /** Stores a look across the boundary of two pages; the walk goes on from where it was. */
  storeLook(look: BoundaryLook): Promise<PageCounts>;
  /** The page whose records have this hash, if the rows say all that it says; null where it must be read. */
  recognisePage(page: HashedPage): Promise<KnownPage | null>;
  storeKnownPage(page: KnownPageToStore): Promise<PageCounts>;
  /** How many live rows have an id in the range? */
  countLive(key: PackageKey, range: IdRange): Promise<number>;
  /** The ids of live rows in the range, rising. */
  liveIds(key: PackageKey, range: IdRange): Promise<number[]>;
  /** Forgets what the walk under way proved so far. */
  dropProofs(key: PackageKey): Promise<void>;
  /** Forgets all that was proved by the order of the list, also by earlier walks. */
  dropProofsByOrder(key: PackageKey): Promise<void>;
  /** Ends a walk that read every page; removals take effect or are held back. */
  finishWalk(end: WalkEnd): Promise<Removals>;
  /** Ends a walk that stopped before its end; its checkpoint stays. */
  stopWalk(stop: Parameters<typeof stopWalk>[1]): Promise<void>;
  knownDays(account: string, since: string): Promise<KnownDays>;
  storeDays(days: DaysToStore): Promise<DayCounts>;
}

/** A warehouse in a SQLite file, with the request budgets that live in it. */
export interface SqliteWarehouse extends Warehouse {
  budget(account: string, limits: Limits): ReturnType<typeof createBudget>;
  close(): void;
}

/** Opens (or makes) the live file at `path`. Throws WarehouseError where it cannot be used. */
export function openWarehouse(path: string, clock: Clock): SqliteWarehouse {
  const db = openFile(path, clock.now());
  const ledger = openLedgerConnection(path);
  const pages = createPageStore(db);
  const knownPages = createKnownPages(ledger); // a checkpoint that a power failure takes back costs a page, no row
  const countLive = prepareCountLive(db);
  const liveIds = prepareLiveIds(db);
  return {
    beginRun: async (run) => beginRun(db, run),
    endRun: async (runId, end) => endRun(db, runId, end),
    requestsOf: async (runId) => runs.countRequests(db, runId),
    walksOf: async (runId) => walksOf(db, runId),
    lastWholeRun: async (mode) => lastWholeRun(db, mode),
    register: async (accounts, now) => register(db, accounts, now),
    packageState: async (account, packageId) => ({
      packageId,
      lastWalkId: lastWalk(db, { account, packageId }, 'full')?.walk_id ?? 0,
    }),
    beginWalk: async (walk) => beginWalk(db, walk),
    storePage: async (page) => pages.storePage(page),
    storeLook: async (look) => pages.storeLook(look),
    recognisePage: async (page) => knownPages.recognise(page),
    storeKnownPage: async (page) => knownPages.store(page),
    countLive: async (key, { low, high }) => countLive(key, low, high),
    liveIds: async (key, { low, high }) => liveIds(key, low, high),
    dropProofs: async (key) => dropProofs(db, key),
    dropProofsByOrder: async (key) => dropProofsByOrder(db, key),
    finishWalk: async (end) => finishWalk(db, end),
    stopWalk: async (stop) => stopWalk(db, stop),
    knownDays: async (account, since) => knownDays(db, account, since),
    storeDays: async (days) => storeDays(db, days),
    budget: (account, limits) => createBudget(ledger, account, limits, clock),
    close: () => {
      ledger.$client.close();
      db.$client.close();
    },
  };
}

function beginRun(db: Db, { trigger, mode, now, scope }: NewRun): number {
  return transact(db, (tx) => {
    runs.closeLeftOvers(tx, toTimestamp(now));
    return runs.insertRun(tx, { trigger, mode, scope, started_at: toTimestamp(now) });
  });
}

function endRun(db: Db, runId: number, { status, now, error, retention }: RunEnd): void {
  transact(db, (tx) => {
    const requests = runs.countRequests(tx, runId);
    runs.closeRun(tx, runId, { status, finished_at: toTimestamp(now), requests, error });
    const dayMs = 86_400_000;
    runs.prune(tx, now - retention.requestsDays * dayMs, toTimestamp(now - retention.runsDays * dayMs));
  });
}

function lastWholeRun(db: Db, mode: Mode) {
  const last = runs.lastWholeRun(db, mode);
  return last ? { startedAt: last.started_at, status: last.status } : null;
}

function register(db: Db, accounts: readonly ConfiguredAccount[], now: number): void {
  transact(db, (tx) => {
    const at = toTimestamp(now);
    for (const account of accounts) {
      for (const { id, name } of account.packages) {
        registerPackage(tx, { account: account.name, packageId: id }, name);
      }
      retirePackages(
        tx,
        account.name,
        account.packages.map((each) => each.id),
        at,
      );
    }
    retireAccounts(
      tx,
      accounts.map((account) => account.name),
      at,
    );
  });
}
