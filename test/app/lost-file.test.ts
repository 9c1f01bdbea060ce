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
import { assertMayRetire, findLeaving, leavingLines } from '../../src/app/leaving.ts';
import type { Config } from '../../src/config/config.ts';

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
    await expect(restore(join(folder, BACKUP), options)).rejects.toThrow(join(folder, 'disk'));
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

const active = (account: string, ...ids: number[]) =>
  ids.map((packageId) => ({ account, packageId, name: packageId === 1 ? 'First' : null, videos: 4997 }));

/** Accounts as `name` or `name was`, with the ids of their packages. */
function config(accounts: Record<string, number[]>, removalBrake = 0.2): Pick<Config, 'accounts' | 'walk'> {
  return {
    accounts: Object.entries(accounts).map(([names, ids]) => {
      const [name, was = null] = names.split(' ');
      return { name, was, packages: ids.map((id) => ({ id, name: null })) };
    }),
    walk: { removalBrake },
  } as unknown as Pick<Config, 'accounts' | 'walk'>;
}

const TWENTY = Array.from({ length: 20 }, (_, index) => index + 1);

/** One package with 60 videos, and three with 10. */
const SIZES = active('main', 1, 2, 3, 4).map((each, index) => ({ ...each, videos: index === 0 ? 60 : 10 }));

const CASES: [string, ReturnType<typeof active>, Record<string, number[]>, number, string | null][] = [
  ['nothing', active('main', 1, 2), { main: [1, 2, 3] }, 0, null],
  ['one of two', active('main', 1, 2), { main: [2] }, 1, null],
  [
    'three of four of the same size',
    active('main', 1, 2, 3, 4),
    { main: [4] },
    3,
    '3 of 4 packages of main, with 14,991 of its 19,988 videos',
  ],
  ['the largest of four', SIZES, { main: [2, 3, 4] }, 1, '1 of 4 packages of main, with 60 of its 90 videos'],
  ['the smaller of four', SIZES, { main: [1] }, 3, null],
  ['most of a few videos', SIZES.slice(1), { main: [2] }, 2, null],
  ['four of twenty', active('main', ...TWENTY), { main: TWENTY.slice(4) }, 4, null],
  ['five of twenty', active('main', ...TWENTY), { main: TWENTY.slice(5) }, 5, '5 of 20 packages of main'],
  [
    'a few of each account',
    ['a', 'b', 'c'].flatMap((name) => active(name, 1, 2, 3, 4)),
    { a: [1, 2], b: [1, 2], c: [1, 2] },
    6,
    '6 of 12 packages',
  ],
  [
    'most of a small account',
    [...active('small', 1, 2, 3, 4, 5, 6), ...active('main', ...TWENTY)],
    { small: [1, 2], main: TWENTY },
    4,
    '4 of 6 packages of small, with 19,988 of its 29,982 videos',
  ],
  ['the only package', active('main', 1), { main: [2] }, 1, 'all packages of main'],
  ['packages: []', active('main', 1, 2), { main: [] }, 2, 'all packages of main'],
  ['an account', [...active('main', 1), ...active('old', 2)], { main: [1] }, 1, 'the account old'],
  ['two accounts', [...active('a', 1), ...active('b', 2)], { c: [3] }, 2, 'the account a, the account b'],
  ['a renamed account', active('main', 1, 2), { 'news main': [1, 2] }, 0, null],
  ['a package of a renamed account', active('main', 1, 2), { 'news main': [1] }, 1, null],
  ['a first run', [], { main: [1] }, 0, null],
];

describe('findLeaving', () => {
  it.each(CASES)('of %s', (_what, packages, accounts, count, doubt) => {
    const leaving = findLeaving(packages, config(accounts));
    expect([leaving.packages.length, leaving.doubt]).toEqual([count, doubt]);
    if (doubt === null) expect(() => assertMayRetire(leaving, (text) => text)).not.toThrow();
    else expect(() => assertMayRetire(leaving, (text) => text)).toThrow(ConfigError);
  });
});

it('names each package that leaves, and counts the rest', () => {
  expect(leavingLines(findLeaving(active('main', 1, 2), config({ main: [2] })))).toEqual([
    'left the config: main/1 First, 4,997 videos',
  ]);
  const lines = leavingLines(findLeaving(active('main', ...TWENTY), config({ main: [] })));
  expect(lines).toHaveLength(11);
  expect(lines.at(-1)).toBe('left the config: 10 more packages');
});

it.each([
  ['an account that the config has', active('main', 1), { main: [2] }, false],
  ['an account that it has not', active('main', 1), { other: [1] }, true],
  ['an account that was renamed already', active('main', 1, 2, 3, 4, 5), { 'news main': [1] }, false],
])('names `was` only where it helps: %s', (_what, packages, accounts, isNamed) => {
  const refuse = () => assertMayRetire(findLeaving(packages, config(accounts)), (text) => text);
  const hint = expect.stringContaining('`was: main`') as string;
  expect(refuse).toThrow(
    expect.objectContaining({
      hint: isNamed ? hint : (expect.not.stringContaining('was:') as string),
    }) as Error,
  );
});
