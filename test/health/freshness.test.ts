import { describe, expect, it } from 'vitest';
import { createStaleCheck } from '../../src/health/streams.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';

const HOURLY = '0 * * * *';
const staleAt = (time: string, readAt: string | null, full = HOURLY) =>
  createStaleCheck({ full })(readAt, toMs(`2026-03-10T${time}Z`));

describe('data of a stream', () => {
  it('is stale once two ticks of the full schedule have passed since its last read', () => {
    expect(staleAt('12:59:59', '2026-03-10 11:30:00')).toBe(false);
    expect(staleAt('13:00:00', '2026-03-10 11:30:00')).toBe(false); // the run of that tick had no time yet
    expect(staleAt('13:00:01', '2026-03-10 11:30:00')).toBe(true);
  });

  it('depends on the schedule, not on a fixed duration', () => {
    expect(staleAt('12:00:00', '2026-03-09 06:00:00', '0 3 * * *')).toBe(false);
    expect(staleAt('12:00:00', '2026-03-09 02:00:00', '0 3 * * *')).toBe(true);
  });

  it('is stale where it was never read', () => {
    expect(staleAt('12:00:00', null)).toBe(true);
  });
});

it('a package with its own schedule is stale after two of its own ticks', () => {
  const isStale = createStaleCheck({ full: '0 * * * *', timezone: 'UTC' });
  const sunday = '2026-03-08 03:20:00';
  const at = (time: string) => isStale(sunday, toMs(time), '0 3 * * 0');
  expect([at('2026-03-15T03:30Z'), at('2026-03-22T03:00Z'), at('2026-03-22T03:01Z')]).toEqual([
    false,
    false,
    true,
  ]);
  expect(isStale(sunday, toMs('2026-03-08T05:01Z'))).toBe(true);
});
