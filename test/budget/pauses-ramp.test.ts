import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Limits } from '../../src/budget/budget.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createVirtualClock, toMs } from '../support/clocks/virtual-clock.ts';

const START = toMs('2026-03-01T12:00Z');
const ENTRY = { purpose: 'page', packageId: 101, page: 3, runId: 7, deadlineMs: 30_000 } as const;
const OFF: Limits = { perSecond: null, perMinute: null, perDay: null, maxWaitMs: 86_400_000 };

/**
 * Sends requests as fast as allowed for some seconds after a pause; returns the number admitted in each of
 * them.
 */
async function secondsAfter(pauseMs: number, limits: Limits, seconds: number): Promise<number[]> {
  const clock = createVirtualClock(START);
  const warehouse = openWarehouse(join(temporaryFolder(), 'live.db'), clock);
  const budget = warehouse.createBudget('main', limits);
  const answer = { status: 200, bytes: 1, sent: true };
  const admission = await budget.admit(ENTRY);
  admission.answered({ ...answer, status: 429 }, { waitMs: pauseMs, reason: 'too much', served: false });
  const counts = Array<number>(seconds).fill(0);
  const end = START + pauseMs;
  for (;;) {
    const admission = await budget.admit(ENTRY);
    admission.answered(answer);
    const second = Math.floor((clock.now() - end) / 1000);
    const isOver = second >= seconds || (counts[second] ?? 0) >= 1000; // without limits there is no end
    if (isOver) break;
    counts[second] = (counts[second] ?? 0) + 1;
  }
  warehouse.close();
  return counts;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}

describe('after a pause', () => {
  it('of half a minute the rate ramps up over a minute, also where there are no limits', async () => {
    const counts = await secondsAfter(30_000, OFF, 62);
    counts.slice(0, 60).forEach((count, second) => {
      expect(count, `second ${second}`).toBeLessThanOrEqual(Math.max(1, Math.floor((5 * (second + 1)) / 60)));
    });
    expect(counts.slice(0, 3)).toEqual([0, 1, 1]);
    expect(sum(counts.slice(0, 10))).toBeGreaterThanOrEqual(8);
    expect(sum(counts.slice(0, 60))).toBeGreaterThanOrEqual(90);
    expect(sum(counts.slice(0, 60))).toBeLessThanOrEqual(120);
    expect(counts[60]).toBe(1000);
  });

  it('the limits themselves ramp up', async () => {
    const limits = { ...OFF, perSecond: 10, perMinute: 600 };
    const counts = await secondsAfter(60_000, limits, 70);
    counts.slice(0, 60).forEach((count, second) => {
      expect(count, `second ${second}`).toBeLessThanOrEqual(
        Math.max(1, Math.floor((10 * (second + 1)) / 60)),
      );
    });
    expect(counts.slice(0, 3)).toEqual([1, 1, 1]);
    expect(sum(counts.slice(0, 60))).toBeGreaterThanOrEqual(240);
    for (const count of counts.slice(62)) expect(count).toBeGreaterThanOrEqual(9);
  });

  it('a spent day is over when its window is, not when the rate is back', async () => {
    const clock = createVirtualClock(START);
    const warehouse = openWarehouse(join(temporaryFolder(), 'live.db'), clock);
    const budget = warehouse.createBudget('main', { ...OFF, perDay: 1, maxWaitMs: 60_000 });
    const admission = await budget.admit(ENTRY);
    const restriction = { waitMs: 30_000, reason: 'too much', served: false };
    admission.answered({ status: 429, bytes: 1, sent: true }, restriction);
    clock.advance(31_000);
    expect(budget.whyParked()).toMatchObject({ untilMs: START + 86_400_001 });
    warehouse.close();
  });

  it('of an hour the rate ramps up over ten minutes', async () => {
    const counts = await secondsAfter(3_600_000, OFF, 602);
    const minutes = Array.from({ length: 10 }, (_, minute) =>
      sum(counts.slice(minute * 60, minute * 60 + 60)),
    );
    minutes.forEach((count, minute) => {
      expect(count, `minute ${minute}`).toBeLessThanOrEqual(12 * (minute + 1));
      expect(count, `minute ${minute}`).toBeGreaterThanOrEqual(Math.max(5, 12 * minute - 12));
    });
    expect(counts[600]).toBe(1000);
  });
});
