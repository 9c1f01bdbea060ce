import { chownSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/connection.ts';
import { tryLock } from '../../src/database/lock.ts';
import { giveToOwnerOf } from '../../src/database/private-files.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';

const NOW = Date.parse('2026-03-01T12:00Z');
const [UID, GID] = [65534, 65533];

/** Whom each file and folder below belongs to. */
const ownersOf = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true }).map((name) => {
      const { uid, gid } = statSync(join(folder, String(name)));
      return [String(name), [uid, gid]];
    }),
  );

describe.skipIf(process.getuid?.() !== 0)('root in the folder of a user', () => {
  it('makes locks, live files and folders that the user can write', () => {
    const folder = temporaryFolder();
    const home = join(folder, 'home');
    mkdirSync(home);
    chownSync(home, UID, GID);
    const path = join(home, 'new/data/live.db');
    const lock = tryLock(path, 'worker', 'restore', NOW);
    const db = openDatabase(path, NOW);
    db.$client.exec('update warehouse_state set change_seq = 1');
    const owners = ownersOf(home);
    db.$client.close();
    lock?.release();
    const ofVodhouse = Object.entries(owners).filter(([name]) => !/holder$|wal-owner$/.test(name)); // replaced as a whole
    expect(ofVodhouse.map(([name]) => name)).toEqual(
      expect.arrayContaining(['new/data/live.db', 'new/data/live.db-wal', 'new/data/live.db.worker.lock']),
    );
    for (const [name, owner] of ofVodhouse) expect([name, owner]).toEqual([name, [UID, GID]]);
  });

  it('gives a lock to the owner of the live file, and takes no file away from another user', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'live.db');
    openDatabase(path, NOW).$client.close();
    expect(ownersOf(folder)['live.db']?.[0]).toBe(0);
    chownSync(path, UID, GID);
    tryLock(path, 'run', 'restore', NOW)?.release();
    expect(ownersOf(folder)['live.db.run.lock']).toEqual([UID, GID]);
    giveToOwnerOf(folder, path);
    expect(ownersOf(folder)['live.db']).toEqual([UID, GID]);
  });
});
