import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openTargetSite } from '../support/fixtures/target-site.ts';
import { createTargetClient } from '../../src/publishing/targets/postgres/connection-options.ts';
import { createTargetConfig } from '../support/fixtures/target-config.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

describe.skipIf(findPostgres() === null)('an account that moves to another worker', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  /** Three videos, one state of each in the history, and two booked days; everything is in the target. */
  async function openLoaded(accounts: readonly string[] = ['main']) {
    const site = openTargetSite(server);
    site.register([101], accounts);
    for (const account of accounts) {
      await site.walk([1, 2, 3], {}, account);
      await site.walk([1, 2, 3], { title: 'new' }, account);
    }
    site.book({ '2026-02-27': 10, '2026-02-28': 20 });
    await site.ship();
    return site;
  }
  const countVideos = async (site: Awaited<ReturnType<typeof openLoaded>>) =>
    (await site.query<{ n: number }>('SELECT count(*)::int AS n FROM $.videos'))[0]?.n;

  it('keeps its rows until the other worker has fetched it', async () => {
    const site = await openLoaded();
    const other = openTargetSite(server, { schema: site.schema, start: '2026-03-01T13:00Z' });
    const asked = { accounts: ['main'] };
    const claimed = await other.ship({ ...asked, rebuild: ['main'] });
    const waits = {
      outcome: 'held',
      error: expect.stringContaining('has not fetched it yet') as string,
      hint: expect.stringContaining('vodhouse sync') as string,
    };
    expect(claimed).toMatchObject({ main: waits });
    other.register();
    expect(await other.ship(asked)).toMatchObject({ main: waits });
    expect(await other.ship({ ...asked, rebuild: ['main'] })).toMatchObject({ main: waits });
    expect((await site.ship())['main']).toMatchObject({ outcome: 'refused' });
    expect(await countVideos(site)).toBe(3);
    await other.walk([1, 7]);
    const { main } = await other.ship(asked);
    expect(main).toMatchObject({ outcome: 'loaded' });
    expect(main?.findings.map(({ kind }) => kind)).toContain('history_set_aside');
    expect(await countVideos(site)).toBe(2);
  });

  it('loses no state where the target has forgotten whose it was', async () => {
    const site = await openLoaded();
    await site.query('DELETE FROM $.vodhouse_account');
    const other = openTargetSite(server, { schema: site.schema, start: '2026-03-01T13:00Z' });
    other.register();
    await other.walk([1, 7]);
    expect((await other.ship())['main']).toMatchObject({ outcome: 'loaded' });
    const lost = 'SELECT count(*)::int AS n, count(timeline)::int AS known FROM $.vodhouse_lost_history';
    expect(await site.query(lost)).toEqual([{ n: 6, known: 0 }]);
  });

  it('is not held by a worker whose config it has left', async () => {
    const site = await openLoaded(['main', 'second']);
    const readLease = () =>
      site.query(`SELECT lease_until, instance FROM $.vodhouse_account WHERE account = 'second'`);
    const before = await readLease();
    expect((await site.ship({ accounts: ['main'] }))['second']).toMatchObject({ outcome: 'unchanged' });
    expect(await readLease()).toEqual(before);
    const end = 'UPDATE $.vodhouse_account SET lease_until = now()';
    await site.query(end);
    const holder = { worker: 'eu-9', instance: 'instance-9' };
    expect((await site.load({ accounts: ['second'], holder }))['second']).toMatchObject({
      outcome: 'unchanged',
    });
    await site.query(end); // it is stopped
    expect(Object.keys(await site.ship({ accounts: ['main'] }))).toEqual(['main', '(runs)']);
    expect(await readLease()).toMatchObject([{ instance: 'instance-9' }]);
  });

  it('is loaded, also where it cannot be compared', async () => {
    const site = await openLoaded();
    const client = createTargetClient(createTargetConfig(site.url, { schema: site.schema }));
    await client.connect();
    onTestFinished(() => client.end());
    await site.walk([1, 2, 3, 4]);
    await client.query(`BEGIN; LOCK TABLE "${site.schema}".storage_readings IN ACCESS EXCLUSIVE MODE`);
    const { main } = await site.ship({ verify: ['main'], target: { loadTimeoutMs: 3000 } });
    expect(main).toMatchObject({
      ...{ outcome: 'loaded', verified: null, retry: 'backoff' },
      error: expect.stringMatching(/^not compared: /) as string,
    });
  });

  it('is rebuilt once where a newer published file replaces the one that is loaded', async () => {
    const site = await openLoaded(['main', 'second']);
    const client = createTargetClient(createTargetConfig(site.url, { schema: site.schema }));
    await client.connect();
    onTestFinished(() => client.end());
    const table = `"${site.schema}".vodhouse_account`;
    await client.query(`BEGIN; SELECT FROM ${table} WHERE account = 'second' FOR UPDATE`);
    const loading = site.load({ rebuild: ['main'] });
    const waits = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${site.schema}%'`;
    await vi.waitFor(async () => expect(await server.query(waits, site.url)).toHaveLength(1), 20_000);
    await site.walk([1, 2, 3, 4]);
    await site.publish();
    await client.query('COMMIT');
    const { main, second } = await loading;
    expect(main).toMatchObject({ outcome: 'loaded', verified: true, findings: [{ kind: 'reloaded' }] });
    expect(second).toMatchObject({ outcome: 'unchanged' });
    const kinds = await site.query(
      `SELECT kind FROM $.vodhouse_load WHERE account = 'main' ORDER BY load_id`,
    );
    expect(kinds).toEqual([{ kind: 'first' }, { kind: 'reload' }, { kind: 'changes' }]);
  });
});
