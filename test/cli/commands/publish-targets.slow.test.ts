import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { commandFolder } from '../../support/fixtures/command-folder.ts';
import { configText } from '../../support/fixtures/config-file.ts';
import { listPage, serveEverything, videoRecord } from '../../support/fixtures/service-responses.ts';
import { findPostgres, postgresForTests } from '../../support/servers/postgres.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';
import { startScriptedService } from '../../support/servers/scripted-service.ts';

vi.setConfig({ testTimeout: 60_000 });

describe.skipIf(findPostgres() === null)('publish with targets', () => {
  const server = postgresForTests();
  /** A warehouse that was synced once: every sandbox has the same videos. */
  const synced = join(mkdtempSync(join(tmpdir(), 'vodhouse-synced-')), 'data');
  afterAll(() => rmSync(join(synced, '..'), { recursive: true }));

  /** A folder with a config of `main` and these accounts by their services, and one without the target. */
  function folderOf(
    service: string,
    postgres: string,
    { worker = 'eu-1', more = [] as [name: string, service: string][] } = {},
  ) {
    const target = `publish: { targets: [{ name: warehouse, postgres: "${postgres}" }] }`;
    const others = more
      .map(([name, url]) => {
        const list = `video_list: { base_url: "${url}", key: sandbox-key }`;
        return `  - { name: ${name}, ${list}, packages: [101] }\n`;
      })
      .join('');
    const top = `worker: ${worker}\n${target}`;
    const text = configText({ url: service, storage: false, top }) + others;
    return commandFolder(text, { 'sync.yaml': text.replace(target, '') });
  }

  /** A folder with a warehouse that was synced once, and an empty database for it. */
  async function setUp(...names: string[]) {
    const { url: service } = await startSandbox();
    const url = await server.createDatabase();
    const more: [string, string][] = [];
    for (const name of names) more.push([name, (await startSandbox()).url]);
    const folder = folderOf(service, url, { more });
    const [isPlain, data] = [names.length === 0, join(folder.cwd, 'data')];
    if (isPlain && existsSync(synced)) cpSync(synced, data, { recursive: true });
    else {
      await folder.succeed('sync', '--config', 'sync.yaml');
      if (isPlain) cpSync(data, synced, { recursive: true });
    }
    /** Another machine with a copy of the warehouse. */
    const copyFor = (postgres: string, worker = 'eu-1') => {
      const copy = folderOf(service, postgres, { worker });
      cpSync(join(folder.cwd, 'data'), join(copy.cwd, 'data'), { recursive: true });
      return copy;
    };
    return { ...folder, url, copyFor };
  }

  const countVideos = async (url: string) =>
    Number((await server.query<{ n: string }>('SELECT count(*) AS n FROM vodhouse.all_videos', url))[0]?.n);

  it('loads every account, and records and prints what it did', async () => {
    const { run, json, rows, url } = await setUp('lab');
    const { code, stdout, stderr } = await run('publish');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^published published\/vodhouse\.bi\.db: 500 videos/);
    expect(stdout).toMatch(/^target warehouse: 2 of 2 accounts up to date, [\d,]+ rows in/m);
    for (const account of ['main', 'lab'])
      expect(stdout).toMatch(new RegExp(`^ {2}${account} +loaded .*: \\d+ rows in`, 'm'));
    expect(await countVideos(url)).toBe(500);
    const outcomes = rows(`select account, outcome from target_load where account <> '(runs)' order by 1`);
    expect(outcomes).toEqual(['lab', 'main'].map((account) => ({ account, outcome: 'loaded' })));
    const unchanged = (account: string) => ({ account, outcome: 'unchanged', rows: 0, error: null });
    expect(await json('publish', '--target', 'warehouse')).toMatchObject({
      bytes: null,
      rows: null,
      targets: [{ target: 'warehouse', accounts: [unchanged('lab'), unchanged('main'), {}] }],
    });
  });

  it('compares every value, and prints what differs; a rebuild mends it', async () => {
    const { run, succeed, value, url } = await setUp();
    expect(await succeed('publish', '--verify')).toMatch(/^ {2}main .*equal$/m);
    await server.query(
      `UPDATE vodhouse.all_videos SET title = 'wrong' WHERE video_id = (SELECT min(video_id) FROM vodhouse.all_videos)`,
      url,
    );
    const { code, stdout } = await run('publish', '--verify', '--json');
    const differences = [expect.stringMatching(/^all_videos main\/101\/\d+: title is 'wrong' in the target/)];
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      targets: [{ accounts: [{ account: 'main', differences }, {}] }],
    });
    const text = await run('publish', '--verify');
    expect([text.code, text.stdout]).toEqual([3, expect.stringMatching(/^ {4}all_videos .*'wrong'/m)]);
    expect(value(`select differences from target_load where account = 'main'`)).toMatch(/'wrong'/);
    await succeed('publish', '--target', 'warehouse', '--rebuild', 'main', '--yes');
    await succeed('publish', '--verify');
  });

  it('refuses what it does not know with exit code 2, and names the nearest', async () => {
    const { run, url } = await setUp();
    const forced = ['--rebuild', '--take-over'].flatMap((option): [string[], RegExp][] => [
      [[option, 'maim'], /account maim; nothing was changed\n {2}-> did you mean main\?/],
      [[option], /argument missing/],
      [[option, 'main'], /stdin is not a terminal; nothing was changed\n {2}-> vodhouse .* --yes/],
    ]);
    for (const [words, message] of [
      ...forced,
      [['--target', 'warehose'], /no target warehose; nothing was changed\n {2}-> did you mean warehouse\?/],
      [['--rebuild', 'main', '--take-over', 'main'], /cannot be used with/],
      [['--config', 'sync.yaml', '--verify'], /the config has no publish\.targets/],
    ] as const) {
      const { code, stderr } = await run('publish', ...words);
      expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    }
    expect(await server.query(`SELECT FROM pg_namespace WHERE nspname = 'vodhouse'`, url)).toEqual([]);
  });

  it('ends with 75 where another warehouse has every account, until a person takes it over', async () => {
    const { run, succeed, url } = await setUp();
    await succeed('publish');
    const videos = [videoRecord(1), videoRecord(2)];
    const service = await startScriptedService(serveEverything((request) => listPage(request, videos)));
    const other = folderOf(service.url, url, { worker: 'eu-2' });
    await other.succeed('sync', '--config', 'sync.yaml');
    const refused = await other.run('publish', '--rebuild', 'main', '--yes');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/-> .*vodhouse publish --target warehouse --take-over main\n$/);
    expect(await countVideos(url)).toBe(250);
    const publication = await other.run('publish');
    expect(publication.code).toBe(75);
    expect(publication.stdout).toMatch(/^ {2}main +REFUSED: account main .*eu-/m);
    const [, command = ''] =
      /vodhouse (publish --target warehouse --take-over main)$/m.exec(publication.stdout) ?? [];
    const asked = await other.run(...command.split(' '));
    expect(asked.stderr).toMatch(/loaded by eu-1,.*\n.*deleted: +250 .*\n.*loaded: +2 /);
    expect(asked.stderr).toContain('stdin is not a terminal; nothing was changed');
    expect(asked.code).toBe(2);
    expect(await countVideos(url)).toBe(250);
    const [, confirmed = ''] = /-> vodhouse (.* --yes) /.exec(asked.stderr) ?? [];
    await other.succeed(...confirmed.split(' '));
    await other.succeed('publish');
    expect(await countVideos(url)).toBe(2);
    expect((await run('publish')).code).toBe(75);
    expect(await countVideos(url)).toBe(2);
  });

  it('removes an account that was forgotten', async () => {
    const { text, write, succeed, rows, url } = await setUp('lab');
    await succeed('publish');
    write(text.replace(/^ {2}- \{ name: lab.*\n/m, ''));
    await succeed('sync', '--accept-retirements');
    expect(await countVideos(url)).toBe(500); // it is not forgotten yet
    await succeed('forget', 'lab', '--yes');
    expect(await succeed('publish')).toMatch(/^ {2}lab +removed.*: [\d,]+ rows/m);
    const recorded = rows('select account from target_load order by 1'); // a forgotten account has no row
    expect(recorded).toEqual([{ account: '(runs)' }, { account: 'main' }]);
    for (const table of ['vodhouse_account', 'all_videos', 'packages'])
      expect(await server.query(`SELECT DISTINCT account FROM vodhouse.${table}`, url)).toEqual([
        { account: 'main' },
      ]);
  });

  it('ends with 3 where only the file could be published, with 1 where a target was asked for', async () => {
    const { copyFor } = await setUp();
    const { run, value } = copyFor('postgres://postgres:sesame@127.0.0.1:9/none');
    const all = await run('publish');
    expect(all.stdout).toMatch(/^ {2}main +FAILED: .*127\.0\.0\.1:9.*\n {4}-> pg_isready/m);
    expect(all.code).toBe(3);
    expect(value('select code from target_load')).toBe('ECONNREFUSED');
    const asked = await run('publish', '--target', 'warehouse', '--log-format', 'json');
    expect(asked.stderr).toContain('"event":"target_load_failed"');
    expect(asked.code).toBe(1);
    expect(all.stdout + asked.stdout + asked.stderr).not.toContain('sesame');
  });

  it('prints the SQL of a schema, which a load fills', async () => {
    const { succeed, url } = await setUp();
    await server.query(await succeed('publish', '--print-sql'), url);
    await succeed('publish', '--verify');
    expect(await countVideos(url)).toBe(250);
  });

  it('follows each run that published something', async () => {
    const { succeed, json, url } = await setUp();
    expect(await succeed('sync')).toMatch(
      /^target warehouse: 1 of 1 account up to date, [\d,]+ rows in [\d.]+m?s\n$/m,
    );
    expect(await countVideos(url)).toBe(250);
    expect(await json('sync')).toMatchObject({ status: 'succeeded', targets: [] });
  });

  it('stops at a signal while it waits for the target', async () => {
    const { start, succeed, url } = await setUp();
    await succeed('publish');
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined); // the server may end before it
    onTestFinished(() => client.end());
    await client.connect();
    await client.query('BEGIN; LOCK TABLE vodhouse.packages');
    const command = start('publish');
    const waiting = () => server.query('SELECT FROM pg_locks WHERE NOT granted', url);
    await expect.poll(waiting).not.toEqual([]);
    command.kill('SIGINT');
    const { code, stderr } = await command.ended;
    expect(stderr).toMatch(/^stopping; the published file and the targets keep what they have/);
    expect(code).toBe(130);
    await client.query('ROLLBACK');
    await succeed('publish', '--verify');
  });
});
