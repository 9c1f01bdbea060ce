import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { CANARY_KEY, findCanary, writtenFiles } from '../../support/fixtures/awkward-key.ts';
import { fetchResponse, fetchVideos, STORAGE, VIDEOS } from '../../support/servers/open-web-server.ts';
import { findChildProcesses } from '../../support/processes/process-table.ts';
import { startScriptedService } from '../../support/servers/scripted-service.ts';
import { listPage, videoRecord, serveEverything } from '../../support/fixtures/service-responses.ts';
import { takePort } from '../../support/servers/loopback.ts';
import { withPassword } from '../../support/with-password.ts';
import { eventually, startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';

vi.setConfig({ testTimeout: 60_000 });

const SERVICE_KEY = 'service-canary-83be';
const records = [1, 2, 3].map((id) => videoRecord(id));

/** A folder with a config that has a server, and the service behind it. */
async function folderThatServes(server: string, files: Record<string, string> = {}) {
  const service = await startScriptedService(serveEverything((request) => listPage(request, records)));
  const top = `server: ${server}`;
  const config = configText({ url: service.url, key: SERVICE_KEY, top });
  return { service, cwd: createFolder({ [CONFIG]: config, ...files }) };
}

/** The environment of the server that this worker started, where the system has it; names and values. */
function readEnvironment(worker: number): string {
  const [server] = findChildProcesses(worker, 'web/process/entry.js');
  expect(server).toBeDefined();
  return existsSync('/proc/self/environ') ? readFileSync(`/proc/${server ?? 0}/environ`, 'utf8') : '';
}

describe('vodhouse start with a server', () => {
  it('prints the address of its pages, ends with 0 on SIGTERM with the port free, and prints no key', async () => {
    const files = { '.env': `DOOR_KEY='${CANARY_KEY}'\n` };
    const { cwd } = await folderThatServes('{ port: 0, keys: ["${DOOR_KEY}"] }', files);
    const env = { SERVICE: SERVICE_KEY };
    const command = startVodhouse(['start', '--log-level', 'debug'], { cwd, env });
    await eventually(command.stderr).toContain('next full run at');
    const [, url = ''] = /serving at (http:\/\/127\.0\.0\.1:\d+)$/m.exec(command.stderr()) ?? [];

    const key = encodeURIComponent(CANARY_KEY);
    const { text, headers } = await fetchResponse(`${url}${VIDEOS}?key=${key}&pkg=101`);
    expect((await fetchVideos(`${url}${VIDEOS}?key=${key}&pkg=101`)).ids).toEqual([3, 2, 1]);
    const answers: [string, string][] = [['videos', text + JSON.stringify([...headers])]];
    const paths = [
      `${VIDEOS}?pkg=1&key=`,
      `${STORAGE}?sdate=x&key=`,
      '/none?key=',
      '/readyz?key=',
      '/metrics?key=',
    ];
    for (const path of paths) answers.push([path, (await fetchResponse(`${url}${path}${key}`)).text]);
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
    expect(texts.filter(([, content]) => content.includes(encoded)).map(([name]) => name)).toEqual([]);
    expect(texts.filter(([, content]) => content.includes(SERVICE_KEY)).map(([name]) => name)).toEqual([]);
  });

  it('ends with 2, the reason and a hint where the port is in use; nothing is sent', async () => {
    const { port } = await takePort();
    const { service, cwd } = await folderThatServes(`{ port: ${port} }`);
    const { code, stdout, stderr } = await vodhouse(['start'], { cwd });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`cannot listen on 127.0.0.1:${port}: `);
    expect(stderr).toContain('set server.port to another one; 0 takes any free port');
    expect(stderr).not.toMatch(/^ +at /m);
    expect(service.requests).toEqual([]);
  });
});
