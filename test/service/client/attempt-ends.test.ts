import { createServer as createTcpServer } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { Dispatcher } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { InterruptedError, TransientError } from '../../../src/lib/errors.ts';
import { callOnce } from '../../../src/lib/http/agent.ts';
import { NO_PROXIES } from '../../../src/lib/http/proxies.ts';
import { send } from '../../../src/service/client/transport.ts';
import {
  accountAt,
  catchFailure,
  createTestClient,
  JANUARY,
  pageRequest,
} from '../../support/fixtures/service-client.ts';
import { listBody } from '../../support/fixtures/service-responses.ts';
import { listenOnLoopback } from '../../support/servers/loopback.ts';

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
      expect(dispatcher.handler?.onData(Buffer.from('{}'))).toBe(false); // nobody reads it
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
