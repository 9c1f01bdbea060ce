/** Waits for work, but no longer than a time limit. */
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The result of the work; null if it takes longer than `ms`: then it continues, and its result is lost.
 * Rejects if the signal aborts.
 */
export async function withinTime<Result>(
  work: Promise<Result>,
  ms: number,
  signal?: AbortSignal,
): Promise<Result | null> {
  const ended = new AbortController();
  const signals = [ended.signal, ...(signal ? [signal] : [])];
  const late = sleep(ms, null, { ref: false, signal: AbortSignal.any(signals) });
  late.catch(() => undefined); // rejects if the work was first
  work.catch(() => undefined); // may reject after the time was first
  try {
    return await Promise.race([work, late]);
  } finally {
    ended.abort();
  }
}
