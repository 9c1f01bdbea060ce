/** The server in a separate process. Needs `npm run build`. */
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError, WarehouseError } from '../../../src/lib/errors.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { startWebProcess } from '../../../src/web/process/supervisor.ts';
import { moduleUrl, runModule } from '../../support/processes/child-process.ts';
import { execute } from '../../support/fixtures/live-file.ts';
import {
  fetchResponse,
  fetchVideos,
  configToServe,
  liveFileToServe,
  STORAGE,
  VIDEOS,
  type ServedConfig,
} from '../../support/servers/open-web-server.ts';
import { findChildProcesses, isRunning } from '../../support/processes/process-table.ts';
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts';
import { createGate } from '../../support/servers/scripted-service.ts';
import { takePort } from '../../support/servers/loopback.ts';
import { temporaryFolder } from '../../support/fixtures/temporary-folder.ts';

const CHILD = 'web/process/entry';
const serverPids = () => findChildProcesses(process.pid, CHILD);

/** A server until the test is over; waits before a restart end at once. */
async function startTestServer(config: ServedConfig = configToServe(liveFileToServe())) {
  const clock = createVirtualClock();
  const log: string[] = [];
  const write = (line: string) => void log.push(line);
  const logger = createLogger({ level: 'info', format: 'text', secrets: [], write });
  const server = await startWebProcess(config, {
    clock,
    logger,
    environment: {},
    signal: new AbortController().signal,
  });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= server.close());
  onTestFinished(close);
  return { ...server, close, clock, log: () => log.join('') };
}

/** Kills the only process of the server. */
function kill(): void {
  const pids = serverPids();
  expect(pids).toHaveLength(1);
  process.kill(pids[0] ?? 0, 'SIGKILL');
}

const withPort = (port: number): ServedConfig => {
  const config = configToServe(liveFileToServe());
  return { ...config, server: { ...config.server, port } };
};

describe('the server process', () => {
  it('does not delay a worker that is stopped during the start', async () => {
    const stopping = new AbortController();
    const logger = createLogger({ level: 'silent', format: 'text', secrets: [] });
    const options = { clock: createVirtualClock(), logger, environment: {}, signal: stopping.signal };
    const started = startWebProcess(configToServe(liveFileToServe()), options);
    stopping.abort(new Error('stopped by the test'));
    await expect(started).rejects.toThrow('stopped by the test');
    expect(serverPids()).toEqual([]);
  });

  it('responds from the live file, and ends only with its parent', async () => {
    const live = liveFileToServe();
    const file = join(temporaryFolder(), 'bi.db');
    const server = await startTestServer(
      configToServe(live, ['server-key-of-20-char'], `publish: { file: ${file} }`),
    );
    const { url, log, close } = server;
    const list = `${url}${VIDEOS}?key=server-key-of-20-char&pkg=104`;
    expect((await fetchVideos(list)).ids).toHaveLength(20);
    expect((await fetchVideos(`${list}&sort_item=title&sort_direction=asc&pagesize=1`)).ids).toEqual([1]);
    expect((await fetchResponse(`${url}/healthz`)).status).toBe(200);

    server.recordPublication({ durationMs: 1_500 });
    const metrics = async () => (await fetchResponse(`${url}/metrics?key=server-key-of-20-char`)).text;
    await expect.poll(metrics).toContain('\nvodhouse_publish_duration_seconds 1.5\n');

    const [pid = 0] = serverPids();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
    expect((await fetchResponse(`${url}/healthz`)).status).toBe(200);
    execute(live, 'drop table storage_day');
    const days = await fetchResponse(
      `${url}/accounts/main${STORAGE}?key=server-key-of-20-char&sdate=2026-03-01&edate=2026-03-02`,
    );
    expect([days.status, days.text]).toEqual([500, '{"error":"internal error"}']);
    await expect.poll(log).toMatch(/the web server failed to answer: .*no such table: storage_day/);
    expect(serverPids()).toEqual([pid]);

    await close();
    expect(serverPids()).toEqual([]);
    const port = Number(new URL(url).port);
    expect((await takePort(port)).port).toBe(port);
  });

  it('restarts at the same address after it was killed, once the port is free, with longer and longer waits', async () => {
    const { url, log, clock } = await startTestServer();
    const port = Number(new URL(url).port);
    let taken: Awaited<ReturnType<typeof takePort>> | undefined;
    clock.whileAsleep = async (ms) => {
      if (ms === 1_000) taken = await takePort(port);
      else await taken?.free();
    };
    kill();
    await expect.poll(log).toContain(`serving at ${url} again`);
    expect(log()).toContain('the web server ended: SIGKILL; restarting in 1 s');
    expect(log()).toContain(`the web server ended: cannot listen on 127.0.0.1:${port}: `);
    expect(clock.sleeps).toEqual([1_000, 2_000]);
    expect((await fetchVideos(`${url}${VIDEOS}?pkg=104`)).ids).toHaveLength(20);
    expect(serverPids()).toHaveLength(1);
  });

  it('does not start after a stop during the wait for a restart', async () => {
    const { log, clock, close } = await startTestServer();
    const gate = createGate();
    clock.whileAsleep = () => gate.opened;
    kill();
    await expect.poll(log).toContain('restarting in 1 s');
    const closed = close();
    gate.open();
    await closed;
    expect(serverPids()).toEqual([]);
    expect(log()).not.toContain('again');
  });

  it('does not start where the port is in use: a ConfigError names it, with a hint', async () => {
    const { port } = await takePort();
    const started = startTestServer(withPort(port));
    await expect(started).rejects.toThrow(ConfigError);
    await expect(started).rejects.toThrow(`cannot listen on 127.0.0.1:${port}: `);
    await expect(started).rejects.toMatchObject({
      hint: 'another worker may serve there; set server.port to another one; 0 takes any free port',
    });
    expect(serverPids()).toEqual([]);
  });

  it('does not start where the live file cannot be read', async () => {
    const started = startTestServer(configToServe(join(temporaryFolder(), 'none.db')));
    await expect(started).rejects.toThrow(WarehouseError);
    expect(serverPids()).toEqual([]);
  });

  it('ends when its parent is killed, and its port is free then', async () => {
    const config = JSON.stringify(configToServe(liveFileToServe()));
    const parent = runModule(`
      import { startWebProcess } from '${moduleUrl('web/process/supervisor.ts')}';
      import { systemClock } from '${moduleUrl('lib/clock.ts')}';
      import { createLogger } from '${moduleUrl('lib/logger.ts')}';
      const logger = createLogger({ level: 'silent', format: 'text', secrets: [] });
      const server = await startWebProcess(${config}, { clock: systemClock, logger, environment: {}, signal: new AbortController().signal });
      console.log(server.url + ' is up');
    `);
    let printed = '';
    parent.process.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await parent.waitForOutput(/is up/);
    const [url = ''] = printed.split(' ');
    expect((await fetchResponse(`${url}/healthz`)).status).toBe(200);
    const [pid = 0] = findChildProcesses(parent.process.pid ?? 0, CHILD);
    expect(isRunning(pid)).toBe(true);
    parent.process.kill('SIGKILL');
    await expect.poll(() => isRunning(pid)).toBe(false);
    const port = Number(new URL(url).port);
    expect((await takePort(port)).port).toBe(port);
  });
});
