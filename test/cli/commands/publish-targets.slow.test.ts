import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CONFIG, configText } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { listPage, serveEverything, videoRecord } from '../../support/fixtures/service-responses.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/servers/postgres.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';
import { startScriptedService } from '../../support/servers/scripted-service.ts';
import { startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';
import { readWarehouseRows, readWarehouseValue } from '../../support/fixtures/warehouse-rows.ts';

vi.setConfig({ testTimeout: 60_000 });

interface Setting {
  cwd: string;
  /** Of the superuser. */
  url: string;
  /** `service`: by default the sandbox. */
  configFor: (postgres: string, options?: { worker?: string; service?: string }) => string;
}

/** What the loads of one target are in a JSON document. */
interface Document {
  targets: { target: string; accounts: Record<string, unknown>[] }[];
}

describe.skipIf(findPostgres() === null)('publish with targets', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  /** Ends with 0. Returns stdout. */
  async function succeed(cwd: string, ...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await vodhouse(words, { cwd });
    expect({ words, code, stdout, stderr }).toMatchObject({ code: 0 });
    return stdout;
  }

  /** A folder with a warehouse that was synced once, and an empty database for it. */
  async function setUp(names: readonly string[] = ['main']): Promise<Setting> {
    const { url: sandbox } = await startSandbox();
    const url = await server.createDatabase();
    const configOf = (service: string, top: string) =>
      configText({ url: service, storage: false, top }) +
      names
        .slice(1)
        .map(
          (name) =>
            `  - { name: ${name}, video_list: { base_url: "${service}", key: sandbox-key }, packages: [101] }\n`,
        )
        .join('');
    const configFor: Setting['configFor'] = (postgres, { worker = 'eu-1', service = sandbox } = {}) =>
      configOf(
        service,
        `worker: ${worker}\npublish: { targets: [{ name: warehouse, postgres: "${postgres}" }] }`,
      );
    const cwd = createFolder({ 'sync.yaml': configOf(sandbox, ''), [CONFIG]: configFor(url) });
    await succeed(cwd, 'sync', '--config', 'sync.yaml');
    return { cwd, url, configFor };
  }

  const countVideos = async (url: string) =>
    Number((await server.query<{ n: string }>('SELECT count(*) AS n FROM vodhouse.videos', url))[0]?.n);

  /**
   * A publication that is refused with exit code 75: its sentence has the command that takes the account. That asks, which
   * without a terminal changes nothing; with `--yes` it loads, and so does the next publication.
   */
  async function takeAsHinted(cwd: string, option: '--take-over' | '--rebuild', told: RegExp): Promise<void> {
    const refused = await vodhouse(['publish'], { cwd });
    expect(refused.code).toBe(75);
    expect(refused.stdout).toMatch(/^ {2}main +REFUSED: account main .*eu-/m);
    const [, command = ''] =
      new RegExp(`vodhouse (publish --target warehouse ${option} main)$`, 'm').exec(refused.stdout) ?? [];
    const asked = await vodhouse(command.split(' '), { cwd });
    expect(asked.stderr).toMatch(told);
    expect(asked.stderr).toContain('stdin is not a terminal; nothing was changed');
    expect(asked.code).toBe(2);
    expect((await vodhouse(['publish'], { cwd })).code).toBe(75); // nothing was changed
    const [, confirmed = ''] = /-> vodhouse (.* --yes) /.exec(asked.stderr) ?? [];
    await succeed(cwd, ...confirmed.split(' '));
    await succeed(cwd, 'publish');
  }

  it('loads every account, and records and prints what it did', async () => {
    const { cwd, url } = await setUp(['main', 'lab']);
    const { code, stdout, stderr } = await vodhouse(['publish'], { cwd });
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^published published\/vodhouse\.bi\.db: 500 videos/);
    expect(stdout).toMatch(/^target warehouse: 2 of 2 accounts up to date, [\d,]+ rows in/m);
    for (const account of ['main', 'lab'])
      expect(stdout).toMatch(new RegExp(`^ {2}${account} +loaded .*: \\d+ rows in`, 'm'));
    expect(await countVideos(url)).toBe(500);
    const recorded = `select account, outcome from target_load where account in ('lab', 'main') order by 1`;
    expect(readWarehouseRows(cwd, recorded)).toEqual([
      { account: 'lab', outcome: 'loaded' },
      { account: 'main', outcome: 'loaded' },
    ]);

    const again = await succeed(cwd, 'publish', '--target', 'warehouse', '--json');
    const unchanged = (account: string) => ({ account, outcome: 'unchanged', rows: 0, error: null });
    expect(JSON.parse(again)).toMatchObject({
      ...{ bytes: null, rows: null },
      targets: [{ target: 'warehouse', accounts: [unchanged('lab'), unchanged('main'), {}] }],
    });
  });

  it('compares every value, and says what differs; a rebuild mends it', async () => {
    const { cwd, url } = await setUp();
    expect(await succeed(cwd, 'publish', '--verify')).toMatch(/^ {2}main .*equal$/m);
    await server.query(
      `UPDATE vodhouse.videos SET title = 'wrong' WHERE video_id = (SELECT min(video_id) FROM vodhouse.videos)`,
      url,
    );
    const differs = /^videos main\/101\/\d+: title is 'wrong' in the target/;
    const found = await vodhouse(['publish', '--verify', '--json'], { cwd });
    expect(found.code).toBe(3);
    expect((JSON.parse(found.stdout) as Document).targets[0]?.accounts[0]).toMatchObject({
      ...{ account: 'main', differences: [expect.stringMatching(differs)] },
    });
    const text = await vodhouse(['publish', '--verify'], { cwd });
    expect(text.code).toBe(3);
    expect(text.stdout).toMatch(new RegExp(differs.source.replace('^', '^ {4}'), 'm'));
    expect(readWarehouseValue(cwd, `select differences from target_load where account = 'main'`)).toMatch(
      /'wrong'/,
    );
    await succeed(cwd, 'publish', '--target', 'warehouse', '--rebuild', 'main', '--yes');
    await succeed(cwd, 'publish', '--verify');
  });

  it('refuses what it does not know with exit code 2, and names the nearest', async () => {
    const { cwd, url } = await setUp();
    const fails = async (parameters: string[], text: RegExp) => {
      const { code, stderr } = await vodhouse(['publish', ...parameters], { cwd });
      expect(stderr).toMatch(text);
      expect(code).toBe(2);
    };
    await fails(
      ['--target', 'warehose'],
      /no target warehose; nothing was changed\n {2}-> did you mean warehouse\?/,
    );
    for (const option of ['--rebuild', '--take-over']) {
      await fails([option, 'maim'], /account maim; nothing was changed\n {2}-> did you mean main\?/);
      await fails([option], /argument missing/);
      await fails([option, 'main'], /stdin is not a terminal; nothing was changed\n {2}-> vodhouse .* --yes/);
    }
    await fails(['--rebuild', 'main', '--take-over', 'main'], /cannot be used with/);
    await fails(['--config', 'sync.yaml', '--verify'], /the config has no publish\.targets/);
    const tables = await server.query(`SELECT FROM pg_namespace WHERE nspname = 'vodhouse'`, url);
    expect(tables).toEqual([]);
  });

  it('ends with 75 where another warehouse has every account, until a person takes it over', async () => {
    const { cwd, url, configFor } = await setUp();
    await succeed(cwd, 'publish');
    const { url: service } = await startScriptedService(
      serveEverything((request) => listPage(request, [videoRecord(1), videoRecord(2)])),
    );
    const text = configFor(url, { worker: 'eu-2', service });
    const other = createFolder({ 'sync.yaml': text.replace(/^publish:.*$/m, ''), [CONFIG]: text });
    await succeed(other, 'sync', '--config', 'sync.yaml');
    const refused = await vodhouse(['publish', '--rebuild', 'main', '--yes'], { cwd: other });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/-> .*vodhouse publish --target warehouse --take-over main\n$/);
    expect(await countVideos(url)).toBe(250);
    await takeAsHinted(other, '--take-over', /loaded by eu-1,.*\n.*deleted: +250 .*\n.*loaded: +2 /);
    expect(await countVideos(url)).toBe(2);
    expect((await vodhouse(['publish'], { cwd })).code).toBe(75);
    expect(await countVideos(url)).toBe(2);
  });

  it('ends with 75 where a newer file or a copy was loaded, until a person has it rebuilt', async () => {
    const { cwd, url, configFor } = await setUp();
    const copy = createFolder({ [CONFIG]: configFor(url, { worker: 'eu-2' }) });
    cpSync(join(cwd, 'data'), join(copy, 'data'), { recursive: true });
    await succeed(cwd, 'publish');
    await server.query(
      `INSERT INTO vodhouse.video_history SELECT (jsonb_populate_record(NULL::vodhouse.video_history,
  to_jsonb(v) || '{"valid_to": "2026-01-01"}')).* FROM vodhouse.videos v LIMIT 1`,
      url,
    ); // a state that the copy lacks
    await takeAsHinted(copy, '--rebuild', /loaded by eu-1,.*\n.*deleted: +250 videos/);
    expect(await server.query('SELECT FROM vodhouse.video_history', url)).toEqual([]);
    expect((await vodhouse(['publish'], { cwd })).code).toBe(75);
  });

  it('removes an account that was forgotten', async () => {
    const { cwd, url, configFor } = await setUp(['main', 'lab']);
    await succeed(cwd, 'publish');
    writeFileSync(join(cwd, CONFIG), configFor(url).replace(/^ {2}- \{ name: lab.*\n/m, ''));
    await succeed(cwd, 'sync', '--accept-retirements');
    expect(await countVideos(url)).toBe(500); // nobody had it forgotten
    await succeed(cwd, 'forget', 'lab', '--yes');
    expect(await succeed(cwd, 'publish')).toMatch(/^ {2}lab +removed.*: [\d,]+ rows/m);
    const recorded = 'select account from target_load order by 1'; // nothing more is to be told of it
    expect(readWarehouseRows(cwd, recorded)).toEqual([{ account: '(runs)' }, { account: 'main' }]);
    for (const table of ['vodhouse_account', 'videos', 'packages'])
      expect(await server.query(`SELECT DISTINCT account FROM vodhouse.${table}`, url)).toEqual([
        { account: 'main' },
      ]);
  });

  it('ends with 3 where only the file could be published, with 1 where a target was asked for', async () => {
    const { cwd, configFor } = await setUp();
    const folder = createFolder({ [CONFIG]: configFor('postgres://postgres:sesame@127.0.0.1:9/none') });
    cpSync(join(cwd, 'data'), join(folder, 'data'), { recursive: true });
    const all = await vodhouse(['publish'], { cwd: folder });
    expect(all.stdout).toMatch(/^ {2}main +FAILED: .*127\.0\.0\.1:9.*\n {4}-> pg_isready/m);
    expect(all.code).toBe(3);
    expect(readWarehouseValue(folder, 'select code from target_load')).toBe('ECONNREFUSED');
    const asked = await vodhouse(['publish', '--target', 'warehouse', '--log-format', 'json'], {
      cwd: folder,
    });
    expect(asked.stderr).toContain('"event":"target_load_failed"');
    expect(asked.code).toBe(1);
    expect(all.stdout + asked.stdout + asked.stderr).not.toContain('sesame');
  });

  it('prints the SQL of a schema that a user without the right to create one can load', async () => {
    const { cwd, url, configFor } = await setUp();
    await server.query('CREATE ROLE loader LOGIN');
    await server.query(`REVOKE TEMPORARY ON DATABASE ${new URL(url).pathname.slice(1)} FROM PUBLIC`);
    const folder = createFolder({ [CONFIG]: configFor(url.replace('postgres@', 'loader@')) });
    cpSync(join(cwd, 'data'), join(folder, 'data'), { recursive: true });
    const refused = await vodhouse(['publish'], { cwd: folder });
    expect(refused.stdout).toMatch(
      /^ {2}main, \(runs\) +FAILED: .*\n {4}-> .*vodhouse publish --target warehouse --print-sql/m,
    );
    expect(refused.code).toBe(3);
    await server.query(await succeed(folder, 'publish', '--print-sql'), url);
    await succeed(folder, 'publish', '--verify');
    expect(await countVideos(url)).toBe(250);
    await succeed(folder, 'publish'); // what changed goes through temporary tables
    await succeed(folder, 'publish', '--rebuild', 'main', '--yes');
  });

  it('follows each run that published something', async () => {
    const { cwd, url } = await setUp();
    const first = await vodhouse(['sync'], { cwd });
    expect(first.stdout).toMatch(
      /^target warehouse: 1 of 1 account up to date, [\d,]+ rows in [\d.]+m?s\n$/m,
    );
    expect(first.code).toBe(0);
    expect(await countVideos(url)).toBe(250);
    const second = await vodhouse(['sync', '--json'], { cwd });
    expect(JSON.parse(second.stdout)).toMatchObject({ status: 'succeeded', targets: [] });
  });

  it('stops at a signal while it waits for the target', async () => {
    const { cwd, url } = await setUp();
    expect((await vodhouse(['publish'], { cwd })).code).toBe(0);
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined); // the server may end before it
    onTestFinished(() => client.end());
    await client.connect();
    await client.query('BEGIN; LOCK TABLE vodhouse.packages');
    const command = startVodhouse(['publish'], { cwd });
    const isWaiting = async () =>
      (await server.query('SELECT FROM pg_locks WHERE NOT granted', url)).length > 0;
    await vi.waitFor(async () => expect(await isWaiting()).toBe(true), { timeout: 20_000 });
    command.kill('SIGINT');
    const { code, stderr } = await command.ended;
    expect(stderr).toMatch(/^stopping; the published file and the targets keep what they have/);
    expect(code).toBe(130);
    await client.query('ROLLBACK');
    await succeed(cwd, 'publish', '--verify');
  });
});
