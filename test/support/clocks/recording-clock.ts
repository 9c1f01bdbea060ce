import type { Clock } from '../../../src/lib/clock.ts';

/** A clock that stands still but for sleeping, which moves it on at once and is remembered. */
export interface RecordingClock extends Clock {
  /** Every sleep asked for, in milliseconds. */
  sleeps: number[];
  /** Called in the middle of each sleep; the sleep goes on when it is done. */
  whileAsleep: (ms: number) => void | Promise<void>;
}

/** A whole second: dates of HTTP know no less. */
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
