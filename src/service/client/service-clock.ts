/**
 * The service's time, from the `Date` headers of its responses. The machine's clock may be wrong, and permanent data must
 * not depend on it. One response alone changes nothing: the next one must confirm its date.
 */
import { WRONG_CLOCK_MS, type Clock, MINUTE_MS } from '../../lib/clock.ts';

/** The time of a response by its own headers, and how long it took. */
export interface AnswerDates {
  /** The `Date` header in milliseconds since 1970; null if it is missing or unreadable. */
  dateMs: number | null;
  /** The `Age` header in milliseconds: how long the response was in a cache. */
  ageMs: number;
  /** Milliseconds from sending the request to the end of its response. */
  waitedMs: number;
}

/** A date that contradicts those before. */
export interface DateDoubt {
  dateMs: number;
  /** Milliseconds by which it is ahead of the machine's clock (negative: behind), 0 for up to 10 minutes. */
  offsetMs: number;
}

/** What the responses since the last `reset` show about the machine's clock. */
export interface ClockEvidence {
  /** There was a response, dated or not. */
  answered: boolean;
  /**
   * Milliseconds by which the service's clock is ahead of the machine's (negative: behind), 0 if they agree to
   * 10 minutes; null if no dated response was confirmed.
   */
  offsetMs: number | null;
  /** The same of the newest of these responses, also within the 10 minutes; null if there was none. */
  differenceMs: number | null;
  /** True if a response was dated more than 10 minutes off and the next response did not contradict it. */
  wasOff: boolean;
}

export type ServiceClock = ReturnType<typeof createServiceClock>;

/** A difference above this is worth a warning. */
const WARN_ABOVE_MS = 2 * MINUTE_MS;

const NO_EVIDENCE: ClockEvidence = { answered: false, offsetMs: null, differenceMs: null, wasOff: false };

/**
 * The machine's clock, corrected by the service's if the two differ by more than 10 minutes. `onDifference` is called once,
 * with the first difference of more than 2 minutes.
 */
export function createServiceClock(machineClock: Clock, onDifference: (offsetMs: number) => void) {
  let evidence = NO_EVIDENCE;
  let isWarned = false;
  const offset = () => evidence.offsetMs ?? 0;
  return {
    now: () => machineClock.now() + offset(),
    sleep: (ms: number, signal?: AbortSignal) => machineClock.sleep(ms, signal),
    /** Forgets all evidence: the machine's clock may have been set. */
    reset: () => void (evidence = NO_EVIDENCE),
    evidence: () => evidence,
    /** Marks this moment. The returned function gives it in ms since 1970, corrected by the evidence at its call. */
    mark: () => {
      const marked = machineClock.now();
      return () => marked + offset();
    },
    /**
     * Takes the dates of one response. Returns a doubt if they contradict earlier ones: the caller sends the same request
     * again, once, a little later, and passes that doubt with its response. Returns null if the response is accepted.
     */
    observe: ({ dateMs, ...times }: AnswerDates, doubt: DateDoubt | null): DateDoubt | null => {
      evidence = { ...evidence, answered: true };
      if (dateMs === null) return null;
      const differenceMs = measureDifference({ dateMs, ...times }, machineClock.now());
      if (Math.abs(differenceMs) > WARN_ABOVE_MS && !isWarned) {
        isWarned = true;
        onDifference(differenceMs);
      }
      const result = applyDate(evidence, { dateMs, differenceMs }, doubt);
      if ('evidence' in result) evidence = result.evidence;
      return 'doubt' in result ? result.doubt : null;
    },
  };
}

/**
 * The evidence after one dated response, or a doubt. A response that agrees with the evidence is accepted. One that contradicts it
 * is in doubt until the same request is answered again: a later date confirms it, the same date is an old response from a cache.
 * Once responses agreed with the machine, one that does not may come from a single faulty server: it only ends trust in the clock
 * for this run.
 */
function applyDate(
  evidence: ClockEvidence,
  { dateMs, differenceMs }: { dateMs: number; differenceMs: number },
  doubt: DateDoubt | null,
): { evidence: ClockEvidence } | { doubt: DateDoubt } {
  const offsetMs = Math.abs(differenceMs) > WRONG_CLOCK_MS ? differenceMs : 0;
  if (isNear(offsetMs, evidence.offsetMs ?? 0)) {
    return {
      evidence: { answered: true, offsetMs, differenceMs, wasOff: evidence.wasOff || offsetMs !== 0 },
    };
  }
  if (doubt === null) return { doubt: { dateMs, offsetMs } };
  const hasAgreed = evidence.offsetMs === 0;
  const isCached = dateMs === doubt.dateMs;
  if (hasAgreed || isCached || !isNear(offsetMs, doubt.offsetMs)) {
    return { evidence: { ...evidence, wasOff: evidence.wasOff || !(hasAgreed && isCached) } };
  }
  return { evidence: { answered: true, offsetMs, differenceMs, wasOff: true } };
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= WARN_ABOVE_MS;
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
