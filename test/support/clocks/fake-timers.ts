import { onTestFinished, vi } from 'vitest';
import { toMs } from './virtual-clock.ts';

/** Replaces the timers and the time of this process for one test. */
export function useFakeTimers(start: string) {
  vi.useFakeTimers({
    now: toMs(start),
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  });
  onTestFinished(() => void vi.useRealTimers());
  return {
    /** Advances the time by milliseconds, and runs every timer of that period. */
    pass: async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
    },
    /** Advances the time without running timers, like a suspended laptop. */
    skip: async (ms: number) => {
      vi.setSystemTime(Date.now() + ms);
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}
