import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { WarehouseError } from '../../src/lib/errors.ts';
import { backUp } from '../../src/backup/backup.ts';
import { assertUndamaged } from '../../src/database/integrity.ts';
import { openStatusQueries } from '../../src/queries/status-queries.ts';
import { restore } from '../../src/backup/restore.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { moduleUrl, runModule } from '../support/processes/child-process.ts';
import { execute, hashFile, readValue } from '../support/fixtures/live-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { writeFilled, readContents } from '../support/fixtures/full-warehouse.ts';

const clock = createVirtualClock('2026-03-02T12:00Z');

let folder: string;
let path: string;
let backup: string;
beforeEach(async () => {
  folder = temporaryFolder();
  path = join(folder, 'live.db');
  backup = join(folder, 'backup.db');
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

const nameIn = (file: string) => readValue(file, 'select name from package');
const open = () => openWarehouse(path, clock).close();
const hashes = () => readdirSync(folder).map((name) => [name, hashFile(join(folder, name))]);

/** Asserts that every command rejects, names both files, and changes none. */
function expectRefused(): void {
  const before = hashes();
  const ways = [
    open,
    () => openStatusQueries(path),
    () => backUp(path, join(folder, 'other.db')),
    () => assertUndamaged(path),
  ];
  for (const way of ways) {
    expect(way).toThrow(WarehouseError);
    expect(way).toThrow(`${path}-wal belongs to another file than ${path}:`);
  }
  expect(hashes()).toEqual(before);
}

describe('a -wal that a killed process left', () => {
  it('is used as long as its file is still there, repeatedly', async () => {
    for (const name of ['first', 'second', 'third']) {
      await killAfterWriting(name);
      openStatusQueries(path).close();
      open();
      expect(nameIn(path)).toBe(name);
    }
    open();
    expect(readValue(path, 'pragma integrity_check')).toBe('ok');
  });

  it('is used where both were moved or copied together', async () => {
    await killAfterWriting();
    const copy = temporaryFolder();
    cpSync(folder, copy, { recursive: true });
    openWarehouse(join(copy, 'live.db'), clock).close();
    expect(nameIn(join(copy, 'live.db'))).toBe('in the log');
  });

  it('is used where it has no owner record', async () => {
    await killAfterWriting();
    rmSync(`${path}.wal-owner`);
    open();
    expect(nameIn(path)).toBe('in the log');
  });

  it('is used where the owner record is unreadable', async () => {
    await killAfterWriting();
    writeFileSync(`${path}.wal-owner`, '{');
    open();
    expect(nameIn(path)).toBe('in the log');
  });
});

/** Ways to replace the live file without `vodhouse restore`. */
const SWAPS: [string, () => void][] = [
  ['a backup was moved', () => renameSync(backup, path)],
  ['a backup was copied', () => copyFileSync(backup, path)],
  [
    'a backup that had been opened was moved',
    () => {
      openWarehouse(backup, clock).close();
      renameSync(backup, path);
    },
  ],
];

describe.each(SWAPS)('a -wal next to a file into whose place %s', (_how, swap) => {
  it('is rejected, and nothing is changed', async () => {
    await killAfterWriting();
    swap();
    expectRefused();
  });

  it('is moved away as the hint says: then the new file is used as it is', async () => {
    await killAfterWriting();
    swap();
    renameSync(`${path}-wal`, `${path}-wal.old`);
    rmSync(`${path}-shm`, { force: true });
    open();
    expect([nameIn(path), readValue(path, 'pragma integrity_check')]).toEqual(['in the backup', 'ok']);
    open(); // and the owner record is deleted
    expect(existsSync(`${path}.wal-owner`)).toBe(false);
  });

  it('is preserved by a restore, and applied to neither file', async () => {
    const other = join(folder, 'other.db');
    copyFileSync(backup, other);
    await killAfterWriting();
    swap();
    const wal = hashFile(`${path}-wal`);
    const { kept, carried } = restore(path, other, clock.now());
    expect(carried).toEqual({ error: expect.stringContaining('belongs to another file') as string });
    expect(readContents(path)).toEqual(readContents(other));
    expect([nameIn(String(kept)), hashFile(`${String(kept)}.orphan-wal`)]).toEqual(['in the backup', wal]);
  });
});

it('an earlier state of the same file, copied back with the same inode, is rejected', async () => {
  const earlier = join(folder, 'earlier.db');
  const warehouse = openWarehouse(path, clock);
  copyFileSync(path, earlier); // a raw copy: it is written with a -wal, unlike a backup
  warehouse.close();
  await killAfterWriting();
  rmSync(path);
  copyFileSync(earlier, path);
  expect(() => openWarehouse(path, clock)).toThrow(/-wal belongs to another file than/);
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(10_000);
});

it('a file that was moved away is used completely when it is moved back to its -wal', async () => {
  await killAfterWriting();
  renameSync(path, `${path}.old`);
  renameSync(backup, path);
  expectRefused();
  renameSync(path, backup);
  renameSync(`${path}.old`, path);
  open();
  expect([nameIn(path), readValue(path, 'select max(title) from video')]).toEqual([
    'in the log',
    'in the log',
  ]);
});

describe('while a process has the file open', () => {
  it('another file in its place is rejected for all others, and its own changes are not mixed into that', async () => {
    const warehouse = openWarehouse(path, clock);
    warehouse.registerPackages([{ name: 'main', packages: [{ id: 7, name: 'new' }] }], clock.now());
    renameSync(backup, path);
    expectRefused();
    warehouse.registerPackages([{ name: 'main', packages: [{ id: 8, name: 'newer' }] }], clock.now());
    warehouse.close();
    expectRefused();
    renameSync(`${path}-wal`, `${path}-wal.old`);
    open();
    expect([nameIn(path), readValue(path, 'pragma integrity_check')]).toEqual(['in the backup', 'ok']);
  });

  it('the owner record is next to the file, and is deleted when the last one closes it', () => {
    const first = openWarehouse(path, clock);
    const second = openWarehouse(path, clock);
    expect(readdirSync(folder)).toContain('live.db.wal-owner');
    first.close();
    expect(readdirSync(folder)).toContain('live.db.wal-owner');
    second.close();
    expect(readdirSync(folder).sort()).toEqual(['backup.db', 'live.db']);
  });
});
