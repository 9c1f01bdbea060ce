/** The server among thousands of connections, with real sockets. Needs `npm run build`. */
import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../../../src/lib/logger.ts';
import { startWebProcess } from '../../../src/web/process/supervisor.ts';
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts';
import { execute } from '../../support/fixtures/live-file.ts';
import { browse } from '../../support/browser/browser-request.ts';
import { findChildProcesses } from '../../support/processes/process-table.ts';
import { configToServe, liveFileToServe, VIDEOS } from '../../support/servers/open-web-server.ts';
import { connectRaw, requestText } from '../../support/servers/raw-connection.ts';

const HALF_OPEN = 2_000;
const SLOW_READERS = 100;
/** A page of 60 videos of this size does not fit into the buffers of a connection. */
const VIDEO_BYTES = 50_000;

async function startServer(videoBytes: number): Promise<string> {
  const live = liveFileToServe();
  execute(live, `update video set content = hex(zeroblob(${videoBytes / 2})) where package_id = 104`);
  const server = await startWebProcess(configToServe(live), {
    clock: createVirtualClock(),
    logger: createLogger({ level: 'silent', format: 'text', secrets: [] }),
    environment: {},
    signal: new AbortController().signal,
  });
  onTestFinished(() => server.close());
  return server.url;
}

/** Requests a page, a number of times at once, and stops reading in the middle of the first. */
function readSlowly(url: string, times = 1) {
  const request = requestText(`${VIDEOS}?pkg=104&pagesize=1000`);
  const { socket } = connectRaw(url, request.replace('close', 'keep-alive').repeat(times));
  socket.once('data', () => socket.pause());
  return socket;
}

/** Begins a request and never completes it. */
const halfOpen = (url: string) =>
  connectRaw(url, 'GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nx-more: ').socket;

async function measureHealth(url: string): Promise<number> {
  const startedAt = performance.now();
  expect((await browse(`${url}/healthz`)).status).toBe(200);
  return performance.now() - startedAt;
}

/** The memory of the web process, in bytes. */
function measureMemory(): number {
  const [pid = 0] = findChildProcesses(process.pid, 'web/process/entry');
  return 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

const openFiles = () => Number(/Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);

it.skipIf(openFiles() < 2 * HALF_OPEN)(
  `responds to /healthz among ${HALF_OPEN} half-open connections and ${SLOW_READERS} slow readers`,
  async () => {
    const url = await startServer(VIDEO_BYTES);
    const slow = Array.from({ length: SLOW_READERS }, () => readSlowly(url));
    await expect.poll(() => slow.filter((socket) => socket.bytesRead > 0).length).toBe(SLOW_READERS);
    const waiting = Array.from({ length: HALF_OPEN }, () => halfOpen(url));
    const times = [await measureHealth(url)];
    await expect.poll(() => waiting.filter((socket) => socket.connecting).length).toBe(0);
    for (let at = 0; at < 10; at++) times.push(await measureHealth(url));
    expect(times.sort((one, other) => one - other)[5]).toBeLessThan(1_000); // the median, in ms

    expect(waiting.filter((socket) => !socket.destroyed).length).toBeGreaterThan(100);
    expect((await browse(`${url}/readyz`)).status).toBe(503); // two packages were never walked
    for (const socket of slow)
      expect([socket.destroyed, socket.bytesRead < 60 * VIDEO_BYTES]).toEqual([false, true]);
  },
);

it.each([
  { connections: 300, requests: 10 },
  { connections: 1_500, requests: 1 },
])(
  'responds to /healthz and stays small while $connections connections request $requests pages each and read nothing',
  async ({ connections, requests }) => {
    const url = await startServer(8_000);
    const memory = measureMemory();
    const slow = Array.from({ length: connections }, () => readSlowly(url, requests));
    await expect.poll(() => slow.filter((socket) => socket.connecting).length).toBe(0);
    const times: number[] = [];
    const hasAnswers = () => slow.every((socket) => socket.bytesRead > 0);
    for (const until = Date.now() + 60_000; !hasAnswers() && Date.now() < until;)
      times.push(await measureHealth(url));
    expect(hasAnswers()).toBe(true);
    const sorted = times.sort((one, other) => one - other);
    expect(sorted[sorted.length >> 1]).toBeLessThan(1_000); // the median, in ms
    expect(sorted.at(-1)).toBeLessThan(5_000); // tests on the same processors may take a second
    expect(measureMemory() - memory).toBeLessThan(400 * 2 ** 20); // 3,000 pages are 1.5 GB
  },
);
