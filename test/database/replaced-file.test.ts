import { copyFileSync, cpSync, existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { backUp } from '../../src/backup/backup.ts';
import { restore } from '../../src/backup/restore.ts';
import { openReadOnly } from '../../src/database/connection.ts';
import { WarehouseError } from '../../src/lib/errors.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { nameIn, readContents, writeFilled } from '../support/fixtures/full-warehouse.ts';
import { execute, hashFile, readValue } from '../support/fixtures/live-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';
import { moduleUrl, runModule } from '../support/processes/child-process.ts';

const clock = createVirtualClock('2026-03-02T12:00Z');
const LOCKS = '/proc/locks';

let folder: string;
let path: string;
let backup: string;
beforeEach(async () => {
  folder = temporaryFolder();
  [path, backup] = [join(folder, 'live.db'), join(folder, 'backup.db')];
  await writeFilled(path);
  execute(path, "update package set name = 'in the backup'");
  backUp(path, backup);
});

/** Writes into the file in a process, and kills it: the last changes are only in the -wal. */
async function killAfterWriting(name = 'in the log'): Promise<void> {
  const child = runModule(`
    import { openDatabase } from '${moduleUrl('database/connection.ts')}';
    const db = openDatabase('${path}', ${clock.now()});
    db.$client.exec("update package set name = '${name}'; update video set title = 'in the log', change_seq = change_seq + 1000");
    process.kill(process.pid, 'SIGKILL');`);
  expect((await child.ended).signal).toBe('SIGKILL');
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(10_000);
}

const open = () => openWarehouse(path, clock).close();

describe('a -wal that a killed process left', () => {
  it('is used as long as its file is still there, also where both were copied together', async () => {
    await killAfterWriting('first');
    openReadOnly(path).$client.close();
    open();
    expect(nameIn(path)).toBe('first');
    await killAfterWriting();
    const copy = temporaryFolder();
    cpSync(folder, copy, { recursive: true });
    openWarehouse(join(copy, 'live.db'), clock).close();
    expect(nameIn(join(copy, 'live.db'))).toBe('in the log');
    open();
    expect(readValue(path, 'pragma integrity_check')).toBe('ok');
  });

  it('is preserved by a restore, and applied to neither file', async () => {
    const other = join(folder, 'other.db');
    copyFileSync(backup, other);
    await killAfterWriting();
    renameSync(backup, path);
    const wal = hashFile(`${path}-wal`);
    const { kept } = restore(path, other, clock.now());
    expect(readContents(path)).toEqual(readContents(other));
    expect(hashFile(`${String(kept)}-wal`)).toBe(wal);
  });
});

describe('a live file that a process has open', () => {
  // Without a lock, other processes take themselves for the only ones: the sqlite3 shell of Debian 12 then deletes the -wal.
  it.runIf(existsSync(LOCKS))('stays locked when another connection is opened and closed', async () => {
    const opened = await openTestWarehouse();
    const own = new RegExp(` ${process.pid} [0-9a-f]+:[0-9a-f]+:${statSync(opened.path).ino} `, 'g');
    const countLocks = () => readFileSync(LOCKS, 'utf8').match(own)?.length ?? 0;
    const before = countLocks();
    openReadOnly(opened.path).$client.close();
    expect([before > 0, countLocks()]).toEqual([true, before]);
  });

  it.each<[string, string, () => void]>([
    ['replaced', '', () => renameSync(backup, path)],
    ['deleted', '', () => rmSync(path)],
    ['moved away', '', () => renameSync(path, `${path}.old`)],
    ['restored from a backup', '', () => restore(path, backup, clock.now())],
    ['without its -wal', '-wal', () => rmSync(`${path}-wal`)],
  ])('is no longer used once it was %s', (_how, part, swap) => {
    const warehouse = openWarehouse(path, clock);
    warehouse.assertNotReplaced();
    swap();
    expect(() => warehouse.assertNotReplaced()).toThrow(WarehouseError);
    expect(() => warehouse.assertNotReplaced()).toThrow(
      `${path}${part} was replaced, moved or deleted while it was in use`,
    );
    warehouse.close();
  });
});
