import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assertNotLost, makeOwnFolders } from '../../src/app/lost-file.ts';
import { restore } from '../../src/cli/commands/restore.ts';
import { start } from '../../src/cli/commands/start.ts';
import { loadConfig } from '../../src/config/load.ts';
import { Database } from '../../src/database/sqlite.ts';
import { commandsFor } from '../../src/lib/shell-command.ts';
import { ConfigError } from '../../src/lib/errors.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { catchConfigError, LEAST } from '../support/fixtures/load-config.ts';

const BACKUP = 'vodhouse-2026-03-02T000000Z.db';
const folderWith = (lines: string) => createFolder({ 'vodhouse.yaml': lines + LEAST });
const check = (folder: string) => () =>
  assertNotLost(loadConfig(join(folder, 'vodhouse.yaml')), commandsFor('vodhouse.yaml'));

describe('a live file that is not there', () => {
  it('may be made in data/ next to the config, also where that is missing', () => {
    expect(check(folderWith(''))).not.toThrow();
    expect(check(folderWith('warehouse: data/other.db\n'))).not.toThrow();
  });

  it('is not made in a folder that is missing: its disk may not be mounted', async () => {
    const folder = folderWith('warehouse: disk/vodhouse.db\n');
    expect(catchConfigError(check(folder)).message).toContain(join(folder, 'disk'));
    const options = { config: join(folder, 'vodhouse.yaml'), logLevel: 'error', logFormat: 'text' } as const;
    await expect(start(options)).rejects.toThrow(join(folder, 'disk'));
    await expect(restore(options, join(folder, BACKUP))).rejects.toThrow(join(folder, 'disk'));
    mkdirSync(join(folder, 'disk')); // no command made it
    expect(check(folder)).not.toThrow();
  });

  it('is not made where a link to it leads into a folder that is missing', () => {
    const folder = folderWith('');
    mkdirSync(join(folder, 'data'));
    symlinkSync(join(folder, 'disk/live.db'), join(folder, 'data/vodhouse.db'));
    expect(check(folder)).toThrow(ConfigError);
  });

  it('is not made while a backup of it is in backup.folder: the newest one is named', () => {
    const folder = folderWith('backup: { folder: backups }\n');
    mkdirSync(join(folder, 'backups'));
    for (const name of ['vodhouse-2026-03-01T000000Z.db', BACKUP, 'other-2026-03-03T000000Z.db'])
      writeFileSync(join(folder, 'backups', name), '');
    expect(catchConfigError(check(folder)).hint).toContain(
      `vodhouse restore ${join(folder, 'backups', BACKUP)}\n`,
    );
    rmSync(join(folder, 'backups'), { recursive: true });
    expect(check(folder)).not.toThrow();
  });

  it('is not made while its published file is there', () => {
    const folder = folderWith('publish: { file: bi.db }\n');
    const published = new Database(join(folder, 'bi.db'));
    published.exec("create table about as select 'warehouse_since' as key, '2026-01-01 00:00:00' as value");
    published.close();
    expect(catchConfigError(check(folder)).hint).toContain('vodhouse restore BACKUP\n');
  });
});

describe('a folder of published files or backups', () => {
  const TWO = 'publish: {}\nbackup: { schedule: "30 2 * * *" }\n';
  const config = (folder: string) => loadConfig(join(folder, 'vodhouse.yaml'));
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

  it('is made next to the config: readers may look into published/ alone', () => {
    const folder = folderWith(TWO);
    makeOwnFolders(config(folder));
    expect(modeOf(join(folder, 'published'))).toBe('755');
    expect([join(folder, 'data'), join(folder, 'data/backups')].map(modeOf)).toEqual(['700', '700']);
  });

  it('is made in the folder of the live file', () => {
    const folder = folderWith(
      'warehouse: disk/live.db\npublish: { file: disk/bi/out.db }\nbackup: { schedule: "@daily", folder: disk/old }\n',
    );
    mkdirSync(join(folder, 'disk'));
    makeOwnFolders(config(folder));
    expect(readdirSync(join(folder, 'disk'))).toEqual(['bi', 'old']);
  });

  it('is made nowhere else: its disk may not be mounted', () => {
    const folder = folderWith(
      'publish: { file: disk/bi.db }\nbackup: { schedule: "@daily", folder: disk/backups }\n',
    );
    makeOwnFolders(config(folder));
    expect(readdirSync(folder)).toEqual(['vodhouse.yaml']);
  });
});
