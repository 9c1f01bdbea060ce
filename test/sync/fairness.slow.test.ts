import { describe, expect, it } from 'vitest';
import { createRandom, simulateFairness } from '../support/models/fairness-simulation.ts';

const LIMITS = { perMinute: 120, perDay: 20_000, maxWaitMs: 120_000 };
const HOURLY = '0 * * * *';
const HOURS = 24;

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
const oneDigit = (days: number) => days.toFixed(1);

/** Ten thousand packages of 1 to 40 pages. */
function manyPackages(): number[] {
  const random = createRandom(20_260_310);
  return Array.from({ length: 10_000 }, () => 1 + Math.floor(random() * 40));
}

describe('ten thousand packages at 20,000 requests a day, one walk in a hundred failing', () => {
  it('grow hardly older than the arithmetic minimum, none is skipped, and almost nothing is wasted', async () => {
    const sizes = manyPackages();
    const pages = sum(sizes);
    const allowed = pages / LIMITS.perDay;
    const figures = await simulateFairness({
      sizes,
      limits: LIMITS,
      full: HOURLY,
      days: 42,
      faults: 0.01,
      seed: 7,
    });
    const { oldestDays, medianDays, requests, wasted, unserved, packages } = figures;
    console.info(
      `oldest package: ${oneDigit(Math.max(oldestDays.neverFailed, oldestDays.failedOnce))} days` +
        ` (that failed twice in a row: ${oneDigit(oldestDays.failedMore)});` +
        ` arithmetic allows ${oneDigit(allowed)} days (${pages} pages at ${LIMITS.perDay} a day);` +
        ` median ${oneDigit(medianDays)} days; wasted ${((100 * wasted) / requests).toFixed(2)} %`,
    );
    expect(unserved).toBe(0);
    expect(Math.min(...packages.map(({ walks }) => walks))).toBeGreaterThanOrEqual(3);
    expect(oldestDays.neverFailed).toBeLessThanOrEqual(1.1 * allowed);
    expect(oldestDays.failedOnce).toBeLessThanOrEqual(1.2 * allowed);
    expect(oldestDays.failedMore).toBeLessThanOrEqual(2.2 * allowed); // the end of the queue: one more round
    expect(wasted).toBeLessThanOrEqual(0.01 * requests);
  });
});

describe('one package of two thousand pages among ten thousand', () => {
  it('is walked as often as the others, though their first round takes ten days', async () => {
    const sizes = [2_000, ...manyPackages()];
    const allowed = sum(sizes) / LIMITS.perDay;
    const run = { sizes, limits: LIMITS, full: HOURLY, days: 22, faults: 0, seed: 1 };
    const { packages, unserved, oldestDays, wasted, requests } = await simulateFairness(run);
    expect(unserved).toBe(0);
    expect(packages[0]?.walks).toBeGreaterThanOrEqual(2);
    expect(packages[0]?.oldestDays).toBeLessThanOrEqual(1.1 * allowed);
    expect(oldestDays.neverFailed).toBeLessThanOrEqual(1.1 * allowed);
    expect(wasted).toBeLessThanOrEqual(0.01 * requests);
  });
});

describe('five hundred small packages, done in ten minutes', () => {
  const small = Array.from({ length: 500 }, (_, index) => 1 + (index % 4));
  const HUGE = 20_000;

  it('stay fresh by the hour next to one of twenty thousand pages, which is completed too', async () => {
    const limits = { ...LIMITS, perDay: null };
    const sizes = [HUGE, ...small];
    const figures = await simulateFairness({ sizes, limits, full: HOURLY, days: 3, faults: 0, seed: 1 });
    const [huge, ...others] = figures.packages;
    const oldestHours = HOURS * Math.max(...others.map(({ oldestDays }) => oldestDays));
    const hugeHours = HOURS * (huge?.oldestDays ?? 0);
    const alone = HUGE / LIMITS.perMinute / 60;
    console.info(
      `oldest of the small packages: ${oldestHours.toFixed(2)} hours;` +
        ` the huge one: ${hugeHours.toFixed(2)} hours, ${alone.toFixed(2)} where it is alone`,
    );
    expect(figures.unserved).toBe(0);
    expect(oldestHours).toBeLessThanOrEqual(1.25);
    expect(hugeHours).toBeLessThanOrEqual(1.6 * alone);
    expect(huge?.walks).toBeGreaterThanOrEqual(12);
  });
});
