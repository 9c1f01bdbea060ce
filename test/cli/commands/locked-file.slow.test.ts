/** Another program that has the live file locked for longer than SQLite waits. Needs `npm run build`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { Database } from '../../../src/database/sqlite.ts';
import { serviceFolder } from '../../support/fixtures/command-folder.ts';
import { listPage, serveEverything, videoRecord } from '../../support/fixtures/service-responses.ts';

vi.setConfig({ testTimeout: 60_000 });

it.each([8_000, 14_000])(
  'sync says who may have the file locked for %i ms, and the run is closed as soon as it is free',
  async (lockedMs) => {
    let other: Database | undefined;
    const folder = await serviceFolder(
      serveEverything((request) => {
        other ??= new Database(folder.live).exec('begin immediate');
        return listPage(request, [videoRecord(1)]);
      }),
      { storage: false },
    );
    const command = folder.start('sync');
    await expect.poll(() => other?.inTransaction, { timeout: 10_000 }).toBe(true);
    await sleep(lockedMs);
    other?.close();
    const { code, stderr } = await command.ended;
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`${folder.live}: the database is locked by another program`),
    ]);
    expect(stderr).toContain('-> close what writes to it, such as an open transaction in sqlite3');
    expect(folder.rows('select status, error from run')).toEqual([
      { status: 'failed', error: expect.stringContaining('locked by another program') as string },
    ]);
    expect((await folder.run('sync')).code).toBe(0);
  },
);
