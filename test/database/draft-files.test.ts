import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { backUp } from '../../src/backup/backup.ts';
import { restore } from '../../src/backup/restore.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { writeFilled } from '../support/fixtures/full-warehouse.ts';

const clock = createVirtualClock('2026-03-01T12:00Z');
const PARTS = ['', '-journal', '-wal', '-shm'];

/** The pid of a process that has ended. */
const deadPid = () => spawnSync(process.execPath, ['--version']).pid;

let folder: string;
let path: string;
let file: string;
beforeEach(async () => {
  folder = temporaryFolder();
  path = join(folder, 'live.db');
  file = join(folder, 'copy (1).db');
  await writeFilled(path);
});

const write = (names: readonly string[]) =>
  names.forEach((name) => writeFileSync(join(folder, name), 'half'));
const left = () => readdirSync(folder).filter((name) => name.includes('.new-'));

describe('the drafts of a file', () => {
  const make = () => {
    backUp(path, file);
    restore(path, file, clock.now());
    openWarehouse(join(folder, 'other.db'), clock).close();
  };
  const TARGETS = ['copy (1).db', 'live.db', 'other.db'];

  it('are removed once their process has ended, with the files that SQLite made next to them', () => {
    const pid = deadPid();
    write(
      TARGETS.flatMap((name) => [...PARTS, '.twin', '.twin-shm'].map((part) => `${name}.new-${pid}${part}`)),
    );
    make();
    expect(left()).toEqual([]);
  });

  it('are removed at the next opening where the process died between the two names of a new file', () => {
    openWarehouse(join(folder, 'new.db'), clock).close();
    linkSync(join(folder, 'new.db'), join(folder, `new.db.new-${deadPid()}`));
    openWarehouse(join(folder, 'new.db'), clock).close();
    expect(left()).toEqual([]);
  });

  it('stay while their process runs, also of another user; so do similar names, and folders', () => {
    const pid = deadPid();
    const running = [`live.db.new-${process.ppid}`, 'other.db.new-1', 'other.db.new-1-journal'];
    const similar = [`.new-${pid}.bak`, `.new-${pid}x`, `.new-0${pid}`, '.new-'].map(
      (ending) => `live.db${ending}`,
    );
    const others = [`xlive.db.new-${pid}`, `live_db.new-${pid}`, `another.db.new-${pid}`];
    write([...running, ...similar, ...others]);
    mkdirSync(join(folder, `live.db.new-${pid}`)); // vodhouse makes none
    make();
    expect(left().sort()).toEqual([...running, ...similar, ...others, `live.db.new-${pid}`].sort());
  });
});
