import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createServiceClient } from '../../../src/service/client/client.ts';
import { accountAt, pageRequest } from '../../support/fixtures/service-client.ts';
import { createOpenBudget } from '../../support/fixtures/open-budget.ts';
import { createRecordingClock } from '../../support/clocks/recording-clock.ts';
import { listBody, videoRecord } from '../../support/fixtures/service-responses.ts';

/** A title with the bytes of an interim response: it is content, and must not change. */
const TITLE = 'HTTP/1.1 100 Continue\\r\\n\\r\\n';
const body = listBody({ records: [1, 2].map((id) => videoRecord(id, { title: TITLE })) });
const answer = (content = body) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${content.length}\r\n\r\n${content}`;
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const LONG = 'HTTP/1.1 100 Continue\r\nserver: gateway\r\nvia: 1.1 front\r\n\r\n';

/** Fetches three pages in sequence over one connection, without a retry. */
async function fetchThreePages(createPieces: (request: number) => readonly string[]) {
  const service = await startRawService(createPieces);
  const clock = createRecordingClock();
  const client = createServiceClient({
    account: accountAt(service.url, { concurrency: 1 }),
    budget: createOpenBudget(clock),
    clock,
    retry: { attempts: 1, baseMs: 1, capMs: 1 },
  });
  onTestFinished(() => client.close());
  const pages = [];
  for (let page = 1; page <= 3; page++) pages.push(await client.videoPage(pageRequest(page)));
  return { pages, service };
}

describe('a response after an unexpected 100 Continue', () => {
  it.each([
    ['in one packet', [CONTINUE + answer()]],
    ['in two', [CONTINUE, answer()]],
    ['with lines of its own', [LONG + answer()]],
    ['twice', [CONTINUE + CONTINUE + answer()]],
    ['twice, in packets of their own', [CONTINUE, LONG, answer()]],
    [
      'among others',
      [`HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${CONTINUE}HTTP/1.1 102 Processing\r\n\r\n${answer()}`],
    ],
    ['cut in its lines', [LONG.slice(0, 30), LONG.slice(30) + answer()]],
    ...[1, 2, 3, 4].map((left): [string, string[]] => [
      `cut ${left} before its end`,
      [LONG.slice(0, -left), LONG.slice(-left), answer()],
    ]),
    ['whose end comes byte by byte', [LONG.slice(0, -4), '\r', '\n', '\r', '\n', answer()]],
  ])('is read, %s', async (_how, pieces) => {
    const { pages, service } = await fetchThreePages(() => pieces);
    expect(pages.map(({ videos }) => videos.length)).toEqual([2, 2, 2]);
    expect([service.requests(), service.connections()]).toEqual([3, 1]);
  });

  it('is read also where the previous or the next one has none', async () => {
    const { pages } = await fetchThreePages((request) => [request === 2 ? CONTINUE + answer() : answer()]);
    expect(pages.map(({ videos }) => videos.length)).toEqual([2, 2, 2]);
  });
});

it('content that looks like an interim response does not change, wherever a packet begins', async () => {
  const response = answer();
  const cut = response.indexOf('HTTP/1.1 100', 20);
  const { pages } = await fetchThreePages(() => [response.slice(0, cut), response.slice(cut)]);
  expect(JSON.stringify(pages[0])).toContain('HTTP/1.1 100 Continue');
  expect(JSON.stringify(pages)).not.toContain('HTTP/1.1 102');
});

interface RawService {
  url: string;
  /** Requests so far. */
  requests: () => number;
  /** Connections so far. */
  connections: () => number;
}

/** Answers each request with these bytes, one packet per piece: no HTTP server would send them. */
async function startRawService(createPieces: (request: number) => readonly string[]): Promise<RawService> {
  const sockets = new Set<Socket>();
  let requests = 0;
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    socket.on('data', () => void write(socket, createPieces(++requests)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests: () => requests, connections: () => connections };
}

/** Long enough that the client reads each piece separately. */
const BETWEEN_PIECES_MS = 5;

async function write(socket: Socket, pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    socket.write(piece, 'latin1');
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_PIECES_MS));
  }
}
