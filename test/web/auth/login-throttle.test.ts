import { describe, expect, it } from 'vitest';
import { createLoginThrottle } from '../../../src/web/auth/login-throttle.ts';
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts';

function createGuessed() {
  const clock = createVirtualClock('2026-03-10T12:00:00Z');
  const guesses = createLoginThrottle(clock);
  const guess = (address: string, times = 10) => {
    for (let at = 0; at < times; at++) guesses.wrong(address);
  };
  return { clock, guess, waitMs: (address: string) => guesses.waitMs(address) };
}

describe('wrong keys', () => {
  it('are counted for a minute from the first on', () => {
    const { clock, guess, waitMs } = createGuessed();
    guess('192.0.2.1', 9);
    expect(waitMs('192.0.2.1')).toBe(0);
    clock.advance(59_999);
    guess('192.0.2.1', 1);
    expect(waitMs('192.0.2.1')).toBe(1);
    clock.advance(1);
    guess('192.0.2.1', 9);
    expect(waitMs('192.0.2.1')).toBe(0);
  });

  it('are forgotten where the clock is put back', () => {
    const { clock, guess, waitMs } = createGuessed();
    guess('192.0.2.1');
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
  ])('of %s and %s are those of one caller: %s', (one, other, isOne) => {
    const { guess, waitMs } = createGuessed();
    guess(one);
    expect(waitMs(other) > 0).toBe(isOne);
  });

  it('are remembered of a thousand callers, and of those who guessed last', () => {
    const { guess, waitMs } = createGuessed();
    guess('192.0.2.1');
    guess('192.0.2.2');
    for (let at = 0; at < 998; at++) guess(`10.0.${at >> 8}.${at & 255}`, 1);
    expect([waitMs('192.0.2.1') > 0, waitMs('192.0.2.2') > 0]).toEqual([true, true]);
    guess('192.0.2.1', 1);
    guess('192.0.2.3', 1);
    expect([waitMs('192.0.2.1') > 0, waitMs('192.0.2.2')]).toEqual([true, 0]);
  });
});
