/** One case of the walk's model: a changing account, and the real pipeline that walks it. */
import { silentProgress } from '../../../src/sync/context.ts';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunSummary } from '../../../src/sync/run.ts';
import { openWarehouse } from '../../../src/warehouse/warehouse.ts';
import {
  createChangingAccount,
  type AccountServer,
  type ChangingAccount,
} from '../servers/changing-account.ts';
import type { Script } from './list-changes.ts';
import { createListedPackage, scatter } from './listed-package.ts';
import type { Behaviour, Fields, ListedPackage } from './listed-package.ts';
import { openTestPipeline, START, type TestPipeline } from '../fixtures/open-pipeline.ts';
import { createVirtualClock, toMs, type VirtualClock } from '../clocks/virtual-clock.ts';

export const FIRST_PACKAGE = 101;
export const SECOND_MS = 1000;

export interface PackageSetup {
  videos: readonly { id: number; fields: Fields }[];
  behaviour: Behaviour;
}

export interface Setup {
  packages: readonly PackageSetup[];
  /** Requested by the pipeline. */
  pageSize: number;
  concurrency: number;
  removalBrake: number;
  boundaryReads: number;
  resumeWithinMs: number;
  /** The pipeline has synced the packages in a separate run before the first change. */
  isKnown: boolean;
  /** Decides whose turn it is where several packages are walked at a time. */
  turns: number;
}

/**
 * How a run ends: by itself; stopped, or killed after some reads of the clock, at a request of one package.
 */
export type Ending =
  | { kind: 'completed' }
  | { kind: 'stopped'; package: number; request: number }
  | { kind: 'killed'; package: number; request: number; clockReads: number };

export interface RunOfCase {
  /** One script for each package, in their order. */
  scripts: readonly Script[];
  mode: 'full' | 'quick';
  acceptRemovals: boolean;
  ending: Ending;
}

export interface WalkCase {
  setup: Setup;
  account: ChangingAccount;
  packages: readonly ListedPackage[];
  clock: VirtualClock;
  /** Since when the list of the package is correct (ms); Infinity while it is not. */
  honestSince: Map<number, number>;
  /** Since when each package is sorted by id, for any count. */
  sortedSince: Map<number, number>;
  /** When packages changed outside of requests (ms). */
  quietMoments: Set<number>;
  pipeline: () => TestPipeline;
  /** Opens the pipeline again on the same file, with another page size. */
  setPageSize(pageSize: number): Promise<void>;
  behave(listed: ListedPackage, behaviour: Behaviour): void;
  /** Null where it was killed. */
  run(options: RunOfCase): Promise<RunSummary | null>;
  close(): Promise<void>;
}

/** A warehouse template: a case begins with a copy. */
export function makeTemplate(folder: string): string {
  const path = join(folder, 'template.db');
  openWarehouse(path, createVirtualClock(START)).close();
  return path;
}

/** Opens a case in the folder, which must not exist yet. */
export function openCase(server: AccountServer, template: string, folder: string, given: Setup): WalkCase {
  mkdirSync(folder);
  copyFileSync(template, join(folder, 'vodhouse.db'));
  const setup = { ...given };
  const time = createVirtualClock(START);
  const clock = createWatchedClock(time);
  const packages = setup.packages.map((each, index) => listPackage(FIRST_PACKAGE + index, each));
  const account = createChangingAccount(packages, time, (n) => scatter(n, setup.turns));
  server.show(account);
  const open = () => openPipeline(server.url, setup, account, { folder, clock });
  let pipeline = open();
  const reopen = async () => {
    await pipeline.close();
    pipeline = open();
  };
  const honestSince = new Map(packages.map((each) => [each.id, each.isHonest() ? 0 : Infinity]));
  const isSorted = (each: ListedPackage) => each.behaviour.order === 'id';
  const sortedSince = new Map(packages.map((each) => [each.id, isSorted(each) ? 0 : Infinity]));
  return {
    setup,
    account,
    packages,
    clock,
    honestSince,
    sortedSince,
    quietMoments: new Set(),
    pipeline: () => pipeline,
    setPageSize: (pageSize) => {
      setup.pageSize = pageSize;
      return reopen();
    },
    behave: (listed, behaviour) => {
      const was = listed.isHonest();
      const wasSorted = isSorted(listed);
      listed.behaviour = behaviour;
      if (!isSorted(listed)) sortedSince.set(listed.id, Infinity);
      else if (!wasSorted) sortedSince.set(listed.id, time.now());
      if (!listed.isHonest()) honestSince.set(listed.id, Infinity);
      else if (!was) honestSince.set(listed.id, time.now());
    },
    run: (options) => runOnce({ setup, account, clock, pipeline, reopen }, options),
    close: () => pipeline.close(),
  };
}

function listPackage(id: number, { videos, behaviour }: PackageSetup): ListedPackage {
  const listed = createListedPackage(id, behaviour);
  for (const video of videos) listed.add(video.id, toMs(START), video.fields);
  return listed;
}

function openPipeline(
  url: string,
  setup: Setup,
  account: ChangingAccount,
  place: { folder: string; clock: VirtualClock },
): TestPipeline {
  const { pageSize, concurrency, removalBrake, boundaryReads, resumeWithinMs } = setup;
  const rules = { pageSize, concurrency, removalBrake, boundaryReads, resumeWithinMs };
  const progress = {
    ...silentProgress,
    walkEnded: ({ packageId }: { packageId: number }) => account.walkEnded(packageId),
  };
  const packages = [...account.packages.keys()];
  return openTestPipeline({ url, packages, ...rules, ...place, progress, silent: true });
}

interface WatchedClock extends VirtualClock {
  /** Calls `strike` after the given number of further reads of the time. */
  strikeAfter(clockReads: number, strike: () => void): void;
}

/** The clock of the pipeline: it counts its reads, so that a case can kill a run between two steps. */
function createWatchedClock(time: VirtualClock): WatchedClock {
  let left = Infinity;
  let strike: () => void = () => undefined;
  return {
    ...time,
    now: () => {
      if (left-- === 0) strike();
      return time.now();
    },
    strikeAfter: (clockReads, then) => {
      left = clockReads;
      strike = then;
    },
  };
}

interface Running {
  setup: Setup;
  account: ChangingAccount;
  clock: WatchedClock;
  pipeline: TestPipeline;
  reopen: () => Promise<void>;
}

/**
 * The longest real time of a run: a longer one means that its turns are stuck, and all continue without them.
 */
const STUCK_MS = 20_000;

async function runOnce(running: Running, options: RunOfCase): Promise<RunSummary | null> {
  const { setup, account, clock, pipeline, reopen } = running;
  const ids = [...account.packages.keys()];
  const scripts = new Map(ids.map((id, index) => [id, options.scripts[index] ?? []]));
  account.beginRun({
    scripts,
    concurrency: setup.concurrency,
    disturbance: createDisturbance(running, options),
  });
  clock.advance(SECOND_MS);
  const turns = { stuck: false };
  const watchdog = setTimeout(() => {
    turns.stuck = true;
    account.releaseAll();
  }, STUCK_MS);
  const outcome = await pipeline
    .run({ mode: options.mode, acceptRemovals: options.acceptRemovals, acceptPage: true }) // packages are purged and filled with other videos
    .catch((error: unknown) => ({ error }));
  clearTimeout(watchdog);
  clock.strikeAfter(Infinity, () => undefined);
  account.releaseAll();
  clock.advance(SECOND_MS);
  if (turns.stuck) throw new Error('the turns of the packages were stuck');
  if (options.ending.kind === 'killed') await reopen();
  if (!('error' in outcome)) return outcome;
  if (options.ending.kind !== 'killed') throw outcome.error;
  return null;
}

function createDisturbance({ account, clock, pipeline }: Running, { ending }: RunOfCase) {
  if (ending.kind === 'completed') return null;
  const ids = [...account.packages.keys()];
  const packageId = ids[ending.package % ids.length] ?? FIRST_PACKAGE;
  const kill = () => {
    pipeline.crash();
    account.releaseAll();
  };
  const stop = () => {
    pipeline.stop();
    account.stopStarting();
  };
  const strike = ending.kind === 'stopped' ? stop : () => clock.strikeAfter(ending.clockReads, kill);
  return { packageId, request: ending.request, strike };
}
