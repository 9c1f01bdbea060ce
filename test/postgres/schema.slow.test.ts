import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PostgresTargetConfig } from '../../src/config/config.ts';
import { errorCode, errorLine, hintLine } from '../../src/lib/errors.ts';
import { openPostgresTarget } from '../../src/publishing/targets/postgres/postgres-target.ts';
import { formatSchemaSql } from '../../src/publishing/targets/postgres/schema.ts';
import { VIEWS } from '../../src/publishing/targets/postgres/tables.ts';
import { openPostgresSite } from '../support/fixtures/postgres-site.ts';
import { createTargetConfig } from '../support/fixtures/target-config.ts';
import { findPostgres, postgresForTests } from '../support/servers/postgres.ts';

const NO_VIEWS = VIEWS.map(({ name }) => `DROP VIEW IF EXISTS $.${name} CASCADE`).join('; ');
const WORD = 'p@ss/wörd 100%';

describe.skipIf(findPostgres() === null)('the schema of a target', () => {
  const server = postgresForTests({ hba: ['host all guarded 127.0.0.1/32 scram-sha-256'] });
  beforeAll(async () => {
    await server.query(
      `CREATE ROLE bi LOGIN; CREATE ROLE late LOGIN; CREATE ROLE loader LOGIN; CREATE ROLE guarded LOGIN PASSWORD '${WORD}'`,
    );
  });

  const as = (role: string) => server.url.replace('postgres@', `${role}@`);

  async function openPublished(options: Parameters<typeof openPostgresSite>[1] = {}) {
    const site = openPostgresSite(server, options);
    site.register();
    await site.walk([1, 2], { tag: 'a,b' });
    site.book({ '2026-02-28': 20 });
    await site.publish();
    return site;
  }

  /** What a check, or a load of the account `main`, ends with: its result, or message, code and hint of its error. */
  const outcomeOf = (work: Promise<unknown>): Promise<string> =>
    work.then(String, (error: unknown) => {
      return `${errorLine(error)} ${errorCode(error)} -> ${hintLine(error)}`;
    });
  const check = (config: PostgresTargetConfig) => outcomeOf(openPostgresTarget(config, '').check());
  const loadOutcome = async (
    site: ReturnType<typeof openPostgresSite>,
    ...options: Parameters<typeof site.load>
  ) => {
    const { outcome, error, code, hint } = (await site.load(...options))['main'] ?? {};
    return error === null ? outcome : `${error} ${code ?? ''} -> ${hint}`;
  };

  it.each([
    ['a column', 'ALTER TABLE $.all_videos DROP COLUMN title CASCADE'],
    ['a table', 'DROP TABLE $.storage_daily CASCADE'],
    ['a view', 'DROP VIEW $.videos'],
    ['what is remembered', 'DROP TABLE $.vodhouse_account CASCADE'],
  ])('is whole again after somebody dropped %s', async (_, dropped) => {
    const site = await openPublished();
    await site.load();
    await site.query(dropped);
    await site.load();
    expect(await site.differences()).toEqual([]);
    expect(await loadOutcome(site)).toBe('unchanged');
  });

  it('has the types of PostgreSQL for those of the file; only the clock of the service has no zone', async () => {
    const site = await openPublished();
    await site.load();
    const rows = await site.query<{ name: string; type: string }>(
      `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute WHERE attrelid = '$.all_videos'::regclass`,
    );
    expect(Object.fromEntries(rows.map(({ name, type }) => [name, type]))).toMatchObject({
      video_id: 'bigint',
      is_removed: 'boolean',
      title: 'text',
      size_gib: 'double precision',
      changed_at: 'timestamp with time zone',
      created_at: 'timestamp without time zone',
      created_day: 'date',
    });
  });

  it.each([
    [
      'all_videos lacks the primary key (video_key)',
      'ALTER TABLE $.all_videos DROP CONSTRAINT all_videos_pkey',
    ],
    [
      'all_videos lacks the primary key (video_key)',
      'ALTER TABLE $.all_videos DROP CONSTRAINT all_videos_pkey, ALTER video_key DROP NOT NULL; INSERT INTO $.all_videos SELECT * FROM $.all_videos; INSERT INTO $.all_videos (account) VALUES (NULL)',
    ],
    [
      'packages lacks the primary key (package_key)',
      'ALTER TABLE $.packages DROP CONSTRAINT packages_pkey, ADD PRIMARY KEY (account, package_key)',
    ],
    ['all_videos lacks the column account', 'ALTER TABLE $.all_videos DROP COLUMN account CASCADE'],
    [
      'about lacks the primary key (warehouse_id, key)',
      'ALTER TABLE $.about DROP COLUMN warehouse_id CASCADE',
    ],
    [
      'vodhouse_account lacks the column account',
      'ALTER TABLE $.vodhouse_account DROP COLUMN account CASCADE',
    ],
    [
      'vodhouse_load lacks the primary key (load_id)',
      'ALTER TABLE $.vodhouse_load DROP COLUMN load_id CASCADE',
    ],
    [
      'storage_daily.total_bytes has the type numeric(20,1), not bigint',
      `${NO_VIEWS}; ALTER TABLE $.storage_daily ALTER total_bytes TYPE numeric(20,1)`,
    ],
    [
      'all_videos.video_key has the type character varying(40), not text',
      `${NO_VIEWS}; ALTER TABLE $.all_videos ALTER video_key TYPE varchar(40)`,
    ],
    [
      'videos is another view, with a column one',
      'DROP VIEW $.videos CASCADE; CREATE VIEW $.videos AS SELECT 1 AS one',
    ],
    [
      'videos is no view',
      'CREATE MATERIALIZED VIEW $.fast AS SELECT * FROM $.videos; ALTER VIEW $.videos RENAME TO slow; ALTER MATERIALIZED VIEW $.fast RENAME TO videos',
    ],
    ['videos is no view', 'DROP VIEW $.videos CASCADE; CREATE TABLE $.videos (id int)'],
    [
      'all_videos is no table',
      'ALTER TABLE $.all_videos RENAME TO kept; CREATE VIEW $.all_videos AS SELECT * FROM $.kept',
    ],
  ])('names what somebody changed (%s), and a rebuild changes it back', async (damage, sql) => {
    const site = await openPublished();
    await site.load();
    await site.query(sql);
    const said = await loadOutcome(site);
    expect(said).toContain(`somebody changed the schema ${site.schema}: ${damage}`);
    expect(said).toContain(`-> ${site.config.command} --rebuild ACCOUNT changes that back`);
    expect(await check(site.config)).toBe(said);
    expect(await loadOutcome(site, { force: { account: 'main', kind: 'rebuild' } })).toBe('loaded');
    await site.walk([1], { title: 'new' });
    expect(await site.ship()).toMatchObject({ main: { error: null }, '(runs)': { error: null } });
    expect(await site.differences()).toEqual([]);
    expect(await site.query('SELECT title FROM $.videos WHERE video_id = 1')).toEqual([{ title: 'new' }]);
    expect(await check(site.config)).toMatch(/complete$/);
  });

  it('keeps the rows of other warehouses, and the indexes, in a table that a rebuild makes again', async () => {
    const site = await openPublished();
    await site.load();
    await site.query(
      `INSERT INTO $.all_videos (video_key, account) VALUES ('other/1', 'other'); INSERT INTO $.video_tags (video_key, tag) VALUES ('other/1', 'x');
ALTER TABLE $.all_videos DROP CONSTRAINT all_videos_pkey; ${NO_VIEWS}; ALTER TABLE $.video_tags ALTER tag TYPE varchar(9)`,
    );
    expect(await loadOutcome(site, { force: { account: 'main', kind: 'rebuild' } })).toBe('loaded');
    for (const table of ['all_videos', 'video_tags'])
      expect(await site.query(`SELECT FROM $.${table} WHERE video_key = 'other/1'`)).toHaveLength(1);
    expect(await site.query(`SELECT to_regclass('$.video_tags_account') IS NOT NULL AS is_there`)).toEqual([
      { is_there: true },
    ]);
  });

  it('follows a table that was renamed: the views show the new one', async () => {
    const site = await openPublished();
    await site.load();
    await site.query('ALTER TABLE $.all_videos RENAME TO kept');
    await site.walk([1], { title: 'new' });
    await site.ship();
    expect(await site.query('SELECT title FROM $.videos WHERE video_id = 1')).toEqual([{ title: 'new' }]);
    expect(await site.differences()).toEqual([]);
  });

  it('is refused with a hint where a view of somebody else stands in the way', async () => {
    const site = await openPublished();
    await site.load();
    await site.query(
      `${NO_VIEWS}; ALTER TABLE $.all_videos ALTER title TYPE varchar(500); CREATE VIEW $.mine AS SELECT title FROM $.all_videos`,
    );
    expect(await loadOutcome(site, { force: { account: 'main', kind: 'rebuild' } })).toMatch(
      /other objects depend on it.* 2BP01 -> drop your own views/,
    );
  });

  it('with tables of our names that others made is refused, and nothing is changed', async () => {
    const site = await openPublished();
    await site.query('CREATE SCHEMA $; CREATE TABLE $.packages (id int); INSERT INTO $.packages VALUES (1)');
    const said = await loadOutcome(site);
    expect(said).toContain(`has a table packages that vodhouse did not make; nothing was changed`);
    expect(await check(site.config)).toBe(said);
    expect(await site.query(`SELECT relname FROM pg_class WHERE relnamespace = '$'::regnamespace`)).toEqual([
      { relname: 'packages' },
    ]);
  });

  it('is readable by the readers of the config, also by later ones and in later tables', async () => {
    const site = await openPublished();
    await site.load({}, { readers: ['bi'] });
    await site.load({}, { readers: ['bi', 'late', 'public'] });
    await site.query('CREATE TABLE $.later (id int)');
    for (const role of ['bi', 'late', 'loader'])
      for (const table of ['all_videos', 'videos', 'vodhouse_freshness', 'later'])
        await server.query(`SELECT count(*) FROM ${site.schema}.${table}`, as(role));
    await expect(server.query(`DELETE FROM ${site.schema}.all_videos`, as('bi'))).rejects.toThrow(
      'permission denied',
    );
    expect(await loadOutcome(site, {}, { readers: ['nobody'] })).toContain('role "nobody" does not exist');
    expect(await check({ ...site.config, readers: ['nobody'] })).toContain(
      'role "nobody" does not exist (42704) 42704 -> CREATE ROLE',
    );
  });

  const COMMENTS = `SELECT relname || coalesce('.' || attname, '') AS name, description AS text FROM pg_description
JOIN pg_class c ON c.oid = objoid AND classoid = 'pg_class'::regclass AND relnamespace = '$'::regnamespace
LEFT JOIN pg_attribute ON attrelid = c.oid AND attnum = objsubid AND objsubid > 0`;
  const WITHOUT_COMMENT = `SELECT relname || '.' || attname AS name FROM pg_attribute
JOIN pg_class c ON c.oid = attrelid AND relnamespace = '$'::regnamespace AND relkind IN ('r', 'v')
WHERE attnum > 0 AND relname NOT LIKE 'vodhouse!_%' ESCAPE '!' AND col_description(c.oid, attnum) IS NULL`;
  const readComments = async (site: ReturnType<typeof openPostgresSite>) =>
    new Map(
      (await site.query<{ name: string; text: string }>(COMMENTS)).map(({ name, text }) => [name, text]),
    );

  it('has the texts of the dictionary as comments, and no load loses them', async () => {
    const site = await openPublished();
    await site.load();
    const dictionary = await site.query<{ name: string; text: string }>(
      `SELECT table_name || CASE column_name WHEN '*' THEN '' ELSE '.' || column_name END AS name, description AS text FROM $.dictionary`,
    );
    const expected = Object.fromEntries(dictionary.map(({ name, text }) => [name, text]));
    expect(Object.fromEntries(await readComments(site))).toMatchObject(expected);
    expect(await site.query(WITHOUT_COMMENT)).toEqual([]);
    await site.walk([1], { title: 'new' });
    await site.ship();
    await site.load({ force: { account: 'main', kind: 'rebuild' } });
    expect(Object.fromEntries(await readComments(site))).toMatchObject(expected);
    expect(await check(site.config)).toMatch(/complete$/);
  });

  it('gets the comments of this version, of a table that somebody dropped too', async () => {
    const site = await openPublished();
    await site.load();
    const all = await readComments(site);
    const [view] = VIEWS;
    await site.query(
      `COMMENT ON TABLE $.all_videos IS 'of before'; COMMENT ON COLUMN $.${view?.name}.video_key IS 'of before';
COMMENT ON COLUMN $.all_videos.size_bytes IS NULL; DROP TABLE $.storage_daily CASCADE`,
    );
    expect(await readComments(site)).not.toEqual(all);
    await site.ship();
    expect(await readComments(site)).toEqual(all);
  });

  it('can be dumped by a reader, also by one of later', async () => {
    const dump = (site: { schema: string }, role: string) =>
      execFileSync(join(findPostgres() ?? '', 'pg_dump'), ['-n', site.schema, as(role)], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    const site = await openPublished();
    await site.load({}, { readers: ['bi'] });
    expect(dump(site, 'bi')).toContain('COMMENT ON COLUMN');
    await site.query('ALTER TABLE $.vodhouse_load RENAME TO kept'); // and its sequence keeps its name
    await site.load({}, { readers: ['bi', 'late'] });
    await site.query('DROP TABLE $.kept');
    for (const role of ['bi', 'late']) expect(dump(site, role)).toContain('vodhouse_load_load_id_seq1');
  });

  it('that an administrator made by --print-sql is loaded by a role that may not change it', async () => {
    const site = await openPublished({ url: as('loader') });
    const sql = formatSchemaSql({ ...site.config, readers: ['bi'] });
    await server.query(sql);
    await server.query(sql); // twice
    expect(await loadOutcome(site, {}, { readers: ['bi'] })).toBe('loaded');
    await site.walk([1, 2], { title: 'new' });
    expect(await site.ship({}, { readers: ['bi'] })).toMatchObject({ main: { outcome: 'loaded' } });
    const found = await server.query<{ count: string }>(
      `SELECT count(*) FROM ${site.schema}.all_videos`,
      as('bi'),
    );
    expect(found).toEqual([{ count: '2' }]);
    expect(await check(site.config)).toMatch(/^PostgreSQL \d+\.\d+, no TLS; schema site_\d+: complete$/);
    expect((await readComments(site)).size).toBeGreaterThan(100);
    await server.query(`COMMENT ON TABLE ${site.schema}.all_videos IS 'of another version'`);
    expect(await loadOutcome(site, {}, { readers: ['bi'] })).toBe('unchanged'); // a comment stops no load
    await server.query(`ALTER TABLE ${site.schema}.all_videos DROP COLUMN title CASCADE`);
    expect(await loadOutcome(site)).toContain('must be owner of table all_videos');
    expect(await check(site.config)).toContain('must be owner of table all_videos');
    await server.query(sql); // as the owner: what is missing is added
    expect(await loadOutcome(site, {}, { readers: ['bi'] })).toBe('unchanged');
    expect(await loadOutcome(site, {}, { readers: ['late'] })).toContain('permission denied for table');
  });

  it('needs rights: check says which are missing, and what to type', async () => {
    const config = createTargetConfig(as('loader'), { schema: 'granted' });
    const command = 'vodhouse publish --target warehouse --print-sql | psql postgres';
    await server.query('REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC, loader');
    expect(await check(config)).toContain(`42501 -> as an administrator: ${command}`); // may make no schema
    await server.query('CREATE SCHEMA granted; GRANT USAGE, CREATE ON SCHEMA granted TO loader');
    expect(await check(config)).toContain('loader lacks TEMPORARY on the database ');
    await server.query('GRANT TEMPORARY ON DATABASE postgres TO PUBLIC');
    expect(await check(config)).toMatch(/made by the next load$/);
    const tables = `SELECT relname FROM pg_class WHERE relnamespace = 'granted'::regnamespace`;
    expect(await server.query(tables)).toEqual([]); // rolled back
    const site = await openPublished({ place: 'granted', url: as('loader') });
    expect(await loadOutcome(site)).toBe('loaded');
    await server.query('REVOKE DELETE, UPDATE ON granted.all_videos FROM loader');
    expect(await check(config)).toMatch(
      new RegExp(
        `lacks (DELETE, UPDATE|UPDATE, DELETE) on "granted"."all_videos" .*${command.replace('|', '.')}`,
      ),
    );
    const rebuild = { force: { account: 'main', kind: 'rebuild' } } as const;
    expect(await loadOutcome(site, rebuild)).toContain(` 42501 -> as an admin`);
  });

  it('is reached, or the server is quoted with what to type, without the password', async () => {
    const address = `127.0.0.1:${server.port}`;
    const to = (login: string, place = `${address}/postgres`) =>
      createTargetConfig(`postgres://${login}@${place}`);
    const word = encodeURIComponent(WORD);
    expect(await check(to(`guarded:${word}`))).toMatch(/^PostgreSQL/);
    const cases: [config: PostgresTargetConfig, said: string[]][] = [
      [to(`guarded:${word}`, '127.0.0.1:1/postgres'), ['ECONNREFUSED -> pg_isready -h 127.0.0.1 -p 1']],
      [
        to('guarded:wrong-word'),
        ['password authentication failed for user "guarded" (28P01)', 'ALTER ROLE "guarded"'],
      ],
      [to('guarded'), ['client password must be', 'ALTER ROLE "guarded"']],
      [
        to(`guarded:${word}`, `${address}/none`),
        ['database "none" does not exist (3D000)', 'CREATE DATABASE "none"'],
      ],
    ];
    for (const [config, said] of cases) {
      const reading = await outcomeOf(openPostgresTarget(config, '').readAccounts());
      for (const text of [...said, config.postgres.split('@').at(-1)?.split('/')[0] ?? ''])
        expect(reading).toContain(text);
      for (const secret of [WORD, word, 'wrong-word']) expect(reading).not.toContain(secret);
      expect(await check(config)).toBe(reading);
    }
  });

  it('in a database of another encoding is refused by check, with the database to make', async () => {
    const url = await server.createDatabase(`ENCODING 'EUC_KR'`);
    const hint = `CREATE DATABASE "${url.split('/').at(-1)}_utf8" OWNER "postgres" ENCODING 'UTF8' TEMPLATE template0`;
    expect(await check(createTargetConfig(url))).toMatch(
      new RegExp(`^the database database_\\d+ has the encoding EUC_KR, .* -> ${hint}; and name it`),
    );
    const site = await openPublished({ url });
    await site.walk([1], { title: 'emoji \u{1F600}' });
    await site.publish();
    expect(await loadOutcome(site)).toContain(` 22P05 -> ${hint}`);
  });

  it('in a database of SQL_ASCII is loaded, with a warning of check', async () => {
    const url = await server.createDatabase(`ENCODING 'SQL_ASCII'`);
    const site = await openPublished({ url });
    await site.walk([1], { title: 'emoji \u{1F600}' });
    await site.publish();
    expect(await loadOutcome(site)).toBe('loaded');
    expect(await site.verify()).toEqual([]);
    expect(await check(site.config)).toMatch(/complete; WARNING: a database in SQL_ASCII/);
  });

  it('that another session locks ends in its own code, and what to type', async () => {
    const site = await openPublished();
    await site.load();
    await site.walk([1], { title: 'new' });
    await site.publish();
    const held = server.query(`BEGIN; LOCK ${site.schema}.all_videos; SELECT pg_sleep(1.5)`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await loadOutcome(site, {}, { lockTimeoutMs: 200 })).toMatch(/ 55P03 -> .*pg_stat_activity/);
    await held;
    expect(await loadOutcome(site)).toBe('loaded');
  });
});
