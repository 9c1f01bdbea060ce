import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { RefusedError } from '../../../src/lib/errors.ts';
import {
  accountAt,
  catchFailure,
  createTestClient,
  pageRequest,
} from '../../support/fixtures/service-client.ts';
import { SELF_SIGNED } from '../../support/fixtures/self-signed.ts';
import { startScriptedService } from '../../support/servers/scripted-service.ts';

async function failAt(url: string) {
  const { client, budget } = await createTestClient(() => 'hang', { account: accountAt(url) });
  const error = await catchFailure(client.videoPage(pageRequest()));
  return { error, attempts: budget.spent.length };
}

it('names a plain http service behind https, and does not retry', async () => {
  const { url } = await startScriptedService(() => 'hang');
  const { error, attempts } = await failAt(url.replace('http:', 'https:'));
  expect(error).toBeInstanceOf(RefusedError);
  expect(error.message).toContain('base_url has https, the service speaks plain http');
  expect(error.hint).toContain(url);
  expect(attempts).toBe(1);
});

it('names a certificate that is not trusted, and does not retry', async () => {
  const server = createServer(SELF_SIGNED);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { error, attempts } = await failAt(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(error.message).toMatch(/the certificate of 127\.0\.0\.1:\d+ is not trusted/);
  expect(error.hint).toContain('`ca: FILE` in the account');
  expect(attempts).toBe(1);
});
