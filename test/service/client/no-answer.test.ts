import { createServer, type Socket } from 'node:net';
import { maxHeaderSize } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RefusedError, TransientError } from '../../../src/lib/errors.ts';
import {
  accountAt,
  catchFailure,
  createTestClient,
  pageRequest,
} from '../../support/fixtures/service-client.ts';
import { listBody, videoRecord } from '../../support/fixtures/service-responses.ts';
import { listenOnLoopback } from '../../support/servers/loopback.ts';

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
