import { expect, it, onTestFinished, vi } from 'vitest';
import { startTicks } from '../../src/app/ticks.ts';
import { MINUTE_MS } from '../../src/lib/clock.ts';

it('ticks are called, late where the machine was suspended, and no longer once they are stopped', async () => {
  vi.useFakeTimers({ now: Date.parse('2026-03-10T11:59:30Z') });
  onTestFinished(() => void vi.useRealTimers());
  let calls = 0;
  const stop = startTicks('* * * * *', async () => {
    calls++;
  });
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(calls).toBe(1);
  vi.setSystemTime('2026-03-10T12:05:30Z');
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(calls).toBe(7);
  stop();
  await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
  expect(calls).toBe(7);
});
