import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openReadOnly } from '../../src/database/connection.ts';
import { WarehouseError } from '../../src/lib/errors.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';

const LOCKS = '/proc/locks';

/**
 * How many locks processes hold on the file. Without one, other processes take themselves for the only ones: the sqlite3 shell of
 * Debian 12 then deletes the -wal when it closes the file, and what is written afterwards is lost.
 */
function countLocks(path: string): number {
  const { ino } = statSync(path);
  return readFileSync(LOCKS, 'utf8')
    .split('\n')
    .filter((line) => line.includes(`:${ino} `)).length;
}

describe('a live file that a process has open', () => {
  it.runIf(existsSync(LOCKS))(
    'stays locked for others when another connection is opened and closed',
    async () => {
      const { path } = await openTestWarehouse();
      const before = countLocks(path);
      openReadOnly(path).$client.close();
      expect([before > 0, countLocks(path)]).toEqual([true, before]);
    },
  );

  it('is no longer used once its -wal was deleted', async () => {
    const { path, warehouse } = await openTestWarehouse();
    warehouse.assertNotReplaced();
    rmSync(`${path}-wal`);
    expect(() => warehouse.assertNotReplaced()).toThrow(WarehouseError);
    expect(() => warehouse.assertNotReplaced()).toThrow('-wal was deleted or replaced while it was in use');
  });
});
