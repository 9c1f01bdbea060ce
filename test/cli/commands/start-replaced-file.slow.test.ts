import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText, WAREHOUSE } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { startScriptedService } from '../../support/servers/scripted-service.ts';
import { listPage, videoRecord, serveEverything } from '../../support/fixtures/service-responses.ts';
import { eventually, startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';

vi.setConfig({ testTimeout: 180_000 });

describe('a worker with its clock', () => {
  it.each([
    [
      'deleted',
      (live: string) => rmSync(live),
      /was deleted or moved away while it was in use\n {2}-> if it was/,
    ],
    [
      'replaced by a backup',
      (live: string) => renameSync(`${live}.copy`, live),
      /it was replaced while it was in use\n {2}-> move it away/,
    ],
  ])('ends with 1 and the reason within a minute where its file was %s', async (_how, swap, message) => {
    const service = await startScriptedService(
      serveEverything((request) => listPage(request, [videoRecord(1)])),
    );
    const cwd = createFolder({ [CONFIG]: configText({ url: service.url, storage: false }) });
    const live = join(cwd, WAREHOUSE);
    const worker = startVodhouse(['start'], { cwd });
    await eventually(() => worker.stderr() + worker.stdout()).toContain('next full run at');
    expect((await vodhouse(['backup', `${WAREHOUSE}.copy`], { cwd })).code).toBe(0);
    swap(live);
    const { code, stderr } = await worker.ended;
    expect(stderr).toMatch(message);
    expect(code).toBe(1);
  });

  it('leaves a -wal that the next command refuses to mix with the backup, and prints the next command', async () => {
    const service = await startScriptedService(
      serveEverything((request) => listPage(request, [videoRecord(1)])),
    );
    const cwd = createFolder({ [CONFIG]: configText({ url: service.url, storage: false }) });
    const live = join(cwd, WAREHOUSE);
    const worker = startVodhouse(['start'], { cwd });
    await eventually(() => worker.stderr() + worker.stdout()).toContain('next full run at');
    expect((await vodhouse(['backup', `${WAREHOUSE}.copy`], { cwd })).code).toBe(0);
    renameSync(`${live}.copy`, live);
    worker.kill('SIGKILL');
    await worker.ended;
    for (const command of ['sync', 'status', 'start']) {
      const { code, stderr } = await vodhouse([command], { cwd });
      expect([command, code]).toEqual([command, 1]);
      expect(stderr).toContain(`${live}-wal belongs to another file than ${live}`);
      expect(stderr).toContain(`mv ${live}-wal ${live}-wal.old, rm -f ${live}-shm`);
    }
    renameSync(`${live}-wal`, `${live}-wal.old`);
    rmSync(`${live}-shm`, { force: true });
    expect((await vodhouse(['sync'], { cwd })).code).toBe(0);
  });
});
