import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/connection.ts';
import { arrive, beginMove, finishMove } from '../../src/warehouse/move/move-account.ts';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { claimAccounts } from '../../src/publishing/targets/postgres/leases.ts';
import { createTargetConfig } from '../support/fixtures/target-config.ts';
import { openTargetSite } from '../support/fixtures/target-site.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

type Site = ReturnType<typeof openTargetSite>;

/** What `vodhouse move second` does to two live files. */
function move(from: Site, to: Site, { isBrokenOff = false } = {}): void {
  from.whileClosed(() =>
    to.whileClosed(() => {
      const now = Math.max(from.clock.now(), to.clock.now());
      const files = [from, to].map(({ live }) => ({ path: live, db: openDatabase(live, now) }));
      const [source, destination] = files;
      if (!source || !destination) throw new Error('two files are needed');
      const { instance } = from.holder;
      const request = { account: 'second', from: source, to: destination, instance, now };
      arrive(request, beginMove(request));
      if (!isBrokenOff) finishMove(request);
      for (const { db } of files) db.$client.close();
    }),
  );
}

/** A worker that claimed the account, and was killed before its load. */
async function claimOnly({ url, schema, holder, warehouse }: Site) {
  const request = { target: createTargetConfig(url, { schema }), holder, deadlineMs: 10_000 };
  const facts = {
    warehouseId: warehouse.getWarehouseId(),
    timezone: 'Asia/Seoul',
    marts: createMarts({ durationUnit: 'ms', exclude: [] }),
    originsOf: (account: string) => warehouse.findMove(account)?.origins ?? [],
  };
  return (await claimAccounts(request, facts, ['second']))[0]?.result;
}

describe.skipIf(findPostgres() === null)('an account that vodhouse move took to another file', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  /** Two workers with an account each, and `second` at the first one; all is loaded. */
  async function openBoth({ isNew = false } = {}) {
    const from = openTargetSite(server);
    from.register([101], ['main', 'second']);
    for (const account of ['main', 'second']) {
      await from.walk([1, 2, 3], {}, account);
      await from.walk([1, 2, 3], { title: 'new' }, account);
    }
    from.book({ '2026-02-27': 10, '2026-02-28': 20 }, 'second');
    await from.ship({ accounts: ['main', 'second'] });
    const to = openTargetSite(server, { schema: from.schema, start: '2026-03-01T13:00Z' });
    if (!isNew) {
      to.register([101], ['third']);
      await to.walk([1, 2], {}, 'third');
      await to.ship({ accounts: ['third'] });
    }
    return { from, to };
  }
  /** What the target has and the file does not, once the other worker has loaded that its walks of the account are gone. */
  async function findDifferences(site: Site, other: Site) {
    await other.ship({ accounts: ['main'] });
    return site.differences();
  }
  const withSecond = { accounts: ['third', 'second'] };
  const readEpoch = async (site: Site) =>
    (await site.query<{ epoch: string }>(`SELECT epoch FROM $.vodhouse_account WHERE account = 'second'`))[0]
      ?.epoch;
  const place = ({ schema, folder }: Site) => ({ schema, data: folder });
  const endLeases = (site: Site) => site.query('UPDATE $.vodhouse_account SET lease_until = now()');
  const countLost = async (site: Site) =>
    (await site.query<{ n: number }>('SELECT count(*)::int AS n FROM $.vodhouse_lost_history'))[0]?.n;

  it('is taken over at once, with a new epoch, and a late load of the first worker is refused', async () => {
    const { from, to } = await openBoth();
    const before = await readEpoch(from);
    move(from, to);
    const loaded = await to.ship(withSecond);
    expect(loaded['second']).toMatchObject({ outcome: 'loaded', error: null });
    expect(loaded['second']?.findings.map(({ kind }) => kind)).toEqual(['reloaded']);
    expect((await from.load({ accounts: ['main', 'second'] }))['second']).toMatchObject({
      outcome: 'refused',
    });
    expect([await findDifferences(to, from), await countLost(to)]).toEqual([[], 0]);
    expect(await readEpoch(to)).not.toBe(before);
    const rest = await from.ship({ accounts: ['main'] });
    expect(Object.keys(rest)).toEqual(['main', '(runs)']);
    expect(rest['(runs)']?.findings).toEqual([]);
    await to.walk([1, 2, 3, 4], {}, 'second');
    expect((await to.ship({ ...withSecond, verify: ['second'] }))['second']).toMatchObject({
      ...{ outcome: 'loaded', verified: true },
    });
    expect(await findDifferences(to, from)).toEqual([]);
  });

  it('is not written again where the other file is new', async () => {
    const { from, to } = await openBoth({ isNew: true });
    const xmin = () =>
      from.query(`SELECT xmin::text, video_id FROM $.videos WHERE account = 'second' ORDER BY 2`);
    const before = await xmin();
    move(from, to);
    expect((await to.ship(withSecond))['second']).toMatchObject({ outcome: 'loaded' });
    expect(await xmin()).toEqual(before);
    expect(await findDifferences(to, from)).toEqual([]);
  });

  it('goes back and forth, with and without a load in between; old copies take nothing back', async () => {
    const { from, to } = await openBoth();
    const oldFrom = openTargetSite(server, {
      schema: from.schema,
      data: from.folder,
      start: '2026-03-02T12:00Z',
    });
    move(from, to);
    await to.walk([1, 2, 3, 4], {}, 'second');
    await to.ship(withSecond);
    const oldTo = openTargetSite(server, {
      schema: from.schema,
      data: to.folder,
      start: '2026-03-02T12:00Z',
    });
    move(to, from);
    await from.walk([1, 2, 3, 4, 5], {}, 'second');
    expect((await from.ship())['second']).toMatchObject({ outcome: 'loaded' });
    expect([await findDifferences(from, to), await countLost(from)]).toEqual([[], 0]);
    await from.query('UPDATE $.vodhouse_account SET lease_until = now()');
    expect((await oldTo.ship(withSecond))['second']).toMatchObject({ outcome: 'refused' });
    await oldFrom.walk([1, 2], {}, 'second');
    expect((await oldFrom.ship())['second']).toMatchObject({ outcome: 'refused' });
    await from.query('UPDATE $.vodhouse_account SET lease_until = now()');
    move(from, to);
    move(to, from);
    move(from, to); // nothing was loaded in between
    await to.walk([1, 2, 3, 4, 5, 6], {}, 'second');
    expect((await to.ship(withSecond))['second']).toMatchObject({ outcome: 'loaded' });
    await to.walk([1, 2, 3, 4, 5, 6, 7], {}, 'second');
    const { second } = await to.ship({ ...withSecond, verify: ['second'] });
    expect(second).toMatchObject({ outcome: 'loaded', verified: true });
    expect([await findDifferences(to, from), await countLost(to)]).toEqual([[], 0]);
  });

  it('sets aside what a copy of the first folder loaded before the new worker came', async () => {
    const { from, to } = await openBoth();
    const copy = openTargetSite(server, {
      schema: from.schema,
      data: from.folder,
      start: '2026-03-02T12:00Z',
    });
    move(from, to);
    await from.query('UPDATE $.vodhouse_account SET lease_until = now()');
    await copy.walk([1, 2, 3, 9], {}, 'second');
    expect((await copy.ship())['second']).toMatchObject({ outcome: 'loaded' });
    expect((await to.ship(withSecond))['second']).toMatchObject({ outcome: 'held' });
    await from.query('UPDATE $.vodhouse_account SET lease_until = now()');
    const { second } = await to.ship({ ...withSecond, verify: ['second'] });
    expect(second).toMatchObject({ outcome: 'loaded', verified: true });
    expect(await countLost(to)).toBe(4); // the copy edited three videos and found one
    expect((await copy.ship())['second']).toMatchObject({ outcome: 'refused' });
  });

  it('is not deleted from the target by a rebuild at the first worker', async () => {
    const { from, to } = await openBoth();
    move(from, to);
    await from.publish();
    expect((await from.load({ accounts: ['main'], rebuild: ['second'] }))['second']).toMatchObject({
      ...{ outcome: 'failed', error: expect.stringContaining('was moved to another warehouse') as string },
    });
    expect((await to.ship(withSecond))['second']).toMatchObject({ outcome: 'loaded' });
    expect(await findDifferences(to, from)).toEqual([]);
  });

  it('is not loaded from an old copy where the file that it came back to was killed after its claim', async () => {
    const { from, to } = await openBoth();
    const old = openTargetSite(server, { ...place(from), start: '2026-03-02T12:00Z' });
    move(from, to);
    await to.walk([1, 2, 3, 4], {}, 'second');
    await to.ship(withSecond);
    move(to, from);
    expect(await claimOnly(from)).toBe('claimed');
    await endLeases(from);
    await old.walk([1, 2], {}, 'second');
    expect((await old.ship())['second']).toMatchObject({
      ...{ outcome: 'refused', error: expect.stringContaining('old copy') as string },
    });
    expect(await countLost(from)).toBe(0);
    await endLeases(from);
    expect((await from.ship())['second']).toMatchObject({ outcome: 'loaded' });
    expect([await findDifferences(from, to), await countLost(from)]).toEqual([[], 0]);
  });

  it('is not loaded from an old copy of a file that had never loaded it before the move', async () => {
    const from = openTargetSite(server);
    from.register([101], ['second']);
    await from.walk([1, 2], {}, 'second');
    const old = openTargetSite(server, { ...place(from), start: '2026-03-02T12:00Z' });
    const to = openTargetSite(server, { schema: from.schema, start: '2026-03-01T13:00Z' });
    move(from, to);
    await to.walk([1, 2, 3], {}, 'second');
    await to.ship({ accounts: ['second'] });
    move(to, from);
    await from.ship({ accounts: ['second'] });
    await endLeases(from);
    expect((await old.ship({ accounts: ['second'] }))['second']).toMatchObject({ outcome: 'refused' });
    await endLeases(from);
    await from.walk([1, 2, 3, 4], {}, 'second');
    expect((await from.ship({ accounts: ['second'] }))['second']).toMatchObject({ outcome: 'loaded' });
    expect(await countLost(from)).toBe(0);
  });

  it('is not taken over by a copy that moved on from before the newest claim', async () => {
    const { from, to } = await openBoth();
    move(from, to);
    await to.ship(withSecond);
    const copy = openTargetSite(server, { ...place(to), start: '2026-03-02T12:00Z' });
    move(to, from);
    expect(await claimOnly(from)).toBe('claimed');
    const third = openTargetSite(server, { schema: from.schema, start: '2026-03-03T13:00Z' });
    move(copy, third);
    await endLeases(from);
    expect(await claimOnly(third)).toBe('refused');
    expect((await from.ship())['second']).toMatchObject({ outcome: 'loaded' });
  });

  it('moves on and back after a claim that no load followed', async () => {
    const { from, to } = await openBoth();
    const third = openTargetSite(server, { schema: from.schema, start: '2026-03-01T13:00Z' });
    move(from, to);
    expect(await claimOnly(to)).toBe('claimed');
    move(to, from);
    expect(await claimOnly(from)).toBe('claimed');
    move(from, third);
    expect((await third.ship({ accounts: ['second'], verify: ['second'] }))['second']).toMatchObject({
      ...{ outcome: 'loaded', verified: true },
    });
    expect([await claimOnly(from), await claimOnly(to)]).toEqual(['refused', 'refused']);
    expect([await findDifferences(third, from), await countLost(third)]).toEqual([[], 0]);
  });

  it('is not taken back by a rebuild while the move is broken off; the hint is to finish it', async () => {
    const { from, to } = await openBoth();
    move(from, to, { isBrokenOff: true });
    await to.ship(withSecond);
    const finish = { hint: expect.stringContaining('finishes the move') as string };
    expect((await from.ship())['second']).toMatchObject({ outcome: 'refused', ...finish });
    expect((await from.load({ rebuild: ['second'] }))['second']).toMatchObject({
      ...{ outcome: 'failed', ...finish },
    });
    expect(await countLost(to)).toBe(0);
    expect((await to.ship({ ...withSecond, verify: ['second'] }))['second']?.verified).toBe(true);
  });

  it('leaves no rows that nobody may delete where it was renamed before its first load', async () => {
    const { from, to } = await openBoth();
    move(from, to);
    to.warehouse.renameAccount('second', 'zwei');
    await from.ship({ accounts: ['main'] });
    const asked = { accounts: ['third', 'zwei'] };
    const loaded = await to.ship(asked);
    expect(loaded['zwei']).toMatchObject({ outcome: 'loaded' });
    const remove = { ...asked, rebuild: ['second'] };
    expect((await to.load(remove))['second']).toMatchObject({
      ...{ outcome: 'held', error: expect.stringContaining('account second is held by') as string },
    });
    expect((await to.load({ ...asked, rebuild: ['main'] }))['main']).toMatchObject({ outcome: 'failed' });
    await endLeases(from);
    const findings = (await to.load(asked))['(runs)']?.findings;
    expect(findings).toMatchObject([
      { kind: 'left_behind', message: expect.stringContaining('--rebuild second') as string },
    ]);
    expect((await to.load({ ...asked, rebuild: ['main'] }))['main']).toMatchObject({ outcome: 'failed' });
    expect((await to.load(remove))['second']).toMatchObject({ outcome: 'deleted' });
    expect(await to.query('SELECT account, count(*)::int AS n FROM $.videos GROUP BY 1 ORDER BY 1')).toEqual([
      { account: 'main', n: 3 },
      ...[
        { account: 'third', n: 2 },
        { account: 'zwei', n: 3 },
      ],
    ]);
    expect((await to.load(asked))['(runs)']?.findings).toEqual([]);
  });
});
