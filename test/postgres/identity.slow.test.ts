import { copyFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTargetSite } from '../support/fixtures/target-site.ts';
import { findTargetDifferences } from '../support/fixtures/target-rows.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

describe.skipIf(findPostgres() === null)('an account in a target', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  /** A site with 3 videos, one of them changed, and two booked days; everything is in the target. */
  async function openLoaded() {
    const site = openTargetSite(server);
    site.register();
    await site.walk([1, 2, 3]);
    await site.walk([1, 2, 3], { title: 'new', tag: 'a,b' });
    site.book({ '2026-02-27': 10, '2026-02-28': 20 });
    expect(await site.ship()).toMatchObject({ main: { outcome: 'loaded' }, '(runs)': { outcome: 'loaded' } });
    return site;
  }
  type Site = Awaited<ReturnType<typeof openLoaded>>;

  /** What readers see, and the mark. */
  const readTarget = async (site: Pick<Site, 'query'>) =>
    JSON.stringify([
      await site.query('SELECT * FROM $.video_versions ORDER BY account, package_id, video_id, change_seq'),
      await site.query('SELECT * FROM $.storage_daily ORDER BY account, day'),
      await site.query('SELECT * FROM $.catalog_daily ORDER BY account, day'),
      await site.query('SELECT account, warehouse_id, change_seq, load_id FROM $.vodhouse_account'),
    ]);

  it('is refused to another warehouse, until a person lets that one take it', async () => {
    const site = await openLoaded();
    const other = openTargetSite(server, { schema: site.schema, start: '2026-03-01T13:00Z' });
    other.register();
    await other.walk([1, 7]);
    other.book({ '2026-02-27': 10, '2026-02-28': 99 });
    const before = await readTarget(site);
    const refused = await other.ship();
    expect(refused['main']).toMatchObject({
      outcome: 'refused',
      error: expect.stringContaining(`belongs to another warehouse`) as string,
      hint: expect.stringContaining('vodhouse publish --target warehouse --rebuild main') as string,
    });
    expect(Object.keys(refused)).toEqual(['main']);
    expect(await readTarget(site)).toBe(before);
    const taken = await other.load({ rebuild: ['main'] });
    expect(taken['main']).toMatchObject({ outcome: 'loaded', verified: true });
    expect(taken['main']?.findings.map(({ kind }) => kind)).toContain('history_set_aside');
    const isOfRuns = (line: string) => /^bi_walks|^\+ .*"succeeded"/.test(line); // those of the other one stay
    expect((await other.differences()).filter((line) => !isOfRuns(line))).toEqual([]);
    const lost = 'SELECT day::text, total_bytes, state FROM $.vodhouse_lost_storage';
    expect(await site.query(lost)).toMatchObject([{ day: '2026-02-28', state: 'booked' }]);
    expect(await site.query('SELECT count(*)::int AS n FROM $.vodhouse_lost_history')).toEqual([{ n: 6 }]);
    expect((await site.load())['main']).toMatchObject({ outcome: 'refused' });
  });

  it('is shipped from where a restored target stands', async () => {
    const template = await server.createDatabase();
    const site = openTargetSite(server, { url: template });
    site.register();
    await site.walk([1, 2, 3]);
    site.book({ '2026-02-27': 10 });
    await site.ship();
    await server.query(`CREATE DATABASE older TEMPLATE "${template.replace(/.*\//, '')}"`);
    await site.walk([1, 2, 3], { title: 'b', tag: 'x' });
    await site.walk([1, 2], { title: 'c' });
    site.book({ '2026-02-28': 20 });
    await site.ship();
    await site.ship();
    const restored = template.replace(/[^/]*$/, 'older');
    const { main } = await site.load({ target: { postgres: restored } });
    expect(main).toMatchObject({ outcome: 'loaded', findings: [] });
    expect(await findTargetDifferences(site.file, { ...site.place, url: restored })).toEqual([]);
    const kinds = `SELECT kind FROM "${site.schema}".vodhouse_load ORDER BY load_id`;
    expect(await server.query(kinds, restored)).toEqual([{ kind: 'first' }, { kind: 'changes' }]);
  });

  it('is held while the lease lasts, and then refused to a copy of the data folder', async () => {
    const site = await openLoaded();
    site.whileClosed(() => undefined);
    const copy = openTargetSite(server, {
      data: site.folder,
      schema: site.schema,
      start: '2026-03-02T12:00Z',
    });
    await site.walk([1, 2, 3], { title: 'by the first' });
    await site.ship();
    await copy.walk([1, 2, 3], { title: 'by the copy' });
    await copy.walk([1, 2, 3, 4], { title: 'by the copy again' });
    const before = await readTarget(site);
    const held = (await copy.ship())['main'];
    expect(held).toMatchObject({ outcome: 'held', heldBy: site.holder.worker });
    expect(held?.heldUntil).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(held?.error).toMatch(/^account main is held by eu-\d+ until \d\d:\d\d UTC$/);
    expect(await readTarget(site)).toBe(before);
    await site.query(`UPDATE $.vodhouse_account SET lease_until = now() - interval '1 second'`);
    const refused = (await copy.load())['main'];
    expect(refused).toMatchObject({
      outcome: 'refused',
      hint: expect.stringContaining('--rebuild main') as string,
    });
    expect(refused?.error).toContain('a copy of its data folder is in use elsewhere');
    expect(await readTarget(site)).toBe(before);
  });

  it('is loaded again and again after a person rebuilt it from the right one of two copies', async () => {
    const site = await openLoaded();
    site.whileClosed(() => undefined);
    const copy = openTargetSite(server, {
      data: site.folder,
      schema: site.schema,
      start: '2026-03-02T12:00Z',
    });
    await copy.walk([1, 2, 3], { title: 'by the copy' });
    await copy.walk([1, 2, 3, 4], { title: 'by the copy again' });
    await site.walk([1, 2, 3], { title: 'by the first' });
    await site.query(`UPDATE $.vodhouse_account SET lease_until = now()`);
    expect((await copy.ship())['main']).toMatchObject({ outcome: 'loaded' });
    await site.query(`UPDATE $.vodhouse_account SET lease_until = now()`);
    expect((await site.ship())['main']).toMatchObject({ outcome: 'refused' });
    expect((await site.load({ rebuild: ['main'] }))['main']).toMatchObject({ outcome: 'loaded' });
    expect((await site.ship())['main']).toMatchObject({ outcome: 'unchanged' });
    await site.walk([1, 2, 3], { title: 'later' });
    expect((await site.ship())['main']).toMatchObject({ outcome: 'loaded' });
    expect(await site.differences()).toEqual([]);
  });

  it('goes on with a copy of the data folder that the first worker no longer ships', async () => {
    const site = await openLoaded();
    site.whileClosed(() => undefined);
    const moved = openTargetSite(server, {
      data: site.folder,
      schema: site.schema,
      start: '2026-03-02T12:00Z',
    });
    await moved.walk([1, 3], { title: 'there' });
    await site.query(`UPDATE $.vodhouse_account SET lease_until = now() - interval '1 second'`);
    expect((await moved.ship())['main']).toMatchObject({ outcome: 'loaded', findings: [] });
    expect(await moved.differences()).toEqual([]);
    const { main } = await site.ship();
    expect(main).toMatchObject({ outcome: 'held', heldBy: moved.holder.worker });
    expect(await site.query('SELECT epoch FROM $.vodhouse_account')).toEqual([{ epoch: '2' }]);
  });

  it('is never overwritten by an older published file', async () => {
    const site = await openLoaded();
    const older = `${site.file}.older`;
    copyFileSync(site.file, older);
    await site.walk([1, 2, 3], { title: 'newer' });
    await site.ship();
    const before = await readTarget(site);
    expect((await site.load({ file: older }))['main']).toMatchObject({ outcome: 'refused' });
    expect(await readTarget(site)).toBe(before);
    expect((await site.load())['main']).toMatchObject({ outcome: 'unchanged' });
  });

  it('is never overwritten by an older published file that lacks only runs and days', async () => {
    const site = await openLoaded();
    const older = `${site.file}.older`;
    copyFileSync(site.file, older);
    await site.walk([1, 2, 3], { title: 'new', tag: 'a,b' }); // unchanged
    site.book({ '2026-02-26': 20 });
    await site.ship();
    const before = await readTarget(site);
    expect((await site.load({ file: older }))['main']).toMatchObject({ outcome: 'refused' });
    expect(await readTarget(site)).toBe(before);
  });

  it('is loaded once by two processes at the same time', async () => {
    const site = await openLoaded();
    await site.walk([1, 2, 3, 4, 5], { title: 'both' });
    await site.publish();
    const results = await Promise.all([site.load(), site.load(), site.load()]);
    expect(results.map(({ main }) => main?.outcome).sort()).toEqual(['loaded', 'unchanged', 'unchanged']);
    expect(await site.differences()).toEqual([]);
    expect(await site.query('SELECT kind FROM $.vodhouse_load')).toHaveLength(2);
  });

  it('has its new name after one load, and no row of the old one', async () => {
    const site = await openLoaded();
    site.warehouse.renameAccount('main', 'media');
    await site.walk([1, 2, 3], { title: 'newer' }, 'media');
    const accounts = ['media'];
    const { media, '(runs)': runs } = await site.ship({ accounts });
    expect(media).toMatchObject({ outcome: 'loaded', findings: [] });
    expect(runs?.findings).toEqual([]);
    expect(await site.query('SELECT account FROM $.vodhouse_account')).toEqual([{ account: 'media' }]);
    expect(await site.differences()).toEqual([]);
    expect((await site.ship({ accounts, verify: accounts }))['media']).toMatchObject({ verified: true });
  });

  it('is removed when a person says so, after the warehouse no longer has it', async () => {
    const site = await openLoaded();
    site.register([101], ['main', 'second']);
    await site.walk([8, 9], {}, 'second');
    site.book({ '2026-02-27': 30 }, 'second');
    await site.ship();
    site.register();
    site.warehouse.forget({ account: 'second', packageId: null }, Date.now());
    const accounts = ['main'];
    const left = await site.ship({ accounts });
    expect(left['(runs)']?.findings).toMatchObject([{ kind: 'left_behind' }]);
    expect(left['(runs)']?.findings[0]?.message).toContain('--rebuild second');
    expect((await site.load({ accounts, rebuild: ['nobody'] }))['nobody']).toMatchObject({
      outcome: 'failed',
    });
    const { second, '(runs)': runs } = await site.load({ accounts, rebuild: ['second'] });
    expect(second).toMatchObject({ outcome: 'deleted', findings: [{ kind: 'history_set_aside' }] });
    expect(runs?.findings).toEqual([]);
    for (const table of [
      'videos',
      'video_tags',
      'packages',
      'storage_daily',
      'catalog_daily',
      'vodhouse_account',
    ])
      expect(await site.query(`SELECT DISTINCT account FROM $.${table}`)).not.toContainEqual({
        account: 'second',
      });
    const lost = 'SELECT account, day::text FROM $.vodhouse_lost_storage';
    expect(await site.query(lost)).toEqual([{ account: 'second', day: '2026-02-27' }]);
    expect(await site.differences()).toEqual([]);
  });
});
