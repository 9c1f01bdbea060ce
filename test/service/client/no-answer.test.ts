import { createServer, type Socket, createServer as createTcpServer } from 'node:net';
import { maxHeaderSize } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Dispatcher } from 'undici';
import { RefusedError, TransientError, InterruptedError } from '../../../src/lib/errors.ts';
import {
  accountAt,
  catchFailure,
  createTestClient,
  pageRequest,
  JANUARY,
} from '../../support/fixtures/service-client.ts';
import { listBody, videoRecord } from '../../support/fixtures/service-responses.ts';
import { listenOnLoopback } from '../../support/servers/loopback.ts';
import { callOnce } from '../../../src/lib/http/agent.ts';
import { NO_PROXIES } from '../../../src/lib/http/proxies.ts';
import { send } from '../../../src/service/client/transport.ts';

/** The failure of a page, and whether each attempt counts as sent; the server does this with each request. */
async function failBy(answer: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  const { host, close } = await listenOnLoopback(server);
  onTestFinished(close);
  const { client, budget } = await createTestClient(() => 'hang', { account: accountAt(`http://${host}`) });
  const error = await catchFailure(client.videoPage(pageRequest()));
  return { error, sent: budget.spent.map(({ result }) => result?.sent) };
}

const HEAD = 'HTTP/1.1 200 OK\r\n';

describe('a server that', () => {
  it.each<[string, string | Buffer]>([
    ['speaks SSH', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['wants TLS', Buffer.from([0x15, 3, 1, 0, 2, 2, 0x46])],
    ['speaks HTTP/2', Buffer.from([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100])],
    ['sends JSON without HTTP', '{"videoInfoList":{}}'],
    ['sends a header that is none', `${HEAD}Bad Header\u0001: x\r\n\r\n`],
    ['sends two lengths', `${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
  ])('%s does not answer in HTTP', async (_what, bytes) => {
    const { error, sent } = await failBy((socket) => socket.end(bytes));
    expect(error).toBeInstanceOf(TransientError);
    expect(error.message).toContain('the answer is not HTTP (');
    expect(error.hint).toMatch(/http or https and the port in base_url/);
    expect(sent).toEqual(Array(5).fill(true));
  });

  it.each<[string, (socket: Socket) => void]>([
    ['closes the connection', (socket) => socket.end()],
    ['resets it', (socket) => socket.resetAndDestroy()],
    ['closes it inside of the headers', (socket) => socket.end(`${HEAD}Content-Le`)],
  ])('%s breaks it off before an answer', async (_what, answer) => {
    const { error, sent } = await failBy(answer);
    expect(error).toMatchObject({ fault: 'connection', hint: expect.stringContaining('`proxy`') as string });
    expect(error.message).toContain('the connection broke off before an answer (');
    expect(sent).toEqual(Array(5).fill(true));
  });

  it('sends larger headers than Node reads is not asked again, and the option of Node is named', async () => {
    const { error, sent } = await failBy((socket) => socket.end(`${HEAD}X: ${'x'.repeat(20_000)}\r\n\r\n{}`));
    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({ fault: 'too_large' });
    expect(error.message).toContain(`the headers of the answer are larger than ${maxHeaderSize} bytes`);
    expect(error.hint).toContain('NODE_OPTIONS=--max-http-header-size=65536');
    expect(sent).toEqual([true]);
  });

  it('sends large headers that Node reads is read', async () => {
    const { client } = await createTestClient(() => ({
      headers: { 'x-large': 'x'.repeat(15_000) },
      body: listBody({ records: [videoRecord(1)] }),
    }));
    expect((await client.videoPage(pageRequest())).ids).toEqual([1]);
  });
});

/** What undici calls of a request; its own types call these methods deprecated. */
interface RequestHandler {
  onConnect(abort: (error: Error) => void): void;
  onHeaders(status: number, headers: Buffer[], resume: () => void, statusText: string): boolean;
  onData(chunk: Buffer): boolean;
  onError(error: Error): void;
}

/** A dispatcher that takes a request and forgets it, until the test answers. */
class ForgetfulDispatcher extends Dispatcher {
  handler: RequestHandler | null = null;

  override dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.handler = handler as RequestHandler;
    return true;
  }

  /** Sends the headers of a response, and none of its body. */
  beginResponse(): void {
    this.handler?.onConnect(() => undefined);
    this.handler?.onHeaders(200, [], () => undefined, 'OK');
  }
}

const ATTEMPT = {
  url: new URL('http://service.test/'),
  headers: {},
  now: 0,
  signal: undefined as AbortSignal | undefined,
  deadlineMs: 100,
  maxBytes: 1_000,
  graceMs: 100,
  hideSecrets: (text: string) => text,
};

describe('an attempt whose client library never answers', () => {
  it('ends at its deadline', async () => {
    const outcome = await send(new ForgetfulDispatcher(), ATTEMPT);
    expect(outcome).toMatchObject({ status: null, sent: true });
    expect(outcome.result).toMatchObject({ error: { fault: 'timeout' } });
  });

  it('ends soon after the signal of its caller', async () => {
    const reason = new InterruptedError('stopped by a test');
    const signal = AbortSignal.abort(reason);
    const outcome = await send(new ForgetfulDispatcher(), { ...ATTEMPT, deadlineMs: 60_000, signal });
    expect(outcome.result).toEqual({ error: reason });
  });

  it('ends at its deadline also within a body', async () => {
    const dispatcher = new ForgetfulDispatcher();
    const attempt = send(dispatcher, ATTEMPT);
    dispatcher.beginResponse();
    expect(await attempt).toMatchObject({ status: 200, result: { error: { fault: 'timeout' } } });
  });

  it.each(['a response', 'an error'])('is not disturbed by %s that comes later', async (what) => {
    const dispatcher = new ForgetfulDispatcher();
    const outcome = await send(dispatcher, ATTEMPT);
    if (what === 'an error') dispatcher.handler?.onError(new Error('too late'));
    else {
      dispatcher.beginResponse();
      await turn();
      expect(dispatcher.handler?.onData(Buffer.from('{}'))).toBe(false); // it has no reader
    }
    await turn();
    expect(outcome).toMatchObject({ status: null, result: { error: { fault: 'timeout' } } });
  });
});

/** A server that opens connections, and says nothing in them. */
async function startMute() {
  const { host, close } = await listenOnLoopback(
    createTcpServer((socket) => socket.on('error', () => undefined)),
  );
  onTestFinished(close);
  return host;
}

it('a request that undici loses in its pool ends at its deadline, as do all after it', async () => {
  const { service } = await createTestClient(() => ({ body: listBody({ records: [] }) }));
  const { url } = service;
  const key = '“a key that no header can carry”';
  const { client, budget } = await createTestClient(() => 'hang', {
    deadlineMs: 100,
    account: { ...accountAt(url), storage: { baseUrl: url, auth: { header: 'x-api-key' }, key } },
  });
  const failures = await Promise.all(
    [client.storageDays(JANUARY), client.storageDays(JANUARY)].map(catchFailure),
  );
  for (const failure of failures) expect(failure).toBeInstanceOf(TransientError);
  expect(await catchFailure(client.videoPage(pageRequest()))).toMatchObject({ fault: 'timeout' });
  expect(budget.spent.map(({ result }) => result?.status)).toEqual(Array(15).fill(null));
});

it.each([
  ['speaks SSH', 'SSH-2.0-OpenSSH_9.6\r\n', 'the server speaks no TLS'],
  ['has records that are too long', Buffer.from([0x16, 3, 3, 0xff, 0xff, 0]), 'the server speaks no TLS'],
  ['refuses the handshake', Buffer.from([0x15, 3, 3, 0, 2, 2, 0x28]), 'alert handshake failure'],
])('a server behind https that %s is named without text of OpenSSL', async (_what, bytes, reason) => {
  const { host, close } = await listenOnLoopback(
    createServer((socket) => socket.once('data', () => socket.end(bytes))),
  );
  onTestFinished(close);
  const { client } = await createTestClient(() => 'hang', { account: accountAt(`https://${host}`) });
  const { message } = await catchFailure(client.videoPage(pageRequest()));
  expect(message).toContain(reason);
  expect(message).not.toMatch(/routines|openssl/i);
});

it('a request whose TLS never begins ends at its deadline', async () => {
  const account = accountAt(`https://${await startMute()}`);
  const { client } = await createTestClient(() => 'hang', {
    deadlineMs: 200,
    account,
    retry: { attempts: 1, baseMs: 1, capMs: 1 },
  });
  const startedAt = performance.now();
  expect(await catchFailure(client.videoPage(pageRequest()))).toMatchObject({ fault: 'timeout' });
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

it('a call of a webhook whose TLS never begins ends with its signal', async () => {
  const url = new URL(`https://${await startMute()}/`);
  const signal = AbortSignal.timeout(200);
  const startedAt = performance.now();
  const call = { url, proxies: NO_PROXIES, headers: {}, body: null, signal };
  await expect(callOnce(call)).rejects.toThrow('timeout');
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});
