import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WarehouseError } from '../../src/lib/errors.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { moduleUrl, runModule } from '../support/processes/child-process.ts';
import { readRows, readValue } from '../support/fixtures/live-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { transact } from '../../src/database/transaction.ts';
import { registerPackages } from '../../src/warehouse/packages.ts';

const clock = createVirtualClock('2026-03-01T12:00Z');

/** Creates the five files one after the other on a command, and stores a separate package in each. */
const creatorScript = (folder: string, account: string) => `
  import { openWarehouse } from '${moduleUrl('warehouse/warehouse.ts')}';
  import { transact } from '${moduleUrl('database/transaction.ts')}';
  import { beginRun } from '${moduleUrl('warehouse/runs.ts')}';
  const clock = { now: () => ${clock.now()}, sleep: async () => undefined };
  process.stdout.write('ready');
  process.stdin.once('data', async () => {
    for (const name of ['1', '2', '3', '4', '5']) {
      const warehouse = openWarehouse('${folder}/' + name + '.db', clock);
      const run = { trigger: 'manual', mode: 'full', now: clock.now(), scope: '${account}', origin: null };
      transact(warehouse.db, (tx) => beginRun(tx, run));
      warehouse.close();
    }
    process.exit(0);
  });`;

describe('creation of the live file', () => {
  it('names a folder that cannot be made, without waiting', () => {
    expect(() => openWarehouse('/proc/x/y.db', clock)).toThrow('the folder /proc/x cannot be made');
  });

  it('removes the draft that a killed process with the same pid left', () => {
    const folder = temporaryFolder();
    const draft = `live.db.new-${process.pid}`;
    for (const ending of ['', '-journal', '-wal', '-shm']) {
      writeFileSync(join(folder, draft + ending), 'half of something');
    }
    openWarehouse(join(folder, 'live.db'), clock).close();
    expect(readdirSync(folder)).toEqual(['live.db']);
    expect(readValue(join(folder, 'live.db'), 'pragma integrity_check')).toBe('ok');
  });

  it('gives the file, its log and its folder to their owner alone, whatever the umask', () => {
    const umask = process.umask(0);
    try {
      const path = join(temporaryFolder(), 'data', 'live.db');
      const warehouse = openWarehouse(path, clock);
      transact(warehouse.db, (tx) =>
        registerPackages(tx, [{ name: 'main', packages: [{ id: 1, name: null }] }], clock.now()),
      );
      const modes = ['data', 'data/live.db', 'data/live.db-wal', 'data/live.db-shm'].map((name) =>
        (statSync(join(path, '../..', name)).mode & 0o777).toString(8),
      );
      expect(modes).toEqual(['700', '600', '600', '600']);
      warehouse.close();
    } finally {
      process.umask(umask);
    }
  });

  it.each(['-wal', '-journal'])('is rejected where the %s of a missing file still exists', (ending) => {
    const folder = temporaryFolder();
    const path = join(folder, 'live.db');
    writeFileSync(path + ending, 'the last changes');
    const make = () => openWarehouse(path, clock);
    expect(make).toThrow(WarehouseError);
    expect(make).toThrow(`${path} is not there, but ${path}${ending} is`);
    expect(readdirSync(folder)).toEqual([`live.db${ending}`]);
  });

  it('leaves no file behind where it fails', () => {
    const folder = temporaryFolder();
    const failing = {
      now: () => {
        throw new Error('no time');
      },
      sleep: () => Promise.resolve(),
    };
    expect(() => openWarehouse(join(folder, 'live.db'), failing)).toThrow('no time');
    expect(() => openWarehouse(join(folder, 'live.db'), { ...failing, now: () => NaN })).toThrow(/live\.db/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('succeeds in several processes at once, and all write into the same file', async () => {
    const folder = temporaryFolder();
    const names = ['one', 'two', 'three'];
    const creators = names.map((name) =>
      runModule(creatorScript(folder, name), { stdio: ['pipe', 'pipe', 'pipe'] }),
    );
    await Promise.all(creators.map((child) => child.waitForOutput(/ready/)));
    for (const child of creators) child.process.stdin?.write('go');
    for (const child of creators) expect(await child.ended).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(folder).sort()).toEqual(['1.db', '2.db', '3.db', '4.db', '5.db']);
    for (const file of readdirSync(folder)) {
      const scopes = readRows(join(folder, file), 'select scope from run order by scope');
      expect(scopes.map(({ scope }) => scope)).toEqual([...names].sort());
    }
  }, 60_000);
});
