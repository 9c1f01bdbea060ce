/** What the pages show beyond how things stand: runs under way, storage by day, the latest changes, one package, one video. */
import { openReadOnly } from '../database/connection.ts';
import * as changes from './named/changes.ts';
import { isHeld } from '../database/lock.ts';
import { runQuery } from '../database/query.ts';
import * as standing from './named/status.ts';
import * as storage from './named/storage.ts';
import * as videos from './named/videos.ts';
import { readSnapshot } from '../database/transaction.ts';
import type { PackageKey } from '../lib/package-key.ts';

/** So many superseded states are looked through for edits: a removal of very many leaves as many states. */
const EDITS_AMONG = 1_000;

/** So many of its versions a video shows. */
const VERSIONS = 100;

/** A run under way. */
export interface RunningRun extends standing.RunRow {
  /** Packages that it has walked, and those that it goes on from. */
  walked: number;
  under_way: standing.RunningWalk[];
}

/** A video as it is, and as it was. */
export interface VideoStates {
  now: videos.VideoRow;
  /** The newest first, a hundred at most. */
  before: videos.VersionRow[];
  /** The state before those; null where they are all. */
  earlier: videos.VersionRow | null;
}

export interface PageQueries {
  /** The newest run, where a process is at it. */
  running(): RunningRun | null;
  /** Two that are equal: nothing happened between. */
  stamp(): videos.ChangeMarker;
  added(limit: number): changes.Added[];
  edited(limit: number): changes.Edited[];
  removed(limit: number): changes.Removed[];
  /** By day (UTC) from `since` on. */
  sizes(key: PackageKey, since: string): { date: string; videos: number }[];
  storageDays(account: string): storage.StorageDayRow[];
  /** The newest first. */
  gaps(account: string, since: string): storage.GapRow[];
  package(key: PackageKey): (standing.PackageStatus & { retired_at: string | null }) | null;
  walks(key: PackageKey, limit: number): videos.PackageWalk[];
  /** Removed videos with an id below `below`, the highest first. */
  removedOf(key: PackageKey, below: number, limit: number): videos.RemovedVideo[];
  /** The present state of a video, and those before it. */
  video(key: PackageKey, id: number): VideoStates | null;
  close(): void;
}

/** Opens the live file at `path` to look at it. Throws as `openFileToRead`. */
export function openPageQueries(path: string): PageQueries {
  const db = openReadOnly(path);

  function running(): RunningRun | null {
    const [run] = runQuery(db, standing.RUNS, { limit: 1 });
    if (run?.status !== 'running' || !isHeld(path, 'run')) return null; // a killed one stands as `running`
    const { run_id, origin_started_at: origin } = run;
    const [done] = runQuery(db, standing.RUN_DONE, { run_id, origin });
    const walks = runQuery(db, standing.RUNNING_WALKS, {}).filter((walk) => walk.run_id === run_id);
    return { ...run, walked: done?.walked ?? 0, under_way: walks };
  }

  function video({ account, packageId }: PackageKey, id: number): VideoStates | null {
    const key = { account, package_id: packageId, id };
    const [now] = runQuery(db, videos.VIDEO, key);
    if (!now) return null;
    const states = runQuery(db, videos.VERSIONS, { ...key, limit: VERSIONS + 1 });
    return { now, before: states.slice(0, VERSIONS), earlier: states[VERSIONS] ?? null };
  }

  const ofPackage = ({ account, packageId }: PackageKey) => ({ account, package_id: packageId });
  return {
    running: () => readSnapshot(db, running),
    stamp: () => runQuery(db, videos.CHANGE_MARKER, {})[0] ?? NO_STAMP,
    added: (limit) => runQuery(db, changes.ADDED, { limit }),
    edited: (limit) => runQuery(db, changes.EDITED, { window: EDITS_AMONG, limit }),
    removed: (limit) => runQuery(db, changes.REMOVED, { limit }),
    sizes: (key, since) => runQuery(db, videos.SIZES, { ...ofPackage(key), since }),
    storageDays: (account) => runQuery(db, storage.STORAGE_DAYS, { account }),
    gaps: (account, since) => runQuery(db, storage.GAPS, { account, since }),
    package: (key) => runQuery(db, standing.PACKAGE, ofPackage(key))[0] ?? null,
    walks: (key, limit) => runQuery(db, videos.PACKAGE_WALKS, { ...ofPackage(key), limit }),
    removedOf: (key, below, limit) =>
      runQuery(db, videos.REMOVED_OF_PACKAGE, { ...ofPackage(key), below, limit }),
    video: (key, id) => readSnapshot(db, () => video(key, id)),
    close: () => db.$client.close(),
  };
}

const NO_STAMP: videos.ChangeMarker = {
  change_seq: 0,
  last_run: null,
  last_reading: null,
  restricted_until: null,
};
