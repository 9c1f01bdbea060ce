/** A real worker tells a service manager what it does. Needs systemd-notify and python3. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CONFIG, configText } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { startVodhouse, vodhouse } from '../support/processes/vodhouse-command.ts';
import { findFreePort } from '../support/servers/loopback.ts';
import { startSandbox } from '../support/servers/sandbox-account.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { killAfterTest, startProcess } from '../support/processes/child-process.ts';

/** The descriptors that come with a message are closed: `systemd-notify` waits for that. */
const LISTENER = `
import json, socket, sys
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind(sys.argv[1])
print('"listening"', flush=True)
while True:
    print(json.dumps(listener.recv(65536).decode()), flush=True)
`;

/** One message: what was assigned, by name. */
type Notification = Record<string, string>;

/** Listens until the end of the test. `received`: the messages so far, without the barriers between them. */
async function startNotifyListener(): Promise<{ socket: string; received: () => Notification[] }> {
  const socket = join(temporaryFolder(), 'notify');
  const child = killAfterTest(startProcess('python3', ['-c', LISTENER, socket]));
  const lines = () => child.stdout().split('\n').slice(0, -1);
  await expect.poll(() => lines().length).toBe(1);
  const received = () =>
    lines()
      .slice(1)
      .map((line) => parseNotification(JSON.parse(line) as string))
      .filter((each) => each.BARRIER === undefined);
  return { socket, received };
}

function parseNotification(text: string): Notification {
  const assignments = text.split('\n').filter((line) => line !== '');
  return Object.fromEntries(assignments.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]));
}

const isInstalled = existsSync('/usr/bin/systemd-notify');

async function startTold(env: Record<string, string> = {}) {
  const { url } = await startSandbox();
  const { socket, received } = await startNotifyListener();
  const port = await findFreePort();
  const cwd = createFolder({ [CONFIG]: configText({ url, top: `server: { port: ${port} }` }) });
  const worker = startVodhouse(['start'], { cwd, env: { NOTIFY_SOCKET: socket, ...env } });
  const listNames = () => received().map(findName);
  return { cwd, port, worker, received, listNames };
}

/** What a message says: its first assignment that is no text. */
function findName(notification: Notification): string {
  return Object.keys(notification).find((name) => name !== 'MONOTONIC_USEC') ?? '';
}

describe.skipIf(!isInstalled)('a worker under systemd', () => {
  it('is ready when it has its lock and its web server answers, which knows of no socket', async () => {
    const { cwd, port, worker, listNames, received } = await startTold();
    await expect.poll(listNames).toContain('READY');
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    expect((await vodhouse(['start'], { cwd })).code).toBe(75);
    expect(listNames()).toEqual(['STATUS', 'READY']);
    expect(received().at(-1)).toEqual({ READY: '1', STATUS: 'full runs at "0 * * * *" Asia/Seoul' });
    const words = ['-P', String(worker.pid), '-f', 'web/process/entry'];
    const { stdout } = await promisify(execFile)('pgrep', words);
    const environment = readFileSync(`/proc/${stdout.trim()}/environ`, 'utf8');
    expect(environment).toContain('PATH=');
    expect(environment).not.toContain('NOTIFY_SOCKET=');
  });

  it('tells of each reload, also of one that is refused, and of its end', async () => {
    const { cwd, worker, listNames, received } = await startTold();
    await expect.poll(listNames).toContain('READY');
    const config = join(cwd, CONFIG);
    const valid = readFileSync(config, 'utf8');
    writeFileSync(config, `${valid}nonsense: 1\n`);
    worker.kill('SIGHUP');
    await expect.poll(listNames).toEqual(['STATUS', 'READY', 'RELOADING', 'READY']);
    expect(received()[2]?.MONOTONIC_USEC).toMatch(/^[1-9]\d+$/);
    expect(received()[3]?.STATUS).toMatch(/^the config was not reloaded, see the log; /);
    writeFileSync(config, `${valid}schedule: { full: '30 * * * *' }\n`);
    worker.kill('SIGHUP');
    await expect.poll(() => listNames().slice(4)).toEqual(['RELOADING', 'READY']);
    expect(received().at(-1)?.STATUS).toBe('full runs at "30 * * * *" Asia/Seoul');
    worker.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
    expect(listNames().slice(6)).toEqual(['STOPPING']);
  });

  it('feeds the watchdog while its event loop turns', async () => {
    const { worker, listNames } = await startTold({ WATCHDOG_USEC: '400000' });
    const countFeeds = () => listNames().filter((name) => name === 'WATCHDOG').length;
    await expect.poll(countFeeds).toBeGreaterThan(2);
    worker.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
  });

  it('feeds no watchdog that is meant for another process', async () => {
    const { worker, listNames } = await startTold({ WATCHDOG_USEC: '1000', WATCHDOG_PID: '1' });
    await expect.poll(listNames).toContain('READY');
    worker.kill('SIGTERM');
    await worker.ended;
    expect(listNames()).toEqual(['STATUS', 'READY', 'STOPPING']);
  });

  it('goes on, and warns once of the reason, without systemd-notify', async () => {
    const { worker, listNames } = await startTold({ PATH: '/nowhere', WATCHDOG_USEC: '100000' });
    await expect.poll(worker.stderr).toContain('next full run at');
    worker.kill('SIGTERM');
    const { code, stderr } = await worker.ended;
    const warnings = stderr.split('\n').filter((line) => line.includes('systemd cannot be notified'));
    expect([code, warnings.length, listNames()]).toEqual([0, 1, []]);
    expect(warnings[0]).toContain('the program systemd-notify was not found');
  });
});
