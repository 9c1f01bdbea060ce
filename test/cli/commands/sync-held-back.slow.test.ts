import { describe, expect, it, vi } from 'vitest';
import { commandFolder } from '../../support/fixtures/command-folder.ts';
import { CONFIG, configText } from '../../support/fixtures/config-file.ts';
import {
  idsBetween,
  idsFrom,
  startPackageService,
  startTestService,
} from '../../support/servers/test-service.ts';
import { OF_101, OF_102 } from '../../support/servers/walked-packages.ts';

vi.setConfig({ testTimeout: 60_000 });

const LIVE = 'select count(*) from video where removed_at is null';

/** A folder synced with sixty videos, of which forty are missing in the second walk and held back. */
async function holdingFolder(config = CONFIG) {
  const service = await startPackageService(idsBetween(1, 60));
  const text = configText({ url: service.url, storage: false });
  const folder = commandFolder('', { [config]: text });
  const run = (...words: string[]) =>
    folder.run(...words, ...(config === CONFIG ? [] : ['--config', config]));
  expect((await run('sync')).code).toBe(0);
  service.remove(...idsBetween(11, 50));
  return { ...folder, service, held: await run('sync'), runHere: run };
}

/** The commands in the text that accept removals, split into arguments. */
const commandsIn = (text: string): string[][] =>
  [...text.matchAll(/vodhouse (sync .*--accept-removals.*)$/gm)].map(([, words = '']) => words.split(' '));

const commandIn = (text: string): string[] => commandsIn(text)[0] ?? [];

it('--accept-removals of a walk accepts nothing that a later one held back', async () => {
  const { service, run, value } = await holdingFolder();
  expect((await run('sync', '--accept-removals', '9999')).code).toBe(2);
  service.remove(...idsBetween(1, 5));
  expect((await run('sync')).code).toBe(3);
  const { code, stdout } = await run('sync', '--accept-removals', '2');
  expect(code).toBe(3);
  expect(stdout).toContain('- 5 removals of main/101 held back: too many at once\n');
  expect(commandIn(stdout)).toEqual(['sync', '--package', '101', '--accept-removals', 'walk:3']);
  expect(value(`${LIVE} and id <= 5`)).toBe(5);
});

describe('a run that holds removals back', () => {
  it('prints their number, the reason, and the command that accepts them, which does', async () => {
    const { held, succeed, value } = await holdingFolder();
    expect(held.code).toBe(3);
    expect(held.stdout).toMatch(/^main\/101 .* 40$/m);
    expect(held.stdout).toContain('  - 40 removals of main/101 held back: too many at once\n');
    expect(commandIn(held.stdout)).toEqual(['sync', '--package', '101', '--accept-removals', 'walk:2']);
    expect(value(LIVE)).toBe(60);
    const accepted = await succeed(...commandIn(held.stdout));
    expect(accepted).toMatch(/^main\/101 +succeeded .* 40 /m);
    expect(accepted).not.toContain('held back');
    expect(value(LIVE)).toBe(20);
  });
});

describe('status where removals are held back', () => {
  it('prints some of them, the reason, what happens by itself, and the command that accepts exactly these', async () => {
    const { service, run, succeed, value } = await holdingFolder();
    service.remove(...idsBetween(51, 52));
    expect((await run('sync')).code).toBe(3);
    const { code, stdout } = await run('status');
    expect(code).toBe(3);
    expect(stdout.split('\n').slice(1, 9)).toEqual([
      '  ! main/101: 42 removals held back, too many at once',
      expect.stringMatching(/^ {6}since \S+ \S+ UTC$/),
      expect.stringMatching(/^ {6}-> they are removed once .*: vodhouse sync .* walk:3$/),
      '      details: 11  Video 11',
      '               12  Video 12',
      '               13  Video 13',
      '               and 39 more',
      expect.stringMatching(/^ {15}first held back at \S+ \S+ UTC$/),
    ]);
    await succeed(...commandIn(stdout));
    expect(value(LIVE)).toBe(18);
    await succeed('acknowledge'); // the test service sends no date
    await succeed('status');
  });

  it('includes the config in the command where it is not the default', async () => {
    const { held, runHere, succeed, value } = await holdingFolder('other.yaml');
    const { stdout } = await runHere('status');
    for (const text of [held.stdout, stdout])
      expect(commandIn(text).slice(-2)).toEqual(['--config', 'other.yaml']);
    await succeed(...commandIn(stdout));
    expect(value(LIVE)).toBe(20);
  });

  it('prints titles without effect on a terminal', async () => {
    const service = await startPackageService(idsBetween(1, 30));
    service.edit(1, { title: 'red \u001b[31m and\ra new\nline \u009b2J\u202e' });
    service.edit(2, { title: '한국어 '.repeat(30) });
    service.edit(3, { title: null });
    const { run, succeed, value } = commandFolder({ url: service.url, storage: false });
    await succeed('sync');
    service.remove(...idsBetween(1, 30));
    await run('sync');
    const { stdout } = await run('status');
    expect(stdout).toContain(' 1  red \ufffd[31m and\ufffda new\ufffdline \ufffd2J\ufffd\n');
    expect(stdout).toMatch(/^ {15}2 {2}(한국어 ){8}한…$/m);
    expect(stdout).toMatch(/^ {15}3 {2}$/m);
    expect(value('select title from video where id = 1')).toContain('\u001b[31m');
  });
});

/** A folder whose config has 101 in `main` and in `second`, each with forty removals that are held back. */
async function holdingFolderOfTwo() {
  const services = [
    await startPackageService(idsBetween(1, 60)),
    await startPackageService(idsBetween(1, 60)),
  ];
  const [main, second] = services.map(({ url }) => configText({ url, storage: false }));
  const accounts = second?.slice(second.indexOf('  - name: main')).replace('main', 'second');
  const folder = commandFolder(`${main}${accounts}`);
  await folder.succeed('sync');
  for (const service of services) service.remove(...idsBetween(11, 50));
  const held = await folder.run('sync');
  expect(held.code).toBe(3);
  return { ...folder, held };
}

describe('a package whose id another account has too', () => {
  it('is printed with its account in the command that accepts its removals, and only its own', async () => {
    const { held, run, json, succeed, rows, value } = await holdingFolderOfTwo();
    // The later walk of the two: without the account it would also accept the removals of the earlier one.
    const walks = rows('select account, walk_id from walk where held_back > 0 order by walk_id');
    const commands = walks.map(({ account, walk_id: id }) => [
      'sync',
      '--package',
      `${account}/101`,
      '--accept-removals',
      `walk:${id}`,
    ]);
    const [earlier = [], later = []] = commands;
    const both = expect.arrayContaining(commands) as string[][];
    for (const { stdout } of [held, await run('status')]) expect(commandsIn(stdout)).toEqual(both);
    const { held_back: reports } = (await json('status')) as { held_back: { command: string }[] };
    expect(reports.map(({ command }) => command.split(' ').slice(1))).toEqual(both);

    await succeed(...later);
    const accounts = walks.map(({ account }) => account);
    expect(
      rows(`select account, sum(removed_at is null) as live from video group by account order by live desc`),
    ).toEqual([
      { account: accounts[0], live: 60 },
      { account: accounts[1], live: 20 },
    ]);
    expect(rows('select account, count(*) as held from removal_candidate where held_back = 1')).toEqual([
      { account: accounts[0], held: 40 },
    ]);
    const scope = value('select scope from run order by run_id desc limit 1');
    expect(scope).toBe(`packages ${accounts[1]}/101, videos only`);
    expect(commandsIn((await run('status')).stdout)).toEqual([earlier]);
  });
});

it('sync with the page of another package prints the reason and the command, as status does; that command accepts it', async () => {
  const service = await startTestService({ 101: OF_101, 102: OF_102 });
  const text = configText({ url: service.url, packages: [101, 102], storage: false });
  const { run, succeed, value } = commandFolder('', { 'other.yaml': text });
  const other = ['--config', 'other.yaml'];
  await succeed('sync', ...other);
  service.getPackage(102).refill(idsFrom(3, 120, 3));
  const { code, stdout } = await run('sync', ...other);
  expect(code).toBe(3);
  expect(stdout).toContain('page 1: it holds not one of the 90 known videos');
  const command = ['sync', '--package', '102', '--accept-removals', ...other];
  expect(commandsIn(stdout)).toEqual([command]);
  const ids = 'select id from video where package_id = 102 and removed_at is null order by id';
  expect(value(`select group_concat(id) from (${ids})`)).toBe(OF_102.join(','));
  expect(commandsIn((await run('status', ...other)).stdout)).toEqual([command]);
  expect((await run(...command)).stdout).toMatch(/^main\/102 +succeeded .* 120 /m);
});
