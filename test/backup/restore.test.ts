import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../src/database/sqlite.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { backUp } from '../../src/backup/backup.ts';
import { SCHEMA_VERSION } from '../../src/database/migrate.ts';
import { restoreMarkerPath } from '../../src/database/files.ts';
import { openReadOnly } from '../../src/database/connection.ts';
import { restore, swapSteps } from '../../src/backup/restore.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { execute, hashFile, readRows, readValue } from '../support/fixtures/live-file.ts';
import { createVirtualClock, toMs } from '../support/clocks/virtual-clock.ts';
import { loadReport } from '../support/fixtures/load-report.ts';
import { nameIn, namesIn, readContents, writeWithBackup } from '../support/fixtures/full-warehouse.ts';
import { transact } from '../../src/database/transaction.ts';
import { registerPackages } from '../../src/warehouse/packages.ts';
import { recordLoadReports } from '../../src/warehouse/statements/target-loads.ts';

const clock = createVirtualClock('2026-03-01T12:00Z');
const NOW = toMs('2026-03-03T08:05Z');
const PREVIOUS = 'live.db.before-restore-20260303-080500';

let folder: string;
let path: string;
let file: string;

beforeEach(async () => {
  ({ folder, path, file } = await writeWithBackup());
});

const names = () => namesIn(folder);
const idOf = (db: string) => readValue(db, 'select warehouse_id from warehouse_state');
const isMarked = () => existsSync(restoreMarkerPath(path));

/** Leaves a change in the write-ahead log of the live file, as a killed process does. */
function writeToLog(): void {
  const writer = new Database(path);
  writer.exec("update package set name = 'in the log'");
  for (const part of ['', '-wal']) copyFileSync(path + part, join(folder, `crash${part}`));
  writer.close();
  for (const part of ['', '-wal']) renameSync(join(folder, `crash${part}`), path + part);
}

describe('a backup of another warehouse', () => {
  /** A warehouse with another id and account, and its backup. */
  function backUpAnother(): string {
    const [another, backup] = ['backups/beta.db', 'backups/beta-copy.db'].map((name) => join(folder, name));
    const warehouse = openWarehouse(String(another), clock);
    transact(warehouse.db, (tx) =>
      registerPackages(tx, [{ name: 'beta', packages: [{ id: 1, name: null }] }], clock.now()),
    );
    warehouse.close();
    backUp(String(another), String(backup));
    return String(backup);
  }

  it('is refused, and nothing is changed', () => {
    const other = backUpAnother();
    const before = [names(), hashFile(path), hashFile(other)];
    expect(() => restore(path, other, NOW)).toThrow(/is a backup of another warehouse/);
    expect([names(), hashFile(path), hashFile(other)]).toEqual(before);
  });

  it('is accepted where the live file is missing or damaged', () => {
    const other = backUpAnother();
    rmSync(path);
    restore(path, other, NOW);
    expect(readValue(path, 'select distinct account from package')).toBe('beta');
    restore(path, other, NOW); // it is the same one now
    writeFileSync(path, 'no warehouse');
    restore(path, file, NOW);
    expect(readValue(path, 'select distinct account from package')).toBe('main');
  });
});

describe('a backup that is restored as another warehouse', () => {
  /** The live file has rows about a target, and so has its backup. */
  function backUpLoaded(): string {
    const backup = join(folder, 'backups/loaded.db');
    const warehouse = openWarehouse(path, clock);
    transact(warehouse.db, (tx) => recordLoadReports(tx, 'lake', [loadReport()], clock.now()));
    warehouse.close();
    backUp(path, backup);
    return backup;
  }

  /** All rows, but for those that another warehouse does not have. */
  const readOthers = (of: string) => {
    const { rows, ...facts } = readContents(of);
    const { target_load: loads, warehouse_state: state, ...others } = rows;
    return { loads, state: state?.map((row) => row.replace(/"warehouse_id":"[^"]+"/, '')), others, facts };
  };

  it('has an id of its own, and no loads; everything else is as in the backup', () => {
    const backup = backUpLoaded();
    const { newWarehouseId } = restore(path, backup, NOW, { asNew: true });
    expect(newWarehouseId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/);
    expect([idOf(path), idOf(backup) === newWarehouseId]).toEqual([newWarehouseId, false]);
    expect(readOthers(path)).toEqual({ ...readOthers(backup), loads: [] });
    expect(readOthers(backup).loads).toHaveLength(1);
  });

  it('needs no live file, and each restore makes another warehouse', () => {
    const backup = backUpLoaded();
    const ids = ['one', 'two'].map((machine) => {
      const live = join(folder, machine, 'live.db');
      mkdirSync(join(folder, machine));
      expect(restore(live, backup, NOW, { asNew: true })).toMatchObject({ kept: null });
      return idOf(live);
    });
    expect(new Set([...ids, idOf(path)]).size).toBe(3);
  });
});

describe('a restored backup', () => {
  it('equals the backed-up file, row by row, and is the same warehouse; only the previous file stays next to it', () => {
    const before = [idOf(path), hashFile(path)];
    expect(restore(path, file, NOW)).toEqual({
      videos: 40,
      sizeBytes: statSync(file).size,
      lastRunAt: '2026-03-01 12:01:00',
      kept: join(folder, PREVIOUS),
      pausedUntil: '2026-03-04 08:05:00',
      newWarehouseId: null,
    });
    expect(names().sort()).toEqual(['live.db', PREVIOUS]);
    expect(readContents(path)).toEqual(readContents(file));
    expect(nameIn(path)).toBeNull();
    expect([idOf(path), hashFile(join(folder, PREVIOUS))]).toEqual(before);
    const query = 'select restored_at from warehouse_state';
    expect([readValue(path, query), readValue(file, query)]).toEqual(['2026-03-03 08:05:00', null]);
  });

  it('preserves the log of the old file with it', () => {
    writeToLog();
    restore(path, file, NOW);
    expect(names().sort()).toEqual(['live.db', PREVIOUS, `${PREVIOUS}-wal`]);
    expect([nameIn(path), nameIn(join(folder, PREVIOUS))]).toEqual([null, 'in the log']);
  });

  it('overwrites no file that an earlier restore preserved', () => {
    for (const name of ['one', 'two', 'three']) {
      execute(path, `update package set name = '${name}'`);
      restore(path, file, NOW);
    }
    const kept = [PREVIOUS, `${PREVIOUS}.2`, `${PREVIOUS}.3`].map((name) => nameIn(join(folder, name)));
    expect(kept).toEqual(['one', 'two', 'three']);
  });

  it('ignores the log of a missing file, and preserves the log', () => {
    writeToLog();
    rmSync(path);
    expect(restore(path, file, NOW).kept).toBe(join(folder, `${PREVIOUS}-wal`));
    expect(nameIn(path)).toBeNull();
  });

  it.each([
    ['missing', () => rmSync(path)],
    ['no database at all', () => writeFileSync(path, 'x'.repeat(5000))],
    ['empty', () => writeFileSync(path, '')],
  ])('replaces a file that is %s', (_what, damage) => {
    damage();
    const before = existsSync(path) ? hashFile(path) : null;
    const { kept } = restore(path, file, NOW);
    expect([readContents(path), kept && hashFile(kept)]).toEqual([readContents(file), before]);
  });

  it('has the permissions of the old file', () => {
    chmodSync(path, 0o640);
    chmodSync(file, 0o400);
    restore(path, file, NOW);
    expect((statSync(path).mode & 0o777).toString(8)).toBe('640');
  });

  it('goes to the target where the path is a link', () => {
    const link = join(folder, 'link.db');
    symlinkSync(path, link);
    restore(link, file, NOW);
    expect([statSync(link).ino, nameIn(path)]).toEqual([statSync(path).ino, null]);
  });

  it('is migrated where it has an older format', () => {
    execute(file, `pragma user_version = ${SCHEMA_VERSION - 1}`);
    restore(path, file, NOW);
    expect(readValue(path, 'pragma user_version')).toBe(SCHEMA_VERSION);
    openReadOnly(path).$client.close();
  });

  it('can be undone: the preserved file is restored with its log', () => {
    writeToLog();
    const { kept } = restore(path, file, NOW);
    restore(path, kept ?? '', NOW);
    expect(nameIn(path)).toBe('in the log');
  });
});

it.each(['delete', 'wal'])('only reads the backup, and creates no file next to it: in mode %s', (mode) => {
  execute(file, `pragma journal_mode = ${mode}`);
  const before = hashFile(file);
  restore(path, file, NOW);
  expect([hashFile(file), readdirSync(join(folder, 'backups'))]).toEqual([before, ['copy.db']]);
});

it('counts the requests since the backup as a full window of every account: each is paused for a day', () => {
  execute(
    file,
    `delete from pause;
     insert into pause (account, until, reason, since, full_rate_at, consecutive_restrictions)
       values ('main', '2026-03-01 12:00:00', 'too many', '2026-03-01 11:00:00', '2026-03-01 12:00:00', 1)`,
  );
  const { pausedUntil: until } = restore(path, file, NOW);
  expect(until).toBe('2026-03-04 08:05:00');
  expect(readRows(path, 'select distinct until, full_rate_at, since from pause')).toEqual([
    { until, full_rate_at: until, since: '2026-03-03 08:05:00' },
  ]);
  expect(readRows(path, 'select account from package except select account from pause')).toEqual([]);
});

/** The state of a live file when it is opened. */
function standing(): string {
  const ways = [
    () => openWarehouse(path, clock),
    () => openReadOnly(path),
    () => backUp(path, join(folder, 'other.db')),
  ];
  const ends = ways.map((open) => {
    try {
      const opened = open();
      if ('close' in opened) opened.close();
      return 'opened';
    } catch (error) {
      return (error as Error).message;
    }
  });
  rmSync(join(folder, 'other.db'), { force: true });
  expect(new Set(ends).size).toBe(1);
  return ends[0] === 'opened' ? String(nameIn(path)) : String(ends[0]);
}

const STEPS = 6;

describe('a restore that is interrupted', () => {
  const draft = () => `${path}.new-1`;
  const getPrevious = () => join(folder, 'live.db.before-restore-20260302-000000');

  function cutOffAfter(count: number): void {
    copyFileSync(file, draft());
    const steps = swapSteps(path, draft(), getPrevious());
    expect(steps).toHaveLength(STEPS);
    for (const step of steps.slice(0, count)) step();
  }

  const CUTS = Array.from({ length: STEPS + 1 }, (_, count) => count);

  it.each(CUTS)(
    'after step %i leaves the old file, the new one, or one that is rejected; the next one completes it',
    (count) => {
      writeToLog();
      cutOffAfter(count);
      const isDone = count === STEPS;
      const rejected = `a restore of ${path} was broken off: ${path}.restoring is there`;
      expect(standing()).toBe(count === 0 ? 'in the log' : isDone ? 'null' : rejected);
      expect(isMarked()).toBe(count > 0 && !isDone);
      const { kept } = restore(path, file, NOW);
      expect(isMarked()).toBe(false);
      const old = isDone ? getPrevious() : (kept ?? '');
      expect([nameIn(old), readValue(old, 'pragma integrity_check')]).toEqual(['in the log', 'ok']);
      expect(readContents(path).rows['video']).toEqual(readContents(file).rows['video']);
    },
  );

  it('is rejected also where no file is at the path, and no file is created there', () => {
    cutOffAfter(4);
    expect(standing()).toMatch(/was broken off/);
    expect(existsSync(path)).toBe(false);
    const hint = expect.stringContaining('vodhouse restore FILE') as string;
    expect(() => openReadOnly(path)).toThrow(expect.objectContaining({ hint }) as Error);
  });

  it('stays rejected where the next restore is rejected', () => {
    cutOffAfter(4);
    const bad = join(folder, 'bad.db');
    writeFileSync(bad, '');
    expect(() => restore(path, bad, NOW)).toThrow(/is empty/);
    expect(standing()).toMatch(/was broken off/);
    restore(path, file, NOW);
    expect(standing()).toBe('null');
  });
});
