import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEYS } from '../support/fixtures/published-file.ts';
import { openTargetSite } from '../support/fixtures/target-site.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

describe.skipIf(findPostgres() === null)('a comparison of a target with the published file', () => {
  let server: PostgresServer;
  let site: ReturnType<typeof openTargetSite>;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  const as = (role: string) => server.url.replace('postgres@', `${role}@`);

  async function openFull() {
    site = openTargetSite(server);
    site.register([101, 102]);
    await site.walk([1, 2, 3], { tag: 'a,b' });
    await site.walk([1, 2], { title: 'new', tag: 'a,c' });
    site.book({ '2026-02-27': 10, '2026-02-28': 20 });
    site.correct('2026-02-27', 30);
    await site.ship();
  }

  it('finds texts that are gone', async () => {
    await openFull();
    await site.query('UPDATE $.videos SET title = NULL WHERE video_id = 1');
    const { main } = await site.load({ verify: ['main'] });
    expect(main).toMatchObject({ verified: true, findings: [{ kind: 'reloaded' }] });
    expect(main?.findings[0]?.message).toContain('videos: count of title');
    expect(await site.differences()).toEqual([]);
  });

  const OF_ACCOUNT = [
    ['videos', 'size_bytes = size_bytes + 1'],
    ['video_history', 'is_removed = NOT is_removed'],
    ['video_tags', 'is_removed = NOT is_removed'],
    ['packages', 'videos = videos + 1'],
    ['catalog_daily', 'added = added + 1'],
    ['storage_readings', 'image_count = 0'],
    ['storage_corrections', 'corrected_image_count = 0'],
    ['storage_daily', `discrepancies = 9`],
  ] as const;

  it.each(OF_ACCOUNT)(
    'finds rows of %s that were changed, deleted or doubled, and one load mends them',
    async (table, change) => {
      await openFull();
      const copied = `INSERT INTO $.${table} SELECT (jsonb_populate_record(t, CASE WHEN to_jsonb(t) ? 'day'
        THEN '{"day": "2020-02-02", "state": "live", "reading_id": 999}' ELSE '{"package_id": 999, "reading_id": 999}' END::jsonb)).*
      FROM $.${table} t WHERE ctid = (SELECT ctid FROM $.${table} LIMIT 1)`;
      const deleted = table === 'storage_daily' ? `state = 'live'` : 'true';
      const first = `ctid = (SELECT ctid FROM $.${table} WHERE ${deleted} LIMIT 1)`;
      for (const statement of [
        `UPDATE $.${table} SET ${change} WHERE ${first}`,
        `DELETE FROM $.${table} WHERE ${first}`,
        copied,
        ...(table === 'video_tags' ? [`INSERT INTO $.video_tags SELECT * FROM $.video_tags LIMIT 1`] : []),
      ]) {
        await site.query(statement);
        expect(await site.differences()).not.toEqual([]);
        const { main, '(runs)': runs } = await site.load({ verify: ['main'] });
        expect(main).toMatchObject({ outcome: 'loaded', verified: true, findings: [{ kind: 'reloaded' }] });
        expect(main?.findings[0]?.message).toContain(`${table}: `);
        expect(runs).toMatchObject({ verified: true, findings: [] });
        expect(await site.differences()).toEqual([]);
      }
      expect((await site.load({ verify: ['main'] }))['main']).toMatchObject({
        ...{ outcome: 'unchanged', verified: true, findings: [], rows: 0 },
      });
      const [{ verified }] = (await site.query(
        'SELECT verified_at IS NOT NULL AS verified FROM $.vodhouse_account',
      )) as [{ verified: boolean }];
      expect(verified).toBe(true);
    },
  );

  it.each([
    ['runs', 'requests = 99'],
    ['walks', 'inserted = 99'],
    ['about', `value = 'other'`],
  ])('finds rows of %s that were changed or deleted, and one load mends them', async (table, change) => {
    await openFull();
    const first = `ctid = (SELECT ctid FROM $.${table} LIMIT 1)`;
    const read = async () => JSON.stringify(await site.query(`SELECT * FROM $.${table} ORDER BY 1, 2`));
    const before = await read();
    for (const statement of [
      `UPDATE $.${table} SET ${change} WHERE ${first}`,
      `DELETE FROM $.${table} WHERE ${first}`,
    ]) {
      await site.query(statement);
      const { main, '(runs)': runs } = await site.load({ verify: ['main'] });
      expect(main).toMatchObject({ outcome: 'unchanged', verified: true });
      expect(runs).toMatchObject({ outcome: 'loaded', verified: true, findings: [{ kind: 'reloaded' }] });
      expect(await read()).toBe(before);
    }
    expect((await site.load({ verify: ['main'] }))['(runs)']).toMatchObject({ verified: true, findings: [] });
  });

  it('mends rows of the dictionary that were changed or deleted, and loads nothing else again', async () => {
    await openFull();
    const read = () => site.query('SELECT * FROM $.dictionary ORDER BY table_name, column_name');
    const before = await read();
    for (const statement of [
      `UPDATE $.dictionary SET description = 'other', position = 99 WHERE column_name = 'size_bytes'`,
      `DELETE FROM $.dictionary WHERE table_name = 'videos'`,
    ]) {
      await site.query(statement);
      const { '(runs)': runs } = await site.load({ verify: ['main'] });
      expect(runs).toMatchObject({ outcome: 'unchanged', verified: true, rows: 0, findings: [] });
      expect(await read()).toEqual(before);
    }
  });

  it('finds nothing between workers of which each leaves out other columns', async () => {
    await openFull();
    const other = openTargetSite(server, { schema: site.schema });
    other.register([201], ['second']);
    await other.walk([7], {}, 'second', 201);
    await other.publish({ exclude: [...KEYS, 'title', 'copyright'] });
    for (const account of ['second', 'second']) {
      await other.load({ verify: [account] });
      await site.load({ verify: ['main'] });
    }
    const unchanged = { outcome: 'unchanged', verified: true, rows: 0, findings: [] };
    expect((await other.load({ verify: ['second'] }))['(runs)']).toMatchObject(unchanged);
    expect((await site.load({ verify: ['main'] }))['(runs)']).toMatchObject(unchanged);
  });

  it('takes longer than the statement_timeout of its role, where it must', async () => {
    await openFull();
    await server.query(`CREATE ROLE hasty SUPERUSER LOGIN; ALTER ROLE hasty SET statement_timeout = '1s'`);
    const blocker = new Client({ connectionString: server.url });
    await blocker.connect();
    await blocker.query(`BEGIN; LOCK TABLE ${site.schema}.video_tags`);
    const hasty = openTargetSite(server, { schema: site.schema, data: site.folder, url: as('hasty') });
    const progress = { isOver: false };
    const compared = hasty
      .load({ verify: ['main'], holder: site.holder })
      .finally(() => (progress.isOver = true));
    const waiting = `SELECT 1 AS one FROM pg_stat_activity WHERE usename = 'hasty' AND wait_event_type = 'Lock'
      AND clock_timestamp() - query_start > interval '1500 ms'`;
    while (!progress.isOver && (await server.query(waiting)).length === 0) await sleep(50);
    await blocker.end();
    expect((await compared)['main']).toMatchObject({ outcome: 'unchanged', verified: true, error: null });
  });

  it('writes days as they are written here, whatever the datestyle of its role', async () => {
    await openFull();
    await server.query(`CREATE ROLE dmy SUPERUSER LOGIN; ALTER ROLE dmy SET datestyle = 'SQL, DMY'`);
    await site.query(`SET session_replication_role = replica;
      UPDATE $.storage_daily SET image_count = 77 WHERE day = '2026-02-28'`);
    const dmy = openTargetSite(server, { schema: site.schema, data: site.folder, url: as('dmy') });
    const { main } = await dmy.load({ verify: ['main'], holder: site.holder });
    const [booked] = main?.findings.filter(({ kind }) => kind === 'booked_differs') ?? [];
    expect(booked?.message).toMatch(/stay: 2026-02-28$/);
    const marked = `SELECT slice FROM $.vodhouse_slice WHERE checksum = 'booked days differ'`;
    expect(await site.query(marked)).toEqual([{ slice: '2026-02' }]);
  });

  it('finds days of the calendar that were changed; those that were deleted come back with any load', async () => {
    await openFull();
    await site.query(`UPDATE $.dates SET iso_week = 54 WHERE day = '2026-03-01'`);
    expect((await site.load())['(runs)']).toMatchObject({ outcome: 'unchanged' });
    const { '(runs)': runs } = await site.load({ verify: ['main'] });
    expect(runs).toMatchObject({ verified: true, findings: [{ kind: 'reloaded' }] });
    expect(await site.differences()).toEqual([]);
    await site.query(`DELETE FROM $.dates WHERE day = '2026-03-01'`);
    expect((await site.load())['(runs)']).toMatchObject({ outcome: 'loaded', rows: 1 });
    expect(await site.differences()).toEqual([]);
  });

  it('tells what a complete load cannot mend', async () => {
    await openFull();
    await site.query(`SET session_replication_role = replica;
      UPDATE $.storage_daily SET image_count = 77 WHERE day = '2026-02-28'`);
    const { main } = await site.load({ verify: ['main'] });
    expect(main).toMatchObject({ outcome: 'loaded', verified: false });
    expect(main?.findings.map(({ kind }) => kind).sort()).toEqual(['booked_differs', 'differs', 'reloaded']);
    expect(main?.findings.find(({ kind }) => kind === 'differs')?.message).toMatch(
      /account main differs after a complete load: storage_daily: sum of image_count is \d+ in the target, \d+ in the file/,
    );
    expect(await site.query('SELECT status FROM $.vodhouse_freshness')).toEqual([{ status: 'unverified' }]);
  });

  it('compares no account that was not asked for', async () => {
    await openFull();
    await site.query('UPDATE $.videos SET size_bytes = 0');
    expect((await site.load())['main']).toMatchObject({ outcome: 'unchanged', verified: null });
  });
});
