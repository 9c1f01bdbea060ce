import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PostgresTargetConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/lib/errors.ts';
import { openPostgresAccess } from '../../src/publishing/targets/postgres/postgres-target.ts';
import { formatSchemaSql } from '../../src/publishing/targets/postgres/schema.ts';
import { openPostgresSite } from '../support/fixtures/postgres-site.ts';
import { createTargetConfig } from '../support/fixtures/target-config.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

const toError = (error: unknown) => error;

const WORD = 'p@ss/wörd 100%';

describe.skipIf(findPostgres() === null)('the schema of a target', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({}, { hba: ['host all guarded 127.0.0.1/32 scram-sha-256'] });
    await server.query(
      `CREATE ROLE bi LOGIN; CREATE ROLE late LOGIN; CREATE ROLE loader LOGIN; CREATE ROLE guarded LOGIN PASSWORD '${WORD}'`,
    );
  });
  afterAll(() => server.remove());

  const as = (role: string) => server.url.replace('postgres@', `${role}@`);

  async function openPublished(options: Parameters<typeof openPostgresSite>[1] = {}) {
    const site = openPostgresSite(server, options);
    site.register();
    await site.walk([1, 2], { tag: 'a,b' });
    site.book({ '2026-02-28': 20 });
    await site.publish();
    return site;
  }

  /** Message and hint of what a load ends with. */
  async function fail(work: Promise<unknown>): Promise<string> {
    const error: unknown = await work.then(
      () => null,
      (cause: unknown) => cause,
    );
    expect(error).toBeInstanceOf(ConfigError);
    const { message, hint } = error as ConfigError;
    return `${message} -> ${hint}`;
  }

  /** All results by subject. */
  async function check(config: PostgresTargetConfig): Promise<Record<string, string>> {
    const checks = await openPostgresAccess(config).check();
    return Object.fromEntries(
      checks.map(({ subject, isOk, result, hint }) => [
        subject,
        `${isOk ? 'ok' : 'failed'}: ${result}${hint === null ? '' : ` -> ${hint}`}`,
      ]),
    );
  }

  it.each([
    ['a column', 'ALTER TABLE $.videos DROP COLUMN title CASCADE'],
    ['a table', 'DROP TABLE $.storage_daily CASCADE'],
    ['a column of all warehouses', 'ALTER TABLE $.dates DROP COLUMN year CASCADE'],
    ['a view', 'DROP VIEW $.videos_now'],
    ['what is remembered', 'DROP TABLE $.vodhouse_account CASCADE'],
  ])('is whole again after somebody dropped %s', async (_, dropped) => {
    const site = await openPublished();
    await site.load();
    await site.query(dropped);
    await site.load();
    expect(await site.differences()).toEqual([]);
    expect(await site.load()).toMatchObject({ main: { kind: 'nothing' }, '(shared)': { kind: 'nothing' } });
  });

  it('without a primary key is not loaded, and says what to do', async () => {
    const site = await openPublished();
    await site.load();
    await site.query('ALTER TABLE $.videos DROP CONSTRAINT videos_pkey');
    await site.walk([1], { title: 'new' });
    await site.publish();
    const failure = await site.describe(await site.load().catch(toError));
    expect(failure).toMatchObject({ code: '42P10', hint: expect.stringContaining('DROP TABLE') as string });
    await site.query('DROP TABLE $.videos CASCADE');
    expect(await site.load()).toMatchObject({ main: { kind: 'all' } });
    expect(await site.differences()).toEqual([]);
  });

  it('with tables of our names that others made is refused, and nothing is changed', async () => {
    const site = await openPublished();
    await site.query('CREATE SCHEMA $; CREATE TABLE $.packages (id int); INSERT INTO $.packages VALUES (1)');
    const said = await fail(site.load());
    expect(said).toContain(`has a table packages that vodhouse did not make; nothing was changed`);
    expect((await check(site.config))['schema']).toBe(`failed: ${said}`);
    expect(await site.query(`SELECT relname FROM pg_class WHERE relnamespace = '$'::regnamespace`)).toEqual([
      { relname: 'packages' },
    ]);
  });

  it('of another calendar is refused', async () => {
    const site = await openPublished();
    await site.load();
    await site.publish({ timezone: 'Europe/Berlin' });
    expect(await fail(site.load())).toContain(
      'the days of Asia/Seoul, this warehouse those of Europe/Berlin',
    );
  });

  it('is readable by the readers of the config, also by later ones and in later tables', async () => {
    const site = await openPublished();
    await site.load({}, { readers: ['bi'] });
    await site.load({}, { readers: ['bi', 'late', 'public'] });
    await site.query('CREATE TABLE $.later (id int)');
    for (const role of ['bi', 'late', 'loader'])
      for (const table of ['videos', 'videos_now', 'vodhouse_freshness', 'later'])
        await server.query(`SELECT count(*) FROM ${site.schema}.${table}`, as(role));
    await expect(server.query(`DELETE FROM ${site.schema}.videos`, as('bi'))).rejects.toThrow(
      'permission denied',
    );
    await expect(site.load({}, { readers: ['nobody'] })).rejects.toThrow('role "nobody" does not exist');
    expect((await check({ ...site.config, readers: ['nobody'] }))['schema']).toMatch(
      /role "nobody" does not exist .*CREATE ROLE/,
    );
  });

  it('that an administrator made by --print-sql is loaded by a role that may not change it', async () => {
    const site = await openPublished({ url: as('loader') });
    const sql = formatSchemaSql({ ...site.config, readers: ['bi'] });
    await server.query(sql);
    await server.query(sql); // twice
    expect(await site.load({}, { readers: ['bi'] })).toMatchObject({ main: { kind: 'all' } });
    await site.walk([1, 2], { title: 'new' });
    expect(await site.ship({}, { readers: ['bi'] })).toMatchObject({ main: { kind: 'changes' } });
    const found = await server.query<{ count: string }>(
      `SELECT count(*) FROM ${site.schema}.videos`,
      as('bi'),
    );
    expect(found).toEqual([{ count: '2' }]);
    expect(await check(site.config)).toEqual({
      connection: expect.stringMatching(/^ok: PostgreSQL \d+\.\d+, no TLS$/) as string,
      rights: `ok: enough to load the schema ${site.schema}`,
      schema: `ok: ${site.schema}: complete`,
    });
    await server.query(`ALTER TABLE ${site.schema}.videos DROP COLUMN title CASCADE`);
    await expect(site.load()).rejects.toThrow('must be owner of table videos');
    expect((await check(site.config))['rights']).toContain('failed: loader lacks CREATE on schema ');
    await server.query(sql); // as the owner: what is missing is added
    expect(await site.load({}, { readers: ['bi'] })).toMatchObject({ main: { kind: 'nothing' } });
    await expect(site.load({}, { readers: ['late'] })).rejects.toThrow('permission denied for table');
  });

  it('needs rights: check names all that are missing at once', async () => {
    const config = createTargetConfig(as('loader'), { schema: 'granted' });
    const rights = async () => (await check(config))['rights'];
    const missing = (text: string) => `failed: loader lacks ${text} -> `;
    await server.query(`REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC, loader`);
    expect(await rights()).toContain(missing('TEMPORARY on database postgres; CREATE on database postgres'));
    await server.query('CREATE SCHEMA granted');
    expect(await rights()).toContain(
      missing('TEMPORARY on database postgres; USAGE on schema granted; CREATE on schema granted'),
    );
    await server.query(
      'GRANT USAGE, CREATE ON SCHEMA granted TO loader; GRANT TEMPORARY ON DATABASE postgres TO PUBLIC',
    );
    expect(await rights()).toMatch(/^ok/);
    const tables = `SELECT relname FROM pg_class WHERE relnamespace = 'granted'::regnamespace`;
    expect(await server.query(tables)).toEqual([]); // rolled back
    const site = await openPublished({ schema: 'granted', url: as('loader') });
    expect(await site.load()).toMatchObject({ main: { kind: 'all' } });
    await server.query(
      `REVOKE DELETE, UPDATE ON granted.videos FROM loader; REVOKE ALL ON granted.dates FROM loader`,
    );
    expect(await rights()).toContain(
      missing('DELETE, INSERT, SELECT, UPDATE on table dates; DELETE, UPDATE on table videos'),
    );
    const failure = await site.describe(await site.load({ force: { main: 'rebuild' } }).catch(toError));
    expect(failure).toMatchObject({ code: '42501', hint: expect.stringContaining('--print-sql') as string });
  });

  it('is reached, or the server is quoted with what to type, without the password', async () => {
    const address = `127.0.0.1:${server.port}`;
    const to = (login: string, place = `${address}/postgres`) =>
      createTargetConfig(`postgres://${login}@${place}`);
    const word = encodeURIComponent(WORD);
    expect((await check(to(`guarded:${word}`)))['connection']).toMatch(/^ok/);
    const cases: [config: PostgresTargetConfig, said: string[], code: string | null][] = [
      [to(`guarded:${word}`, '127.0.0.1:1/postgres'), ['ECONNREFUSED', 'start PostgreSQL'], 'ECONNREFUSED'],
      [
        to('guarded:wrong-word'),
        ['password authentication failed for user "guarded" (28P01)', 'ALTER ROLE "guarded"'],
        '28P01',
      ],
      [to('guarded'), ['client password must be', 'ALTER ROLE "guarded"'], null],
      [
        to(`guarded:${word}`, `${address}/none`),
        ['database "none" does not exist (3D000)', 'CREATE DATABASE "none"'],
        '3D000',
      ],
    ];
    for (const [config, said, code] of cases) {
      const access = openPostgresAccess(config);
      const failure = access.describe(await access.readAccounts().catch((error: unknown) => error));
      for (const text of [...said, config.postgres.split('@').at(-1)?.split('/')[0] ?? ''])
        expect(`${failure.message} -> ${failure.hint}`).toContain(text);
      expect(failure.code).toBe(code);
      const all = JSON.stringify([failure, await check(config)]);
      for (const secret of [WORD, word, 'wrong-word']) expect(all).not.toContain(secret);
    }
  });

  it('that another session locks ends in its own code, and what to type', async () => {
    const site = await openPublished();
    await site.load();
    await site.walk([1], { title: 'new' });
    await site.publish();
    const held = server.query(`BEGIN; LOCK ${site.schema}.videos; SELECT pg_sleep(3)`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const failure = await site.describe(
      await site.load({}, { lockTimeoutMs: 200 }).catch((error: unknown) => error),
    );
    expect(failure).toMatchObject({
      code: '55P03',
      hint: expect.stringContaining('pg_stat_activity') as string,
    });
    await held;
    expect(await site.load()).toMatchObject({ main: { kind: 'changes' } });
  });

  it('is loaded again at once where the server ended the load for a deadlock', async () => {
    const site = await openPublished();
    await site.load();
    await site.walk([1], { title: 'new' });
    await site.publish();
    const other = new Client({ connectionString: server.url });
    await other.connect();
    await other.query(`SET deadlock_timeout = '1min'; BEGIN; LOCK ${site.schema}.video_history`);
    const loaded = site.load();
    const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = '${site.schema}.video_history'::regclass`;
    while ((await server.query(waiting)).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
    await other.query(`LOCK ${site.schema}.videos; COMMIT`); // waits for the load, which waits for it
    await other.end();
    expect(await loaded).toMatchObject({ main: { kind: 'changes' } });
    expect(server.log()).toContain('deadlock detected');
    expect(await site.differences()).toEqual([]);
  });
});
