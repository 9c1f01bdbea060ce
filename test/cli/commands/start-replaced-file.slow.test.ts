import { renameSync, rmSync } from 'node:fs';
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
