import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText, WAREHOUSE } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { startScriptedService } from '../../support/servers/scripted-service.ts';
import { listPage, videoRecord, serveEverything } from '../../support/fixtures/service-responses.ts';
import { eventually, startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';

vi.setConfig({ testTimeout: 180_000 });

describe('a worker with its clock', () => {
  const swaps = [(live: string) => rmSync(live), (live: string) => renameSync(`${live}.copy`, live)];

  it('ends with 1 and the reason within a minute where its file was deleted, or replaced by a backup', async () => {
    const service = await startScriptedService(
      serveEverything((request) => listPage(request, [videoRecord(1)])),
    );
    const endings = swaps.map(async (swap) => {
      const cwd = createFolder({ [CONFIG]: configText({ url: service.url, storage: false }) });
      const live = join(cwd, WAREHOUSE);
      const worker = startVodhouse(['start'], { cwd });
      await eventually(() => worker.stderr() + worker.stdout()).toContain('next full run at');
      expect((await vodhouse(['backup', `${WAREHOUSE}.copy`], { cwd })).code).toBe(0);
      swap(live);
      const { code, stderr } = await worker.ended;
      expect(stderr).toContain(`${live} was replaced, moved or deleted while it was in use`);
      expect(code).toBe(1);
    });
    await Promise.all(endings);
  });
});

describe('a live file that was deleted after it was published', () => {
  it('is not replaced by an empty one: sync, start, check and status name the newest backup', async () => {
    const service = await startScriptedService(
      serveEverything((request) => listPage(request, [videoRecord(1)])),
    );
    const config = configText({ url: service.url, storage: false, top: 'publish: {}' });
    const cwd = createFolder({ [CONFIG]: config });
    const [live, backup] = [join(cwd, WAREHOUSE), join(cwd, 'data/backups/vodhouse-2026-03-02T000000Z.db')];
    expect((await vodhouse(['sync'], { cwd })).code).toBe(0);
    for (const file of [backup.replace('03-02', '03-01'), backup])
      expect((await vodhouse(['backup', file], { cwd })).code).toBe(0);
    for (const part of ['', '-wal', '-shm']) rmSync(live + part, { force: true });
    const requests = service.requests.length;
    for (const command of ['sync', 'start', 'check', 'status', 'publish']) {
      const { code, stdout, stderr } = await vodhouse([command], { cwd });
      expect([command, code, stdout]).toEqual([command, 2, '']);
      expect(stderr).toMatch(/vodhouse\.db is missing, but .*vodhouse\.bi\.db/);
      expect(stderr).toContain(`put the file back; or vodhouse restore ${backup}\n`);
    }
    expect([existsSync(live), service.requests.length]).toEqual([false, requests]);
    expect((await vodhouse(['restore', backup], { cwd })).code).toBe(0);
    expect((await vodhouse(['resume', 'main'], { cwd })).code).toBe(0);
    expect((await vodhouse(['sync'], { cwd })).code).toBe(0);
    for (const name of [WAREHOUSE, `${WAREHOUSE}-wal`, `${WAREHOUSE}-shm`, 'published/vodhouse.bi.db'])
      rmSync(join(cwd, name), { force: true });
    expect((await vodhouse(['sync'], { cwd })).code).toBe(2);
    rmSync(join(cwd, 'data/backups'), { recursive: true });
    expect((await vodhouse(['sync'], { cwd })).code).toBe(0);
  });
});
