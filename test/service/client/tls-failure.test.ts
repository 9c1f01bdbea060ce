import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { RefusedError } from '../../../src/lib/errors.ts';
import {
  accountAt,
  catchFailure,
  createTestClient,
  pageRequest,
} from '../../support/fixtures/service-client.ts';
import { temporaryFolder } from '../../support/fixtures/temporary-folder.ts';
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
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const files = ['-keyout', key, '-out', cert];
  const options = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=x'];
  execFileSync('openssl', ['req', '-x509', ...options, ...files], { stdio: 'ignore' });
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { error, attempts } = await failAt(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(error.message).toMatch(/the certificate of 127\.0\.0\.1:\d+ is not trusted/);
  expect(error.hint).toContain('NODE_EXTRA_CA_CERTS');
  expect(attempts).toBe(1);
});
