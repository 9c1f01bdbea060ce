/**
 * The service's time, as its answers date themselves. A machine's clock may be wrong; what is stored for ever must not
 * depend on it. One answer alone changes nothing: its date must be confirmed by the next one.
 */
import { WRONG_CLOCK_MS, type Clock, MINUTE_MS } from '../../lib/clock.ts';

/** When an answer was made, by its own headers, and how long it was waited for. */
export interface AnswerDates {
  /** The `Date` header in milliseconds since 1970; null where there is none that can be read. */
  dateMs: number | null;
  /** The `Age` header in milliseconds: how long a cache has kept the answer. */
  ageMs: number;
  /** Milliseconds from sending the request to the end of its answer. */
  waitedMs: number;
}

/** A date that contradicts those before. */
export interface DateDoubt {
  dateMs: number;
  /** Milliseconds by which it is ahead of the machine's clock (negative: behind), 0 for up to 10 minutes. */
  offsetMs: number;
}

/** What the answers since the last `reset` say of the machine's clock. */
export interface ClockEvidence {
  /** An answer came, dated or not. */
  answered: boolean;
  /**
   * Milliseconds by which the service's clock is ahead of the machine's (negative: behind), 0 where they agree to
   * 10 minutes; null where no dated answer was confirmed.
   */
  offsetMs: number | null;
  /** The same, as the newest of these answers had it, also within the 10 minutes; null where there was none. */
  differenceMs: number | null;
  /** True where some answer was dated more than 10 minutes off, and the answer after it did not show that to be odd. */
  wasOff: boolean;
}

/** The machine's clock, corrected by what the service's answers say where that is more than 10 minutes. */
export interface ServiceClock extends Clock {
  /** Forgets all evidence: the machine's clock may have been set. */
  reset(): void;
  /**
   * Takes the dates of one answer. Gives a doubt where they contradict those before: the same request is to be sent again,
   * a little later, once; `doubt` is the one that this answer was asked for again with. Null where the answer is taken.
   */
  observe(answer: AnswerDates, doubt: DateDoubt | null): DateDoubt | null;
  evidence(): ClockEvidence;
  /** Marks a moment. The function gives it in milliseconds since 1970, as it is known when it is called. */
  mark(): () => number;
}

/** A difference above this is worth a warning. */
const WARN_ABOVE_MS = 2 * MINUTE_MS;

const NOTHING: ClockEvidence = { answered: false, offsetMs: null, differenceMs: null, wasOff: false };

/** `onDifference` is called once, with the first difference of more than 2 minutes. */
export function createServiceClock(
  machine: Clock,
  onDifference: (offsetMs: number) => void = () => undefined,
): ServiceClock {
  let evidence = NOTHING;
  let isWarned = false;
  const offset = () => evidence.offsetMs ?? 0;
  return {
    now: () => machine.now() + offset(),
    sleep: (ms, signal) => machine.sleep(ms, signal),
    reset: () => void (evidence = NOTHING),
    evidence: () => evidence,
    mark: () => {
      const marked = machine.now();
      return () => marked + offset();
    },
    observe: ({ dateMs, ...times }, doubt) => {
      evidence = { ...evidence, answered: true };
      if (dateMs === null) return null;
      const differenceMs = measureDifference({ dateMs, ...times }, machine.now());
      if (Math.abs(differenceMs) > WARN_ABOVE_MS && !isWarned) {
        isWarned = true;
        onDifference(differenceMs);
      }
      const taken = weigh(evidence, { dateMs, differenceMs }, doubt);
      if ('evidence' in taken) evidence = taken.evidence;
      return 'doubt' in taken ? taken.doubt : null;
    },
  };
}

/**
 * What one dated answer comes to. One that agrees with the evidence is taken. One that contradicts it is in doubt until the
 * same request is answered again: a clock that goes on confirms it, the same date again is an old answer out of a cache.
 * Once answers agreed with the machine, others that do not may be those of one odd server: they only end trust in the clock for this run.
 */
function weigh(
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
 * Milliseconds from the time of waiting, by the machine's clock, to the date of the answer; 0 where it was made while it
 * was waited for. A cache gives an old date and an `Age`, others an `Age` next to a date of now: the nearer one counts.
 */
function measureDifference(
  { dateMs, ageMs, waitedMs }: AnswerDates & { dateMs: number },
  receivedAt: number,
): number {
  const distance = (ms: number) => ms - Math.min(receivedAt, Math.max(receivedAt - waitedMs, ms));
  const [plain, aged] = [distance(dateMs), distance(dateMs + ageMs)];
  return Math.abs(plain) <= Math.abs(aged) ? plain : aged;
}
