import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { SHAPE } from '../../src/publishing/fingerprint.ts';
import { formatSchemaSql, planSchema } from '../../src/publishing/targets/postgres/ddl.ts';
import { assertUsable } from '../../src/publishing/targets/postgres/ensure-schema.ts';
import { KEYS } from '../support/fixtures/published-file.ts';
import { openTargetSite } from '../support/fixtures/target-site.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

describe.skipIf(findPostgres() === null)('the schema of a target', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
    await server.query(
      'CREATE ROLE bi_reader LOGIN; CREATE ROLE late_reader LOGIN; CREATE ROLE loader LOGIN',
    );
  });
  afterAll(() => server.remove());

  const as = (role: string) => server.url.replace('postgres@', `${role}@`);

  /** What an administrator runs for the role `loader`. */
  function planByHand(schema: string) {
    const marts = createMarts({ durationUnit: 'ms', exclude: KEYS });
    const made = formatSchemaSql({ schema, marts, readers: ['bi_reader'] }, 'Asia/Seoul');
    const sql = `${made} GRANT USAGE ON SCHEMA ${schema} TO loader;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO loader`;
    return { marts, sql };
  }

  /** The columns of each table and view. */
  async function readColumns(schema: string): Promise<Map<string, string[]>> {
    const rows = await server.query<{ name: string; columns: string[] }>(
      `SELECT table_name::text AS name, array_agg(column_name::text ORDER BY ordinal_position) AS columns
        FROM information_schema.columns WHERE table_schema = '${schema}' GROUP BY 1`,
    );
    return new Map(rows.map(({ name, columns }) => [name, columns]));
  }

  /** A site with two videos and a published file; nothing is loaded yet. */
  async function openPublished(options: Parameters<typeof openTargetSite>[1] = {}) {
    const site = openTargetSite(server, options);
    site.register();
    await site.walk([1, 2], { tag: 'a,b' });
    site.book({ '2026-02-28': 20 });
    await site.publish();
    return site;
  }

  it('has only types that every driver reads', async () => {
    const site = await openPublished();
    await site.load();
    const types = await site.query<{ data_type: string }>(
      `SELECT DISTINCT data_type FROM information_schema.columns
        WHERE table_schema = '${site.schema}' AND column_name NOT IN ('warehouse_id', 'timeline') ORDER BY 1`,
    );
    expect(types.map(({ data_type: type }) => type)).toEqual([
      ...['bigint', 'boolean', 'date', 'double precision', 'text'],
      ...['timestamp with time zone', 'timestamp without time zone'],
    ]);
  });

  it.each([
    ['videos.title', 'ALTER TABLE $.videos DROP COLUMN title CASCADE'],
    ['walks.status', 'ALTER TABLE $.walks DROP COLUMN status CASCADE'],
    ['primary key of videos', 'ALTER TABLE $.videos DROP CONSTRAINT videos_pkey CASCADE'],
    [
      'primary key of video_history',
      'ALTER TABLE $.video_history DROP CONSTRAINT video_history_pkey CASCADE',
    ],
    [
      'primary key of storage_daily',
      'ALTER TABLE $.storage_daily DROP CONSTRAINT storage_daily_pkey CASCADE',
    ],
  ])('is whole again after somebody dropped %s, and names it', async (what, dropped) => {
    const site = await openPublished();
    await site.load();
    await site.query(dropped);
    await site.walk([1, 2, 3], { title: 'new' });
    const { main, '(runs)': runs } = await site.ship();
    expect(main).toMatchObject({ outcome: 'loaded', findings: [{ kind: 'reloaded' }] });
    expect(runs?.findings.map(({ message }) => message).join()).toContain(what);
    expect(await site.differences()).toEqual([]);
    expect((await site.load({ verify: ['main'] }))['main']).toMatchObject({
      outcome: 'unchanged',
      verified: true,
    });
  });

  it('says what to type where a key that is missing cannot be made again', async () => {
    const site = await openPublished();
    await site.load();
    await site.query('ALTER TABLE $.packages DROP CONSTRAINT packages_pkey');
    await site.query('INSERT INTO $.packages SELECT * FROM $.packages');
    const { main } = await site.load();
    expect(main).toMatchObject({ outcome: 'failed', retry: 'hourly' });
    expect(main?.error).toContain('packages');
    await site.query((main?.hint ?? '').replace(/; then.*/, ''));
    expect((await site.load())['main']).toMatchObject({ outcome: 'loaded', error: null });
    expect(await site.differences()).toEqual([]);
  });

  it('says what to type about a column of somebody else that must have a value', async () => {
    const site = await openPublished();
    await site.load();
    await site.query('ALTER TABLE $.videos ADD COLUMN mine int DEFAULT 1 NOT NULL');
    await site.walk([1, 2, 3], { title: 'new' });
    expect((await site.ship())['main']).toMatchObject({ outcome: 'loaded' });
    await site.query('ALTER TABLE $.videos ALTER COLUMN mine DROP DEFAULT');
    await site.walk([1, 2, 3, 4], { title: 'newer' });
    const { main } = await site.ship();
    expect(main).toMatchObject({ outcome: 'failed', code: '23502', retry: 'hourly' });
    await site.query((main?.hint ?? '').replace(/:.*/, ''));
    expect((await site.load())['main']).toMatchObject({ outcome: 'loaded', error: null });
  });

  it('has a dictionary with the types that its columns have', async () => {
    const site = await openPublished();
    await site.load();
    const differing = await site.query(`SELECT * FROM $.dictionary d FULL JOIN information_schema.columns c
        ON c.table_name = d.table_name AND c.column_name = d.column_name
      WHERE c.table_schema = '${site.schema}' AND c.table_name NOT LIKE 'vodhouse%'
        AND d.data_type IS DISTINCT FROM c.data_type::text`);
    expect(differing).toEqual([]);
    // positions leave room for columns that this worker leaves out
    const disordered =
      await site.query(`SELECT * FROM (SELECT row_number() OVER (PARTITION BY table_name ORDER BY d.position)
      = c.ordinal_position AS is_next FROM $.dictionary d JOIN information_schema.columns c USING (table_name, column_name)
      WHERE c.table_schema = '${site.schema}') AS o WHERE NOT is_next`);
    expect(disordered).toEqual([]);
    const described = await site.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM $.dictionary WHERE description <> ''",
    );
    expect(described[0]?.n).toBeGreaterThan(300);
  });

  it('lets readers read everything, also what is made later, and change nothing', async () => {
    const site = await openPublished();
    await site.load({ target: { readers: ['bi_reader'] } });
    const read = (role: string, sql: string) => server.query(sql.replaceAll('$', site.schema), as(role));
    expect(await read('bi_reader', 'SELECT title FROM $.bi_videos_now')).toHaveLength(2);
    expect(await read('bi_reader', 'SELECT account FROM $.vodhouse_freshness')).toHaveLength(1);
    await site.query('CREATE TABLE $.later AS SELECT 1 AS one');
    expect(await read('bi_reader', 'SELECT one FROM $.later')).toEqual([{ one: 1 }]);
    await expect(read('bi_reader', 'DELETE FROM $.videos')).rejects.toMatchObject({ code: '42501' });
    await expect(read('late_reader', 'SELECT 1 FROM $.videos')).rejects.toMatchObject({ code: '42501' });
    await site.load({ target: { readers: ['bi_reader', 'late_reader'] } });
    expect(await read('late_reader', 'SELECT title FROM $.bi_videos')).toHaveLength(2);
  });

  it('names a role that does not exist', async () => {
    const site = await openPublished();
    const { main } = await site.load({ target: { readers: ['nobody_knows'] } });
    expect(main).toMatchObject({ outcome: 'failed', error: 'the role nobody_knows does not exist' });
    expect(main?.hint).toBe('CREATE ROLE "nobody_knows" LOGIN; or correct `readers:` of the target');
  });

  it('may be made before, by an administrator, for a role that may not make tables', async () => {
    const site = await openPublished({ schema: 'by_hand', url: as('loader') });
    expect((await site.load())['main']).toMatchObject({ outcome: 'failed', code: '42501', retry: 'hourly' });
    await server.query(planByHand('by_hand').sql);
    const loaded = await site.load({ target: { readers: ['bi_reader'] }, verify: ['main'] });
    expect(loaded['main']).toMatchObject({ outcome: 'loaded', verified: true });
    expect(loaded['(runs)']).toMatchObject({ outcome: 'loaded', verified: true, findings: [] });
    expect(await site.differences()).toEqual([]);
    await site.walk([2, 3], { title: 'b' });
    site.correct('2026-02-28', 30);
    expect((await site.ship({ target: { readers: ['bi_reader'] } }))['main']).toMatchObject({
      outcome: 'loaded',
    });
    expect(await site.differences()).toEqual([]);
  });

  it('may have views and tables of its users, which readers are not granted', async () => {
    const site = await openPublished({ schema: 'with_views', url: as('loader') });
    await server.query('CREATE SCHEMA with_views AUTHORIZATION loader');
    expect((await site.load())['main']).toMatchObject({ outcome: 'loaded' });
    await server.query('CREATE VIEW with_views.mine AS SELECT 1 AS one; CREATE TABLE with_views.own (a int)');
    const target = { readers: ['bi_reader'] };
    expect((await site.load({ target }))['main']).toMatchObject({ outcome: 'unchanged', error: null });
    const read = (sql: string) => server.query(sql, as('bi_reader'));
    expect(await read('SELECT title FROM with_views.bi_videos')).toHaveLength(2);
    expect(await read('SELECT account FROM with_views.vodhouse_freshness')).toHaveLength(1);
    await expect(read('SELECT one FROM with_views.mine')).rejects.toMatchObject({ code: '42501' });
    expect((await site.load({ target }))['main']).toMatchObject({ outcome: 'unchanged', error: null });
  });

  it('is loaded without new columns and a newer shape by a role that may not change it', async () => {
    const site = await openPublished({ schema: 'older', url: as('loader') });
    const { marts, sql } = planByHand('older');
    await server.query(sql);
    const drop = `ALTER TABLE older.videos DROP COLUMN copyright CASCADE;
      UPDATE older.vodhouse_schema SET value = '${SHAPE - 1}' WHERE key = 'shape'`;
    await server.query(drop);
    const { main, '(runs)': runs } = await site.load({ verify: ['main'] });
    expect(main).toMatchObject({ outcome: 'loaded', verified: true });
    const [finding] = runs?.findings ?? [];
    expect(finding?.kind).toBe('columns_missing');
    expect(finding?.message).toMatch(
      /^another role owns the tables: these are added once their owner runs vodhouse publish: videos\.copyright, video_versions, bi_videos, .*, shape \d+$/,
    );
    await site.walk([1, 2, 3], { copyright: 'new' });
    expect((await site.ship())['main']).toMatchObject({ outcome: 'loaded' });
    await server.query(
      planSchema({ schema: 'older', marts, readers: [] }, await readColumns('older')).join(';'),
    );
    await server.query(sql); // the shape, and the rights on the views
    expect((await site.load())['(runs)']).toMatchObject({ findings: [] });
    expect(await site.query('SELECT copyright FROM $.videos')).toContainEqual({ copyright: 'new' });
    expect(await site.differences()).toEqual([]);
    await server.query('DROP TABLE older.vodhouse_slice');
    expect((await site.load())['main']).toMatchObject({ outcome: 'failed', code: '42501' }); // a table is another matter
  });

  it('is made by SQL that may be run twice', async () => {
    const { sql } = planByHand('twice');
    await server.query(sql);
    await server.query(sql);
  });

  it.each(['CREATE TABLE $.videos (a int)', 'CREATE VIEW $.runs AS SELECT 1 AS one'])(
    'is refused where it has what vodhouse did not make: %s',
    async (statement) => {
      const site = await openPublished();
      await site.query(`CREATE SCHEMA $; ${statement.replace('$', site.schema)}`);
      const { main } = await site.load();
      expect(main).toMatchObject({
        outcome: 'failed',
        hint: 'name another schema (publish.targets[].schema)',
      });
      expect(main?.error).toMatch(/^the schema \w+ has a table (videos|runs) that vodhouse did not make/);
      const tables = `SELECT relname FROM pg_class WHERE relnamespace = '${site.schema}'::regnamespace`;
      expect(await site.query(tables)).toHaveLength(1);
    },
  );

  it('has one calendar, also where something is missing', async () => {
    const site = await openPublished();
    await site.load();
    const other = await openPublished({ schema: site.schema, start: '2026-03-01T13:00Z' });
    await other.publish({ timezone: 'Europe/Paris', today: '2026-03-01' });
    const refused = await other.load();
    expect(refused['main']).toMatchObject({ outcome: 'failed', retry: 'hourly' });
    expect(refused['main']?.error).toMatch(
      /has the days of Asia\/Seoul, this warehouse those of Europe\/Paris$/,
    );
    // a missing view must not make it forget the calendar
    await site.query('DROP VIEW $.bi_walks');
    expect((await other.load())['main']?.error).toContain('Europe/Paris');
    expect((await site.load())['main']).toMatchObject({ outcome: 'unchanged' });
    expect(await site.differences()).toEqual([]);
  });

  it('needs a database that holds every text, and PostgreSQL 14', async () => {
    await server.query(`CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0`);
    const site = await openPublished({ url: server.url.replace(/[^/]*$/, 'ascii') });
    const { main } = await site.load();
    expect(main).toMatchObject({ outcome: 'failed' });
    expect(main?.error).toBe('the database has the encoding SQL_ASCII, which cannot hold every text');
    expect(() => assertUsable({ version: 130_011, encoding: 'UTF8' })).toThrow('the server is PostgreSQL 13');
    expect(() => assertUsable({ version: 140_000, encoding: 'UTF8' })).not.toThrow();
  });

  it('is left as it is by an older version', async () => {
    const site = await openPublished();
    await site.load();
    await site.query(`UPDATE $.vodhouse_schema SET value = '${SHAPE + 1}' WHERE key = 'shape'`);
    await site.query('ALTER TABLE $.videos ADD COLUMN newer text; DROP VIEW $.bi_walks');
    await site.walk([1, 2, 3], { title: 'b' });
    expect((await site.ship())['main']).toMatchObject({ outcome: 'loaded' });
    expect(await site.differences()).toEqual([]);
    expect(await site.query(`SELECT value FROM $.vodhouse_schema WHERE key = 'shape'`)).toEqual([
      { value: String(SHAPE + 1) },
    ]);
  });

  it('gets the columns of a newer version once a long reader lets it, and all values then', async () => {
    const site = await openPublished();
    await site.load();
    // as an older version made it
    await site.query(`DROP SCHEMA $ CASCADE`);
    await site.publish({ exclude: [...KEYS, 'title', 'tag'] });
    await site.load();
    await site.publish({ exclude: KEYS });
    const reader = new Client({ connectionString: server.url });
    await reader.connect();
    await reader.query('BEGIN');
    await reader.query(`SELECT count(*) FROM ${site.schema}.videos`);
    try {
      const late = await site.load();
      expect(late['main']).toMatchObject({ outcome: 'failed', code: '55P03' }); // a table is missing too: video_tags
      await reader.query('COMMIT');
      await site.query(`CREATE TABLE $.video_tags (package_key text NOT NULL, account text NOT NULL, package_id bigint NOT NULL,
        video_id bigint NOT NULL, tag text NOT NULL, is_removed boolean)`);
      await reader.query('BEGIN');
      await reader.query(`SELECT count(*) FROM ${site.schema}.videos`);
      const held = await site.load();
      expect(held['main']).toMatchObject({ outcome: 'loaded' });
      expect(held['(runs)']?.findings).toMatchObject([{ kind: 'columns_missing' }]);
      expect(held['(runs)']?.findings[0]?.message).toContain('videos.title');
    } finally {
      await reader.end();
    }
    const { main, '(runs)': runs } = await site.load({ verify: ['main'] });
    expect(main).toMatchObject({ outcome: 'loaded', verified: true });
    expect(runs?.findings).toMatchObject([{ kind: 'reloaded' }]);
    expect(await site.differences()).toEqual([]);
    expect((await site.load())['main']).toMatchObject({ outcome: 'unchanged', rows: 0 });
  }, 180_000);
});
