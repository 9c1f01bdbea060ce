/** What the pages show beyond the status: the run in progress, storage by day, the latest changes, a package, a video. */
import { openReadOnly, type Db } from '../database/connection.ts';
import { isHeld } from '../database/lock.ts';
import { readSnapshot } from '../database/transaction.ts';
import type { PackageKey } from '../lib/package-key.ts';
import { readLatestChanges } from './changes/latest-changes.ts';
import { findLastPosition } from './changes/find-changes.ts';
import { LAST_POSITIONS, RUN_SPAN } from './named/changes.ts';
import * as packages from './named/packages.ts';
import * as runs from './named/runs.ts';
import * as status from './named/status.ts';
import * as storage from './named/storage.ts';
import * as totals from './named/totals.ts';
import * as videos from './named/videos.ts';
import { readRun } from './run-queries.ts';
import { createShowStatus, withShownStatus } from './shown-status.ts';

/** Versions that the page of a video shows. */
const VERSIONS = 100;

export interface RunningRun extends status.RunRow {
  /** Packages that this run, and the runs that it resumes, have walked. */
  walked: number;
  /** Its walks in progress. */
  running_walks: status.RunningWalk[];
}

/** A video in its present state and in earlier ones. */
export interface VideoStates {
  now: videos.VideoRow;
  /** Newest first, a hundred at most. */
  before: videos.VersionRow[];
  /** The state before those; null if `before` has all. */
  earlier: videos.VersionRow | null;
}

interface DayTotal {
  date: string;
  videos: number;
}

/** `videos`: those of now, from which the days are counted back. */
interface TotalsRequest {
  since: string;
  at: string;
  today: string;
  videos: number;
}

export type PageQueries = ReturnType<typeof openPageQueries>;

/** Opens the live file at `path`. Throws as `openReadOnly`. */
export function openPageQueries(path: string) {
  const db = openReadOnly(path);
  const show = createShowStatus(path);
  let kept: { today: string; totals: DayTotal[] } | null = null;

  /** The videos of all packages on the days from `since` (which began at `at`) until yesterday, the newest first; read once a day. */
  function pastTotals({ since, at, today, videos: now }: TotalsRequest): DayTotal[] {
    if (kept?.today === today) return kept.totals;
    let left = now;
    const totals = videos.DAILY_GROWTH.all(db, { since, at }).map(({ date, grown }) => {
      left -= grown;
      return { date, videos: left + grown };
    });
    kept = { today, totals: totals.filter(({ date }) => date < today) };
    return kept.totals;
  }

  return {
    /** The newest run, if a process is running it; a killed run keeps the status `running`. */
    runningRun: () => (isHeld(path, 'run') ? readSnapshot(db, () => readRunningRun(db)) : null),
    /** By package, since `at`. */
    videoChanges: (at: string) => readSnapshot(db, () => readVideoChanges(db, at)),
    /** At most `lines`, the newest first. */
    latestChanges: (lines: number) => readSnapshot(db, () => readLatestChanges(db, lines)),
    /** By day from `since` on. */
    sizes: (key: PackageKey, since: string) => videos.PACKAGE_SIZES.all(db, { ...toColumns(key), since }),
    pastTotals,
    /** Walks from `at` on that did not succeed. */
    trouble: (key: PackageKey, at: string) => videos.PACKAGE_TROUBLE.all(db, { ...toColumns(key), at }),
    /** Of the packages of the config. */
    lastChanges: () => packages.PACKAGE_CHANGES.all(db, {}),
    quarantineByPackage: () => packages.QUARANTINE_BY_PACKAGE.all(db, {}),
    /** The oldest first; of more than `limit` days the newest. */
    storageDays: (account: string, limit = 1e6) => storage.STORAGE_DAYS.all(db, { account, limit }).reverse(),
    /** Newest first. */
    gaps: (account: string, since: string) => storage.GAPS.all(db, { account, since }),
    package: (key: PackageKey) => status.PACKAGE.get(db, toColumns(key)) ?? null,
    walks: (key: PackageKey, limit: number) =>
      withShownStatus(videos.PACKAGE_WALKS.all(db, { ...toColumns(key), limit }), show),
    /** The newest runs first, without their walks. */
    lastRuns: (limit: number) => withShownStatus(runs.RUN_STRIP.all(db, { limit }), show),
    /** Runs with a number below `before`, the newest first. */
    runsBefore: (before: number, limit: number) =>
      withShownStatus(runs.RUNS_BEFORE.all(db, { before, limit }), show),
    /** Null where there is no such run. */
    run: (runId: number) => readSnapshot(db, () => readRun(db, runId, show)),
    walkWaits: (run_id: number) => runs.WALK_WAITS.all(db, { run_id }),
    hasRun: (run_id: number) => RUN_SPAN.get(db, { run_id }) !== undefined,
    video: (key: PackageKey, id: number) => readSnapshot(db, () => readVideo(db, key, id)),
    close: (): void => void db.$client.close(),
  };
}

function toColumns({ account, packageId }: PackageKey) {
  return { account, package_id: packageId };
}

function readVideoChanges(db: Db, at: string) {
  const { later } = LAST_POSITIONS.one(db, {});
  const position = findLastPosition(db, 'later', later, (each) => each < at);
  return totals.VIDEO_CHANGES.all(db, { at, position });
}

function readRunningRun(db: Db): RunningRun | null {
  const run = status.RUNS.get(db, { limit: 1 });
  if (run?.status !== 'running') return null;
  const { run_id, origin_started_at: origin } = run;
  const { walked } = status.WALKED_PACKAGES.one(db, { run_id, origin });
  const walks = status.RUNNING_WALKS.all(db, {}).filter((walk) => walk.run_id === run_id);
  return { ...run, walked, running_walks: walks };
}

function readVideo(db: Db, key: PackageKey, id: number): VideoStates | null {
  const params = { ...toColumns(key), id };
  const now = videos.VIDEO.get(db, params);
  if (!now) return null;
  const states = videos.VERSIONS.all(db, { ...params, limit: VERSIONS + 1 });
  return { now, before: states.slice(0, VERSIONS), earlier: states[VERSIONS] ?? null };
}
