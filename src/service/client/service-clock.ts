/**
 * The service's time, as its answers date themselves. A machine's clock may be wrong; what is stored for ever must not
 * depend on it. One answer alone changes nothing: its date must be confirmed by the next one.
 */
import type { Clock } from '../../lib/clock.ts';

/** When an answer was made, by its own headers, and how long it was waited for. */
export interface AnswerDates {
  /** The `Date` header in milliseconds since 1970; null where there is none that can be read. */
  dateMs: number | null;
  /** The `Age` header in milliseconds: how long a cache has kept the answer. */
  ageMs: number;
  /** Milliseconds from sending the request to the end of its answer. */
  waitedMs: number;
}

/** What the answers since the last `reset` say of the machine's clock. */
export interface ClockEvidence {
  /** An answer came, dated or not. */
  answered: boolean;
  /**
   * Milliseconds by which the service's clock is ahead of the machine's (negative: behind), 0 where they agree to
   * 10 minutes; null where no answer was dated.
   */
  offsetMs: number | null;
  /** True where some answer was dated more than 10 minutes off and the answer after it did not contradict it. */
  wasOff: boolean;
}

/** The machine's clock, corrected by what the service's answers say where that is more than 10 minutes. */
export interface ServiceClock extends Clock {
  /** Forgets all evidence: the machine's clock may have been set. */
  reset(): void;
  /** Takes the dates of one answer. False where they contradict those before: the same request is to be sent again. */
  observe(answer: AnswerDates): boolean;
  evidence(): ClockEvidence;
  /** Marks a moment. The function gives it in milliseconds since 1970, as it is known when it is called. */
  mark(): () => number;
}

const MINUTE_MS = 60_000;
/** A difference above this is worth a warning. */
export const WARN_ABOVE_MS = 2 * MINUTE_MS;
/** A difference above this is a clock that is wrong. */
export const OFF_ABOVE_MS = 10 * MINUTE_MS;

/** `onDifference` is called once, with the first difference of more than 2 minutes. */
export function createServiceClock(
  machine: Clock,
  onDifference: (offsetMs: number) => void = () => undefined,
): ServiceClock {
  let evidence = noEvidence();
  let doubt: number | null = null;
  let isWarned = false;

  function warnOnce(offsetMs: number): void {
    if (isWarned || Math.abs(offsetMs) <= WARN_ABOVE_MS) return;
    isWarned = true;
    onDifference(offsetMs);
  }

  function observe(answer: AnswerDates): boolean {
    evidence = { ...evidence, answered: true };
    const measured = measureOffset(answer, machine.now());
    if (measured === null) return true;
    warnOnce(measured);
    const offsetMs = Math.abs(measured) > OFF_ABOVE_MS ? measured : 0;
    const isConfirmed =
      isNear(offsetMs, evidence.offsetMs ?? 0) || (doubt !== null && isNear(offsetMs, doubt));
    const isFirstDoubt = !isConfirmed && doubt === null;
    doubt = isConfirmed ? null : offsetMs;
    if (isFirstDoubt) return false;
    const wasOff = evidence.wasOff || offsetMs !== 0 || !isConfirmed;
    evidence = { answered: true, offsetMs: isConfirmed ? offsetMs : evidence.offsetMs, wasOff };
    return true;
  }

  return {
    now: () => machine.now() + (evidence.offsetMs ?? 0),
    sleep: (ms, signal) => machine.sleep(ms, signal),
    reset: () => {
      evidence = noEvidence();
      doubt = null;
    },
    evidence: () => evidence,
    mark: () => {
      const marked = machine.now();
      return () => marked + (evidence.offsetMs ?? 0);
    },
    observe,
  };
}

function noEvidence(): ClockEvidence {
  return { answered: false, offsetMs: null, wasOff: false };
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= WARN_ABOVE_MS;
}

/**
 * Milliseconds from the time of waiting, by the machine's clock, to the date of the answer; 0 where it was made while it
 * was waited for. A cache gives an old date and an `Age`, others an `Age` beside a date of now: the nearer one counts.
 */
function measureOffset({ dateMs, ageMs, waitedMs }: AnswerDates, receivedAt: number): number | null {
  if (dateMs === null) return null;
  const distance = (ms: number) => ms - Math.min(receivedAt, Math.max(receivedAt - waitedMs, ms));
  const [plain, aged] = [distance(dateMs), distance(dateMs + ageMs)];
  return Math.abs(plain) <= Math.abs(aged) ? plain : aged;
}
