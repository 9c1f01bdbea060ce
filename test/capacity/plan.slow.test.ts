import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AccountConfig, LimitsConfig } from '../../src/config/config.ts';
import type { Schedule } from '../../src/lib/cron-ticks.ts';
import {
  countCost,
  type AccountCost,
  type PackageSize,
  FULL_STEPS,
  createTimetables,
  evaluatePlan,
  proposeSchedule,
  QUICK_STEPS,
} from '../../src/capacity/plan.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';
import { rounds } from '../support/rounds.ts';

const NOW = toMs('2026-03-10T12:34Z');
const getTimetable = createTimetables(NOW);
const HOURLY: Schedule = { full: '0 * * * *', quick: null };
const NO_LIMITS = { perSecond: null, perMinute: null, perDay: null };

function account(
  packages: readonly number[],
  limits: Partial<LimitsConfig> = {},
  storage = true,
): AccountConfig {
  return {
    name: 'main',
    was: null,
    proxy: null,
    ca: null,
    videoList: { baseUrl: 'http://127.0.0.1:9', key: 'key', pageSize: 1000, exclude: [] },
    storage: storage
      ? {
          baseUrl: '',
          auth: 'none',
          key: '',
          since: null,
          settleMs: 0,
          recheckDays: 0,
          giveUpDays: 0,
          optional: [],
          plausibleFactor: 2,
        }
      : null,
    packages: packages.map((id) => ({ id, name: null })),
    packagesFile: null,
    limits: { concurrency: 4, maxWaitMs: 0, restrictedCodes: [], finalCodes: [], ...NO_LIMITS, ...limits },
  };
}

function size(id: number, totalcount: number | null, pageSize: number | null = 1000): PackageSize {
  return { account: 'main', package_id: id, totalcount, page_size: pageSize };
}

/** An account whose full pass and quick pass take the given numbers of requests. */
function cost(full: number, quick: number, limits: Partial<LimitsConfig> = {}): AccountCost {
  const sizes = [size(1, full - quick + 1, 1)];
  const packages = Array.from({ length: quick }, (_, index) => index + 1);
  return countCost(account(packages, limits, false), sizes);
}

describe('the cost of a pass', () => {
  it('is one request per page of videos, and one for the storage', () => {
    const sizes = [size(101, 2001), size(102, 1000), size(103, 0), size(104, 5, 0)];
    const { full, quick, packagesUnknown } = countCost(account([101, 102, 103]), sizes);
    expect(full).toEqual({ pages: 5, requests: 6, time_ms: null });
    expect(quick).toEqual({ pages: 3, requests: 4, time_ms: null });
    expect(packagesUnknown).toBe(0);
    expect(countCost(account([101], {}, false), sizes).full.requests).toBe(3);
    expect(countCost(account([]), sizes).full).toMatchObject({ pages: 0, requests: 1 });
  });

  it('counts a package without a completed walk as one page, and reports that', () => {
    const sizes = [size(101, 3000), size(102, null, null), size(104, 7, null)];
    const { full, packagesUnknown } = countCost(account([101, 102, 103, 104]), sizes);
    expect([full.pages, packagesUnknown]).toEqual([6, 3]);
  });

  it('counts the pages of the videos where the service stops counting before', () => {
    const sizes = [{ ...size(101, 10_000), live_count: 10_250 }];
    expect(countCost(account([101]), sizes).full.pages).toBe(11);
  });

  it('takes the time of the slowest limit, and none without limits', () => {
    const getTime = (limits: Partial<LimitsConfig>) =>
      countCost(account([101], limits), [size(101, 599_000)]).full.time_ms;
    expect(getTime({ perSecond: 5, perMinute: 120 })).toBe(300_000);
    expect(getTime({ perSecond: 1, perMinute: 120 })).toBe(600_000);
    expect(getTime({ perSecond: 5 })).toBe(120_000);
    expect(getTime({ perMinute: 600 })).toBe(60_000);
    expect(getTime({ perDay: 1 })).toBeNull();
  });
});

describe('the plan result', () => {
  it('counts the runs of a day, quick ones without those that a full run replaces', () => {
    const result = evaluatePlan(cost(264, 4, { perDay: 20_000 }), getTimetable(HOURLY));
    expect(result).toEqual({ requestsPerDay: 6336, shortfalls: [] });
    const withQuick = evaluatePlan(
      cost(264, 4, { perDay: 20_000 }),
      getTimetable({ ...HOURLY, quick: '*/10 * * * *' }),
    );
    expect(withQuick).toMatchObject({ requestsPerDay: 6816, shortfalls: [] });
  });

  it('fits up to the last request, and not with one more', () => {
    expect(evaluatePlan(cost(100, 1, { perDay: 2400 }), getTimetable(HOURLY)).shortfalls).toEqual([]);
    expect(evaluatePlan(cost(100, 1, { perDay: 2399 }), getTimetable(HOURLY)).shortfalls).toEqual([
      'per_day',
    ]);
    expect(evaluatePlan(cost(1_000_000, 1), getTimetable(HOURLY)).shortfalls).toEqual([]);
  });

  it('does not fit where a pass takes longer than the time between two of its runs, whatever a day allows', () => {
    const limits = { perMinute: 10 };
    expect(evaluatePlan(cost(600, 1, limits), getTimetable(HOURLY)).shortfalls).toEqual([]);
    expect(evaluatePlan(cost(601, 1, limits), getTimetable(HOURLY)).shortfalls).toEqual(['full_time']);
    const often = getTimetable({ full: '0 0 * * *', quick: '*/10 * * * *' });
    expect(evaluatePlan(cost(600, 100, limits), often).shortfalls).toEqual([]);
    expect(evaluatePlan(cost(600, 101, limits), often).shortfalls).toEqual(['quick_time']);
    const all = evaluatePlan(cost(99_999, 101, { ...limits, perDay: 9 }), often);
    expect(all.shortfalls).toEqual(['per_day', 'full_time', 'quick_time']);
  });
});

describe('packages with their own schedule', () => {
  const sizes = [size(101, 3000), size(102, 50_000), size(103, 1000)];
  const mixed = (limits: Partial<LimitsConfig>) => {
    const { packages, ...rest } = account([101, 102, 103], limits);
    const own = ['0 3 * * 0', '*/30 * * * *'];
    const scheduled = packages.map((each, index) => {
      const full = own[index - 1];
      return full === undefined ? each : { ...each, full };
    });
    return countCost({ ...rest, packages: scheduled }, sizes);
  };

  it('cost a pass of their own, as often as they run, and none of the full passes of the others', () => {
    const cost = mixed({ perDay: 20_000 });
    expect(cost.full).toMatchObject({ pages: 3, requests: 4 });
    expect(cost.quick.requests).toBe(4);
    expect(cost.own).toMatchObject([
      { schedule: '0 3 * * 0', packages: 1, requests: 50 },
      { schedule: '*/30 * * * *', packages: 1, requests: 1 },
    ]);
    expect(evaluatePlan(cost, getTimetable(HOURLY))).toMatchObject({
      requestsPerDay: 24 * 4 + 50 + 48,
      shortfalls: [],
    });
  });

  it('do not fit where a day or a pass is too short, and no other schedule of the others helps', () => {
    expect(evaluatePlan(mixed({ perDay: 193 }), getTimetable(HOURLY)).shortfalls).toEqual(['per_day']);
    expect(proposeSchedule([mixed({ perDay: 193 })], HOURLY, getTimetable)?.full).toBe('0 */2 * * *');
    expect(proposeSchedule([mixed({ perDay: 90 })], HOURLY, getTimetable)).toBeNull();
    const slow = mixed({ perMinute: 0.01 });
    expect(evaluatePlan(slow, getTimetable(HOURLY)).shortfalls).toEqual(['full_time', 'own_time']);
  });
});

describe('the proposal', () => {
  const schedules = (one: AccountCost, present: Schedule) => proposeSchedule([one], present, getTimetable);

  it('makes quick runs rarer where they alone exceed the budget', () => {
    const quick = '* * * * *';
    const daily = { full: '0 3 * * *', quick };
    expect(schedules(cost(200, 100, { perDay: 20_000 }), daily)).toEqual({
      full: '0 3 * * *',
      quick: '*/10 * * * *',
    });
    expect(schedules(cost(3000, 100, { perDay: 20_000 }), { ...HOURLY, quick })).toEqual({
      full: '0 0 * * *',
      quick: '*/10 * * * *',
    });
  });

  it('is empty where not even one full run a day fits', () => {
    expect(schedules(cost(20_001, 1, { perDay: 20_000 }), HOURLY)).toBeNull();
    expect(schedules(cost(14_401, 1, { perMinute: 10 }), HOURLY)).toBeNull();
    expect(schedules(cost(14_400, 1, { perMinute: 10 }), HOURLY)?.full).toBe('0 0 * * *');
  });

  it('for several accounts fits them all', () => {
    const costs = [cost(1300, 1, { perDay: 20_000 }), cost(4000, 1, { perDay: 20_000 }), cost(1, 1)];
    expect(proposeSchedule(costs, HOURLY, getTimetable)?.full).toBe('0 */6 * * *');
  });

  const limit = (highest: number) => fc.option(fc.integer({ min: 1, max: highest }));
  const anyCost = fc
    .record({
      quick: fc.integer({ min: 1, max: 60 }),
      more: fc.nat(5000),
      perSecond: limit(5),
      perMinute: limit(120),
      perDay: limit(30_000),
    })
    .map(({ quick, more, ...limits }) => cost(quick + more, quick, limits));
  const anySchedule = fc.record({
    full: fc.constantFrom('0 * * * *', '*/5 * * * *', '30 */2 * * *', '17 3 * * *', '0 9 * * mon-fri'),
    quick: fc.constantFrom(null, '* * * * *', '*/10 * * * *', '5 * * * *', '0 */6 * * *'),
  });

  const isWithoutQuick = (present: Schedule, full = '') =>
    getTimetable({ ...present, full }).quick?.times.length === 0;

  it('fits by the same arithmetic, and no more frequent proposal does', () => {
    const fits = (one: AccountCost, schedule: Schedule) =>
      evaluatePlan(one, getTimetable(schedule)).shortfalls.length === 0;
    fc.assert(
      fc.property(anyCost, anySchedule, (one, present) => {
        fc.pre(!fits(one, present));
        const minute = /^\d+(?= )/.exec(present.full)?.[0] ?? '0';
        const proposal = proposeSchedule([one], present, getTimetable);
        const fulls = FULL_STEPS.map((step) => cronText(step, minute));
        const fitting = fulls.findIndex((full) => fits(one, { ...present, full }));
        if (fitting >= 0) {
          expect(proposal).toEqual({
            ...present,
            full: fulls[fitting],
            quick: isWithoutQuick(present, fulls[fitting]) ? null : present.quick,
          });
        } else if (proposal) {
          expect(present.quick).not.toBeNull();
          const quicks = QUICK_STEPS.map((step) => cronText(step, minute));
          for (const quick of quicks.slice(0, Math.max(0, quicks.indexOf(proposal.quick ?? ''))))
            expect([present.full, ...fulls].some((full) => fits(one, { full, quick }))).toBe(false);
        } else {
          expect(fits(one, { full: cronText(1440, minute), quick: null })).toBe(false);
        }
        if (proposal) expect(fits(one, proposal)).toBe(true);
      }),
      { numRuns: rounds(1500) },
    );
  }, 120_000);
});

/** The same arithmetic, written independently. */
function cronText(minutes: number, minute: string): string {
  if (minutes < 60) return `*/${minutes} * * * *`;
  if (minutes === 60) return `${minute} * * * *`;
  return `${minute} ${minutes === 1440 ? '0' : `*/${minutes / 60}`} * * *`;
}
