import { describe, expect, it } from 'vitest';
import { openPostgresSite } from '../support/fixtures/postgres-site.ts';
import { KEYS } from '../support/fixtures/published-file.ts';
import { findPostgres, postgresForTests } from '../support/servers/postgres.ts';
import { transact } from '../../src/database/transaction.ts';
import { forgetRows } from '../../src/warehouse/accounts.ts';

const DAY_MS = 86_400_000;
const LOADED = { outcome: 'loaded' };

describe.skipIf(findPostgres() === null)('a load into PostgreSQL', () => {
  const server = postgresForTests();

  type Site = ReturnType<typeof openPostgresSite>;

  /** Two packages with three videos each, two booked days; loaded. */
  async function openLoaded(): Promise<Site> {
    const site = openPostgresSite(server);
    site.register([101, 102]);
    for (const id of [101, 102]) await site.walk([1, 2, 3], { tag: 'a,b' }, 'main', id);
    site.book({ '2026-02-27': 10, '2026-02-28': 20 });
    expect(await site.ship()).toMatchObject({ main: LOADED, '(runs)': LOADED });
    expect(await site.lastKind()).toBe('all');
    return site;
  }

  /** Publishes and loads: everything of the account, or what changed. */
  async function expectLoad(site: Site, kind: 'all' | 'changes'): Promise<void> {
    expect(await site.ship()).toMatchObject({ main: LOADED });
    expect([await site.lastKind(), await site.differences()]).toEqual([kind, []]);
  }

  /** The transaction that wrote each row, of all tables that readers see; `of` begins with FROM. */
  const listWriters = (site: Site, of: string) =>
    site.query(`SELECT xmin::text AS writer, ctid::text AS place, * ${of}`);

  it('writes only what changed: other videos, tags and days keep their rows', async () => {
    const site = await openLoaded();
    const keep = () =>
      Promise.all([
        listWriters(
          site,
          `FROM $.all_videos WHERE package_key = 'main/102' OR video_id > 1 ORDER BY video_key`,
        ),
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
    await expectLoad(site, 'changes');
    const after = await keep();
    expect(after.slice(2, 4).concat(after.slice(5))).toEqual(before.slice(2, 4).concat(before.slice(5)));
    expect(after[1]).toEqual(before[1]); // tags were never others
    await site.walk([1, 2, 3], { tag: 'c' }, 'main', 101);
    await expectLoad(site, 'changes');
  });

  it('brings all days since the file that was loaded last, also weeks later', async () => {
    const site = await openLoaded();
    site.clock.advance(20 * DAY_MS);
    await site.publish(); // not loaded
    site.clock.advance(20 * DAY_MS);
    await site.walk([1, 2, 3, 4], { tag: 'a,b' });
    await expectLoad(site, 'changes');
    for (const packages of [[101], [101, 102]]) {
      site.register(packages); // the other one is retired, and returns
      site.clock.advance(20 * DAY_MS);
      await expectLoad(site, 'changes');
    }
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

  it('loads everything again after a package got another name or was forgotten, other columns are left out, or tags are split otherwise', async () => {
    const site = await openLoaded();
    site.register([101, 102], ['main'], 'another name');
    await expectLoad(site, 'all');
    site.register([101]);
    await site.ship();
    transact(site.warehouse.db, (tx) =>
      forgetRows(tx, { account: 'main', packageId: 102 }, site.clock.now()),
    );
    await expectLoad(site, 'all');
    for (const exclude of [[...KEYS, 'title', 'tag'], [], KEYS]) {
      await site.publish({ exclude });
      expect(await site.load()).toMatchObject({ main: LOADED });
      expect({ exclude, differences: await site.differences() }).toEqual({ exclude, differences: [] });
    }
    await site.publish({ tagSeparators: ['|'] });
    expect(await site.load()).toMatchObject({ main: LOADED });
    expect(await site.differences()).toEqual([]);
  });

  it('replaces NUL, and tells of each account how fresh it is, and what became of it', async () => {
    const site = await openLoaded();
    site.register([101], ['main', 'second']);
    await site.walk([1], { title: 'a\0b\0', tag: '\0' }, 'second');
    await site.ship();
    expect(await site.verify('second')).toEqual([]);
    transact(site.warehouse.db, (tx) =>
      forgetRows(tx, { account: 'main', packageId: null }, site.clock.now()),
    );
    site.register([101], ['second']);
    await site.ship();
    expect(await site.lastKind()).toBe('removed');
    const fresh = 'SELECT account, version, loaded_seconds_ago < 60 AS is_fresh FROM $.vodhouse_freshness';
    expect(await site.query(fresh)).toEqual([{ account: 'second', version: '1.2.3', is_fresh: true }]);
  });

  it('of one account by two processes at once is done by one of them', async () => {
    const site = openPostgresSite(server);
    site.register();
    for (let round = 0; round < 3; round++) {
      await site.walk([1, 2, 3], { title: 'same', tag: `a,${site.clock.now()}` });
      await site.publish();
      const loads = await Promise.all([site.load(), site.load(), site.load()]);
      const outcomes = loads.map(({ main }) => main?.outcome);
      expect(outcomes.sort()).toEqual(['loaded', 'unchanged', 'unchanged']);
      expect(await site.differences()).toEqual([]);
    }
  });

  it('of two warehouses into one schema keeps the rows of both, also while they load at once', async () => {
    const one = openPostgresSite(server, { place: 'both' });
    const two = openPostgresSite(server, { place: 'both', start: '2026-03-02T12:00Z' });
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
    const described = `SELECT column_name FROM $.dictionary WHERE table_name = 'all_videos' AND column_name = 'access_key'`;
    expect(await one.query(described)).toHaveLength(1); // a column of the other one
  });
});
