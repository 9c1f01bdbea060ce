import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts';
import type { Warehouse } from '../../src/warehouse/warehouse.ts';
import type { VirtualClock } from '../support/clocks/virtual-clock.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import {
  ACCOUNT,
  createWalker,
  EVERYTHING,
  KEY,
  PACKAGE,
  videos,
  type PackageWalker,
} from '../support/fixtures/package-walker.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';
import { transact } from '../../src/database/transaction.ts';
import { registerPackages } from '../../src/warehouse/packages.ts';
import { listPackagesServedSince, listFullTurns } from '../../src/warehouse/statements/package.ts';
import { beginQuickWalk } from '../../src/warehouse/quick-walks.ts';

let path: string;
let clock: VirtualClock;
let warehouse: Warehouse;
let walker: PackageWalker;

beforeEach(async () => {
  ({ path, clock, warehouse, walker } = await openTestWarehouse());
});

/** The config names these packages from now on. */
function configure(ids: readonly number[]): void {
  const packages = ids.map((id) => ({ id, name: null }));
  transact(warehouse.db, (tx) => registerPackages(tx, [{ name: ACCOUNT, packages }], clock.now()));
}

/** The package leaves the config after a day. */
function leave(): void {
  clock.advance(DAY_MS);
  configure([102]);
}

/** It is back in the config after another day. */
function comeBack(): void {
  clock.advance(DAY_MS);
  configure([PACKAGE, 102]);
}

/** How each state of each video began and when, the present one last: `1: imported 03-01, retired 03-02`. */
const histories = () =>
  readRows(
    path,
    `select id || ': ' || group_concat(change || ' ' || substr(changed_at, 6, 5), ', ' order by change_seq) as text
     from (
       select id, change, changed_at, change_seq from video_version where package_id = ${PACKAGE}
       union all select id, change, changed_at, change_seq from video where package_id = ${PACKAGE})
     group by id order by id`,
  ).map(({ text }) => text);

const packageRow = () => readRows(path, `select * from package where package_id = ${PACKAGE}`)[0];

describe('a first import', () => {
  const CHANGES = 'select id, change from video order by id';

  it('has no additions: its videos are imported, and those of later walks are added', async () => {
    await walker.walkOnce(videos([1, 2]));
    await walker.walkOnce(videos([1, 2, 3]));
    expect(readRows(path, CHANGES)).toEqual([
      { id: 1, change: 'imported' },
      { id: 2, change: 'imported' },
      { id: 3, change: 'added' },
    ]);
  });

  it('is one import also where it took several walks and days: stopped, killed and resumed', async () => {
    const page = async (id: number) => {
      const walk = await walker.begin();
      await walker.page(walk, { videos: videos([id]), checkpoint: { id } });
      return walk;
    };
    await walker.stop(await page(4), 'interrupted');
    clock.advance(DAY_MS);
    await page(3); // killed
    clock.advance(DAY_MS);
    await walker.stop(await page(2), 'failed');
    clock.advance(DAY_MS);
    const walk = await page(1);
    expect(walk.checkpoint).toMatchObject({ id: 2 });
    await walker.page(walk, { videos: videos([9]), checkpoint: { unreadReason: 'page 2 is unread' } });
    await walker.finish(walk); // not all was read: the import is not over
    await walker.walkOnce(videos([1, 2, 3, 4, 8, 9]));
    await walker.walkOnce(videos([1, 2, 3, 4, 7, 8, 9]));
    const imported = [1, 2, 3, 4, 8, 9].map((id) => ({ id, change: 'imported' }));
    expect(readRows(path, CHANGES)).toEqual(imported.toSpliced(4, 0, { id: 7, change: 'added' }));
  });

  it('goes on where its package left the config before it was over', async () => {
    const walk = await walker.begin();
    await walker.page(walk, { videos: videos([3, 4]), checkpoint: { id: 3 } });
    await walker.stop(walk, 'interrupted');
    leave();
    comeBack();
    await walker.walkOnce(videos([1, 3, 4]));
    expect(histories()).toEqual([
      '1: imported 03-03',
      '3: imported 03-01, retired 03-02, returned 03-03',
      '4: imported 03-01, retired 03-02, returned 03-03',
    ]);
  });
});

describe('a package that leaves the config', () => {
  it('retires the videos that are present, and leaves the removed ones as they are', async () => {
    await walker.walkOnce(videos([1, 2, 3]));
    await walker.walkOnce(videos([1, 3]));
    const removed = readRows(path, 'select * from video where id = 2');
    await walker.begin(); // a run that is killed: it retires nothing
    leave();
    const at = '2026-03-02 12:00:00';
    const common = {
      removed_at: at,
      changed_at: at,
      first_missing_at: null,
      change: 'retired',
      run_id: null,
    };
    const columns =
      'id, removed_at, changed_at, first_missing_at, change, run_id, version_number, change_seq';
    expect(readRows(path, `select ${columns} from video where id <> 2 order by id`)).toEqual([
      { id: 1, ...common, version_number: 2, change_seq: 5 },
      { id: 3, ...common, version_number: 2, change_seq: 6 },
    ]);
    expect(readRows(path, 'select * from video where id = 2')).toEqual(removed);
    expect(readRows(path, 'select id, change, valid_to from video_version where id <> 2')).toEqual([
      { id: 1, change: 'imported', valid_to: at },
      { id: 3, change: 'imported', valid_to: at },
    ]);
    expect(packageRow()).toMatchObject({ retired_at: at, live_count: 0, last_count: 2, changed_seq: 6 });
    expect(readRows(path, 'select change_seq from warehouse_state')).toEqual([{ change_seq: 6 }]);
  });

  it('takes nothing that the service may have changed meanwhile: no proof, page or checkpoint is left', async () => {
    const low = Array.from({ length: 30 }, (_, index) => index + 1);
    const high = low.map((id) => id + 30);
    const full = await walker.begin();
    for (const [page, ids, proof] of [
      [2, high, { low: 31, high: EVERYTHING.high }],
      [1, low, { low: 1, high: 30 }],
    ] as const) {
      const fingerprint = { hash: `h${page}`, first: proof.low, last: proof.low + 29 };
      await walker.page(full, { page, videos: videos(ids), proof, fingerprint });
    }
    await walker.finish(full);
    const stopped = await walker.begin();
    const proof = { low: 31, high: EVERYTHING.high };
    await walker.page(stopped, { page: 2, videos: videos([31]), proof, checkpoint: { id: 31 } });
    await walker.stop(stopped, 'interrupted');
    expect(readRows(path, 'select count(*) as count from removal_candidate')).toEqual([{ count: 29 }]);
    expect(readRows(path, 'select page from page_hash')).toEqual([{ page: 1 }]);
    leave();
    expect(readRows(path, 'select * from removal_candidate')).toEqual([]);
    expect(readRows(path, 'select * from page_hash')).toEqual([]);
    comeBack();
    expect((await walker.begin()).checkpoint).toBeNull();
  });

  it('waits for a full walk when it is back, as a new one does, and was served by no run before', async () => {
    await walker.walkOnce(videos([1, 2]));
    const [{ since } = {}] = readRows(path, 'select started_at as since from run');
    const served = () => listPackagesServedSince(warehouse.db, ACCOUNT, 'full', String(since));
    expect(transact(warehouse.db, (tx) => beginQuickWalk(tx, KEY, clock.now()))).toMatchObject({
      totalcount: 2,
    });
    expect(served()).toEqual([PACKAGE]);
    leave();
    comeBack();
    expect(served()).toEqual([]);
    expect(transact(warehouse.db, (tx) => beginQuickWalk(tx, KEY, clock.now()))).toBe('unwalked');
    expect(listFullTurns(warehouse.db).find(({ packageId }) => packageId === PACKAGE)).toMatchObject({
      at: null,
    });
    expect(packageRow()).toMatchObject({
      retired_at: null,
      last_count: null,
      live_count: 0,
      walked_at: null,
    });
  });

  it('returns a video with what was edited meanwhile, and one whose record cannot be stored', async () => {
    await walker.walkOnce(videos([1, 2]));
    leave();
    comeBack();
    const walk = await walker.begin();
    await walker.page(walk, {
      videos: videos([1], { title: 'new' }),
      refused: [{ id: 2, reason: 'r', raw: '{}' }],
      proof: EVERYTHING,
    });
    await walker.finish(walk);
    const states = 'select id, change, changed_fields, removed_at from video order by id';
    const returned = { change: 'returned', removed_at: null };
    expect(readRows(path, states)).toEqual([
      { id: 1, ...returned, changed_fields: 'title ' },
      { id: 2, ...returned, changed_fields: null },
    ]);
  });

  it('touches no other package of the same number or account', async () => {
    const other = { account: 'other', packageId: PACKAGE };
    const packages = [{ id: PACKAGE, name: null }];
    const both = [ACCOUNT, 'other'].map((name) => ({ name, packages }));
    transact(warehouse.db, (tx) => registerPackages(tx, both, clock.now()));
    for (const key of [KEY, other]) await createWalker(warehouse, clock, key).walkOnce(videos([1, 2]));
    clock.advance(HOUR_MS);
    transact(warehouse.db, (tx) => registerPackages(tx, [{ name: 'other', packages }], clock.now()));
    expect(readRows(path, 'select account, live_count, last_count from package order by account')).toEqual([
      { account: ACCOUNT, live_count: 0, last_count: 2 },
      { account: 'other', live_count: 2, last_count: null },
    ]);
    expect(readRows(path, 'select distinct account, change from video order by account')).toEqual([
      { account: ACCOUNT, change: 'retired' },
      { account: 'other', change: 'imported' },
    ]);
  });
});
