import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runFairly } from '../../src/sync/fair-queue.ts';
import { runTurns, type TurnPlay } from '../support/models/fairness-turns.ts';

const ONE_AT_A_TIME = { concurrency: 1, pages: 2, maxStarted: 10 };
const inOrder = (count: number) => Array.from({ length: count }, (_, name) => name);
const rising = (names: readonly number[]) => [...names].sort((one, other) => one - other);

describe('packages in the fair queue', () => {
  it('read a fixed number of pages each per turn, and continue where they stopped', async () => {
    const { read, breaches } = await runTurns({ ...ONE_AT_A_TIME, sizes: [5, 1, 4, 2] });
    expect(read).toEqual([0, 0, 1, 2, 2, 0, 0, 3, 3, 2, 2, 0]);
    expect(breaches).toEqual([]);
  });

  it('do not delay a huge one either: it has its turns while others wait for their first', async () => {
    const { ended } = await runTurns({ ...ONE_AT_A_TIME, sizes: [20, ...Array<number>(1000).fill(1)] });
    expect(ended.indexOf(0)).toBe(18);
  });

  it('continue their turn where no other package waits', async () => {
    const overs: boolean[] = [];
    await runFairly(['only'], { ...ONE_AT_A_TIME, stopReason: () => null }, async (_, turn) => {
      for (let page = 1; page <= 5; page++) overs.push(turn.pageRead());
    });
    expect(overs).toEqual([false, false, false, false, false]);
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
