import { describe, expect, it } from 'vitest';
import { ParkedError, RefusedError, TransientError } from '../../../src/lib/errors.ts';
import type { Budget } from '../../../src/service/client/budget.ts';
import { openWarehouse } from '../../../src/warehouse/warehouse.ts';
import { clientOf, failureOf, JANUARY, pageRequest } from '../../support/client-of.ts';
import { createOpenBudget } from '../../support/open-budget.ts';
import { createGate, type Reply } from '../../support/scripted-service.ts';
import { listBody, listRefusal, storageBody, videoRecord } from '../../support/service-answers.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createRecordingClock } from '../../support/recording-clock.ts';

const well = { body: listBody({ records: [videoRecord(1)] }) };

/** Replies in this order; the last one again and again. */
function inTurn(...replies: Reply[]) {
  return ({ number }: { number: number }): Reply => replies[number - 1] ?? replies.at(-1) ?? 'drop';
}

function asksFor(retryAfter: string): Reply {
  return { status: 429, headers: { 'retry-after': retryAfter } };
}

describe('a refusal by errorInfo', () => {
  it('is asked again exactly once, and told with account, package, page and code', async () => {
    const { client, service, clock } = await clientOf(() => listRefusal('InvalidKey', 'who are you?'));
    const error = await failureOf(client.videoPage(pageRequest(3)));
    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({ fault: 'refused', code: 'InvalidKey' });
    for (const words of ['account main', 'package 101', 'page 3', 'InvalidKey', 'who are you?']) {
      expect(error.message).toContain(words);
    }
    expect(service.requests).toHaveLength(2);
    expect(clock.sleeps).toEqual([500]);
  });

  it('that heals is not told', async () => {
    const { client } = await clientOf(inTurn(listRefusal('Hiccup'), well));
    expect((await client.videoPage(pageRequest())).ids).toEqual([1]);
  });

  it('is not asked again where the config calls its code final', async () => {
    const codes = { restricted: [], final: ['InvalidKey'] };
    const { client, service } = await clientOf(() => listRefusal('InvalidKey'), { account: { codes } });
    const error = await failureOf(client.videoPage(pageRequest()));
    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({ code: 'InvalidKey' });
    expect(service.requests).toHaveLength(1);
  });

  it('waits with growing pauses where the config calls its code restricted', async () => {
    const codes = { restricted: ['TooMuch'], final: [] };
    const restricted = listRefusal('TooMuch');
    const { client, clock } = await clientOf(inTurn(restricted, restricted, restricted, well), {
      account: { codes },
    });
    expect((await client.videoPage(pageRequest())).ids).toEqual([1]);
    expect(clock.sleeps).toEqual([500, 1000, 2000]);
  });

  it('of the storage is a message other than success, asked again once', async () => {
    const { client, service } = await clientOf(() => ({ body: storageBody([], 'no such key') }));
    const error = await failureOf(client.storageDays(JANUARY));
    expect(error).toMatchObject({ fault: 'refused', code: 'no such key' });
    expect(error.message).toContain('account main, storage 2026-01-01 to 2026-01-31');
    expect(error.message).toContain('no such key');
    expect(service.requests).toHaveLength(2);
  });
});

describe('an HTTP status', () => {
  it.each([400, 401, 403, 404, 410])('%i is not asked again', async (status) => {
    const { client, service, clock } = await clientOf(() => ({ status, body: 'no' }));
    const error = await failureOf(client.videoPage(pageRequest()));
    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({ fault: 'status', status });
    expect(error.message).toContain(String(status));
    expect(service.requests).toHaveLength(1);
    expect(clock.sleeps).toEqual([]);
  });

  it.each([408, 429, 500, 502, 503, 504])('%i is asked again', async (status) => {
    const { client, service } = await clientOf(inTurn({ status }, well));
    expect((await client.videoPage(pageRequest())).ids).toEqual([1]);
    expect(service.requests).toHaveLength(2);
  });

  it('500 three times is healed by the fourth attempt, each after a longer pause', async () => {
    const { client, service, clock, budget } = await clientOf(
      inTurn({ status: 500 }, { status: 500 }, { status: 500 }, well),
    );
    await client.videoPage(pageRequest());
    expect(service.requests).toHaveLength(4);
    expect(clock.sleeps).toEqual([500, 1000, 2000]);
    expect(budget.spent.map(({ result }) => result?.status)).toEqual([500, 500, 500, 200]);
  });

  it('500 for ever ends after five attempts, all of them told to the budget', async () => {
    const { client, service, budget } = await clientOf(() => ({ status: 500, body: 'on fire' }));
    const error = await failureOf(client.videoPage(pageRequest()));
    expect(error).toBeInstanceOf(TransientError);
    expect(error.message).toContain('500: on fire');
    expect(service.requests).toHaveLength(5);
    expect(budget.spent).toHaveLength(5);
    expect(budget.spent.every(({ result }) => result?.sent)).toBe(true);
  });
});

describe('a service that asks to wait', () => {
  it('for two seconds is waited for two seconds', async () => {
    const { client, clock, budget } = await clientOf(inTurn(asksFor('2'), well));
    await client.videoPage(pageRequest());
    expect(clock.sleeps).toEqual([2000]);
    expect(gaps(budget.spent)).toEqual([2000]);
  });

  it('until a date is waited for until then', async () => {
    const until = new Date(createRecordingClock().now() + 7_000).toUTCString();
    const { client, clock } = await clientOf(
      inTurn({ status: 503, headers: { 'retry-after': until } }, well),
    );
    await client.videoPage(pageRequest());
    expect(clock.sleeps).toEqual([7000]);
  });

  it.each(['0', 'Sun, 01 Mar 2020 09:00:00 GMT'])(
    'for no time (%s) still gets a growing pause',
    async (asked) => {
      const later = { status: 429, headers: { 'retry-after': asked } };
      const { client, clock } = await clientOf(inTurn(later, later, later, well));
      await client.videoPage(pageRequest());
      expect(clock.sleeps).toEqual([500, 1000, 2000]);
    },
  );

  it('longer than the run may wait parks the run until then, and is asked nothing else', async () => {
    const { client, service, clock } = await clientOf(() => ({
      status: 429,
      headers: { 'retry-after': '121' },
    }));
    const start = clock.now();
    const error: unknown = await failureOf(client.videoPage(pageRequest()));
    expect(error).toBeInstanceOf(ParkedError);
    expect(error).toMatchObject({ untilMs: start + 121_000 });
    expect((error as ParkedError).message).toContain('account main');
    expect(await failureOf(client.storageDays(JANUARY))).toBeInstanceOf(ParkedError);
    expect(service.requests).toHaveLength(1);
    expect(clock.sleeps).toEqual([]);
  });

  it('exactly as long as the run may wait is waited for', async () => {
    const { client, clock } = await clientOf(inTurn(asksFor('120'), well));
    await client.videoPage(pageRequest());
    expect(clock.sleeps).toEqual([120_000]);
  });

  it('is not asked by the other requests of the account either', async () => {
    const { client, clock, budget } = await clientOf(inTurn(asksFor('5'), well), {
      account: { concurrency: 1 },
    });
    const start = clock.now();
    await Promise.all([client.videoPage(pageRequest(1)), client.videoPage(pageRequest(2))]);
    expect(budget.spent.map(({ note, at }) => [note.page, at - start])).toEqual([
      [1, 0],
      [2, 5000],
      [1, 5000],
    ]);
  });

  it('is left alone also after the last attempt was told to wait', async () => {
    const { client, budget } = await clientOf(inTurn(asksFor('60'), well), {
      retry: { attempts: 1, baseMs: 1, capMs: 1 },
    });
    await failureOf(client.videoPage(pageRequest(1)));
    await client.videoPage(pageRequest(2));
    expect(gaps(budget.spent)).toEqual([60_000]);
  });

  it('and asks for more meanwhile is waited for that long', async () => {
    const gate = createGate();
    const { client, clock, budget } = await clientOf(
      async ({ query, number }) => {
        if (number > 2) return well;
        if (query.get('page') === '1') return asksFor('5');
        await gate.opened;
        return asksFor('30');
      },
      { account: { concurrency: 2 } },
    );
    const start = clock.now();
    // the second request is told 30 seconds while the first one sleeps 5; then the first one goes on alone
    clock.whileAsleep = async (ms) => {
      if (ms === 5_000) gate.open();
      if (ms === 5_000) await expect.poll(() => clock.sleeps).toContain(30_000);
      if (ms === 30_000)
        await expect.poll(() => clock.sleeps.length + budget.spent.length).toBeGreaterThan(4);
    };
    await Promise.all([client.videoPage(pageRequest(1)), client.videoPage(pageRequest(2))]);
    expect(clock.sleeps).toEqual([5_000, 30_000, 25_000]);
    expect(budget.spent.slice(2).every(({ at }) => at - start >= 30_000)).toBe(true);
  });

  it('while another request waits for its place in the budget makes that one wait too', async () => {
    const gate = createGate();
    const clock = createRecordingClock();
    const open = createOpenBudget(clock);
    const budget: Budget = {
      admit: async (note, signal) => {
        if (note.page === 2 && open.spent.length < 2) await gate.opened;
        return open.admit(note, signal);
      },
    };
    const { client } = await clientOf(({ number }) => (number === 1 ? asksFor('5') : well), {
      budget,
      clock,
    });
    const start = clock.now();
    const second = client.videoPage(pageRequest(2));
    clock.whileAsleep = async () => {
      gate.open();
      await expect.poll(() => open.spent.length).toBeGreaterThan(1);
    };
    await Promise.all([client.videoPage(pageRequest(1)), second]);
    const [, early, ...sent] = open.spent;
    expect(early).toMatchObject({ note: { page: 2 }, result: { sent: false } });
    expect(sent.map(({ at }) => at - start >= 5_000)).toEqual([true, true]);
  });
});

describe('with the budget of a warehouse', () => {
  it('every attempt is a request of the ledger, and waits for its place in the window', async () => {
    const clock = createRecordingClock();
    const warehouse = openWarehouse(`${temporaryFolder()}/vodhouse.db`, clock);
    const limits = { perSecond: 2, perMinute: null, perDay: null, maxWaitMs: 60_000 };
    const { client, service } = await clientOf(
      inTurn({ status: 500 }, { status: 500 }, { status: 500 }, well),
      {
        budget: warehouse.budget('main', limits),
        retry: { attempts: 5, baseMs: 0, capMs: 0 },
      },
    );
    const start = clock.now();
    await client.videoPage(pageRequest(1, { runId: 7 }));
    expect(service.requests).toHaveLength(4);
    expect(await warehouse.requestsOf(7)).toBe(4);
    expect(clock.now() - start).toBeGreaterThanOrEqual(1000);
    warehouse.close();
  });

  it('a spent window longer than the run may wait parks the run', async () => {
    const clock = createRecordingClock();
    const warehouse = openWarehouse(`${temporaryFolder()}/vodhouse.db`, clock);
    const limits = { perSecond: null, perMinute: 1, perDay: null, maxWaitMs: 1000 };
    const { client } = await clientOf(() => well, { budget: warehouse.budget('main', limits) });
    await client.videoPage(pageRequest(1));
    const error: unknown = await failureOf(client.videoPage(pageRequest(2)));
    expect(error).toBeInstanceOf(ParkedError);
    expect((error as ParkedError).message).toContain('per minute is spent until');
    warehouse.close();
  });
});

function gaps(spent: readonly { at: number }[]): number[] {
  return spent.slice(1).map(({ at }, index) => at - (spent[index]?.at ?? 0));
}
