import { describe, expect, it } from 'vitest';
import { RefusedError, TransientError, InterruptedError } from '../../../src/lib/errors.ts';
import {
  createTestClient,
  catchFailure,
  JANUARY,
  pageRequest,
} from '../../support/fixtures/service-client.ts';
import { replyInOrder, createGate } from '../../support/servers/scripted-service.ts';
import { listBody, listRefusal, storageBody, videoRecord } from '../../support/fixtures/service-responses.ts';

const success = { body: listBody({ records: [videoRecord(1)] }) };

describe('an errorInfo failure', () => {
  it('is retried exactly once, and logged with account, package, page and code', async () => {
    const { client, service, clock } = await createTestClient(() =>
      listRefusal('InvalidKey', 'who are you?'),
    );
    const error = await catchFailure(client.videoPage(pageRequest(3)));
    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({ fault: 'refused', code: 'InvalidKey' });
    for (const text of ['account main', 'package 101', 'page 3', 'InvalidKey', 'who are you?']) {
      expect(error.message).toContain(text);
    }
    expect(service.requests).toHaveLength(2);
    expect(clock.sleeps).toEqual([500]);
  });

  it('is not retried where the config lists its code as final', async () => {
    const codes = { restricted: [], final: ['InvalidKey'] };
    const { client, service } = await createTestClient(() => listRefusal('InvalidKey'), {
      account: { codes },
    });
    const error = await catchFailure(client.videoPage(pageRequest()));
    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({ code: 'InvalidKey' });
    expect(service.requests).toHaveLength(1);
  });

  it('of the storage is a message other than success, retried once', async () => {
    const { client, service } = await createTestClient(() => ({ body: storageBody([], 'no such key') }));
    const error = await catchFailure(client.storageDays(JANUARY));
    expect(error).toMatchObject({ fault: 'refused', code: 'no such key' });
    expect(error.message).toContain('account main, storage 2026-01-01 to 2026-01-31');
    expect(error.message).toContain('no such key');
    expect(service.requests).toHaveLength(2);
  });
});

describe('an HTTP status', () => {
  it.each([400, 401, 403, 404, 410])('%i is not retried', async (status) => {
    const { client, service, clock } = await createTestClient(() => ({ status, body: 'no' }));
    const error = await catchFailure(client.videoPage(pageRequest()));
    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({ fault: 'status', status });
    expect(error.message).toContain(String(status));
    expect(service.requests).toHaveLength(1);
    expect(clock.sleeps).toEqual([]);
  });

  it('500 three times is resolved by the fourth attempt, each after a longer pause', async () => {
    const { client, service, clock, budget } = await createTestClient(
      replyInOrder({ status: 500 }, { status: 500 }, { status: 500 }, success),
    );
    await client.videoPage(pageRequest());
    expect(service.requests).toHaveLength(4);
    expect(clock.sleeps).toEqual([500, 1000, 2000]);
    expect(budget.spent.map(({ result }) => result?.status)).toEqual([500, 500, 500, 200]);
  });

  it('500 repeatedly ends after five attempts, all of them reported to the budget', async () => {
    const { client, service, budget } = await createTestClient(() => ({ status: 500, body: 'on fire' }));
    const error = await catchFailure(client.videoPage(pageRequest()));
    expect(error).toBeInstanceOf(TransientError);
    expect(error.message).toContain('500: on fire');
    expect(service.requests).toHaveLength(5);
    expect(budget.spent).toHaveLength(5);
    expect(budget.spent.every(({ result }) => result?.sent)).toBe(true);
  });
});

/** A signal and the reason that it aborts with. */
function createStop() {
  const controller = new AbortController();
  const reason = new InterruptedError('stopped by a test');
  return { reason, signal: controller.signal, stop: () => controller.abort(reason) };
}

describe('an aborted client', () => {
  it('sends no more requests, and throws the reason', async () => {
    const { reason, signal, stop } = createStop();
    stop();
    const { client, service, budget } = await createTestClient(() => success);
    expect(await catchFailure(client.videoPage(pageRequest(1, { signal })))).toBe(reason);
    expect(service.requests).toHaveLength(0);
    expect(budget.spent).toHaveLength(0);
  });

  it('completes the response in flight', async () => {
    const { signal, stop } = createStop();
    const gate = createGate();
    const { client, service } = await createTestClient(async () => {
      await gate.opened;
      return success;
    });
    const page = client.videoPage(pageRequest(1, { signal }));
    await expect.poll(() => service.requests.length).toBe(1);
    stop();
    gate.open();
    expect((await page).ids).toEqual([1]);
  });

  it('does not retry', async () => {
    const { reason, signal, stop } = createStop();
    const { client, service, clock } = await createTestClient(() => ({ status: 500 }));
    clock.whileAsleep = stop;
    expect(await catchFailure(client.videoPage(pageRequest(1, { signal })))).toBe(reason);
    expect(service.requests).toHaveLength(1);
  });

  it('drops the queued requests', async () => {
    const { reason, signal, stop } = createStop();
    const gate = createGate();
    const script = async () => {
      await gate.opened;
      return success;
    };
    const { client, service } = await createTestClient(script, { account: { concurrency: 1 } });
    const first = client.videoPage(pageRequest(1, { signal }));
    const second = catchFailure(client.videoPage(pageRequest(2, { signal })));
    await expect.poll(() => service.requests.length).toBe(1);
    stop();
    gate.open();
    expect((await first).ids).toEqual([1]);
    expect(await second).toBe(reason);
    expect(service.requests).toHaveLength(1);
  });

  it('ends a hanging request at its deadline, where that is sooner', async () => {
    const { reason, signal, stop } = createStop();
    const { client, service, budget } = await createTestClient(() => 'hang', { deadlineMs: 300 });
    const page = catchFailure(client.videoPage(pageRequest(1, { signal })));
    await expect.poll(() => service.requests.length).toBe(1);
    stop();
    expect(await page).toBe(reason);
    expect(service.requests).toHaveLength(1);
    expect(budget.spent[0]?.result).toEqual({ status: null, bytes: null, sent: true });
  });
});

describe('a client that is closed', () => {
  it('aborts the requests in flight', async () => {
    const { client, service } = await createTestClient(() => 'hang', {
      retry: { attempts: 1, baseMs: 1, capMs: 1 },
    });
    const page = catchFailure(client.videoPage(pageRequest()));
    await expect.poll(() => service.requests.length).toBe(1);
    client.close();
    expect(await page).toBeInstanceOf(TransientError);
  });
});
