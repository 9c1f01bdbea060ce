/** What holds for every kind of target: whose an account is, and what becomes of one that is renamed or forgotten. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toTimestamp } from '../../src/lib/clock.ts';
import { openTarget } from '../../src/publishing/loader.ts';
import { openLakeSite } from '../support/fixtures/lake-site.ts';
import { execute } from '../support/fixtures/live-file.ts';
import { openPostgresSite } from '../support/fixtures/postgres-site.ts';
import { findPostgres, postgresForTests } from '../support/servers/postgres.ts';
import { transact } from '../../src/database/transaction.ts';
import { deleteTargetLoadsExcept } from '../../src/warehouse/statements/target-loads.ts';
import { getWarehouseId } from '../../src/warehouse/statements/warehouse-state.ts';
import { renameAccount, forgetRows } from '../../src/warehouse/accounts.ts';

const force = (kind: 'rebuild' | 'take-over') => ({ force: { account: 'main', kind } });
const refused = (code: string, option: string) => ({
  main: { outcome: 'refused', code, hint: expect.stringContaining(`--${option} main`) as string },
});
const ELSEWHERE = refused('other_warehouse', 'take-over');
const COPY = refused('other_copy', 'rebuild');
const LOADED = { main: { outcome: 'loaded' } };
const UNCHANGED = { main: { outcome: 'unchanged' }, '(runs)': { outcome: 'unchanged' } };

const kinds = [...(findPostgres() === null ? [] : ['postgres' as const]), 'lake' as const];

describe.each(kinds)('an account of a target (%s)', (kind) => {
  const server = kind === 'postgres' ? postgresForTests() : null;

  type Options = Parameters<typeof openLakeSite>[0];
  const open = (options: Options = {}) =>
    server === null ? openLakeSite(options) : openPostgresSite(server, options);

  async function openPublished(options: Options = {}) {
    const site = open(options);
    site.register();
    await site.walk([1, 2], { tag: 'a,b' });
    site.book({ '2026-02-28': 20 });
    await site.publish();
    return site;
  }

  it('is not there before the first load', async () => {
    const target = await openTarget(open().config, '');
    expect(await target.readAccounts()).toEqual(new Map());
    expect(await target.countVideos('main')).toBe(0);
  });

  it('of another warehouse is refused and unchanged, until a person lets it take it over', async () => {
    const one = await openPublished();
    const two = await openPublished({ place: one.place });
    expect(await one.load()).toMatchObject(LOADED);
    await two.walk([1, 2, 3]);
    await two.publish();
    const before = await one.differences();
    expect(await two.load()).toMatchObject(ELSEWHERE);
    expect(await two.load(force('rebuild'))).toMatchObject(ELSEWHERE);
    expect(await one.differences()).toEqual(before);
    expect(await two.load(force('take-over'))).toMatchObject(LOADED);
    expect(await two.differences()).toEqual([]);
    expect(await one.load()).toMatchObject(ELSEWHERE);
    await two.walk([1, 2, 3], { title: 'new' });
    expect(await two.ship()).toMatchObject(LOADED);
    expect(await two.differences()).toEqual([]);
    const target = await openTarget(one.config, '');
    const accounts = await target.readAccounts();
    expect([...accounts.keys()]).toEqual(['main']);
    expect(accounts.get('main')).toMatchObject({ worker: two.worker, changeSeq: 8 });
    expect(await target.countVideos('main')).toBe(3);
  });

  it('is ours also where two processes load it at the same time, each from its own publication', async () => {
    const site = await openPublished();
    for (const title of ['one', 'two']) {
      await site.walk([1, 2, 3], { title });
      await site.publish();
      const loads = [site.load(), site.publish().then(() => site.load())];
      for (const loaded of await Promise.all(loads)) expect(loaded['main']?.error).toBeNull();
      expect(await site.differences()).toEqual([]);
    }
  });

  it('is not loaded from an older copy of the file, nor from a copy that runs elsewhere, until it is rebuilt', async () => {
    const site = await openPublished();
    const old = join(site.folder, 'old.db');
    copyFileSync(site.file, old);
    await site.load();
    const copy = open({ data: site.folder, place: site.place });
    await site.walk([1, 2, 3]);
    await site.ship();
    expect(await site.load({ file: old })).toMatchObject(COPY);
    await copy.walk([1]);
    expect(await copy.ship()).toMatchObject(COPY);
    expect(await copy.load(force('rebuild'))).toMatchObject(LOADED);
    expect(await copy.differences()).toEqual([]);
    expect(await site.ship()).toMatchObject(COPY);
    expect(await site.load(force('rebuild'))).toMatchObject(LOADED);
    expect(await site.differences()).toEqual([]);
  });

  it('stays ours however often the file was published while the target was absent, also from the config', async () => {
    const site = await openPublished();
    await site.load();
    transact(site.warehouse.db, (tx) => deleteTargetLoadsExcept(tx, []));
    site.clock.advance(60_000);
    execute(
      site.live,
      `with recursive n(n) as (select 1 union all select n + 1 from n where n < 2000)
insert into publication (publication_id, published_at) select 'id ' || n, '${toTimestamp(site.clock.now())}' from n`,
    );
    await site.publish();
    await site.walk([1, 2, 3]);
    expect(await site.ship()).toMatchObject(LOADED);
    expect(await site.differences()).toEqual([]);
  });

  it('is not loaded from an older file of the same warehouse', async () => {
    const site = await openPublished();
    const old = join(site.folder, 'old.db');
    copyFileSync(site.file, old);
    await site.walk([1, 2, 3]);
    await site.ship();
    expect(await site.load({ file: old })).toMatchObject(COPY);
    expect(await site.load()).toMatchObject({ main: { outcome: 'unchanged' } });
  });

  it.runIf(kind === 'postgres')(
    'leaves no runs or facts of a former warehouse when its last account goes',
    async () => {
      if (server === null) throw new Error('there is no server');
      const one = openPostgresSite(server);
      const two = openPostgresSite(server, { place: one.place });
      for (const site of [one, two]) {
        site.register();
        await site.walk([1, 2]);
        await site.publish();
      }
      const owners = () =>
        one.query(
          'SELECT warehouse_id FROM $.runs UNION SELECT warehouse_id FROM $.walks UNION SELECT warehouse_id FROM $.about',
        );
      await one.load();
      expect(await owners()).toEqual([{ warehouse_id: getWarehouseId(one.warehouse.db) }]);
      await two.load(force('take-over'));
      expect(await owners()).toEqual([{ warehouse_id: getWarehouseId(two.warehouse.db) }]);
      await one.load();
      expect(await owners()).toEqual([{ warehouse_id: getWarehouseId(two.warehouse.db) }]);
    },
  );

  it('that left the config, and that another warehouse took over, is not mentioned', async () => {
    const one = await openPublished();
    await one.load();
    const two = await openPublished({ place: one.place });
    await two.load(force('take-over'));
    expect(Object.keys(await one.load({ accounts: ['second'] }))).toEqual(['(runs)']);
  });

  it('of another warehouse is not removed, nor is its former name', async () => {
    const one = await openPublished();
    await one.load();
    const two = open({ place: one.place });
    two.register([101], ['other']);
    await two.walk([1], {}, 'other');
    const loads = await two.ship({ was: { other: 'main' } });
    expect(loads).toMatchObject({ other: { outcome: 'loaded' } });
    expect(await one.differences()).toEqual([]);
  });

  it('writes nothing where nothing is new', async () => {
    const site = await openPublished();
    await site.load();
    const before = await site.countWrites();
    expect(await site.load()).toMatchObject(UNCHANGED);
    expect(await site.countWrites()).toEqual(before);
  });

  it('is under its new name only after one load', async () => {
    const site = await openPublished();
    await site.load();
    transact(site.warehouse.db, (tx) => renameAccount(tx, 'main', 'renamed'));
    const loads = await site.ship({ accounts: ['renamed'], was: { renamed: 'main' } });
    expect(loads).toMatchObject({ renamed: { outcome: 'loaded' } });
    expect([...(await (await openTarget(site.config, '')).readAccounts()).keys()]).toEqual(['renamed']);
    expect(await (await openTarget(site.config, '')).countVideos('main')).toBe(0);
    expect(await site.differences()).toEqual([]);
  });

  it('goes when it is forgotten; a package goes too', async () => {
    const site = await openPublished();
    site.register([101, 102]);
    await site.walk([4], {}, 'main', 102);
    await site.ship();
    const count = async () => (await openTarget(site.config, '')).countVideos('main');
    transact(site.warehouse.db, (tx) =>
      forgetRows(tx, { account: 'main', packageId: 102 }, site.clock.now()),
    );
    expect(await site.ship()).toMatchObject(LOADED);
    expect(await count()).toBe(2);
    expect(await site.differences()).toEqual([]);
    transact(site.warehouse.db, (tx) =>
      forgetRows(tx, { account: 'main', packageId: null }, site.clock.now()),
    );
    expect(await site.ship()).toMatchObject({ main: { outcome: 'removed' } });
    expect(await count()).toBe(0);
    expect((await (await openTarget(site.config, '')).readAccounts()).size).toBe(0);
  });
});
