import { beforeEach, describe, expect, it } from 'vitest';
import { ParkedError } from '../../src/lib/errors.ts';
import type { Limits } from '../../src/budget/budget.ts';
import type { Admission, RequestEntry } from '../../src/budget/request-budget.ts';
import { openWarehouse, type Warehouse } from '../../src/warehouse/warehouse.ts';
import { readRows, readValue } from '../support/fixtures/live-file.ts';
import { openEmptyWarehouse } from '../support/fixtures/test-warehouse.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import { createTimeline, toMs, type VirtualClock } from '../support/clocks/virtual-clock.ts';
import { transact } from '../../src/database/transaction.ts';
import { endRun, beginRun, endPause } from '../../src/warehouse/runs.ts';
import { findLastRun } from '../../src/warehouse/statements/run.ts';

const START = toMs('2026-03-01T12:00Z');
const ENTRY: RequestEntry = { purpose: 'page', packageId: 101, page: 3, runId: 7, deadlineMs: 30_000 };
const NONE: Limits = { perSecond: null, perMinute: null, perDay: null, maxWaitMs: 0 };
const PATIENT: Limits = { ...NONE, maxWaitMs: DAY_MS };

describe('a pause', () => {
  let path: string;
  let clock: VirtualClock;
  let warehouse: Warehouse;

  beforeEach(() => {
    ({ path, clock, warehouse } = openEmptyWarehouse(START));
  });

  const admit = (limits = PATIENT, account = 'main') => warehouse.createBudget(account, limits).admit(ENTRY);

  /** The request is answered by a restriction. */
  function restrict(admission: Admission, waitMs: number | null, reason = 'too much'): void {
    admission.answered({ status: 429, bytes: null, sent: true }, { waitMs, reason, served: false });
  }

  /** The pause of account main in seconds after the start. */
  function stored() {
    const [row] = readRows(path, "select * from pause where account = 'main'");
    const seconds = (moment: unknown) => (Date.parse(`${String(moment).replace(' ', 'T')}Z`) - START) / 1000;
    if (!row) return null;
    const { until, since, full_rate_at: back, consecutive_restrictions: strikes } = row;
    return { since: seconds(since), until: seconds(until), back: seconds(back), strikes };
  }

  /** Admits one request, and returns the second after the start at which that was. */
  async function admittedAt(limits = PATIENT, account = 'main'): Promise<number> {
    await admit(limits, account);
    return (clock.now() - START) / 1000;
  }

  it('is stored with its reason, and is obeyed', async () => {
    restrict(await admit(), 5_000, 'HTTP 429');
    expect(stored()).toEqual({ since: 0, until: 5, back: 65, strikes: 1 });
    expect(readValue(path, 'select reason from pause')).toBe('HTTP 429');
    expect(await admittedAt()).toBeGreaterThanOrEqual(5);
  });

  it('is not shortened by rounding to whole seconds', async () => {
    clock.advance(1);
    restrict(await admit(), 1);
    expect(stored()).toMatchObject({ since: 0, until: 1 });
  });

  it('that fits the allowed wait is waited out, though the rate ramps up more slowly than a run may wait', async () => {
    restrict(await admit(), 20_000);
    expect(await admittedAt({ ...PATIENT, maxWaitMs: 20_000 })).toBeLessThanOrEqual(21);
  });

  it('is longer for each restriction in a row', async () => {
    const lengths: unknown[] = [];
    for (const named of [null, null, 5_000, 3_600_000, null, null, null, null, null]) {
      const admission = await admit();
      const now = Math.ceil((clock.now() - START) / 1000);
      restrict(admission, named);
      lengths.push([(stored()?.until ?? NaN) - now, stored()?.strikes]);
    }
    expect(lengths).toEqual([
      [30, 1],
      [60, 2],
      [120, 3],
      [3600, 4],
      [480, 5],
      [960, 6],
      [1920, 7],
      [3600, 8],
      [3600, 9],
    ]);
  });

  it('is as long as the service demands, also where a late response to an earlier request demands it', async () => {
    const [first, late] = [await admit(), await admit()];
    restrict(first, 1_000);
    clock.advance(4_000);
    restrict(late, null);
    expect(stored()).toMatchObject({ until: 34, strikes: 1 });
  });

  it('starts at the first length again once the rate has been back for an hour', async () => {
    restrict(await admit(), null);
    clock.set(START + 90_000 + 3_600_000);
    restrict(await admit(), null);
    expect(stored()).toEqual({ since: 3690, until: 3720, back: 3780, strikes: 1 });
  });

  it('is one, however many responses at a time restrict it', async () => {
    const under = [await admit(), await admit(), await admit(), await admit()];
    for (const admission of under) {
      clock.advance(1_000);
      restrict(admission, null);
    }
    expect(stored()).toEqual({ since: 1, until: 31, back: 91, strikes: 1 });
  });

  it('is extended, and never shortened, by responses with another time', async () => {
    const under = [await admit(), await admit(), await admit()];
    const ends = [10_000, 40_000, 20_000].map((named, index) => {
      clock.advance(1_000);
      const admission = under[index];
      if (admission) restrict(admission, named);
      return [stored()?.since, stored()?.until, stored()?.strikes];
    });
    expect(ends).toEqual([
      [1, 11, 1],
      [1, 42, 1],
      [1, 42, 1],
    ]);
  });

  it('is not repeated by a later restriction of a request from before it', async () => {
    const slow = await admit();
    restrict(await admit(), 5_000);
    clock.advance(20_000);
    restrict(slow, null);
    expect(stored()?.strikes).toBe(1);
    const early = await admit();
    restrict(early, null);
    expect(stored()?.strikes).toBe(2);
  });

  it('of a clock that was ahead does not count', async () => {
    clock.set(START + 3_600_000);
    restrict(await admit(), 20_000);
    clock.set(START);
    expect(await admittedAt()).toBeLessThanOrEqual(30);
  });

  it('survives its process', async () => {
    restrict(await admit(), 100_000);
    warehouse.close();
    warehouse = openWarehouse(path, clock);
    expect(await admittedAt()).toBe(100);
  });

  it('is obeyed by a waiting process when another one receives the restriction', async () => {
    const timeline = createTimeline(START);
    const [one, other] = [openWarehouse(path, timeline), openWarehouse(path, timeline)];
    const limits = { ...PATIENT, perSecond: 1 };
    const admission = await one.createBudget('main', limits).admit(ENTRY);
    const waiting = other.createBudget('main', limits).admit(ENTRY);
    void timeline.sleep(300).then(() => restrict(admission, 7_000));
    await timeline.run();
    await waiting;
    one.close();
    other.close();
    expect(Number(readValue(path, 'select max(at_ms) from request'))).toBeGreaterThanOrEqual(START + 8_000);
  });

  it('is of one account: other accounts continue', async () => {
    restrict(await admit(), 20_000);
    expect(await admittedAt(NONE, 'other')).toBe(0);
    await expect(admit(NONE)).rejects.toThrow(ParkedError);
  });

  it('parks a request that may not wait that long, returns until when and why, and spends nothing', async () => {
    restrict(await admit(), 20_000, 'account main, package 7: the service answered 429');
    const refused: unknown = await admit({ ...NONE, maxWaitMs: 19_999 }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ParkedError);
    expect(refused).toMatchObject({
      message:
        'account main is paused until 2026-03-01 12:00:20 UTC: account main, package 7: the service answered 429',
      untilMs: START + 20_000,
    });
    expect(clock.now()).toBe(START);
    expect(readValue(path, 'select count(*) from request')).toBe(1);
  });

  it('parks no request that may wait exactly that long', async () => {
    restrict(await admit(), 100_000);
    clock.advance(85_000);
    expect(await admittedAt({ ...NONE, maxWaitMs: 15_000 })).toBe(100);
  });

  it('ends before its time by hand: a waiting process goes on, and a parked run may continue', async () => {
    restrict(await admit(), 999_999_999_000);
    expect(stored()?.until).toBe(86_400);
    const run = { trigger: 'manual', mode: 'full', now: START, scope: null, origin: null } as const;
    const end = {
      status: 'parked',
      now: START,
      error: null,
      failures: [],
      resumeAt: START + DAY_MS,
    } as const;
    transact(warehouse.db, (tx) => {
      const runId = beginRun(tx, run);
      endRun(tx, runId, { ...end, clockOffsetMs: null, undated: [], retention: null });
    });
    const endNow = () =>
      transact(warehouse.db, (tx) => endPause(tx, { account: 'main', at: '2026-03-01 12:00:00' }));
    void clock.sleep(0).then(endNow);
    expect(await admittedAt()).toBeLessThanOrEqual(600);
    expect(findLastRun(warehouse.db, 'full')?.resumeAt).toBe('2026-03-01 12:00:00');
    expect(endNow()).toBe(false);
  });
});
