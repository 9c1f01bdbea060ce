import { beforeEach, describe, expect, it } from 'vitest';
import { ParkedError } from '../../src/lib/errors.ts';
import type { Limits } from '../../src/budget/budget.ts';
import type { RequestEntry } from '../../src/budget/request-budget.ts';
import { openWarehouse, type Warehouse } from '../../src/warehouse/warehouse.ts';
import { moduleUrl, runModule } from '../support/processes/child-process.ts';
import { execute, readRows, readValue } from '../support/fixtures/live-file.ts';
import { openEmptyWarehouse } from '../support/fixtures/test-warehouse.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import { createTimeline, toMs, type VirtualClock } from '../support/clocks/virtual-clock.ts';

const START = toMs('2026-03-01T12:00Z');
const ENTRY: RequestEntry = { purpose: 'page', packageId: 101, page: 3, runId: 7, deadlineMs: 30_000 };
const ANSWER = { status: 200, bytes: 10, sent: true };
const NONE: Limits = { perSecond: null, perMinute: null, perDay: null, maxWaitMs: 0 };
const PATIENT = { ...NONE, maxWaitMs: 2 * DAY_MS };

describe('the budget', () => {
  let path: string;
  let clock: VirtualClock;
  let warehouse: Warehouse;

  beforeEach(() => {
    ({ path, clock, warehouse } = openEmptyWarehouse(START));
  });

  /** Spends one request that is answered at once, and returns how long it had to wait. */
  async function spend(limits: Limits, account = 'main'): Promise<number> {
    const before = clock.now();
    const admission = await warehouse.createBudget(account, limits).admit(ENTRY);
    admission.answered(ANSWER);
    return clock.now() - before;
  }

  it.each([
    ['perSecond', 1_000],
    ['perMinute', 60_000],
    ['perDay', DAY_MS],
  ] as const)('counts %s for exactly that time', async (window, ms) => {
    const limits = { ...NONE, [window]: 1 };
    await spend(limits);
    clock.advance(ms - 1);
    await expect(spend(limits)).rejects.toThrow(ParkedError);
    clock.advance(1);
    expect(await spend(limits)).toBe(0);
  });

  it('counts a request without a response from its deadline on, and an unsent one from its end', async () => {
    const limits = { ...NONE, perMinute: 1 };
    const lost = await warehouse.createBudget('lost', limits).admit(ENTRY);
    const unsent = await warehouse.createBudget('unsent', limits).admit(ENTRY);
    clock.advance(1_000);
    lost.answered({ status: null, bytes: null, sent: true });
    unsent.answered({ status: null, bytes: null, sent: false });
    expect(readRows(path, 'select answered_at_ms from request where answered_at_ms is not null')).toEqual([]);
    clock.advance(60_000);
    expect(await spend(limits, 'unsent')).toBe(0);
    await expect(spend(limits, 'lost')).rejects.toThrow(ParkedError);
    clock.set(START + ENTRY.deadlineMs + 60_000);
    expect(await spend(limits, 'lost')).toBe(0);
  });

  it('counts every account separately', async () => {
    const limits = { ...NONE, perDay: 1 };
    await spend(limits, 'one');
    expect(await spend(limits, 'other')).toBe(0);
    await expect(spend(limits, 'one')).rejects.toThrow(ParkedError);
  });

  it.each([
    ['nothing is spent', 0, false],
    ['a request would wait as long as it may', 60_001, false],
    ['a request would wait longer', 60_000, true],
  ])('knows before a request whether it would be parked, where %s', async (_what, maxWaitMs, isParked) => {
    const limits = { ...NONE, perMinute: 1, maxWaitMs };
    if (maxWaitMs > 0) await spend(limits);
    const parked = warehouse.createBudget('main', limits).whyParked();
    expect(parked?.untilMs ?? null).toBe(isParked ? START + 60_001 : null);
  });

  it('would park a request for a pause, but not for a request in flight, which may end at any time', async () => {
    const limits = { ...NONE, perMinute: 1 };
    const budget = warehouse.createBudget('main', limits);
    const admission = await budget.admit(ENTRY);
    expect(budget.whyParked()).toBeNull();
    admission.answered(ANSWER, { waitMs: 5_000, reason: 'HTTP 429', served: false });
    expect(budget.whyParked()).toMatchObject({
      untilMs: START + 5_000,
      message: 'account main is paused until 2026-03-01 12:00:05 UTC: HTTP 429',
    });
  });

  it.each([
    ['of a second', { perSecond: 1 }, null, { waitMs: 1_001, isLong: false }],
    ['of a minute', { perMinute: 1 }, null, { waitMs: 60_001, isLong: true }],
    ['for the end of a pause', {}, 5_000, { waitMs: 5_000, isLong: true }],
  ])('reports a wait once: %s', async (_what, limits, pausedMs, expected) => {
    const waits: object[] = [];
    const onWait = (wait: object) => void waits.push(wait);
    const budget = warehouse.createBudget('main', { ...PATIENT, ...limits }, onWait);
    const admission = await budget.admit(ENTRY);
    const restriction = pausedMs === null ? null : { waitMs: pausedMs, reason: 'HTTP 429', served: false };
    admission.answered(ANSWER, restriction);
    await budget.admit(ENTRY);
    expect(waits.slice(0, 1)).toEqual([{ ...expected, reason: expect.stringContaining('main') as string }]);
    expect(waits).toHaveLength(pausedMs === null ? 1 : 2); // the rate returns slowly after a pause
  });

  it('parks a request that would have to wait longer than it may, and returns until when', async () => {
    const limits = { ...NONE, perMinute: 1, maxWaitMs: 59_999 };
    await spend(limits);
    const refused: unknown = await spend(limits).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ParkedError);
    const { message, untilMs } = refused as ParkedError;
    expect(message).toBe('the budget of account main per minute is spent until 2026-03-01 12:01:00 UTC');
    expect(untilMs).toBeGreaterThan(START + 59_999);
    expect(untilMs).toBeLessThanOrEqual(START + 60_001);
    expect(clock.now()).toBe(START);
    expect(readValue(path, 'select count(*) from request')).toBe(1);
  });

  it('does not park for a window in which other requests only wait for their responses', async () => {
    const timeline = createTimeline(START);
    const own = openWarehouse(path, timeline);
    const budget = own.createBudget('main', { ...NONE, perSecond: 1, maxWaitMs: 2_000 });
    const admittedAt: number[] = [];
    const sendRequest = async () => {
      const admission = await budget.admit(ENTRY);
      admittedAt.push(timeline.now() - START);
      await timeline.sleep(8_000);
      admission.answered(ANSWER);
    };
    const all = Promise.all([sendRequest(), sendRequest()]);
    await timeline.run();
    await all;
    own.close();
    expect(admittedAt[0]).toBe(0);
    expect(admittedAt[1]).toBeGreaterThanOrEqual(9_000);
    expect(admittedAt[1]).toBeLessThanOrEqual(9_200);
  });

  it('parks a request that other processes overtake again and again', async () => {
    const limits = { ...NONE, perMinute: 1, maxWaitMs: 90_000 };
    await spend(limits);
    clock.whileAsleep = () => {
      if (clock.now() > START + 300_000) throw new Error('it still waits');
      execute(path, `update request set spent_until_ms = ${clock.now()}`); // the slot of another process
    };
    await expect(spend(limits)).rejects.toThrow(ParkedError);
  });

  it('admits waiting requests in their order', async () => {
    const timeline = createTimeline(START);
    const own = openWarehouse(path, timeline);
    const budget = own.createBudget('main', { ...PATIENT, perSecond: 2 });
    const order: number[] = [];
    const sendRequest = async (number: number) => {
      const admission = await budget.admit({ ...ENTRY, page: number });
      order.push(number);
      admission.answered(ANSWER);
    };
    const numbers = Array.from({ length: 12 }, (_, index) => index);
    const all = Promise.all(numbers.map(sendRequest));
    await timeline.run();
    await all;
    own.close();
    expect(order).toEqual(numbers);
    expect(readRows(path, 'select page from request order by request_id').map(({ page }) => page)).toEqual(
      numbers,
    );
    expect(timeline.now() - START).toBeLessThanOrEqual(5_200);
  });

  it('ends a wait when its signal aborts, with the reason, and spends nothing', async () => {
    const timeline = createTimeline(START);
    const own = openWarehouse(path, timeline);
    const budget = own.createBudget('main', { ...PATIENT, perDay: 1 });
    (await budget.admit(ENTRY)).answered(ANSWER);
    const controller = new AbortController();
    const waiting = budget.admit(ENTRY, controller.signal).catch((error: unknown) => error);
    void timeline.sleep(5_050).then(() => controller.abort(new Error('stopped')));
    await timeline.run();
    expect(await waiting).toEqual(new Error('stopped'));
    expect(timeline.now()).toBe(START + 5_050);
    own.close();
    expect(readValue(path, 'select count(*) from request')).toBe(1);
  });

  it('parks where the clock went back, after one deadline at most, instead of waiting for the old time', async () => {
    const limits = { ...NONE, perMinute: 1 };
    await spend(limits);
    clock.set(START - 3_600_000);
    await expect(spend(limits)).rejects.toThrow(ParkedError);
    expect(clock.now() - (START - 3_600_000)).toBeLessThanOrEqual(ENTRY.deadlineMs);
  });

  it('admits requests as fast as the limits allow', async () => {
    const limits = { ...PATIENT, perSecond: 5, perMinute: 120 };
    for (let count = 0; count < 360; count++) await spend(limits);
    const seconds = (clock.now() - START) / 1000;
    expect(seconds).toBeGreaterThanOrEqual(2 * 60 + 23);
    expect(seconds).toBeLessThanOrEqual(2 * 61 + 24);
  });

  describe('the ledger', () => {
    it('has the request before it may be sent, and its response afterwards', async () => {
      const admission = await warehouse.createBudget('main', { ...NONE, perDay: 9 }).admit(ENTRY);
      const sent = { account: 'main', at_ms: START, purpose: 'page', run_id: 7, package_id: 101, page: 3 };
      const open = { answered_at_ms: null, status: null, duration_ms: null, bytes: null };
      const rows = () => readRows(path, 'select * from request');
      expect(rows()).toEqual([{ request_id: 1, ...sent, ...open, spent_until_ms: START + ENTRY.deadlineMs }]);
      clock.advance(250);
      admission.answered({ status: 503, bytes: 77, sent: true });
      const answer = { status: 503, bytes: 77, duration_ms: 250, spent_until_ms: START + 250 };
      expect(rows()).toMatchObject([{ ...sent, ...answer, answered_at_ms: START + 250 }]);
    });

    it('loses nothing when its process is killed', async () => {
      warehouse.close();
      const child = runModule(`
        import { openWarehouse } from '${moduleUrl('warehouse/warehouse.ts')}';
        const clock = { now: () => ${START}, sleep: async () => undefined };
        const budget = openWarehouse('${path}', clock).createBudget('main', ${JSON.stringify({ ...NONE, perDay: 3 })});
        for (let page = 1; page <= 3; page++) await budget.admit({ ...${JSON.stringify(ENTRY)}, page });
        process.kill(process.pid, 'SIGKILL');`);
      expect(await child.ended).toMatchObject({ signal: 'SIGKILL', stderr: '' });
      warehouse = openWarehouse(path, clock);
      expect(readRows(path, 'select page, spent_until_ms from request')).toEqual(
        [1, 2, 3].map((page) => ({ page, spent_until_ms: START + ENTRY.deadlineMs })),
      );
      clock.set(START + ENTRY.deadlineMs + DAY_MS - 1);
      await expect(spend({ ...NONE, perDay: 3 })).rejects.toThrow(ParkedError);
      clock.advance(1);
      expect(await spend({ ...NONE, perDay: 3 })).toBe(0);
    }, 60_000);
  });
});
