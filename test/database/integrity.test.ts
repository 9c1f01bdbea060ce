import { closeSync, openSync, readFileSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../src/database/sqlite.ts';
import { describe, expect, it } from 'vitest';
import { WarehouseError } from '../../src/lib/errors.ts';
import { assertUndamaged } from '../../src/database/integrity.ts';
import { openDatabase } from '../../src/database/connection.ts';
import { query } from '../../src/database/query.ts';
import { storageReading } from '../../src/database/schema/storage.ts';
import { readSnapshot } from '../../src/database/transaction.ts';
import { CONFIG, configText, WAREHOUSE } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { execute, hashFile, readValue } from '../support/fixtures/live-file.ts';
import { startScriptedService } from '../support/servers/scripted-service.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { vodhouse } from '../support/processes/vodhouse-command.ts';
import { writeFilled } from '../support/fixtures/full-warehouse.ts';

const PAGE = 4096;

function overwrite(path: string, page: number, pages = 1): void {
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, Buffer.alloc(pages * PAGE, 0xab), 0, pages * PAGE, page * PAGE);
  closeSync(descriptor);
}

/** The number of the first page of a table, from 0 up. */
function findRootPage(path: string, table: string): number {
  return Number(readValue(path, 'select rootpage from sqlite_schema where name = ?', table)) - 1;
}

const DAMAGES: [string, (path: string) => void, RegExp][] = [
  ['is empty', (path) => writeFileSync(path, ''), /is empty or not a file/],
  ['is cut off in the middle', (path) => truncateSync(path, 10 * PAGE), /is damaged: /],
  ['has another header', (path) => overwrite(path, 0), /is not a SQLite file; nothing was changed/],
  [
    'is overwritten in the middle',
    (path) => ['package', 'run', 'walk'].forEach((table) => overwrite(path, findRootPage(path, table))),
    /is damaged: database disk image is malformed/,
  ],
];

/** Runs the command next to a service that counts its requests. */
async function run(command: string, damage: (path: string) => void) {
  const { url, requests } = await startScriptedService(() => 'drop');
  const cwd = createFolder({ [CONFIG]: configText({ url }) });
  const path = join(cwd, WAREHOUSE);
  await writeFilled(path);
  damage(path);
  const before = [hashFile(path), statSync(path).ino];
  const { code, stdout, stderr } = await vodhouse([command, '--log-level', 'silent'], { cwd });
  expect([code, stdout]).toEqual([1, '']);
  expect([hashFile(path), statSync(path).ino]).toEqual(before);
  expect(requests).toHaveLength(0);
  return { path, stderr };
}

describe.each(DAMAGES)('a live file that %s', (_what, damage, message) => {
  it('is rejected with the repair steps, and does not change', async () => {
    const ends = await Promise.all(['sync', 'status'].map((command) => run(command, damage)));
    for (const { path, stderr } of ends) {
      expect(stderr).toMatch(message);
      expect(stderr).toContain(
        'vodhouse restore BACKUP puts a backup in its place, and keeps this file under another name',
      );
      expect(stderr).toContain(`sqlite3 ${path} .recover | `);
      expect(stderr.split('\n').length).toBeLessThan(7);
    }
  });
});

/** Damage in a table that is not read at startup. */
const hide = (path: string) => overwrite(path, findRootPage(path, 'storage_reading'));

async function hiddenDamage(): Promise<string> {
  const path = join(temporaryFolder(), 'live.db');
  await writeFilled(path);
  hide(path);
  return path;
}

describe('damage in a page that startup does not read', () => {
  it('is found by every full read of the file', async () => {
    const path = await hiddenDamage();
    openDatabase(path, 0).$client.close();
    const before = readFileSync(path);
    expect(() => assertUndamaged(path)).toThrow(WarehouseError);
    expect(() => assertUndamaged(path)).toThrow(`${path} is damaged`);
    expect(readFileSync(path)).toEqual(before);
  });

  it('is found by a worker that starts, before it sends anything', async () => {
    const { path, stderr } = await run('start', hide);
    expect(stderr).toContain(`${path} is damaged: `);
    expect(stderr).toContain('vodhouse restore BACKUP');
  });

  it('is thrown with the repair steps by every query and transaction that reads the page', async () => {
    const path = await hiddenDamage();
    const db = openDatabase(path, 0);
    const hint = expect.stringContaining('vodhouse restore BACKUP') as string;
    const damage = expect.objectContaining({ name: 'WarehouseError', hint }) as Error;
    const readings = query('select * from storage_reading');
    expect(() => readings.get(db)).toThrow(damage);
    expect(() => readings.all(db)).toThrow(damage);
    expect(() => query('delete from storage_reading').run(db)).toThrow(damage);
    expect(() => readSnapshot(db, () => db.select().from(storageReading).all())).toThrow(damage);
    db.$client.close();
  });

  it('is distinguished from other errors of a statement', async () => {
    const path = join(temporaryFolder(), 'live.db');
    await writeFilled(path);
    const db = openDatabase(path, 0);
    expect(() => query('delete from storage_day').run(db)).toThrow(Database.SqliteError);
    db.$client.close();
  });
});

describe('an intact file', () => {
  it('passes, also while another process writes; and so does a path without a file', async () => {
    const path = join(temporaryFolder(), 'live.db');
    expect(() => assertUndamaged(path)).not.toThrow();
    await writeFilled(path);
    const writer = new Database(path);
    writer.exec('begin immediate; update run set requests = 7');
    expect(() => assertUndamaged(path)).not.toThrow();
    writer.close();
    execute(path, 'select 1');
    expect(() => assertUndamaged(path)).not.toThrow();
  });
});
