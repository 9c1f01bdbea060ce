/**
 * Runs turns with walks that are numbers of pages, and returns the violations of the rules of
 * src/sync/fair-queue.ts.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runFairly, type Slot } from '../../src/sync/fair-queue.ts';

interface TurnPlay {
  /** Pages of each package; packages are named by their position in this list. */
  sizes: readonly number[];
  concurrency: number;
  pages: number;
  maxStarted: number;
  /** Packages that end early: before this page. */
  endsBefore?: ReadonlyMap<number, number>;
  /** The run must stop once this many pages were read. */
  stopAfter?: number;
}

interface Played {
  /** The package of each page, in the order of reads. */
  read: number[];
  /** In the order of their first turns. */
  started: number[];
  /** Those that ended, early or not; and those that were stopped between turns. */
  ended: number[];
  stopped: number[];
  /** The most in memory at a time: walks that have a slot, or wait for one again. */
  mostHeld: number;
  /** The violations, as texts. */
  breaches: string[];
}

interface Stage {
  play: TurnPlay;
  played: Played;
  active: Set<number>;
  waiting: number[];
  /** Pages of first turns since a walk continued, or since one began to wait. */
  freshPages: number;
  wait: () => Promise<unknown>;
}

/** Runs it; `wait` simulates the time that a page takes. */
async function runTurns(
  play: TurnPlay,
  wait: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Played> {
  const played: Played = { read: [], started: [], ended: [], stopped: [], mostHeld: 0, breaches: [] };
  const stage: Stage = { play, played, active: new Set(), waiting: [], freshPages: 0, wait };
  const { concurrency, pages, maxStarted, stopAfter = Infinity } = play;
  const stopReason = () => (played.read.length >= stopAfter ? new Error('stop') : null);
  const names = play.sizes.map((_, name) => name);
  await runFairly(names, { concurrency, pages, maxStarted, stopReason }, (name, turn) =>
    serve(stage, name, turn),
  );
  return played;
}

async function serve(stage: Stage, name: number, turn: Slot): Promise<void> {
  const { played, active } = stage;
  played.started.push(name);
  takeSeat(stage, name);
  try {
    turn.begin();
    await readAll(stage, name, turn);
    played.ended.push(name);
  } catch {
    played.stopped.push(name);
  } finally {
    active.delete(name);
  }
}

async function readAll(stage: Stage, name: number, turn: Slot): Promise<void> {
  const { play, played } = stage;
  const size = play.sizes[name] ?? 0;
  let pagesInTurn = 0;
  let isFirst = true;
  for (let page = 1; page <= size; page++) {
    await stage.wait();
    if (play.endsBefore?.get(name) === page) return;
    played.read.push(name);
    turn.answered();
    pagesInTurn++;
    if (isFirst) stage.freshPages++;
    const isOver = turn.pageRead();
    judgeTurn(stage, name, pagesInTurn, isOver);
    if (!isOver || page === size) continue;
    await waitForTurn(stage, name, turn);
    pagesInTurn = 0;
    isFirst = false;
  }
}

async function waitForTurn(stage: Stage, name: number, turn: Slot): Promise<void> {
  const { active, waiting, played } = stage;
  active.delete(name);
  if (waiting.length === 0) stage.freshPages = 0;
  waiting.push(name);
  try {
    await turn.nextSlot();
  } catch (error) {
    waiting.splice(waiting.indexOf(name), 1);
    throw error;
  }
  if (waiting[0] !== name) played.breaches.push(`${name} is before those that waited longer`);
  const isLineFull = waiting.length >= stage.play.maxStarted;
  const isTheirTurn = stage.freshPages >= stage.play.pages;
  stage.freshPages = 0;
  if (isAnyFresh(stage) && !isLineFull && !isTheirTurn)
    played.breaches.push(`${name} is before those that had no turn`);
  waiting.splice(waiting.indexOf(name), 1);
  takeSeat(stage, name);
}

function takeSeat({ play, played, active, waiting }: Stage, name: number): void {
  active.add(name);
  played.mostHeld = Math.max(played.mostHeld, active.size + waiting.length);
  const concurrency = played.read.length === 0 ? 1 : play.concurrency;
  if (active.size > concurrency) played.breaches.push(`${active.size} are served at a time`);
}

function judgeTurn(stage: Stage, name: number, pagesInTurn: number, isOver: boolean): void {
  const { play, played } = stage;
  const mustStop = pagesInTurn >= play.pages && played.read.length >= (play.stopAfter ?? Infinity);
  if (mustStop && !isOver) played.breaches.push(`the turn of ${name} goes on though the run must not`);
  if (isOver && pagesInTurn < play.pages) played.breaches.push(`the turn of ${name} is too short`);
  const isTooLong = pagesInTurn >= play.pages && isAnyFresh(stage) && !isOver;
  if (isTooLong) played.breaches.push(`the turn of ${name} is too long`);
}

function isAnyFresh({ play, played }: Stage): boolean {
  return played.started.length < play.sizes.length;
}

const ONE_AT_A_TIME = { concurrency: 1, pages: 2, maxStarted: 10 };
const inOrder = (count: number) => Array.from({ length: count }, (_, name) => name);
const rising = (names: readonly number[]) => [...names].sort((one, other) => one - other);

describe('packages in the fair queue', () => {
  it('do not delay a huge one either: it has its turns while others wait for their first', async () => {
    const { ended } = await runTurns({ ...ONE_AT_A_TIME, sizes: [20, ...Array<number>(1000).fill(1)] });
    expect(ended.indexOf(0)).toBe(18);
  });

  it('are served one at a time until the first response, and at full concurrency from then on', async () => {
    const atOnce: number[] = [];
    let active = 0;
    const rules = { concurrency: 3, pages: 50, maxStarted: 10, stopReason: () => null };
    await runFairly(inOrder(6), rules, async (name, turn) => {
      atOnce.push(++active);
      await Promise.resolve();
      if (name >= 3) turn.answered(); // the first three end without a response
      await Promise.resolve();
      active--;
    });
    expect(atOnce).toEqual([1, 1, 1, 1, 2, 3]);
  });

  it('are not recorded as served where serving one throws', async () => {
    const served = runFairly([1, 2], { ...ONE_AT_A_TIME, stopReason: () => null }, () =>
      Promise.reject(new Error('a defect')),
    );
    await expect(served).rejects.toThrow('a defect');
  });
});

const anyPlay: fc.Arbitrary<TurnPlay> = fc.record({
  sizes: fc.array(fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 25 })), {
    maxLength: 12,
  }),
  concurrency: fc.integer({ min: 1, max: 5 }),
  pages: fc.integer({ min: 1, max: 6 }),
  maxStarted: fc.integer({ min: 1, max: 6 }),
});

/** Pages end in any order that the scheduler chooses. */
async function runWithScheduler(scheduler: fc.Scheduler, play: TurnPlay) {
  const played = await scheduler.waitFor(runTurns(play, () => scheduler.schedule(Promise.resolve())));
  expect(played.breaches).toEqual([]);
  expect(played.mostHeld).toBeLessThanOrEqual(play.maxStarted + play.concurrency - 1);
  expect(played.started).toEqual(inOrder(play.sizes.length));
  return played;
}

describe('for any packages, concurrency and page durations', () => {
  it('each is served once, in its order, to its end, within the concurrency and the memory limit', async () => {
    const property = fc.asyncProperty(fc.scheduler(), anyPlay, async (scheduler, play) => {
      const { read, ended } = await runWithScheduler(scheduler, play);
      expect(rising(ended)).toEqual(inOrder(play.sizes.length));
      expect(rising(read)).toEqual(play.sizes.flatMap((size, name) => Array<number>(size).fill(name)));
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it('one that ends early affects no other', async () => {
    const early = fc.array(fc.tuple(fc.nat(11), fc.integer({ min: 1, max: 8 })), { maxLength: 12 });
    const property = fc.asyncProperty(fc.scheduler(), anyPlay, early, async (scheduler, play, ends) => {
      const endsBefore = new Map(ends);
      const { read, ended } = await runWithScheduler(scheduler, { ...play, endsBefore });
      expect(rising(ended)).toEqual(inOrder(play.sizes.length));
      const pages = play.sizes.map((size, name) => Math.min(size, (endsBefore.get(name) ?? Infinity) - 1));
      expect(rising(read)).toEqual(pages.flatMap((count, name) => Array<number>(count).fill(name)));
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it('a run that must stop ends each of them at the end of its turn, and none remains waiting', async () => {
    const property = fc.asyncProperty(
      fc.scheduler(),
      anyPlay,
      fc.nat(40),
      async (scheduler, play, stopAfter) => {
        const { read, ended, stopped } = await runWithScheduler(scheduler, { ...play, stopAfter });
        expect(rising([...ended, ...stopped])).toEqual(inOrder(play.sizes.length));
        const most = stopAfter + play.concurrency * play.pages;
        expect(read.length).toBeLessThanOrEqual(stopAfter === 0 ? 0 : most);
        const total = play.sizes.reduce((sum, size) => sum + size, 0);
        if (stopAfter < total) expect(read.length).toBeGreaterThanOrEqual(stopAfter);
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });
});
