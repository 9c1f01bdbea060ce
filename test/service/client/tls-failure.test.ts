import { createServer } from 'node:https';
import { connect, createServer as createNetServer, type AddressInfo } from 'node:net';
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

/** The first byte of a TLS handshake. */
const TLS_HANDSHAKE = 0x16;

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

it('names a service over TLS behind http, at once', async () => {
  const { url, requests } = await startScriptedService(() => 'hang', SELF_SIGNED);
  const { error, attempts } = await failAt(url.replace('https:', 'http:'));
  expect(error).toBeInstanceOf(RefusedError);
  expect(error.message).toContain(`the service at ${new URL(url).host} speaks TLS, base_url has http`);
  expect(error.hint).toBe(`write ${url} in base_url`);
  expect([attempts, requests.length]).toEqual([1, 0]);
});

it('names one that answers plain http with 400, as nginx does', async () => {
  const secure = await startScriptedService(() => 'hang', SELF_SIGNED);
  const server = createNetServer((socket) => {
    socket.once('data', (start) => {
      if (start[0] !== TLS_HANDSHAKE) {
        socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n');
        return;
      }
      const tunnel = connect(Number(new URL(secure.url).port), '127.0.0.1');
      tunnel.write(start);
      tunnel.pipe(socket).pipe(tunnel);
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { error, attempts } = await failAt(`http://${host}`);
  expect(error.hint).toBe(`write https://${host} in base_url`);
  expect(attempts).toBe(1);
});

it('does not suspect a service that has answered before', async () => {
  const { url, connections } = await startScriptedService(({ number }) => ({
    status: number === 1 ? 200 : 400,
  }));
  const account = accountAt(url, { concurrency: 1 });
  const { client } = await createTestClient(() => 'hang', { account });
  for (const page of [1, 2]) await catchFailure(client.videoPage(pageRequest(page)));
  expect(connections()).toBe(1);
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
