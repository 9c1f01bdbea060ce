import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromTimestamp, systemClock, toTimestamp } from '../../src/lib/clock.ts';

describe('the system clock', () => {
  it('ends a wait when the signal aborts, with the reason of the signal', async () => {
    const reason = new Error('stopped');
    const controller = new AbortController();
    const waiting = systemClock.sleep(3_600_000, controller.signal);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(systemClock.sleep(0, controller.signal)).rejects.toBe(reason);
  });

  it('leaves no listener at the signal when a wait is over', async () => {
    const controller = new AbortController();
    const waiting = systemClock.sleep(1, controller.signal);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    await waiting;
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

describe('a timestamp', () => {
  it('is a moment in UTC to the second, as text that sorts', () => {
    expect(toTimestamp(Date.parse('2026-03-09T15:04:05.999Z'))).toBe('2026-03-09 15:04:05');
    expect(toTimestamp(0)).toBe('1970-01-01 00:00:00');
    expect(fromTimestamp('2026-03-09 15:04:05')).toBe(Date.parse('2026-03-09T15:04:05Z'));
  });

  it('parses back to its moment without the milliseconds, and preserves the order', () => {
    const ms = fc.nat(4_000_000_000_000);
    const property = fc.property(ms, ms, (one, other) => {
      expect(fromTimestamp(toTimestamp(one))).toBe(Math.floor(one / 1000) * 1000);
      if (one <= other) expect(toTimestamp(one) <= toTimestamp(other)).toBe(true);
    });
    fc.assert(property);
  });
});
