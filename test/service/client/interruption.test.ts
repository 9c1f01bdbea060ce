import { describe, expect, it } from 'vitest';
import { InterruptedError, TransientError } from '../../../src/lib/errors.ts';
import { createTestClient, catchFailure, pageRequest } from '../../support/fixtures/service-client.ts';
import { createGate } from '../../support/servers/scripted-service.ts';
import { listBody, videoRecord } from '../../support/fixtures/service-responses.ts';

const success = { body: listBody({ records: [videoRecord(1)] }) };

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
