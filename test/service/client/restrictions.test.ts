import { describe, expect, it, onTestFinished } from 'vitest';
import type { Limits } from '../../../src/budget/budget.ts';
import { fromTimestamp } from '../../../src/lib/clock.ts';
import { ParkedError, RefusedError } from '../../../src/lib/errors.ts';
import type { Budget } from '../../../src/budget/request-budget.ts';
import { AWKWARD_KEY, formsIn, formsOfKey } from '../../support/fixtures/awkward-key.ts';
import { openWarehouse } from '../../../src/warehouse/warehouse.ts';
import { readRows } from '../../support/fixtures/live-file.ts';
import {
  catchFailure,
  createTestClient,
  JANUARY,
  pageRequest,
  type TestClientOptions,
} from '../../support/fixtures/service-client.ts';
import { temporaryFolder } from '../../support/fixtures/temporary-folder.ts';
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts';
import {
  createGate,
  replyInOrder,
  type Answer,
  type Script,
} from '../../support/servers/scripted-service.ts';
import { listBody, listRefusal, storageBody, videoRecord } from '../../support/fixtures/service-responses.ts';

const NO_LIMITS: Limits = { perSecond: null, perMinute: null, perDay: null, maxWaitMs: 3_600_000 };

/** Creates a client whose budget is in a warehouse file. Times in milliseconds since the start of the clock. */
async function clientWithWarehouse(
  script: Script,
  { limits, ...options }: Omit<TestClientOptions, 'budget' | 'clock'> & { limits?: Partial<Limits> } = {},
) {
  const clock = createVirtualClock();
  const start = clock.now();
  const path = `${temporaryFolder()}/vodhouse.db`;
  const warehouse = openWarehouse(path, clock);
  onTestFinished(() => warehouse.close());
  const budget = warehouse.createBudget('main', { ...NO_LIMITS, ...limits });
  const { service, client } = await createTestClient(script, { ...options, clock, budget });
  const since = (moment: unknown) => fromTimestamp(String(moment)) - start;
  return {
    service,
    client,
    clock,
    /** The requests in the ledger. */
    ledger: () =>
      readRows(path, 'select * from request order by request_id').map(({ page, at_ms, status }) => {
        return { page, status, at: Number(at_ms) - start };
      }),
    /** The stored pause of the account; null: none. */
    pause: () => {
      const [row] = readRows(path, 'select * from pause');
      if (!row) return null;
      const strikes = Number(row['consecutive_restrictions']);
      return {
        since: since(row['since']),
        until: since(row['until']),
        reason: String(row['reason']),
        strikes,
      };
    },
  };
}

const success = { body: listBody({ records: [videoRecord(1)] }) };
const TOO_MUCH = { codes: { restricted: ['TooMuch'], final: [] } };

function restrictFor(retryAfter: string, status = 429): Answer {
  return { status, headers: { 'retry-after': retryAfter } };
}

/** Sleeps that are not short polls for a slot. */
function listPauses({ sleeps }: { sleeps: readonly number[] }): number[] {
  return sleeps.filter((ms) => ms > 1_000);
}

describe('a service that demands a wait', () => {
  it('for two seconds receives nothing for two seconds', async () => {
    const { client, clock, ledger } = await clientWithWarehouse(replyInOrder(restrictFor('2'), success));
    await client.videoPage(pageRequest());
    expect(clock.sleeps[0]).toBe(2_000);
    const [first, second, ...more] = ledger();
    expect([first?.status, second?.status, more]).toEqual([429, 200, []]);
    expect(second?.at).toBeGreaterThanOrEqual(2_000);
    expect(second?.at).toBeLessThanOrEqual(3_200);
  });

  it('until a date receives nothing until then', async () => {
    const until = new Date(createVirtualClock().now() + 7_000).toUTCString();
    const { client, clock, pause } = await clientWithWarehouse(
      replyInOrder(restrictFor(until, 503), success),
    );
    await client.videoPage(pageRequest());
    expect(listPauses(clock)).toEqual([7_000]);
    expect(pause()).toMatchObject({ since: 0, until: 7_000, strikes: 1 });
  });

  it('until a date receives nothing until then by the clock of that response, whatever the local clock', async () => {
    const day = 86_400_000;
    const date = createVirtualClock().now() + 400 * day;
    const utc = (ms: number) => new Date(ms).toUTCString();
    const restriction = { status: 503, headers: { date: utc(date), 'retry-after': utc(date + 7_000) } };
    const { client, clock } = await clientWithWarehouse(replyInOrder(restriction, success));
    await client.videoPage(pageRequest());
    expect(listPauses(clock)).toEqual([7_000]);
  });

  it.each([undefined, '0', 'Sun, 01 Mar 2020 09:00:00 GMT'])(
    'for no time (Retry-After: %s) gets growing pauses',
    async (retryAfter) => {
      const later = retryAfter === undefined ? { status: 429 } : restrictFor(retryAfter);
      const { client, clock, pause } = await clientWithWarehouse(replyInOrder(later, later, later, success));
      await client.videoPage(pageRequest());
      const seconds = listPauses(clock).map((ms) => Math.floor(ms / 1000));
      expect(seconds).toEqual([30, 60, 120]);
      expect(pause()?.strikes).toBe(3);
    },
  );

  it.each([400, 401, 403, 404, 408, 429, 500, 502, 503, 504])(
    'by %i and Retry-After gets a pause, and is asked again after it',
    async (status) => {
      const { client, pause, ledger } = await clientWithWarehouse(
        replyInOrder(restrictFor('3', status), success),
      );
      await client.videoPage(pageRequest());
      expect(pause()).toMatchObject({ since: 0, until: 3_000, strikes: 1 });
      expect(pause()?.reason).toContain(`package 101, page 1: the service answered ${status}`);
      expect(ledger().map(({ at }) => at >= 3_000)).toEqual([false, true]);
    },
  );

  it.each<[string, Answer]>([
    ['a redirect', { status: 302, headers: { location: 'https://elsewhere.test/' } }],
    ['a refusal of the service', listRefusal('InvalidKey')],
    ['an HTML page', { body: '<html>' }],
    ['what is cut off', { body: '{"videoInfoList":' }],
  ])('in %s gets a pause, and is asked again after it', async (_what, answer) => {
    const headers = { ...answer.headers, 'retry-after': '3' };
    const { client, pause, ledger } = await clientWithWarehouse(
      replyInOrder({ ...answer, headers }, success),
    );
    await client.videoPage(pageRequest());
    expect(pause()).toMatchObject({ since: 0, until: 3_000, strikes: 1 });
    expect(ledger().map(({ at }) => at >= 3_000)).toEqual([false, true]);
  });

  it('with each refusal gets as many attempts as a fault that passes, and each pause is longer', async () => {
    const { client, service, clock } = await clientWithWarehouse(() => restrictFor('3', 403));
    const error = await catchFailure(client.videoPage(pageRequest()));
    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({ fault: 'status', status: 403 });
    expect(service.requests).toHaveLength(5);
    expect(listPauses(clock)).toEqual([3_000, 60_000, 120_000, 240_000]);
  });

  it.each<[string, Answer]>([
    ['too large', { body: 'x'.repeat(2_000) }],
    ['in an unknown coding', { headers: { 'content-encoding': 'zstd' }, body: 'x' }],
    ['final by the config', listRefusal('Closed')],
  ])('with what is %s gets a pause, but no other attempt', async (_what, answer) => {
    const headers = { ...answer.headers, 'retry-after': '3' };
    const { client, service, pause } = await clientWithWarehouse(() => ({ ...answer, headers }), {
      maxBytes: 1_000,
      account: { codes: { restricted: [], final: ['Closed'] } },
    });
    expect(await catchFailure(client.videoPage(pageRequest()))).toBeInstanceOf(RefusedError);
    expect(service.requests).toHaveLength(1);
    expect(pause()).toMatchObject({ until: 3_000 });
  });

  it.each([429, 403])(
    'by %i, longer than the run may wait, parks the run and receives nothing else',
    async (status) => {
      const { client, service, clock } = await clientWithWarehouse(() => restrictFor('121', status), {
        limits: { maxWaitMs: 120_000 },
      });
      const start = clock.now();
      const error: unknown = await catchFailure(client.videoPage(pageRequest()));
      expect(error).toBeInstanceOf(ParkedError);
      expect(error).toMatchObject({ untilMs: start + 121_000 });
      expect((error as ParkedError).message).toContain(
        'account main is paused until 2026-03-01 09:02:01 UTC: ',
      );
      expect(await catchFailure(client.storageDays(JANUARY))).toBeInstanceOf(ParkedError);
      expect(service.requests).toHaveLength(1);
      expect(clock.sleeps).toEqual([]);
    },
  );

  it('receives nothing from the other requests of the account either', async () => {
    const { client, ledger } = await clientWithWarehouse(replyInOrder(restrictFor('5'), success), {
      account: { concurrency: 1 },
    });
    await Promise.all([client.videoPage(pageRequest(1)), client.videoPage(pageRequest(2))]);
    expect(ledger().map(({ page }) => page)).toEqual([1, 2, 1]);
    expect(ledger().map(({ at }) => at >= 5_000)).toEqual([false, true, true]);
  });

  it('is waited for also after the last attempt', async () => {
    const { client, ledger } = await clientWithWarehouse(replyInOrder(restrictFor('60'), success), {
      retry: { attempts: 1, baseMs: 1, capMs: 1 },
    });
    await catchFailure(client.videoPage(pageRequest(1)));
    await client.videoPage(pageRequest(2));
    expect(ledger().map(({ at }) => at)).toEqual([0, 60_000]);
  });

  it('and extends it during the wait is waited for that long', async () => {
    const gate = createGate();
    const { client, clock, ledger, pause } = await clientWithWarehouse(
      async ({ query, number }) => {
        if (number > 2) return success;
        if (query.get('page') === '1') return restrictFor('5');
        await gate.opened;
        return restrictFor('30');
      },
      { account: { concurrency: 2 } },
    );
    // the second request gets 30 seconds while the first one sleeps 5
    clock.whileAsleep = async (ms) => {
      if (ms !== 5_000) return;
      gate.open();
      await expect.poll(() => pause()?.until).toBe(30_000);
    };
    await Promise.all([client.videoPage(pageRequest(1)), client.videoPage(pageRequest(2))]);
    expect(listPauses(clock)).toEqual([5_000, 25_000]);
    expect(pause()?.strikes).toBe(1);
    expect(ledger().map(({ at }) => at >= 30_000)).toEqual([false, false, true, true]);
  });
});

describe('a service that asks to wait in what it serves', () => {
  const served = (retryAfter: string) => ({ ...success, headers: { 'retry-after': retryAfter } });

  it('gets what it asks for, exactly and each time, and the rate is back at once', async () => {
    const { client, ledger, pause } = await clientWithWarehouse(() => served('5'));
    for (let page = 1; page <= 20; page++)
      expect((await client.videoPage(pageRequest(page))).ids).toEqual([1]);
    expect(ledger().map(({ at }) => at)).toEqual(Array.from({ length: 20 }, (_, index) => index * 5_000));
    expect(pause()).toMatchObject({ until: 100_000, strikes: 0 });
    expect(pause()?.reason).toBe('package 101, page 20: the answer asks to wait');
  });

  it.each(['0', 'Sun, 01 Mar 2020 09:00:00 GMT'])('gets no pause for no time (%s)', async (retryAfter) => {
    const { client, pause } = await clientWithWarehouse(() => served(retryAfter));
    await client.videoPage(pageRequest());
    expect(pause()).toBeNull();
  });

  it('does not shorten a pause, or its return to the full rate', async () => {
    const gate = createGate();
    const { client, ledger, pause } = await clientWithWarehouse(
      async ({ query, number }) => {
        if (number > 2) return success;
        if (query.get('page') === '1') return restrictFor('60');
        await gate.opened;
        return served('5');
      },
      { account: { concurrency: 2 }, limits: { maxWaitMs: 0 } },
    );
    const late = client.videoPage(pageRequest(2));
    expect(await catchFailure(client.videoPage(pageRequest(1)))).toBeInstanceOf(ParkedError);
    gate.open();
    expect((await late).ids).toEqual([1]);
    expect(pause()).toMatchObject({ until: 60_000, strikes: 1 });
    expect(ledger()).toHaveLength(2);
  });
});

describe('a pause', () => {
  it.each<[string, Answer]>([
    ['of 429', { status: 429 }],
    ['of a refusal', restrictFor('9', 403)],
    ['of a code', listRefusal('TooMuch')],
    ['of what is served', { ...success, headers: { 'retry-after': '9' } }],
  ])(
    '%s is stored together with the answer: no process finds the one without the other',
    async (_, answer) => {
      const clock = createVirtualClock();
      const path = `${temporaryFolder()}/vodhouse.db`;
      const [one, other] = [openWarehouse(path, clock), openWarehouse(path, clock)];
      onTestFinished(() => [one, other].forEach((warehouse) => warehouse.close()));
      const limits = { ...NO_LIMITS, maxWaitMs: 0 };
      const budget = one.createBudget('main', limits);
      const found: unknown[] = [];
      const watched: Budget = {
        admit: async (entry, signal) => {
          const admission = await budget.admit(entry, signal);
          return {
            answered: (...result) => {
              admission.answered(...result);
              found.push(other.createBudget('main', limits).whyParked());
            },
          };
        },
      };
      const { client } = await createTestClient(() => answer, { clock, budget: watched, account: TOO_MUCH });
      await client.videoPage(pageRequest()).catch(() => undefined);
      expect(found).toEqual([expect.any(ParkedError)]);
    },
  );
});

describe('a code that the config lists as restricted', () => {
  it('of the list gets growing pauses', async () => {
    const restricted = listRefusal('TooMuch', 'slow down');
    const { client, clock, pause } = await clientWithWarehouse(
      replyInOrder(restricted, restricted, success),
      {
        account: TOO_MUCH,
      },
    );
    expect((await client.videoPage(pageRequest())).ids).toEqual([1]);
    expect(listPauses(clock).map((ms) => Math.floor(ms / 1000))).toEqual([30, 60]);
    expect(pause()).toMatchObject({ strikes: 2 });
    expect(pause()?.reason).toMatch(/^package 101, page 1: .*TooMuch.*slow down/);
  });

  it('of the storage gets a pause', async () => {
    const { client, pause } = await clientWithWarehouse(
      replyInOrder({ body: storageBody([], 'TooMuch') }, { body: storageBody([]) }),
      { account: TOO_MUCH },
    );
    await client.storageDays(JANUARY);
    expect(pause()).toMatchObject({ since: 0, until: 30_000, strikes: 1 });
  });

  it('is not a restriction where the config does not list it', async () => {
    const { client, pause } = await clientWithWarehouse(replyInOrder(listRefusal('TooMuch'), success));
    await client.videoPage(pageRequest());
    expect(pause()).toBeNull();
  });
});

describe('the reason of a pause', () => {
  const forms = Object.values(formsOfKey(AWKWARD_KEY));

  it.each(forms)('does not contain the key that a response repeats as %s', async (form) => {
    const { client, pause } = await clientWithWarehouse(
      replyInOrder({ status: 429, body: `no more for ${form}!` }, success),
    );
    await client.videoPage(pageRequest());
    expect(pause()?.reason).toContain('no more for ');
    expect(formsIn(pause()?.reason ?? '', AWKWARD_KEY)).toEqual([]);
  });
});
