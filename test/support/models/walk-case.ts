/** One case of the walk's model: a package that changes between requests, and the real pipeline that walks it. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunSummary } from '../../../src/sync/run.ts';
import { openWarehouse } from '../../../src/warehouse/warehouse.ts';
import { createVirtualClock, toMs, type VirtualClock } from '../clocks/virtual-clock.ts';
import { openTestPipeline, START, type TestPipeline } from '../fixtures/open-pipeline.ts';
import { startScriptedService, type Reply, type SeenRequest } from '../servers/scripted-service.ts';
import { addVideo, answerPage, createListedPackage, type Script } from './listed-package.ts';
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

/** A request, its result, and the changes before it. */
export interface Exchange extends PageQuery, PageResult {
  at: number;
  changes: Script[number];
}

export interface WalkCase {
  setup: Setup;
  listed: ListedPackage;
  clock: WatchedClock;
  /** Since when the list is correct (ms), and since when it is sorted by id, for any count; Infinity while it is not. */
  honestSince: number;
  sortedSince: number;
  /** When the package changed outside of requests (ms). */
  quietMoments: Set<number>;
  /** The requests since the start of the run, and its changes. */
  seen: Exchange[];
  script: Script;
  /** `strike` is called at the n-th request of the run, before its response. */
  strikeAt: { request: number; strike: () => void } | null;
  pipeline: TestPipeline;
  /** Opens the pipeline again on the same file, with the page size of the setup. */
  reopen: () => Promise<void>;
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
  const listed = createListedPackage(setup.behaviour);
  for (const video of setup.videos) addVideo(listed, video.id, toMs(START), video.fields);
  const open = () =>
    openTestPipeline({ url: server.url, packages: [PACKAGE], ...setup, folder, clock, silent: true });
  const one: WalkCase = {
    setup,
    listed,
    clock,
    honestSince: Infinity,
    sortedSince: Infinity,
    quietMoments: new Set(),
    seen: [],
    script: [],
    strikeAt: null,
    pipeline: open(),
    reopen: async () => {
      one.pipeline.close();
      one.pipeline = open();
    },
  };
  behave(one, setup.behaviour, 0);
  server.show((request) => serve(one, request));
  return one;
}

/** Changes the behaviour of the service from now on. */
export function behave(one: WalkCase, behaviour: Behaviour, now = one.clock.now()): void {
  one.listed.behaviour = behaviour;
  const isSorted = behaviour.order === 'id';
  one.sortedSince = isSorted ? Math.min(one.sortedSince, now) : Infinity;
  const isCounted = behaviour.count === 0 && behaviour.countStopsAt === null;
  one.honestSince = isSorted && isCounted ? Math.min(one.honestSince, now) : Infinity;
}

/** The duration of a response. */
const ANSWER_MS = 1000;

/** Advances the clock, applies the next changes, and then reads the page. */
function serve({ clock, listed, seen, script, strikeAt }: WalkCase, { query: sent }: SeenRequest): Reply {
  clock.advance(ANSWER_MS);
  const changes = script[seen.length] ?? [];
  for (const change of changes) change.act({ listed, at: clock.time() });
  const isDescending = sent.get('sort_direction') === 'desc';
  const query = { page: Number(sent.get('page')), size: Number(sent.get('pagesize')), isDescending };
  const { body, result } = answerPage(listed, query);
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
function createWatchedClock(clock: VirtualClock): WatchedClock {
  let left = Infinity;
  let strike: () => void = () => undefined;
  return {
    ...clock,
    time: () => clock.now(),
    now: () => {
      if (left-- === 0) strike();
      return clock.now();
    },
    strikeAfter: (clockReads, then) => {
      left = clockReads;
      strike = then;
    },
  };
}

/** Runs the pipeline once; null where it was killed. */
export async function runOnce(
  one: WalkCase,
  { script, mode, acceptRemovals, ending }: RunOfCase,
): Promise<RunSummary | null> {
  const { clock, pipeline } = one;
  const strike = () =>
    ending.kind === 'killed' ? clock.strikeAfter(ending.clockReads, () => pipeline.crash()) : pipeline.stop();
  one.seen.length = 0;
  one.script = script;
  one.strikeAt = ending.kind === 'completed' ? null : { request: ending.request, strike };
  clock.advance(SECOND_MS);
  const packages = [{ account: null, packageId: PACKAGE }];
  const outcome = await pipeline
    .run({ mode, acceptRemovals, packages })
    .catch((error: unknown) => ({ error }));
  clock.strikeAfter(Infinity, () => undefined);
  clock.advance(SECOND_MS);
  if (ending.kind === 'killed') await one.reopen();
  if (!('error' in outcome)) return outcome;
  if (ending.kind !== 'killed') throw outcome.error;
  return null;
}
