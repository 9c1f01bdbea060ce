import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresSite } from '../support/fixtures/postgres-site.ts';
import { KEYS } from '../support/fixtures/published-file.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

const DAY_MS = 86_400_000;

describe.skipIf(findPostgres() === null)('a load into PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  type Site = ReturnType<typeof openPostgresSite>;

  /** Two packages with three videos each, two booked days; loaded. */
  async function openLoaded(): Promise<Site> {
    const site = openPostgresSite(server);
    site.register([101, 102]);
    for (const id of [101, 102]) await site.walk([1, 2, 3], { tag: 'a,b' }, 'main', id);
    site.book({ '2026-02-27': 10, '2026-02-28': 20 });
    expect(await site.ship()).toMatchObject({
      main: { kind: 'all' },
      '(shared)': { kind: 'changes' },
    });
    return site;
  }

  /** The transaction that wrote each row, of all tables that readers see; `of` begins with FROM. */
  const listWriters = (site: Site, of: string) =>
    site.query(`SELECT xmin::text AS writer, ctid::text AS place, * ${of}`);

  const TABLES = ['videos', 'video_history', 'video_tags', 'packages', 'storage_daily'];
  const ALL = [
    ...TABLES,
    'package_daily',
    'dates',
    'dictionary',
    'runs',
    'walks',
    'about',
    'vodhouse_account',
    'vodhouse_load',
  ];

  it('writes nothing where nothing is new: no row has another version', async () => {
    const site = await openLoaded();
    const read = () => Promise.all(ALL.map((table) => listWriters(site, `FROM $.${table}`)));
    const before = await read();
    const nothing = { kind: 'nothing', rows: 0 };
    expect(await site.load()).toEqual({ main: nothing, '(shared)': nothing });
    expect(await read()).toEqual(before);
  });

  it('writes only what changed: other videos, tags and days keep their rows', async () => {
    const site = await openLoaded();
    const keep = () =>
      Promise.all([
        listWriters(site, `FROM $.videos WHERE package_key = 'main/102' OR video_id > 1 ORDER BY video_key`),
        listWriters(site, 'FROM $.video_tags ORDER BY video_key, tag'),
        listWriters(site, `FROM $.storage_daily WHERE state = 'booked' ORDER BY day`),
        listWriters(site, `FROM $.package_daily WHERE day < '2026-02-28' ORDER BY day`),
        listWriters(site, `FROM $.packages WHERE package_id = 102`),
        listWriters(site, `FROM $.dates ORDER BY day`),
      ]);
    const before = await keep();
    await site.walk([1], { title: 'new', tag: 'a,b' }, 'main', 101);
    await site.walk([1, 2, 3], { tag: 'a,b' }, 'main', 101); // the second and the third one were removed, and came back
    await site.walk([1, 2, 3], { tag: 'a,b' }, 'main', 102);
    const loads = await site.ship();
    expect(loads['main']).toMatchObject({ kind: 'changes' });
    expect(await site.differences()).toEqual([]);
    const after = await keep();
    expect(after.slice(2, 4).concat(after.slice(5))).toEqual(before.slice(2, 4).concat(before.slice(5)));
    expect(after[1]).toEqual(before[1]); // tags were never others
    expect(
      await site.query(
        'SELECT kind, rows::int FROM $.vodhouse_load WHERE account IS NOT NULL ORDER BY load_id',
      ),
    ).toEqual([
      { kind: 'all', rows: expect.any(Number) as number },
      { kind: 'changes', rows: loads['main']?.rows },
    ]);
    await site.walk([1, 2, 3], { tag: 'c' }, 'main', 101);
    await site.ship();
    expect(await site.differences()).toEqual([]);
  });

  it('brings all days since the file that was loaded last, also weeks later', async () => {
    const site = await openLoaded();
    site.clock.advance(20 * DAY_MS);
    await site.publish(); // not loaded
    site.clock.advance(20 * DAY_MS);
    await site.walk([1, 2, 3, 4], { tag: 'a,b' });
    expect((await site.ship())['main']).toMatchObject({ kind: 'changes' });
    expect(await site.differences()).toEqual([]);
    site.register([101]); // the other one is retired
    site.clock.advance(20 * DAY_MS);
    await site.ship();
    expect(await site.differences()).toEqual([]);
    site.register([101, 102]); // its days come back
    site.clock.advance(20 * DAY_MS);
    await site.ship();
    expect(await site.differences()).toEqual([]);
    expect(await site.verify()).toEqual([]);
  });

  it('mends days of storage that the target lacks', async () => {
    const site = await openLoaded();
    site.book({});
    await site.ship();
    await site.query('DELETE FROM $.storage_daily WHERE day = (SELECT min(day) FROM $.storage_daily)');
    site.clock.advance(DAY_MS);
    site.book({});
    await site.ship();
    expect(await site.differences()).toEqual([]);
  });

  it('loads everything again after a package got another name', async () => {
    const site = await openLoaded();
    site.register([101, 102], ['main'], 'another name');
    expect((await site.ship())['main']).toMatchObject({ kind: 'all' });
    expect(await site.differences()).toEqual([]);
  });

  it('loads everything again after a package was forgotten, or other columns are left out', async () => {
    const site = await openLoaded();
    site.register([101]);
    await site.ship();
    site.warehouse.forget({ account: 'main', packageId: 102 }, site.clock.now());
    expect((await site.ship())['main']).toMatchObject({ kind: 'all' });
    expect(await site.query('SELECT DISTINCT package_key FROM $.videos')).toEqual([
      { package_key: 'main/101' },
    ]);
    expect(await site.differences()).toEqual([]);
    for (const exclude of [[...KEYS, 'title', 'tag'], [], KEYS]) {
      await site.publish({ exclude });
      expect((await site.load())['main']).toMatchObject({ kind: 'all' });
      expect({ exclude, differences: await site.differences() }).toEqual({ exclude, differences: [] });
    }
  });

  it('removes an account that the file no longer has, and replaces NUL', async () => {
    const site = await openLoaded();
    site.register([101], ['main', 'second']);
    await site.walk([1], { title: 'a\0b\0', tag: '\0' }, 'second');
    expect(await site.ship()).toMatchObject({ second: { kind: 'all' } });
    expect(await site.verify('second')).toEqual([]);
    site.warehouse.forget({ account: 'main', packageId: null }, site.clock.now());
    site.register([101], ['second']);
    expect((await site.ship())['main']).toMatchObject({
      kind: 'changes',
      rows: expect.any(Number) as number,
    });
    for (const table of TABLES)
      expect(await site.query(`SELECT DISTINCT account FROM $.${table} WHERE account <> 'second'`)).toEqual(
        [],
      );
    expect(
      await site.query(
        `SELECT kind FROM $.vodhouse_load WHERE account = 'main' ORDER BY load_id DESC LIMIT 1`,
      ),
    ).toEqual([{ kind: 'removed' }]);
    expect(
      await site.query(
        'SELECT account, version, loaded_seconds_ago < 60 AS is_fresh FROM $.vodhouse_freshness',
      ),
    ).toEqual([{ account: 'second', version: '1.2.3', is_fresh: true }]);
  });

  it('of one account by two processes at once is done by one of them', async () => {
    const site = openPostgresSite(server);
    site.register();
    for (const kind of ['all', 'changes', 'changes']) {
      await site.walk([1, 2, 3], { title: 'same', tag: `a,${site.clock.now()}` });
      await site.publish();
      const loads = await Promise.all([site.load(), site.load(), site.load()]);
      const kinds = loads.map(({ main }) => main?.kind ?? '');
      expect(kinds.sort()).toEqual([kind, 'nothing', 'nothing'].sort());
      expect(await site.differences()).toEqual([]);
    }
  });

  it('of two warehouses into one schema keeps the rows of both, also while they load at once', async () => {
    const one = openPostgresSite(server, { schema: 'both' });
    const two = openPostgresSite(server, { schema: 'both', start: '2026-03-02T12:00Z' });
    one.register([101], ['one']);
    two.register([101, 102], ['two']);
    for (let round = 1; round <= 3; round++) {
      await one.walk([1, round + 1], { title: `${round}` }, 'one');
      await two.walk([1, round + 1], { title: `${round}` }, 'two');
      await Promise.all([one.publish(), two.publish({ exclude: [] })]);
      await Promise.all([one.load(), two.load()]);
      expect([await one.differences(), await two.differences()]).toEqual([[], []]);
    }
    await one.ship();
    const described = `SELECT column_name FROM $.dictionary WHERE table_name = 'videos' AND column_name = 'access_key'`;
    expect(await one.query(described)).toHaveLength(1); // a column of the other one
  });
});
