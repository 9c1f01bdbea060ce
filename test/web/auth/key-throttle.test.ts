import { describe, expect, it } from 'vitest';
import { createKeyThrottle } from '../../../src/web/auth/key-throttle.ts';
import { BlockedError } from '../../../src/service/server/api-keys.ts';
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts';

function createThrottle() {
  const clock = createVirtualClock('2026-03-10T12:00:00Z');
  const throttle = createKeyThrottle(clock);
  let sent = 0;
  /** Sends new wrong keys. */
  const fail = (address: string, times = 10) => {
    for (let at = 0; at < times; at++) throttle.recordFailures(address, [`wrong-${++sent}`]);
  };
  /** The wait of the address with these keys, in seconds; 0: none. */
  const waitSeconds = (address: string, keys = ['right']) => {
    try {
      throttle.assertNotBlocked(address, keys);
      return 0;
    } catch (error) {
      if (error instanceof BlockedError) return error.waitSeconds;
      throw error;
    }
  };
  return { clock, throttle, fail, waitSeconds };
}

describe('wrong keys', () => {
  it('are counted for a minute from the first one', () => {
    const { clock, fail, waitSeconds } = createThrottle();
    fail('192.0.2.1', 9);
    expect(waitSeconds('192.0.2.1')).toBe(0);
    clock.advance(59_999);
    fail('192.0.2.1', 1);
    expect(waitSeconds('192.0.2.1')).toBe(1);
    clock.advance(1);
    fail('192.0.2.1', 9);
    expect(waitSeconds('192.0.2.1')).toBe(0);
  });

  it('that are one and the same only block that key', () => {
    const { throttle, waitSeconds } = createThrottle();
    for (let at = 0; at < 10; at++) throttle.recordFailures('192.0.2.1', ['outdated']);
    expect([waitSeconds('192.0.2.1', ['outdated']), waitSeconds('192.0.2.1', ['right'])]).toEqual([60, 0]);
    expect(waitSeconds('192.0.2.2', ['outdated'])).toBe(0);
  });

  it('of one request are counted one by one', () => {
    const { throttle, waitSeconds } = createThrottle();
    for (const place of ['1', '2']) {
      throttle.recordFailures(
        '192.0.2.1',
        ['a', 'b', 'c', 'd', 'e'].map((key) => key + place),
      );
    }
    expect(waitSeconds('192.0.2.1')).toBe(60);
  });

  it('are forgotten if the clock is set back', () => {
    const { clock, fail, waitSeconds } = createThrottle();
    fail('192.0.2.1');
    clock.advance(-3_600_000);
    expect(waitSeconds('192.0.2.1')).toBe(0);
  });

  it.each([
    ['192.0.2.1', '192.0.2.1', true],
    ['192.0.2.1', '192.0.2.2', false],
    ['::ffff:192.0.2.1', '192.0.2.1', true],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
    ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6', true],
    ['2001:db8::1', '2001:db8:0:0:ffff::2', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['192.0.2.1:5001', '192.0.2.1:5002', true],
    ['192.0.2.1:5001', '192.0.2.2:5001', false],
    ['[2001:db8:1:2::1]:5001', '2001:db8:1:2::7', true],
    ['[2001:db8:1:2::1]:5001', '[2001:db8:1:3::1]:5001', false],
    ['::1', '::2', true],
    ['fe80::1', '2001:db8::1', false],
    ['2001:db8:1::', '2001:db8:2::', false],
  ])('of %s and %s count for the same caller: %s', (one, other, isOne) => {
    const { fail, waitSeconds } = createThrottle();
    fail(one);
    expect(waitSeconds(other) > 0).toBe(isOne);
  });

  it('are counted for the thousand callers with the latest failures', () => {
    const { fail, waitSeconds } = createThrottle();
    fail('192.0.2.1');
    fail('192.0.2.2');
    for (let at = 0; at < 998; at++) fail(`10.0.${at >> 8}.${at & 255}`, 1);
    expect([waitSeconds('192.0.2.1') > 0, waitSeconds('192.0.2.2') > 0]).toEqual([true, true]);
    fail('192.0.2.1', 1);
    fail('192.0.2.3', 1);
    expect([waitSeconds('192.0.2.1') > 0, waitSeconds('192.0.2.2')]).toEqual([true, 0]);
  });
});
