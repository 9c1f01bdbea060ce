import { describe, expect, it } from 'vitest';
import { createClockCheck } from '../../../src/service/client/clock-check.ts';
import { MINUTE_MS, HOUR_MS, DAY_MS } from '../../../src/lib/clock.ts';
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts';

function openCheck() {
  const machine = createVirtualClock('2026-03-10T12:00Z');
  const check = createClockCheck(machine);
  /** A response whose date differs by this from the machine's clock; null: without a date. */
  const answer = (offsetMs: number | null) =>
    check.observe(offsetMs === null ? null : machine.now() + offsetMs);
  return { check, answer };
}

describe("the machine's clock, compared with the dates of responses", () => {
  it.each([
    ['no response has a date', [null], { differenceMs: null, isOff: false }],
    ['they agree', [null, 0], { differenceMs: 0, isOff: false }],
    ['they differ by 10 minutes', [0, -10 * MINUTE_MS], { differenceMs: -10 * MINUTE_MS, isOff: false }],
    ['one differs by more', [0, 11 * MINUTE_MS, 0], { differenceMs: 11 * MINUTE_MS, isOff: true }],
    ['all differ, each in its way', [-DAY_MS, HOUR_MS], { differenceMs: -DAY_MS, isOff: true }],
  ])('where %s', (_what, offsets, expected) => {
    const { check, answer } = openCheck();
    for (const offset of offsets) answer(offset);
    expect(check.result()).toEqual(expected);
    check.reset();
    expect(check.result()).toEqual({ differenceMs: null, isOff: false });
  });
});
