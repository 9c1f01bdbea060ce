/** One case of the walk's model: a package that changes between requests, and the real pipeline that walks it. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunSummary } from '../../../src/sync/run.ts';
import { openWarehouse } from '../../../src/warehouse/warehouse.ts';
import { createVirtualClock, toMs, type VirtualClock } from '../clocks/virtual-clock.ts';
import { openTestPipeline, START, type TestPipeline } from '../fixtures/open-pipeline.ts';
import { startScriptedService, type Reply, type SeenRequest } from '../servers/scripted-service.ts';
import { change, type Change, type Script } from './list-changes.ts';
import { createListedPackage } from './listed-package.ts';
import type { Behaviour, Fields, ListedPackage, PageQuery, PageResult } from './listed-package.ts';

const PACKAGE = 101;
export const SECOND_MS = 1000;

export interface Setup {
  videos: readonly { id: number; fields: Fields }[];
  behaviour: Behaviour;
  /** Requested by the pipeline. */
  pageSize: number;
  removalBrake: number;
  boundaryReads: number;
  resumeWithinMs: number;
  /** The pipeline has synced the package in a separate run before the first change. */
  isKnown: boolean;
}

/** How a run ends: by itself; stopped, or killed after some reads of the clock, at a request. */
export type Ending =
  | { kind: 'completed' }
  | { kind: 'stopped'; request: number }
  | { kind: 'killed'; request: number; clockReads: number };

export interface RunOfCase {
  script: Script;
  mode: 'full' | 'quick';
  acceptRemovals: boolean;
  ending: Ending;
}

/** A request, and its result. */
export interface Exchange extends PageQuery, PageResult {
  at: number;
  changes: readonly Change[];
}

export interface WalkCase {
  setup: Setup;
  listed: ListedPackage;
  clock: VirtualClock;
  /** Since when the list is correct (ms), and since when it is sorted by id, for any count; Infinity while it is not. */
  honestSince: number;
  sortedSince: number;
  /** When the package changed outside of requests (ms). */
  quietMoments: Set<number>;
  /** The requests since the start of the run. */
  seen: Exchange[];
  pipeline: TestPipeline;
  /** Opens the pipeline again on the same file, with another page size. */
  setPageSize(pageSize: number): Promise<void>;
  behave(behaviour: Behaviour): void;
  /** Null where it was killed. */
  run(options: RunOfCase): Promise<RunSummary | null>;
}

/** One server for all cases of a test: each case sets its replies. */
export async function startCaseServer() {
  let reply: (request: SeenRequest) => Reply = () => ({ status: 404 });
  const service = await startScriptedService((request) => {
    service.requests.length = 0; // thousands of cases use this server
    return reply(request);
  });
  return { url: service.url, show: (next: typeof reply) => void (reply = next) };
}

/** A warehouse template: a case begins with a copy. */
export function makeTemplate(folder: string): string {
  const path = join(folder, 'template.db');
  openWarehouse(path, createVirtualClock(START)).close();
  return path;
}

/** Opens a case in the folder, which must not exist yet. */
export function openCase(
  server: Awaited<ReturnType<typeof startCaseServer>>,
  template: string,
  folder: string,
  given: Setup,
): WalkCase {
  mkdirSync(folder);
  copyFileSync(template, join(folder, 'vodhouse.db'));
  const setup = { ...given };
  const clock = createWatchedClock(createVirtualClock(START));
  const listed = createListedPackage(PACKAGE, setup.behaviour);
  for (const video of setup.videos) listed.add(video.id, toMs(START), video.fields);
  const open = () =>
    openTestPipeline({ url: server.url, packages: [PACKAGE], ...setup, folder, clock, silent: true });
  const running: Running = { clock, listed, seen: [], script: [], strikeAt: null };
  server.show((request) => serve(running, request));
  const reopen = async () => {
    await one.pipeline.close();
    one.pipeline = open();
  };
  const since = (isSo: boolean, before: number) => (isSo ? Math.min(before, clock.now()) : Infinity);
  const isSorted = () => listed.behaviour.order === 'id';
  const one: WalkCase = {
    setup,
    listed,
    clock,
    honestSince: listed.isHonest() ? 0 : Infinity,
    sortedSince: isSorted() ? 0 : Infinity,
    quietMoments: new Set(),
    seen: running.seen,
    pipeline: open(),
    setPageSize: (pageSize) => {
      setup.pageSize = pageSize;
      return reopen();
    },
    behave: (behaviour) => {
      listed.behaviour = behaviour;
      one.honestSince = since(listed.isHonest(), one.honestSince);
      one.sortedSince = since(isSorted(), one.sortedSince);
    },
    run: (options) => runOnce(running, one.pipeline, reopen, options),
  };
  return one;
}

interface Running {
  clock: WatchedClock;
  listed: ListedPackage;
  seen: Exchange[];
  script: Script;
  /** `strike` is called at the n-th request of the run, before its response. */
  strikeAt: { request: number; strike: () => void } | null;
}

/** The duration of a response. */
const ANSWER_MS = 1000;

/** Advances the clock, applies the next changes, and then reads the page. */
function serve({ clock, listed, seen, script, strikeAt }: Running, { query: sent }: SeenRequest): Reply {
  clock.advance(ANSWER_MS);
  const changes = script[seen.length] ?? [];
  change(listed, changes, clock.time());
  const isDescending = sent.get('sort_direction') === 'desc';
  const query = { page: Number(sent.get('page')), size: Number(sent.get('pagesize')), isDescending };
  const { body, result } = listed.answer(query);
  seen.push({ ...query, ...result, at: clock.time(), changes });
  if (strikeAt?.request === seen.length) strikeAt.strike();
  return { body };
}

interface WatchedClock extends VirtualClock {
  /** The time, without counting this read. */
  time(): number;
  /** Calls `strike` after the given number of further reads of the time. */
  strikeAfter(clockReads: number, strike: () => void): void;
}

/** The clock of the pipeline: it counts its reads, so that a case can kill a run between two steps. */
function createWatchedClock(time: VirtualClock): WatchedClock {
  let left = Infinity;
  let strike: () => void = () => undefined;
  return {
    ...time,
    time: () => time.now(),
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

async function runOnce(
  running: Running,
  pipeline: TestPipeline,
  reopen: () => Promise<void>,
  { script, mode, acceptRemovals, ending }: RunOfCase,
): Promise<RunSummary | null> {
  const { clock, seen } = running;
  const strike = () =>
    ending.kind === 'killed' ? clock.strikeAfter(ending.clockReads, () => pipeline.crash()) : pipeline.stop();
  seen.length = 0;
  running.script = script;
  running.strikeAt = ending.kind === 'completed' ? null : { request: ending.request, strike };
  clock.advance(SECOND_MS);
  const outcome = await pipeline
    .run({ mode, acceptRemovals, packages: [{ account: null, packageId: PACKAGE }] })
    .catch((error: unknown) => ({ error }));
  clock.strikeAfter(Infinity, () => undefined);
  clock.advance(SECOND_MS);
  if (ending.kind === 'killed') await reopen();
  if (!('error' in outcome)) return outcome;
  if (ending.kind !== 'killed') throw outcome.error;
  return null;
}
