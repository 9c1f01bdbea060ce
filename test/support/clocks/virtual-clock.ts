/** Clocks that a test advances: no test waits for real time. */
import type { Clock } from '../../../src/lib/clock.ts';

/** A clock that does not advance by itself; each sleep advances it immediately, and is recorded. */
export interface VirtualClock extends Clock {
  /** Every requested sleep, in milliseconds. */
  sleeps: number[];
  /** Called in the middle of each sleep; the sleep continues when it is done. */
  whileAsleep: (ms: number) => void | Promise<void>;
  /** Moves to a moment, given in milliseconds or as ISO text. */
  set(moment: number | string): void;
  advance(ms: number): void;
}

/** Starts at a full second: HTTP dates have no fractions. */
export function createVirtualClock(start: number | string = '2026-03-01T09:00:00Z'): VirtualClock {
  let now = toMs(start);
  const clock: VirtualClock = {
    sleeps: [],
    whileAsleep: () => undefined,
    now: () => now,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      clock.sleeps.push(ms);
      await clock.whileAsleep(ms);
      signal?.throwIfAborted();
      now += Math.max(0, Math.ceil(ms));
      await breath();
    },
    set: (moment) => void (now = toMs(moment)),
    advance: (ms) => void (now += ms),
  };
  return clock;
}

/** A clock that several actors sleep by: it advances to the earliest wake-up, once all actors wait. */
export interface Timeline extends Clock {
  /** Advances the clock until no actor sleeps. */
  run(): Promise<void>;
}

export function createTimeline(start: number | string): Timeline {
  let now = toMs(start);
  const sleepers = new Set<{ at: number; wake: () => void }>();
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const stop = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason as Error);
        };
        const wake = () => {
          signal?.removeEventListener('abort', stop);
          resolve();
        };
        const sleeper = { at: now + Math.max(0, Math.ceil(ms)), wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', stop, { once: true });
      }),
    run: async () => {
      for (;;) {
        await breath();
        const [next] = [...sleepers].sort((one, other) => one.at - other.at);
        if (!next) return;
        sleepers.delete(next);
        now = next.at;
        next.wake();
      }
    },
  };
}

/** Milliseconds of a moment in ISO text (`2026-03-01T12:00Z`). */
export function toMs(moment: number | string): number {
  const ms = typeof moment === 'number' ? moment : Date.parse(moment);
  if (Number.isNaN(ms)) throw new RangeError(`${moment} is no moment`);
  return ms;
}

/** Resolves when all pending promise callbacks have run. */
function breath(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
