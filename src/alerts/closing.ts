/** How what calls addresses in the background is closed. */
import type { Clock } from '../lib/clock.ts';

const CLOSE_WITHIN_MS = 5_000;

/** A signal for calls, and a function that waits for them before it aborts the signal. */
export function createClosing(clock: Clock) {
  const controller = new AbortController();
  return {
    /** Interrupts the calls. */
    signal: controller.signal,
    /** Waits until `idle` resolves, at most `withinMs` or until `early`; then interrupts what is still in progress. */
    async close(idle: Promise<unknown>, withinMs = CLOSE_WITHIN_MS, early?: AbortSignal): Promise<void> {
      const isIdle = new AbortController();
      const until = AbortSignal.any([isIdle.signal, ...(early ? [early] : [])]);
      const timeout = clock.sleep(withinMs, until).catch(() => undefined);
      await Promise.race([idle, timeout]);
      isIdle.abort();
      controller.abort();
      await idle;
    },
  };
}
