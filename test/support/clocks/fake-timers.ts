import { onTestFinished, vi } from 'vitest';
import { toMs } from './virtual-clock.ts';

/** Puts the timers of this process, and its time, into the hands of one test. */
export function takeTimers(start: string) {
  vi.useFakeTimers({
    now: toMs(start),
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  });
  onTestFinished(() => void vi.useRealTimers());
  return {
    /** Lets so many milliseconds pass, with all that happens in them. */
    pass: async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
    },
    /** So many milliseconds are gone in which this process did nothing: a suspended laptop. */
    skip: async (ms: number) => {
      vi.setSystemTime(Date.now() + ms);
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}
