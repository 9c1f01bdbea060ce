import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CONFIG, configText } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { listPage, serveEverything, videoRecord } from '../../support/fixtures/service-responses.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/servers/postgres.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';
import { startScriptedService } from '../../support/servers/scripted-service.ts';
import { startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';
import { readWarehouseValue } from '../../support/fixtures/warehouse-rows.ts';

vi.setConfig({ testTimeout: 60_000 });

interface Setting {
  cwd: string;
  /** Of the superuser. */
  url: string;
  configFor: (postgres: string, worker?: string) => string;
}

describe.skipIf(findPostgres() === null)('publish with targets', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  /** A folder with a warehouse that was synced once, and an empty database for it. */
  async function setUp(): Promise<Setting> {
    const { url: service } = await startSandbox();
    const url = await server.createDatabase();
    const configFor = (postgres: string, worker = 'eu-1') =>
      configText({
        ...{ url: service, storage: false },
        top: `worker: ${worker}\npublish: { targets: [{ name: warehouse, postgres: "${postgres}" }] }`,
      });
    const withoutTarget = configText({ url: service, storage: false });
    const cwd = createFolder({ 'sync.yaml': withoutTarget, [CONFIG]: configFor(url) });
    expect((await vodhouse(['sync', '--config', 'sync.yaml'], { cwd })).code).toBe(0);
    return { cwd, url, configFor };
  }

  const countVideos = async (url: string) =>
    Number((await server.query<{ n: string }>('SELECT count(*) AS n FROM vodhouse.videos', url))[0]?.n);

  it('loads every account, and records and prints what it did', async () => {
    const { cwd, url } = await setUp();
    const { code, stdout, stderr } = await vodhouse(['publish'], { cwd });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^published published\/vodhouse\.bi\.db: 250 videos/);
    expect(stdout).toMatch(/^target warehouse: 1 of 1 account up to date, [\d,]+ rows in \d+/m);
    expect(stdout).toMatch(/^ {2}main {4}loaded up to change 250: [\d,]+ rows in/m);
    expect(code).toBe(0);
    expect(await countVideos(url)).toBe(250);
    expect(readWarehouseValue(cwd, `select outcome from target_load where account = 'main'`)).toBe('loaded');

    const again = await vodhouse(['publish', '--target', 'warehouse', '--json'], { cwd });
    expect(JSON.parse(again.stdout)).toMatchObject({
      ...{ bytes: null, rows: null },
      targets: [
        { target: 'warehouse', accounts: [{ account: 'main', outcome: 'unchanged', change_seq: 250 }, {}] },
      ],
    });
  });

  it('compares counts and sums, and says what differed', async () => {
    const { cwd, url } = await setUp();
    expect((await vodhouse(['publish', '--verify'], { cwd })).stdout).toMatch(/^ {2}main .*are equal$/m);
    await server.query(
      'DELETE FROM vodhouse.videos WHERE video_id = (SELECT min(video_id) FROM vodhouse.videos)',
      url,
    );
    const { code, stdout } = await vodhouse(['publish', '--verify'], { cwd });
    expect(stdout).toContain('account main differed, and was loaded completely again: videos: rows is 249');
    expect(code).toBe(0);
    expect(await countVideos(url)).toBe(250);
  });

  it('refuses what it does not know with exit code 2, and names the nearest', async () => {
    const { cwd, url } = await setUp();
    const fails = async (parameters: string[], text: RegExp) => {
      const { code, stderr } = await vodhouse(['publish', ...parameters], { cwd });
      expect(stderr).toMatch(text);
      expect(code).toBe(2);
    };
    await fails(['--target', 'warehose'], /no target warehose\n {2}-> did you mean warehouse\?/);
    await fails(['--rebuild', 'maim'], /no account maim; nothing was changed\n {2}-> did you mean main\?/);
    await fails(
      ['--rebuild'],
      /stdin is not a terminal.*\n {2}-> vodhouse publish --target warehouse --rebuild ACCOUNT/,
    );
    await fails(['--config', 'sync.yaml', '--verify'], /the config has no publish\.targets/);
    const tables = await server.query(`SELECT FROM pg_namespace WHERE nspname = 'vodhouse'`, url);
    expect(tables).toEqual([]);
  });

  it('ends with 75 where another worker has every account; a rebuild takes one', async () => {
    const { cwd, url, configFor } = await setUp();
    expect((await vodhouse(['publish'], { cwd })).code).toBe(0);
    const other = createFolder({ [CONFIG]: configFor(url, 'eu-2') });
    cpSync(join(cwd, 'data'), join(other, 'data'), { recursive: true });
    const held = await vodhouse(['publish'], { cwd: other });
    expect(held.stdout).toMatch(/^ {2}main {2}HELD by eu-1 until \d{4}-[-\d]+ [\d:]+ UTC$/m);
    expect(held.code).toBe(75);

    const taken = await vodhouse(['publish', '--rebuild', 'main'], { cwd: other });
    expect(taken.stderr).toMatch(/account main: worker eu-1 has it since .* its lease lasts until/);
    expect(taken.stdout).toMatch(/^ {2}main {4}loaded up to change 250: 0 rows in .* are equal$/m);
    expect(taken.code).toBe(0);
    expect((await vodhouse(['publish'], { cwd })).stdout).toContain('HELD by eu-2');
  });

  it('replaces the rows of another warehouse only after a person confirmed it', async () => {
    const { cwd, url, configFor } = await setUp();
    expect((await vodhouse(['publish'], { cwd })).code).toBe(0);
    const service = await startScriptedService(
      serveEverything((request) => listPage(request, [videoRecord(1), videoRecord(2)])),
    );
    const text = configFor(url, 'eu-2').replace(/base_url: [^,}]+/, `base_url: "${service.url}"`);
    const other = createFolder({ 'sync.yaml': text.replace(/^publish:.*$/m, ''), [CONFIG]: text });
    expect((await vodhouse(['sync', '--config', 'sync.yaml'], { cwd: other })).code).toBe(0);
    const asked = await vodhouse(['publish', '--rebuild', 'main'], { cwd: other });
    expect(asked.stderr).toContain(
      '250 videos, 0 former states and 0 days of storage of account main in target warehouse will be replaced by 2 videos',
    );
    expect(asked.code).toBe(2);
    expect((await vodhouse(['publish'], { cwd })).code).toBe(0); // still its own
    expect(await countVideos(url)).toBe(250);
    const taken = await vodhouse(['publish', '--rebuild', 'main', '--yes'], { cwd: other });
    expect(taken.code).toBe(0);
    expect(await countVideos(url)).toBe(2);
  });

  it('asks before it replaces states that an older live file lacks', async () => {
    const { cwd, url } = await setUp();
    expect((await vodhouse(['publish'], { cwd })).code).toBe(0);
    await server.query(
      `INSERT INTO vodhouse.video_history SELECT (jsonb_populate_record(NULL::vodhouse.video_history,
  to_jsonb(v) || '{"valid_to": "2026-01-01"}')).* FROM vodhouse.videos v LIMIT 1`,
      url,
    );
    const { code, stderr } = await vodhouse(['publish', '--rebuild', 'main'], { cwd });
    expect(stderr).toContain('250 videos, 1 former state and');
    expect(code).toBe(2);
  });

  it('deletes an account that the warehouse no longer has, if a person confirms it', async () => {
    const { cwd, url } = await setUp();
    expect((await vodhouse(['publish'], { cwd })).code).toBe(0);
    await server.query(
      `UPDATE vodhouse.vodhouse_account SET account = 'gone'; UPDATE vodhouse.videos SET account = 'gone'`,
      url,
    );
    const asked = await vodhouse(['publish', '--rebuild', 'gone'], { cwd });
    expect(asked.stderr).toContain('this warehouse no longer has it (renamed or forgotten)');
    expect(asked.stderr).toContain('250 videos, 0 former states and 0 days of storage of account gone');
    expect(asked.stderr).toContain('-> vodhouse publish --target warehouse --rebuild gone --yes');
    expect(asked.code).toBe(2);
    expect(await countVideos(url)).toBe(250);
    const { code, stdout } = await vodhouse(['publish', '--rebuild', 'gone', '--yes'], { cwd });
    expect(stdout).toMatch(/^ {2}gone +deleted: [\d,]+ rows/m);
    expect(code).toBe(0);
    expect(readWarehouseValue(cwd, `select outcome from target_load where account = 'gone'`)).toBe('deleted');
    const left = await server.query('SELECT account FROM vodhouse.vodhouse_account', url);
    expect(left).toEqual([{ account: 'main' }]);
  });

  it('ends with 3 where only the file could be published, with 1 where a target was asked for', async () => {
    const { cwd, configFor } = await setUp();
    const folder = createFolder({ [CONFIG]: configFor('postgres://postgres:sesame@127.0.0.1:9/none') });
    cpSync(join(cwd, 'data'), join(folder, 'data'), { recursive: true });
    const all = await vodhouse(['publish'], { cwd: folder });
    expect(all.stdout).toMatch(
      /^ {2}main {2}FAILED: nothing listens at 127\.0\.0\.1:9\n {4}-> start PostgreSQL/m,
    );
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
    expect(refused.stdout).toContain('vodhouse publish --print-sql prints what is needed');
    const { stdout: sql } = await vodhouse(['publish', '--print-sql'], { cwd: folder });
    await server.query(sql, url);
    expect((await vodhouse(['publish', '--verify'], { cwd: folder })).code).toBe(0);
    expect(await countVideos(url)).toBe(250);
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

  it('fails for a part where a run is published, and the target is down', async () => {
    const { cwd, configFor } = await setUp();
    const folder = createFolder({ [CONFIG]: configFor('postgres://postgres@127.0.0.1:9/none') });
    cpSync(join(cwd, 'data'), join(folder, 'data'), { recursive: true });
    const { code, stdout } = await vodhouse(['sync'], { cwd: folder });
    expect(stdout).toMatch(/^done in .*\npublished .*\ntarget warehouse: 0 of 1 account up to date/m);
    expect(stdout).toMatch(/^ {2}main {2}FAILED: nothing listens at 127\.0\.0\.1:9$/m);
    expect(code).toBe(3);
  });

  it('stops at a signal while it waits for the target', async () => {
    const { cwd, url } = await setUp();
    expect((await vodhouse(['publish'], { cwd })).code).toBe(0);
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(
      'BEGIN; LOCK TABLE vodhouse.videos; UPDATE vodhouse.vodhouse_account SET status = NULL',
    );
    const command = startVodhouse(['publish'], { cwd });
    const isWaiting = async () =>
      (await server.query('SELECT FROM pg_locks WHERE NOT granted', url)).length > 0;
    await vi.waitFor(async () => expect(await isWaiting()).toBe(true), { timeout: 20_000 });
    command.kill('SIGINT');
    const { code, stderr } = await command.ended;
    expect(stderr).toMatch(/^stopping; the published file and the targets keep what they have/);
    expect(code).toBe(130);
    await client.end();
    expect((await vodhouse(['publish', '--target', 'warehouse'], { cwd })).code).toBe(0);
  });
});
