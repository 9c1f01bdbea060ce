/**
 * Compares the machine's clock with the `Date` headers of the service's responses: a machine whose clock is wrong must write
 * nothing that lasts.
 */
import { WRONG_CLOCK_MS, type Clock } from '../../lib/clock.ts';

/** The time of a response by its own headers. */
export interface AnswerDates {
  /** The `Date` header in milliseconds since 1970; null if it is missing or unreadable. */
  dateMs: number | null;
  /** The `Age` header in milliseconds: how long the response was in a cache. */
  ageMs: number;
}

/** What the responses since the last `reset` show. */
export interface ClockResult {
  /** The service's clock minus the machine's, in milliseconds, where it was largest; null if no response was dated. */
  differenceMs: number | null;
  /** One of the responses was dated more than 10 minutes off. */
  isOff: boolean;
}

export type ClockCheck = ReturnType<typeof createClockCheck>;

export function createClockCheck(clock: Clock) {
  let largest: number | null = null;
  return {
    /** Forgets all responses: the machine's clock may have been set. */
    reset: () => void (largest = null),
    result: (): ClockResult => ({
      differenceMs: largest,
      isOff: Math.abs(largest ?? 0) > WRONG_CLOCK_MS,
    }),
    /** Takes the dates of one response. Some caches send the old date, others the present one: the nearer reading counts. */
    observe: ({ dateMs, ageMs }: AnswerDates): void => {
      if (dateMs === null) return;
      const plain = dateMs - clock.now();
      const difference = Math.abs(plain) <= Math.abs(plain + ageMs) ? plain : plain + ageMs;
      if (largest === null || Math.abs(difference) > Math.abs(largest)) largest = difference;
    },
  };
}
