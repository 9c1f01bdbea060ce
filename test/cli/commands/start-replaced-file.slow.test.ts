import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { serviceFolder } from '../../support/fixtures/command-folder.ts';
import { WAREHOUSE } from '../../support/fixtures/config-file.ts';
import { listPage, serveEverything, videoRecord } from '../../support/fixtures/service-responses.ts';

vi.setConfig({ testTimeout: 180_000 });

const script = serveEverything((request) => listPage(request, [videoRecord(1)]));

it('a worker ends with 1 and the reason within a minute where its file was deleted, or replaced by a backup', async () => {
  const swaps = [(live: string) => rmSync(live), (live: string) => renameSync(`${live}.copy`, live)];
  const endings = swaps.map(async (swap) => {
    const { live, start, succeed } = await serviceFolder(script, { storage: false });
    const worker = start('start');
    await expect.poll(worker.stderr).toContain('next full run at');
    await succeed('backup', `${WAREHOUSE}.copy`);
    swap(live);
    const { code, stderr } = await worker.ended;
    expect(stderr).toContain(`${live} was replaced, moved or deleted while it was in use`);
    expect(code).toBe(1);
  });
  await Promise.all(endings);
});

it('a live file that was deleted after it was published is not replaced by an empty one: commands name the newest backup', async () => {
  const { cwd, live, run, succeed, service } = await serviceFolder(script, {
    storage: false,
    top: 'publish: {}',
  });
  const deleteLive = () => {
    for (const part of ['', '-wal', '-shm']) rmSync(live + part, { force: true });
  };
  const backup = join(cwd, 'data/backups/vodhouse-2026-03-02T000000Z.db');
  await succeed('sync');
  for (const file of [backup.replace('03-02', '03-01'), backup]) await succeed('backup', file);
  deleteLive();
  const requests = service.requests.length;
  for (const command of ['sync', 'start', 'check', 'status', 'publish']) {
    const { code, stdout, stderr } = await run(command);
    expect([command, code, stdout]).toEqual([command, 2, '']);
    expect(stderr).toMatch(/vodhouse\.db is missing, but .*vodhouse\.bi\.db/);
    expect(stderr).toContain(`vodhouse restore ${backup}\n`);
  }
  expect([existsSync(live), service.requests.length]).toEqual([false, requests]);
  await succeed('restore', backup);
  await succeed('resume', 'main');
  await succeed('sync');
  deleteLive();
  rmSync(join(cwd, 'published/vodhouse.bi.db'));
  expect((await run('sync')).code).toBe(2);
  rmSync(join(cwd, 'data/backups'), { recursive: true });
  await succeed('sync');
});
