import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { CANARY_KEY, findCanary, writtenFiles } from '../../support/fixtures/awkward-key.ts';
import { serviceFolder } from '../../support/fixtures/command-folder.ts';
import { listPage, serveEverything, videoRecord } from '../../support/fixtures/service-responses.ts';
import { findChildProcesses } from '../../support/processes/process-table.ts';
import { takePort } from '../../support/servers/loopback.ts';
import { fetchResponse, fetchVideos, STORAGE, VIDEOS } from '../../support/servers/open-web-server.ts';
import { withPassword } from '../../support/with-password.ts';

vi.setConfig({ testTimeout: 60_000 });

const SERVICE_KEY = 'service-canary-83be';
const script = serveEverything((request) =>
  listPage(
    request,
    [1, 2, 3].map((id) => videoRecord(id)),
  ),
);

/** The environment of the server that this worker started, where the system has it; names and values. */
function readEnvironment(worker: number): string {
  const [server] = findChildProcesses(worker, 'web/process/entry');
  expect(server).toBeDefined();
  return existsSync('/proc/self/environ') ? readFileSync(`/proc/${server ?? 0}/environ`, 'utf8') : '';
}

describe('vodhouse start with a server', () => {
  it('prints the address of its pages, ends with 0 on SIGTERM with the port free, and prints no key', async () => {
    const top = 'server: { port: 0, keys: ["${DOOR_KEY}"] }';
    const { cwd, write, start } = await serviceFolder(script, { key: SERVICE_KEY, top });
    write(`DOOR_KEY='${CANARY_KEY}'\n`, '.env');
    const command = start('start', '--log-level', 'debug');
    await expect.poll(command.stderr).toContain('next full run at');
    const [, url = ''] = /serving at (http:\/\/127\.0\.0\.1:\d+)$/m.exec(command.stderr()) ?? [];

    const key = encodeURIComponent(CANARY_KEY);
    const { text, headers } = await fetchResponse(`${url}${VIDEOS}?key=${key}&pkg=101`);
    expect((await fetchVideos(`${url}${VIDEOS}?key=${key}&pkg=101`)).ids).toEqual([3, 2, 1]);
    const answers: [string, string][] = [['videos', text + JSON.stringify([...headers])]];
    for (const path of [`${VIDEOS}?pkg=1&`, `${STORAGE}?sdate=x&`, '/none?', '/readyz?', '/metrics?'])
      answers.push([path, (await fetchResponse(`${url}${path}key=${key}`)).text]);
    expect(answers.at(-1)?.[1]).toContain('vodhouse_videos{account="main",package_id="101"} 3\n');
    expect((await fetchResponse(`${url}/metrics`)).status).toBe(401);
    for (const [password, status] of [
      [CANARY_KEY, 200],
      [`${CANARY_KEY}x`, 401],
    ] as const) {
      const page = await fetchResponse(url, withPassword(password, ''));
      expect(page.status).toBe(status);
      answers.push(['a page', page.text + JSON.stringify([...page.headers])]);
    }
    answers.push(['environment of the server', readEnvironment(command.pid)]);

    command.kill('SIGTERM');
    const { code, stdout, stderr } = await command.ended;
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('stopped by SIGTERM');
    const port = Number(new URL(url).port);
    expect((await takePort(port)).port).toBe(port);
    const texts = [...answers, ['log', stderr] as const, ...writtenFiles(cwd)];
    expect(findCanary(texts)).toEqual([]);
    const encoded = withPassword(CANARY_KEY, '').authorization.slice(6, -4); // the end depends on what follows
    for (const secret of [encoded, SERVICE_KEY])
      expect(texts.filter(([, content]) => content.includes(secret)).map(([name]) => name)).toEqual([]);
  });

  it('ends with 2, the reason and a hint where the port is in use; nothing is sent', async () => {
    const { port } = await takePort();
    const { service, run } = await serviceFolder(script, { top: `server: { port: ${port} }` });
    const { code, stdout, stderr } = await run('start');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`cannot listen on 127.0.0.1:${port}: `);
    expect(stderr).toContain('set server.port to another one; 0 takes any free port');
    expect(service.requests).toEqual([]);
  });
});
