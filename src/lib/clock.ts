import { setTimeout as sleepFor } from 'node:timers/promises';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
/** The length of a day, where no clock is changed. */
export const DAY_MS = 24 * HOUR_MS;

/** The time, and waiting for it; injected, so that tests need no wall clock. */
export interface Clock {
  /** Milliseconds since 1970 in UTC. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Two clocks that are further apart than this are not both right. */
export const WRONG_CLOCK_MS = 10 * MINUTE_MS;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    signal?.throwIfAborted();
    try {
      await sleepFor(Math.max(0, ms), undefined, signal ? { signal } : {});
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};

/** A moment as the warehouse writes it: `YYYY-MM-DD HH:MM:SS` in UTC. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

/** Milliseconds since 1970 of a moment as the warehouse writes it. */
export function fromTimestamp(timestamp: string): number {
  return Date.parse(`${timestamp.replace(' ', 'T')}Z`);
}
