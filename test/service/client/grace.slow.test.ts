import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../../src/lib/errors.ts';
import { createTestClient, catchFailure, pageRequest } from '../../support/fixtures/service-client.ts';

describe('a client that shuts down', () => {
  it('gives a hanging request four seconds', async () => {
    const controller = new AbortController();
    const reason = new InterruptedError('stopped by a test');
    const { client, service, budget } = await createTestClient(() => 'hang');
    const page = catchFailure(client.videoPage(pageRequest(1, { signal: controller.signal })));
    await expect.poll(() => service.requests.length).toBe(1);
    const stoppedAt = performance.now();
    controller.abort(reason);
    expect(await page).toBe(reason);
    expect(performance.now() - stoppedAt).toBeGreaterThan(3_900);
    expect(performance.now() - stoppedAt).toBeLessThan(4_900);
    expect(budget.spent[0]?.result).toEqual({ status: null, bytes: null, sent: true });
  }, 20_000);
});
