import { describe, expect, it } from 'vitest';
import { createLoginThrottle } from '../../../src/web/auth/login-throttle.ts';
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts';

function createThrottle() {
  const clock = createVirtualClock('2026-03-10T12:00:00Z');
  const throttle = createLoginThrottle(clock);
  const fail = (address: string, times = 10) => {
    for (let at = 0; at < times; at++) throttle.recordFailure(address);
  };
  return { clock, fail, waitMs: (address: string) => throttle.getWaitMs(address) };
}

describe('wrong keys', () => {
  it('are counted for a minute from the first one', () => {
    const { clock, fail, waitMs } = createThrottle();
    fail('192.0.2.1', 9);
    expect(waitMs('192.0.2.1')).toBe(0);
    clock.advance(59_999);
    fail('192.0.2.1', 1);
    expect(waitMs('192.0.2.1')).toBe(1);
    clock.advance(1);
    fail('192.0.2.1', 9);
    expect(waitMs('192.0.2.1')).toBe(0);
  });

  it('are forgotten if the clock is set back', () => {
    const { clock, fail, waitMs } = createThrottle();
    fail('192.0.2.1');
    clock.advance(-3_600_000);
    expect(waitMs('192.0.2.1')).toBe(0);
  });

  it.each([
    ['192.0.2.1', '192.0.2.1', true],
    ['192.0.2.1', '192.0.2.2', false],
    ['::ffff:192.0.2.1', '192.0.2.1', true],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
    ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6', true],
    ['2001:db8::1', '2001:db8:0:0:ffff::2', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['::1', '::2', true],
    ['fe80::1', '2001:db8::1', false],
    ['2001:db8:1::', '2001:db8:2::', false],
  ])('of %s and %s count for the same caller: %s', (one, other, isOne) => {
    const { fail, waitMs } = createThrottle();
    fail(one);
    expect(waitMs(other) > 0).toBe(isOne);
  });

  it('are counted for the thousand callers with the latest failures', () => {
    const { fail, waitMs } = createThrottle();
    fail('192.0.2.1');
    fail('192.0.2.2');
    for (let at = 0; at < 998; at++) fail(`10.0.${at >> 8}.${at & 255}`, 1);
    expect([waitMs('192.0.2.1') > 0, waitMs('192.0.2.2') > 0]).toEqual([true, true]);
    fail('192.0.2.1', 1);
    fail('192.0.2.3', 1);
    expect([waitMs('192.0.2.1') > 0, waitMs('192.0.2.2')]).toEqual([true, 0]);
  });
});
