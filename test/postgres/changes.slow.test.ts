import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/lib/clock.ts';
import { KEYS } from '../support/fixtures/published-file.ts';
import { openTargetSite } from '../support/fixtures/target-site.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

describe.skipIf(findPostgres() === null)('the changes of an account', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  async function openLoaded(accounts: readonly string[] = ['main']) {
    const site = openTargetSite(server);
    site.register([101, 102], accounts);
    for (const account of accounts) {
      await site.walk([1, 2, 3], { tag: 'a,b' }, account);
      await site.walk([1, 2], { title: 'b', tag: 'a,c' }, account, 102);
    }
    await site.ship();
    return site;
  }

  it('arrive with as many states as there were changes', async () => {
    const site = await openLoaded();
    for (const title of ['b', 'c', 'd', 'e']) {
      await site.walk([1, 2, 3], { title, tag: title });
      if (title > 'b') expect((await site.ship())['main']).toMatchObject({ outcome: 'loaded', findings: [] });
    }
    await site.walk([2, 3], { title: 'e', tag: 'e' });
    const { main } = await site.ship();
    expect(main).toMatchObject({ outcome: 'loaded', findings: [] });
    const states =
      'SELECT video_id, count(*)::int AS n FROM $.video_versions WHERE package_id = 101 GROUP BY 1 ORDER BY 1';
    expect(await site.query(states)).toEqual([
      { video_id: '1', n: 6 },
      { video_id: '2', n: 5 },
      { video_id: '3', n: 5 },
    ]);
    const open = 'SELECT count(*)::int AS n FROM $.video_history WHERE valid_to IS NULL OR is_current';
    expect(await site.query(open)).toEqual([{ n: 0 }]);
    expect(await site.differences()).toEqual([]);
  });

  it('take a package away that was forgotten, and bring it anew when it came back', async () => {
    const site = await openLoaded();
    site.register([101]);
    site.warehouse.forget({ account: 'main', packageId: 102 }, Date.now());
    expect((await site.ship())['main']).toMatchObject({ outcome: 'loaded', findings: [] });
    expect(await site.differences()).toEqual([]);
    site.register([101, 102]);
    await site.walk([2, 7], {}, 'main', 102);
    expect((await site.ship())['main']).toMatchObject({ outcome: 'loaded' });
    expect(await site.differences()).toEqual([]);
  });

  it('hold a package that was forgotten and came back in between', async () => {
    const site = await openLoaded();
    site.register([101]);
    site.warehouse.forget({ account: 'main', packageId: 102 }, Date.now());
    site.register([101, 102]);
    await site.walk([2, 7], {}, 'main', 102);
    const { main } = await site.ship();
    expect(main).toMatchObject({ outcome: 'loaded', findings: [{ kind: 'reloaded' }] });
    expect(await site.differences()).toEqual([]);
  });

  it('hold an account that took the name of another one', async () => {
    const site = await openLoaded(['main', 'second']);
    site.warehouse.renameAccount('main', 'third');
    site.warehouse.renameAccount('second', 'main');
    const shipped = await site.ship({ accounts: ['main', 'third'] });
    expect(shipped['third']).toMatchObject({ outcome: 'loaded', findings: [] });
    expect(shipped['main']).toMatchObject({ outcome: 'loaded', findings: [{ kind: 'reloaded' }] });
    expect(shipped['(runs)']?.findings).toEqual([]); // the rows of second went with its name
    expect(await site.differences()).toEqual([]);
  });

  it('leave nothing in the target of what the file leaves out from now on', async () => {
    const site = await openLoaded();
    await site.publish({ exclude: [...KEYS, 'title', 'tag'] });
    expect((await site.load())['main']).toMatchObject({
      outcome: 'loaded',
      findings: [{ kind: 'reloaded' }],
    });
    expect(await site.query('SELECT DISTINCT title, tags FROM $.bi_video_versions')).toEqual([
      { title: null, tags: null },
    ]);
    expect(await site.query('SELECT 1 FROM $.video_tags')).toEqual([]);
    expect(await site.differences()).toEqual([]);
    await site.publish({ exclude: ['author'] });
    await site.load();
    expect(await site.differences()).toEqual([]);
    expect((await site.load())['main']).toMatchObject({ outcome: 'unchanged' });
  });

  it('of a warehouse hold the days of its calendar that lie between those of others', async () => {
    const site = await openLoaded();
    const other = openTargetSite(server, { schema: site.schema, start: '2035-06-01T00:00Z' });
    other.register([101], ['later']);
    await other.walk([1], {}, 'later');
    await other.publish({ today: '2035-06-01' });
    await other.load();
    expect(await other.differences()).toEqual([]);
    site.clock.advance(3 * 366 * DAY_MS);
    await site.walk([1, 4]);
    await site.ship();
    expect(await site.differences()).toEqual([]);
    expect(await site.query(`SELECT year FROM $.dates WHERE day = '2029-01-01'`)).toEqual([{ year: '2029' }]);
  });
});
