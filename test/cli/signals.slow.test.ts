import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { commandFolder, serviceFolder } from '../support/fixtures/command-folder.ts';
import { killAfterTest, startProcess } from '../support/processes/child-process.ts';
import { listPage, serveEverything, videoRecord } from '../support/fixtures/service-responses.ts';
import { listenOnLoopback } from '../support/servers/loopback.ts';
import { createGate } from '../support/servers/scripted-service.ts';
import { createTerminalScreen } from '../support/processes/terminal-screen.ts';

vi.setConfig({ testTimeout: 60_000 });

const records = Array.from({ length: 50 }, (_, index) => videoRecord(index + 1));
const SUCCEEDED = `select count(*) from run where status = 'succeeded'`;

/** A service whose first page waits for the gate. */
async function heldFolder() {
  const gate = createGate();
  const script = serveEverything(async (request) => {
    await gate.opened;
    return listPage(request, records);
  });
  return { ...(await serviceFolder(script, { storage: false })), gate };
}

/** A worker whose first page waits for the gate. */
async function startHeldWorker(...words: string[]) {
  const folder = await heldFolder();
  const worker = folder.start('start', ...words);
  await expect.poll(() => folder.service.requests.length).toBe(1);
  return { ...folder, worker };
}

describe('a worker', () => {
  it('continues at SIGUSR2 and without a reader of its log', async () => {
    const { value, gate, worker } = await startHeldWorker();
    worker.kill('SIGUSR2');
    worker.process.stderr?.destroy(); // as a log reader that ends does
    gate.open();
    await expect.poll(() => value(SUCCEEDED)).toBe(1);
    worker.kill('SIGUSR2');
    worker.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
  });

  it.runIf(existsSync('/dev/full'))(
    'continues where its log cannot be written, as on a full disk',
    async () => {
      const { cwd, value, gate } = await heldFolder();
      gate.open();
      const command = `exec '${process.execPath}' '${resolve('bin/vodhouse.js')}' start 2>/dev/full`;
      const worker = killAfterTest(startProcess('sh', ['-c', command], { cwd }));
      await expect.poll(() => value(SUCCEEDED), { timeout: 20_000 }).toBe(1);
      worker.kill('SIGHUP');
      worker.kill('SIGTERM');
      expect((await worker.ended).code).toBe(0);
    },
  );

  it('reloads its config at SIGHUP, and continues with the one it has if that is invalid', async () => {
    const { text, write, run, succeed, gate, worker } = await startHeldWorker();
    gate.open();
    await expect.poll(worker.stderr).toContain('next full run at');
    write(`${text}\nnonsense: 1\n`);
    worker.kill('SIGHUP');
    await expect.poll(worker.stderr).toContain('the config was not reloaded');
    expect((await run('status')).code).toBe(2); // status reads the config too
    write(text);
    const { code, stdout } = await run('status');
    expect([code, stdout]).toEqual([3, expect.stringContaining('nonsense: unknown key')]);
    worker.kill('SIGHUP');
    await expect.poll(worker.stderr).toContain('took the changed config');
    await succeed('acknowledge'); // the test service sends no date
    await succeed('status');
    worker.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
  });

  it('ends like at SIGTERM when its terminal closes', async () => {
    const { cwd, live, value, gate } = await heldFolder();
    gate.open();
    const command = `'${process.execPath}' '${resolve('bin/vodhouse.js')}' start`;
    // util-linux: a pty
    const terminal = spawn('script', ['-qc', command, '/dev/null'], { cwd, stdio: 'ignore' });
    onTestFinished(() => void terminal.kill('SIGKILL'));
    const holder = join(cwd, 'data/vodhouse.db.worker.holder');
    await expect.poll(() => existsSync(holder)).toBe(true);
    await expect.poll(() => value(SUCCEEDED)).toBe(1);
    terminal.kill('SIGKILL');
    await expect.poll(() => existsSync(holder)).toBe(false);
    expect(existsSync(`${live}-wal`)).toBe(false);
  });

  it('ends within five seconds of SIGTERM also while a connection is being opened', async () => {
    // sends nothing: TLS never begins
    const server = createServer((socket) => socket.on('error', () => undefined));
    const { host, close } = await listenOnLoopback(server);
    onTestFinished(close);
    const opened = new Promise((resolve) => server.once('connection', resolve));
    const { start, value } = commandFolder({ url: `https://${host}`, storage: false });
    const worker = start('start');
    await opened;
    const stoppedAt = performance.now();
    worker.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThan(6_000);
    expect(value('select status from run')).toBe('interrupted');
  });

  it('logs its end as lines of the log', async () => {
    const { run, gate, worker } = await startHeldWorker('--log-format', 'json');
    const second = await run('start', '--log-format', 'json');
    expect(second.code).toBe(75);
    expect(JSON.parse(second.stderr)).toMatchObject({ level: 'error', event: 'worker_failed' });
    worker.kill('SIGTERM');
    await expect.poll(worker.stderr).toContain('worker_stopping');
    gate.open();
    const { code, stderr } = await worker.ended;
    expect(code).toBe(0);
    const lines = stderr.trimEnd().split('\n');
    const logged = lines.map((line) => JSON.parse(line) as object);
    const stopping = { event: 'worker_stopping', level: 'info', reason: 'SIGTERM' };
    expect(logged).toContainEqual(expect.objectContaining(stopping));
    expect(logged.at(-1)).toMatchObject({ event: 'worker_stopped', reason: 'SIGTERM' });
  });
});

const CONFIG = { pageSize: 10, storage: false };
const FORTY_NINE = Array.from({ length: 49 }, (_, index) => videoRecord(index + 1));
const hanging = serveEverything(() => 'hang');

describe('SIGINT', () => {
  it('ends a sync after the page in flight, with 130; the next sync resumes there', async () => {
    const gate = createGate();
    const script = serveEverything(async (request) => {
      if (request.number > 3) await gate.opened; // a probe and two pages are in flight together
      return listPage(request, FORTY_NINE);
    });
    const { service, start, succeed, value, rows } = await serviceFolder(script, CONFIG);
    const readPages = (from: number) =>
      service.requests.slice(from).map(({ query }) => Number(query.get('page')));
    const command = start('sync');
    await expect.poll(() => service.requests.length).toBe(4);
    command.kill('SIGINT');
    await expect.poll(command.stderr).toContain('stopping after the current page');
    gate.open();
    expect((await command.ended).code).toBe(130);
    // the signal may be handled a page later, but every requested page is stored
    const pages = readPages(1);
    expect(pages.slice(0, 3)).toEqual([5, 4, 3]);
    expect(pages.length).toBeLessThan(5);
    expect(value('select count(*) from video')).toBe(pages.length * 10 - 1);
    expect(rows('select status from run')).toEqual([{ status: 'interrupted' }]);

    const sent = service.requests.length;
    await succeed('sync');
    expect(readPages(sent)).toContain(1);
    expect(readPages(sent)).not.toContain(5);
    expect(value('select count(*) from video')).toBe(49);
  });

  it('a second time ends a sync immediately', async () => {
    const { service, start } = await serviceFolder(hanging, CONFIG);
    const command = start('sync');
    await expect.poll(() => service.requests.length).toBe(1);
    const before = performance.now();
    const again = setInterval(() => command.kill('SIGINT'), 50); // two at the same moment may arrive as one
    const { code } = await command.ended;
    clearInterval(again);
    expect(code).toBe(130);
    expect(performance.now() - before).toBeLessThan(3_500); // a single signal would leave 4 s for the request
  });
});

it('SIGTERM ends a worker with 0 within 5 seconds while a request hangs', async () => {
  const { service, start, rows } = await serviceFolder(hanging, CONFIG);
  const command = start('start');
  await expect.poll(() => service.requests.length).toBe(1);
  const before = performance.now();
  command.kill('SIGTERM');
  expect((await command.ended).code).toBe(0);
  expect(performance.now() - before).toBeLessThan(5_000);
  expect(rows('select status from run')).toEqual([{ status: 'interrupted' }]);
  expect(rows('select status, answered_at_ms from request')).toEqual([
    { status: null, answered_at_ms: null },
  ]);
});

const CTRL_C = '\x03';

/** A sync in a terminal (util-linux: script makes a pty) whose first page of five waits for the gate. */
async function startInTerminal() {
  const gate = createGate();
  const script = serveEverything(async (request) => {
    if (request.number > 2) await gate.opened;
    return listPage(request, records);
  });
  const { cwd } = await serviceFolder(script, { storage: false, pageSize: 10, top: 'publish: {}' });
  const command = `'${process.execPath}' '${resolve('bin/vodhouse.js')}' sync`;
  const env = { PATH: process.env['PATH'], HOME: cwd, TERM: 'xterm', SHELL: '/bin/sh' };
  const terminal = spawn('script', ['-qec', command, '/dev/null'], { cwd, env });
  onTestFinished(() => void terminal.kill('SIGKILL'));
  const screen = createTerminalScreen();
  terminal.stdout.setEncoding('utf8').on('data', (output: string) => screen.write(output));
  const ended = new Promise<number | null>((done) => terminal.on('close', done));
  const type = (keys: string) => void terminal.stdin.write(keys);
  return { gate, screen, ended, type, shown: () => screen.lines().join('\n') };
}

describe('sync in a terminal', () => {
  it('shows its progress, then the result alone', async () => {
    const { gate, screen, ended, shown } = await startInTerminal();
    await expect.poll(shown).toContain('0/1 packages');
    gate.open();
    expect(await ended).toBe(0);
    expect(screen.states.flat().join('\n')).toMatch(/^publishing published.* …$/m);
    expect(screen.lines()[0]).toMatch(/^run 1: succeeded/);
    expect(screen.lines().at(-1)).toMatch(/^published .*vodhouse\.bi\.db/);
    expect(screen.lines().join('\n')).not.toContain('[');
  });

  it('leaves clean lines after one Ctrl-C, and after a second one', async () => {
    for (const signals of [1, 2]) {
      const { gate, screen, ended, type, shown } = await startInTerminal();
      await expect.poll(shown).toContain('0/1 packages');
      type(CTRL_C);
      await expect.poll(shown).toContain('stopping after the current page; a second signal stops at once');
      if (signals === 2) type(CTRL_C);
      else gate.open();
      expect(await ended).toBe(130);
      expect(screen.lines().filter((line) => line.includes(' packages'))).toEqual([]);
      if (signals === 1) expect(shown()).toMatch(/^run 1: interrupted /m);
    }
  });
});
