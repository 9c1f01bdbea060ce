/**
 * Compares the machine's clock with the `Date` headers of the service's responses: a machine whose clock is wrong must write
 * nothing that lasts.
 */
import { MINUTE_MS, WRONG_CLOCK_MS, type Clock } from '../../lib/clock.ts';

/** The time of a response by its own headers, and how long it took. */
export interface AnswerDates {
  /** The `Date` header in milliseconds since 1970; null if it is missing or unreadable. */
  dateMs: number | null;
  /** The `Age` header in milliseconds: how long the response was in a cache. */
  ageMs: number;
  /** Milliseconds from sending the request to the end of its response. */
  waitedMs: number;
}

/** What the responses since the last `reset` show. */
export interface ClockResult {
  /** The service's clock minus the machine's, in milliseconds, where it was largest; null if no response was dated. */
  differenceMs: number | null;
  /** One of the responses was dated more than 10 minutes off. */
  isOff: boolean;
}

export type ClockCheck = ReturnType<typeof createClockCheck>;

/** A difference above this is worth a warning. */
const WARN_ABOVE_MS = 2 * MINUTE_MS;

/** `onDifference` is called once, with the first difference of more than 2 minutes. */
export function createClockCheck(clock: Clock, onDifference: (differenceMs: number) => void) {
  let largest: number | null = null;
  let isWarned = false;
  return {
    /** Forgets all responses: the machine's clock may have been set. */
    reset: () => void (largest = null),
    result: (): ClockResult => ({
      differenceMs: largest,
      isOff: Math.abs(largest ?? 0) > WRONG_CLOCK_MS,
    }),
    /** Takes the dates of one response. */
    observe: ({ dateMs, ...times }: AnswerDates): void => {
      if (dateMs === null) return;
      const differenceMs = measureDifference({ dateMs, ...times }, clock.now());
      if (largest === null || Math.abs(differenceMs) > Math.abs(largest)) largest = differenceMs;
      if (isWarned || Math.abs(differenceMs) <= WARN_ABOVE_MS) return;
      isWarned = true;
      onDifference(differenceMs);
    },
  };
}

/**
 * Milliseconds from the time of the request, by the machine's clock, to the date of the response; 0 if the date lies within
 * that time. Some caches send the old date and an `Age`, others the present date and an `Age`: the nearer reading counts.
 */
function measureDifference(
  { dateMs, ageMs, waitedMs }: AnswerDates & { dateMs: number },
  receivedAt: number,
): number {
  const distance = (ms: number) => ms - Math.min(receivedAt, Math.max(receivedAt - waitedMs, ms));
  const [plain, aged] = [distance(dateMs), distance(dateMs + ageMs)];
  return Math.abs(plain) <= Math.abs(aged) ? plain : aged;
}
