import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CONFIG, configText } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { listPage, serveEverything, videoRecord } from '../support/fixtures/service-responses.ts';
import { startVodhouse, vodhouse } from '../support/processes/vodhouse-command.ts';
import { startScriptedService } from '../support/servers/scripted-service.ts';

it('the sqlite3 shell can read the live file of a worker: nothing that is written afterwards is lost', async () => {
  const records = [1, 2, 3].map((id) => videoRecord(id));
  const { url } = await startScriptedService(serveEverything((request) => listPage(request, records)));
  const cwd = createFolder({ [CONFIG]: `${configText({ url, storage: false })}publish: {}\n` });
  const worker = startVodhouse(['start'], { cwd });
  await expect.poll(worker.stderr).toContain('published');
  const live = join(cwd, 'data/vodhouse.db');
  const query = () =>
    execFileSync('sqlite3', [live, 'select count(*) from run'], { encoding: 'utf8' }).trim();
  expect(query()).toBe('1');
  expect(existsSync(`${live}-wal`)).toBe(true);
  expect((await vodhouse(['sync'], { cwd })).code).toBe(0);
  expect(query()).toBe('2');
  worker.kill('SIGTERM');
  expect((await worker.ended).code).toBe(0);
  expect([
    query(),
    execFileSync('sqlite3', [live, 'pragma integrity_check'], { encoding: 'utf8' }).trim(),
  ]).toEqual(['2', 'ok']);
}, 60_000);
