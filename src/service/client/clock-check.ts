/**
 * Compares the machine's clock with the `Date` headers of the service's responses: a machine whose clock is
 * wrong must write nothing that lasts.
 */
import { WRONG_CLOCK_MS, type Clock } from '../../lib/clock.ts';

/** What the responses since the last `reset` show. */
export interface ClockResult {
  /**
   * The service's clock minus the machine's, in milliseconds, where it was largest; null if no response was
   * dated.
   */
  differenceMs: number | null;
  /** One of the responses was dated more than 10 minutes off. */
  isOff: boolean;
}

export type ClockCheck = ReturnType<typeof createClockCheck>;

/** Creates the check of one account, which has seen no response yet. */
export function createClockCheck(clock: Clock) {
  let largest: number | null = null;
  return {
    /** Forgets all responses: the machine's clock may have been set. */
    reset: () => void (largest = null),
    result: (): ClockResult => ({
      differenceMs: largest,
      isOff: Math.abs(largest ?? 0) > WRONG_CLOCK_MS,
    }),
    /** Takes the `Date` of one response, in milliseconds since 1970; null for one without. */
    observe: (dateMs: number | null): void => {
      if (dateMs === null) return;
      const difference = dateMs - clock.now();
      if (largest === null || Math.abs(difference) > Math.abs(largest)) largest = difference;
    },
  };
}
