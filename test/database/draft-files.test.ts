import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { backUp } from '../../src/backup/backup.ts';
import { restore } from '../../src/backup/restore.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { moduleUrl, runModule } from '../support/processes/child-process.ts';
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

/** The commands that make a file next to its destination, and its draft name. */
const MAKERS: [string, string, () => unknown][] = [
  ['a backup', 'copy (1).db', () => backUp(path, file)],
  [
    'a restore',
    'live.db',
    () => {
      backUp(path, file);
      restore(path, file, clock.now());
    },
  ],
  ['the making of a live file', 'other.db', () => openWarehouse(join(folder, 'other.db'), clock).close()],
];

describe.each(MAKERS)('%s', (_what, name, make) => {
  it('removes the drafts of a killed process and the files that SQLite made next to them', () => {
    const pid = deadPid();
    write([...PARTS, '.twin', '.twin-shm'].map((part) => `${name}.new-${pid}${part}`));
    make();
    expect(left()).toEqual([]);
  });

  it('does not touch the drafts of a running process, also of another user', () => {
    const names = [`${name}.new-${process.ppid}`, `${name}.new-1`, `${name}.new-1-journal`];
    write(names);
    make();
    expect(left().sort()).toEqual(names.sort());
  });

  it('does not touch similar names, or drafts of another file', () => {
    const pid = deadPid();
    const names = [
      `${name}.new-${pid}.bak`,
      `${name}.new-${pid}x`,
      `${name}.new-0${pid}`,
      `${name}.new-`,
      `x${name}.new-${pid}`,
      `${name.replace('.', '_')}.new-${pid}`,
      `another.db.new-${pid}`,
    ];
    write(names);
    mkdirSync(join(folder, `${name}.new-${pid}`)); // a folder: vodhouse makes none
    make();
    expect(left().sort()).toEqual([...names, `${name}.new-${pid}`].sort());
  });
});

describe('a backup whose process is killed during the copy', () => {
  it('leaves a draft, which the next one removes', async () => {
    const child = runModule(`
      import { backUp } from '${moduleUrl('backup/backup.ts')}';
      import { Database } from '${moduleUrl('database/sqlite.ts')}';
      const prepare = Database.prototype.prepare;
      Database.prototype.prepare = function (source) {
        if (source === 'vacuum into ?') process.kill(process.pid, 'SIGKILL');
        return prepare.call(this, source);
      };
      backUp('${path}', '${file}');`);
    expect((await child.ended).signal).toBe('SIGKILL');
    expect(left()).toEqual([`copy (1).db.new-${child.process.pid}`]);
    backUp(path, file);
    expect(left()).toEqual([]);
  });
});
