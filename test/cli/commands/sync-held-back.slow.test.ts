import { describe, expect, it, vi } from 'vitest';
import {
  idsBetween,
  startPackageService,
  idsFrom,
  startTestService,
} from '../../support/servers/test-service.ts';
import { CONFIG, configText } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { vodhouse } from '../../support/processes/vodhouse-command.ts';
import { readWarehouseRows, readWarehouseValue } from '../../support/fixtures/warehouse-rows.ts';
import { OF_101, OF_102 } from '../../support/servers/walked-packages.ts';

vi.setConfig({ testTimeout: 60_000 });

const LIVE = 'select count(*) from video where removed_at is null';

/** A folder synced with sixty videos, of which forty are missing in the second walk and held back. */
async function holdingFolder(config = CONFIG) {
  const service = await startPackageService(idsBetween(1, 60));
  const cwd = createFolder({ [config]: configText({ url: service.url, storage: false }) });
  const run = (...parameters: string[]) => vodhouse([...parameters, '--config', config], { cwd });
  expect((await run('sync')).code).toBe(0);
  service.remove(...idsBetween(11, 50));
  const held = await run('sync');
  return { cwd, service, held, run };
}

/** The command in the text, split into arguments. */
function commandIn(text: string): string[] {
  const [, message = ''] = /vodhouse (sync .*--accept-removals.*)$/m.exec(text) ?? [];
  return message.split(' ');
}

it('--accept-removals of a walk accepts nothing that a later one held back', async () => {
  const { cwd, service, run } = await holdingFolder();
  expect(await run('sync', '--accept-removals', '9999')).toMatchObject({ code: 2 });
  service.remove(...idsBetween(1, 5));
  expect((await run('sync')).code).toBe(3);
  const { code, stdout } = await run('sync', '--accept-removals', '2');
  expect(code).toBe(3);
  expect(stdout).toContain('- main/101: 5 removals, too many at once\n');
  expect(commandIn(stdout)).toEqual(['sync', '--package', '101', '--accept-removals', '3']);
  expect(readWarehouseValue(cwd, `${LIVE} and id <= 5`)).toBe(5);
});

describe('a run that holds removals back', () => {
  it('prints their number, the reason, and the command that accepts them', async () => {
    const { cwd, held } = await holdingFolder();
    expect(held.code).toBe(3);
    expect(held.stdout).toMatch(/^main\/101 .* 40$/m);
    expect(held.stdout.split('still waiting:\n')[1]?.trimEnd().split('\n')).toEqual([
      '  - main/101: 40 removals, too many at once',
      '      -> to accept exactly these: vodhouse sync --package 101 --accept-removals 2',
      'They are removed automatically once another full walk (at least one schedule later) confirms them.',
    ]);
    expect(readWarehouseValue(cwd, LIVE)).toBe(60);
  });

  it('accepts them with the printed command', async () => {
    const { cwd, held } = await holdingFolder();
    const { code, stdout } = await vodhouse(commandIn(held.stdout), { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^main\/101 +succeeded .* 40 /m);
    expect(stdout).not.toContain('held back');
    expect(readWarehouseValue(cwd, LIVE)).toBe(20);
  });
});

describe('status where removals are held back', () => {
  it('prints some of them, the reason, what happens by itself, and the command that accepts exactly these', async () => {
    const { cwd, service, run } = await holdingFolder();
    service.remove(...idsBetween(51, 52));
    expect((await run('sync')).code).toBe(3);
    const { code, stdout } = await run('status');
    expect(code).toBe(3);
    expect(stdout.split('\n').slice(1, 9)).toEqual([
      '  - main/101: 42 removals held back, too many at once',
      '      11  Video 11',
      '      12  Video 12',
      '      13  Video 13',
      '      and 39 more',
      expect.stringMatching(/^ {6}first held back at \S+ \S+ UTC$/),
      '      -> They are removed automatically once another full walk (at least one schedule later) confirms them.',
      '      -> to accept exactly these: vodhouse sync --package 101 --accept-removals 3',
    ]);
    expect(await vodhouse(commandIn(stdout), { cwd })).toMatchObject({ code: 0 });
    expect(readWarehouseValue(cwd, LIVE)).toBe(18);
    expect((await run('status')).code).toBe(0);
  });

  it('includes the config in the command where it is not the default', async () => {
    const { cwd, held, run } = await holdingFolder('other.yaml');
    const { stdout } = await run('status');
    for (const text of [held.stdout, stdout]) {
      expect(commandIn(text).slice(-2)).toEqual(['--config', 'other.yaml']);
    }
    expect((await vodhouse(commandIn(stdout), { cwd })).code).toBe(0);
    expect(readWarehouseValue(cwd, LIVE)).toBe(20);
  });

  it('prints titles without effect on a terminal', async () => {
    const service = await startPackageService(idsBetween(1, 30));
    service.edit(1, { title: 'red \u001b[31m and\ra new\nline \u009b2J\u202e' });
    service.edit(2, { title: '한국어 '.repeat(30) });
    service.edit(3, { title: null });
    const cwd = createFolder({ [CONFIG]: configText({ url: service.url, storage: false }) });
    await vodhouse(['sync'], { cwd });
    service.remove(...idsBetween(1, 30));
    await vodhouse(['sync'], { cwd });
    const { stdout } = await vodhouse(['status'], { cwd });
    expect(stdout).toContain('      1  red \ufffd[31m and\ufffda new\ufffdline \ufffd2J\ufffd\n');
    expect(stdout).toMatch(/^ {6}2 {2}(한국어 ){8}한…$/m);
    expect(stdout).toMatch(/^ {6}3 {2}$/m);
    expect(readWarehouseRows(cwd, 'select title from video where id = 1')[0]?.title).toContain('\u001b[31m');
  });
});

const LIVE_OF = 'select account, count(*) as live from video where removed_at is null group by account';
const HELD = 'select account, count(*) as held from removal_candidate where held_back = 1 group by account';

/** A folder whose config has 101 in `main` and in `second`; each account has its own service. */
async function folderOfTwo() {
  const services = [
    await startPackageService(idsBetween(1, 60)),
    await startPackageService(idsBetween(1, 60)),
  ];
  const [main, second] = services.map(({ url }) => configText({ url, storage: false }));
  const accounts = second?.slice(second.indexOf('  - name: main')).replace('main', 'second');
  const cwd = createFolder({ [CONFIG]: `${main}${accounts}` });
  return { cwd, services, run: (...parameters: string[]) => vodhouse(parameters, { cwd }) };
}

/** The same, where forty removals of each are held back. */
async function holdingFolderOfTwo() {
  const folder = await folderOfTwo();
  expect((await folder.run('sync')).code).toBe(0);
  for (const service of folder.services) service.remove(...idsBetween(11, 50));
  const held = await folder.run('sync');
  expect(held.code).toBe(3);
  return { ...folder, held };
}

/** The commands in the text, split into arguments. */
function commandsIn(text: string): string[][] {
  const found = text.matchAll(/vodhouse (sync .*--accept-removals.*)$/gm);
  return [...found].map(([, message = '']) => message.split(' '));
}

/** By account, the walk that held back removals. */
function readWalks(cwd: string): Record<string, number> {
  const rows = readWarehouseRows(cwd, 'select account, walk_id from walk where held_back > 0');
  return Object.fromEntries(rows.map(({ account, walk_id: walk }) => [String(account), Number(walk)]));
}

describe('a package whose id another account has too', () => {
  it('is printed with its account in the command that accepts its removals, and only its own', async () => {
    const { cwd, held, run } = await holdingFolderOfTwo();
    const walks = readWalks(cwd);
    const commands = ['main', 'second'].map((account) => {
      return ['sync', '--package', `${account}/101`, '--accept-removals', String(walks[account])];
    });
    expect(commandsIn(held.stdout).sort()).toEqual(commands);
    expect(commandsIn((await run('status')).stdout)).toEqual(commands);
    const { held_back: reports } = JSON.parse((await run('status', '--json')).stdout) as {
      held_back: { command: string }[];
    };
    expect(reports.map(({ command }) => command.split(' ').slice(1))).toEqual(commands);

    // The later walk of the two: without the account it would also accept the removals of the earlier one.
    const later = (walks.main ?? 0) > (walks.second ?? 0) ? 'main' : 'second';
    const other = later === 'main' ? 'second' : 'main';
    const [command = []] = commands.filter((message) => message.includes(`${later}/101`));
    expect(await run(...command)).toMatchObject({ code: 0 });
    expect(readWarehouseRows(cwd, LIVE_OF)).toEqual([
      { account: 'main', live: later === 'main' ? 20 : 60 },
      { account: 'second', live: later === 'second' ? 20 : 60 },
    ]);
    expect(readWarehouseRows(cwd, HELD)).toEqual([{ account: other, held: 40 }]);
    expect(readWarehouseValue(cwd, 'select scope from run order by run_id desc limit 1')).toBe(
      `packages ${later}/101, videos only`,
    );
    expect(commandsIn((await run('status')).stdout)).toEqual(
      commands.filter((message) => !message.includes(`${later}/101`)),
    );
  });
});

const LIVE_OF_102 =
  'select group_concat(id) from (select id from video where package_id = 102 and removed_at is null order by id)';

async function createSyncedFolder() {
  const service = await startTestService({ 101: OF_101, 102: OF_102 });
  const text = configText({ url: service.url, packages: [101, 102], storage: false });
  const cwd = createFolder({ 'other.yaml': text });
  const run = (...parameters: string[]) => vodhouse([...parameters, '--config', 'other.yaml'], { cwd });
  expect((await run('sync')).code).toBe(0);
  return { service, cwd, run };
}

describe('sync with the page of another package', () => {
  it('prints the reason and the command, as status does; that command accepts a refilled package', async () => {
    const { service, cwd, run } = await createSyncedFolder();
    service.getPackage(102).refill(idsFrom(3, 120, 3));
    const { code, stdout } = await run('sync');
    expect(code).toBe(3);
    expect(stdout).toContain('page 1: it holds not one of the 90 known videos');
    const command = ['sync', '--package', '102', '--accept-removals', '--config', 'other.yaml'];
    expect(commandsIn(stdout)).toEqual([command]);
    expect(readWarehouseValue(cwd, LIVE_OF_102)).toBe(OF_102.join(','));
    const status = await run('status');
    expect(status.stdout).toContain('vodhouse sync --package 102 --accept-removals --config other.yaml');
    expect((await vodhouse(command, { cwd })).stdout).toMatch(/^main\/102 +succeeded .* 120 /m);
  });
});
