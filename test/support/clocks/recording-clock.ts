import type { Clock } from '../../../src/lib/clock.ts';

/** A clock that does not advance except by sleep, which advances it immediately and is recorded. */
export interface RecordingClock extends Clock {
  /** Every requested sleep, in milliseconds. */
  sleeps: number[];
  /** Called in the middle of each sleep; the sleep continues when it is done. */
  whileAsleep: (ms: number) => void | Promise<void>;
}

/** A full second: HTTP dates have no fractions. */
const START = Date.parse('2026-03-01T09:00:00Z');

export function createRecordingClock(): RecordingClock {
  let now = START;
  const clock: RecordingClock = {
    sleeps: [],
    whileAsleep: () => undefined,
    now: () => now,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      clock.sleeps.push(ms);
      await clock.whileAsleep(ms);
      signal?.throwIfAborted();
      now += ms;
    },
  };
  return clock;
}
