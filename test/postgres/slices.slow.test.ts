import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { selectSlices } from '../../src/publishing/targets/postgres/load-slices.ts';
import { listAccountSlices, listWarehouseSlices } from '../../src/publishing/targets/shipped-tables.ts';
import { openTargetSite } from '../support/fixtures/target-site.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

describe.skipIf(findPostgres() === null)('slices of a target', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
    // the table `made` has the name of each table that is made
    await server.query(`CREATE TABLE made (name text);
      CREATE FUNCTION note_made() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO public.made SELECT object_identity FROM pg_event_trigger_ddl_commands() WHERE command_tag LIKE 'CREATE TABLE%';
      END $$;
      CREATE EVENT TRIGGER note_made ON ddl_command_end EXECUTE FUNCTION note_made()`);
  });
  afterAll(() => server.remove());

  async function openLoaded() {
    const site = openTargetSite(server);
    site.register();
    await site.walk([1, 2]);
    site.book({ '2026-02-28': 20 });
    await site.ship();
    return site;
  }

  const marts = createMarts({ durationUnit: 'ms', exclude: [] });
  const sliced = [...listAccountSlices(marts), ...listWarehouseSlices(marts)];

  it.each([
    [
      'storage_daily',
      ['2025-12', '2026-02'],
      'day',
      ['2025-12-01', '2026-02-28'],
      ['2025-11-30', '2026-01-05'],
    ],
    [
      ...(['runs', ['2026-02-28'], 'started_at'] as const),
      ...[
        ['2026-02-28 00:00:00+00', '2026-02-28 23:59:59.999+00'],
        ['2026-02-27 23:59:59.999+00', '2026-03-01 00:00:00+00'],
      ],
    ],
  ] as const)('of %s are found by the range of their days', async (name, slices, column, inside, outside) => {
    const found = sliced.find(({ table }) => table.name === name);
    if (!found) throw new Error(name);
    const { where, values } = selectSlices({ sliced: found, changed: new Map(), gone: slices }, false);
    const literals = values.map((value) =>
      Array.isArray(value) ? `ARRAY['${value.join(`','`)}']` : `'${value as string}'`,
    );
    const condition = where.replace(/\$(\d)/g, (_, n) => ['NULL', `'o'`, ...literals][Number(n)] ?? '');
    const type = column === 'day' ? 'date' : 'timestamptz';
    const rows = [...inside, ...outside].map((value) => `('o', 'o', '${value}'::${type})`).join(', ');
    const sql = `FROM (VALUES ${rows}) AS t(account, warehouse_id, "${column}") WHERE ${condition}`;
    expect(await server.query(`SET timezone = 'Asia/Seoul'; SELECT 1 AS one ${sql}`)).toHaveLength(
      inside.length,
    );
    expect(condition).toContain(`t."${column}" >= `); // not only by the text of each row
    expect(condition).toContain(`t."${column}" < `);
  });

  it('that are gone are deleted without a temporary table', async () => {
    const site = await openLoaded();
    await server.query('TRUNCATE made');
    await site.query(`INSERT INTO $.catalog_daily SELECT (jsonb_populate_record(t, '{"day": "2020-02-02"}')).* FROM $.catalog_daily t;
      INSERT INTO $.vodhouse_slice VALUES ('main', 'catalog_daily', '2020-02', 'gone');
      INSERT INTO $.storage_daily SELECT (jsonb_populate_record(t, '{"day": "2020-02-02"}')).* FROM $.storage_daily t WHERE state = 'booked';
      INSERT INTO $.vodhouse_slice VALUES ('main', 'storage_daily', '2020-02', 'gone')`);
    const { main } = await site.load();
    expect(main).toMatchObject({ outcome: 'loaded', rows: 1, findings: [{ kind: 'booked_differs' }] });
    expect(main?.findings[0]?.message).toMatch(/: 2020-02-02$/);
    expect(await server.query('SELECT * FROM made')).toEqual([]);
    expect((await site.query('SELECT day FROM $.storage_daily')).length).toBe(3);
  });

  it('and videos need one temporary table of theirs', async () => {
    const site = await openLoaded();
    await site.walk([1, 2, 3]);
    await site.publish();
    await server.query('TRUNCATE made');
    expect((await site.load())['main']).toMatchObject({ outcome: 'loaded' });
    const made = await server.query<{ name: string }>('SELECT name FROM made ORDER BY name');
    const names = made.map(({ name }) => name);
    expect(names.filter((name) => name.includes('video'))).toEqual(['pg_temp.staged_videos']);
    expect(await site.differences()).toEqual([]);
    await site.walk([1, 2, 3], { tag: 'a,b' });
    expect((await site.ship())['main']).toMatchObject({ outcome: 'loaded' });
    expect(await site.differences()).toEqual([]);
    await site.walk([1, 2, 3], { tag: null });
    expect((await site.ship())['main']).toMatchObject({ outcome: 'loaded' });
    expect(await site.query('SELECT tag FROM $.video_tags WHERE NOT is_removed')).toEqual([]);
    expect(await site.differences()).toEqual([]);
  });
});
