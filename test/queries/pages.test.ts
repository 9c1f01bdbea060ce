import { beforeEach, describe, expect, it } from 'vitest';
import { readLatestChanges } from '../../src/queries/changes/latest-changes.ts';
import { readTodaysChanges } from '../../src/queries/changes/todays-changes.ts';
import { readRunningRun } from '../../src/queries/named/runs.ts';
import { readVideo } from '../../src/queries/named/videos.ts';
import { openReadOnly, type Db } from '../../src/database/connection.ts';
import type { Warehouse } from '../../src/warehouse/warehouse.ts';
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts';
import { execute } from '../support/fixtures/live-file.ts';
import {
  ACCOUNT,
  EVERYTHING,
  PACKAGE,
  video,
  videos,
  type PackageWalker,
} from '../support/fixtures/package-walker.ts';
import { recordKilledRunner, recordRunner } from '../support/fixtures/run-holder.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';
import type { VirtualClock } from '../support/clocks/virtual-clock.ts';
import { transact } from '../../src/database/transaction.ts';
import { registerPackages } from '../../src/warehouse/packages.ts';

let path: string;
let clock: VirtualClock;
let db: Db;
let walker: PackageWalker;
let warehouse: Warehouse;

beforeEach(async () => {
  ({ path, clock, warehouse, walker } = await openTestWarehouse({ packageName: 'Lectures' }));
  db = openReadOnly(path);
  return () => void db.$client.close();
});

const OF_PACKAGE = { account: ACCOUNT, package_id: PACKAGE };

/** The config names these packages, an hour later. */
function configure(ids: readonly number[]): void {
  clock.advance(HOUR_MS);
  const packages = ids.map((id) => ({ id, name: null }));
  transact(warehouse.db, (tx) => registerPackages(tx, [{ name: ACCOUNT, packages }], clock.now()));
}

/** One page that has these videos and proves nothing, an hour later. */
async function show(...list: ReturnType<typeof video>[]) {
  clock.advance(3_600_000);
  await walker.page(await walker.begin(), { videos: list });
}

/** A walk that proves all but these removed, an hour later. */
async function removeOthers(ids: readonly number[]) {
  clock.advance(3_600_000);
  const walk = await walker.begin();
  await walker.page(walk, { videos: videos(ids), proof: EVERYTHING });
  await walker.finish(walk, { share: 1 });
}

describe('the latest changes', () => {
  const latest = (lines = 8) =>
    readLatestChanges(db, lines).map(({ change: { change, id }, count }) => [change, id, count]);

  it('are the newest first, of any kind; many of a run in a package are one line', async () => {
    await walker.walkOnce(videos([1, 2, 3, 4, 5, 6, 7]));
    await show(video(1, { title: 'a' }), video(8));
    await removeOthers([1, 3, 4, 5, 6, 7]);
    expect(latest()).toEqual([
      ['removed', 8, 1],
      ['removed', 2, 1],
      ['edited', 1, 1], // the walk shows its former title
      ['edited', 1, 1],
      ['added', 8, 1],
      ['imported', 7, 7],
    ]);
    expect(latest(2)).toHaveLength(2);
  });

  it('are not hidden by a removal of more than are read at a time', async () => {
    const ids = Array.from({ length: 900 }, (_, index) => index + 1);
    await walker.walkOnce(videos(ids));
    await show(video(1, { title: 'a' }));
    await removeOthers([1, 2]);
    expect(latest(3)).toEqual([
      ['removed', 900, 898],
      ['edited', 1, 1],
      ['imported', 900, 900],
    ]);
  });

  it('have a package that left the config as one line, and one for what returned with it', async () => {
    await walker.walkOnce(videos([1, 2, 3, 4, 5, 6, 7]));
    configure([102]);
    expect(latest(2)).toEqual([
      ['retired', 7, 7],
      ['imported', 7, 7],
    ]);
    configure([PACKAGE]);
    clock.advance(HOUR_MS);
    await walker.walkOnce(videos([1, 2, 3, 4, 5, 6, 8]));
    expect(latest(2)).toEqual([
      ['returned', 6, 6],
      ['added', 8, 1],
    ]);
  });
});

describe('what came and went since midnight', () => {
  const MIDNIGHT = '2026-03-02 00:00:00';
  const changes = () => {
    const { added, imported, removed } = readTodaysChanges(db, MIDNIGHT)[0] ?? {};
    return { added, imported, removed };
  };

  it('adds up to the level of each package, also one that left and came back', async () => {
    await walker.walkOnce(videos([1, 2, 3]));
    clock.advance(DAY_MS);
    await removeOthers([1, 2]);
    await walker.walkOnce(videos([1, 2, 4, 5]));
    expect(changes()).toEqual({ added: 2, imported: 0, removed: 1 });
    configure([102]);
    configure([PACKAGE]);
    expect(changes()).toEqual({ added: 2, imported: 0, removed: 5 }); // 3 - 5 + 2: none are left
    await walker.walkOnce(videos([1, 2, 4, 6]));
    expect(changes()).toEqual({ added: 6, imported: 0, removed: 5 });
  });

  it('has a first import apart, while it lasts and after it; what a walk in progress adds is added', async () => {
    clock.advance(DAY_MS);
    const first = await walker.begin();
    await walker.page(first, { videos: videos([1, 2]) });
    expect(changes()).toEqual({ added: null, imported: 2, removed: 0 });
    await walker.finish(first);
    expect(changes()).toEqual({ added: 0, imported: 2, removed: 0 });
    clock.advance(HOUR_MS);
    const later = await walker.begin();
    await walker.page(later, { videos: videos([3]) });
    expect(changes()).toEqual({ added: 1, imported: 2, removed: 0 });
    clock.advance(HOUR_MS);
    await walker.stop(later, 'failed');
    expect(changes()).toEqual({ added: 1, imported: 2, removed: 0 });
  });
});

describe('a run under way', () => {
  it('is the newest run with its walks, and none once it ended, also where an older one was killed', async () => {
    await walker.walkOnce(videos([1]));
    expect(readRunningRun(db)).toBeNull(); // no process runs it: it was killed
    recordKilledRunner(path);
    expect(readRunningRun(db)).toBeNull();
    recordRunner(path);
    expect(readRunningRun(db)).toMatchObject({ run_id: 1, walked: 1, running_walks: [] });
    const walk = await walker.begin();
    expect(readRunningRun(db)).toMatchObject({
      run_id: 2,
      walked: 0,
      running_walks: [{ run_id: 2, package_id: PACKAGE, name: 'Lectures', checkpoint_page: null }],
    });
    await walker.stop(walk, 'failed');
    expect(readRunningRun(db)).toMatchObject({ run_id: 2, walked: 1, running_walks: [] });
    execute(path, `update run set status = 'failed' where run_id = 2`);
    expect(readRunningRun(db)).toBeNull();
  });
});

describe('a run that resumes another', () => {
  it('includes the walks of that one', async () => {
    await walker.walkOnce(videos([1]));
    await walker.stop(await walker.begin(), 'parked');
    execute(path, `update run set status = 'parked', started_at = '2026-01-01 00:00:00' where run_id = 1`);
    execute(path, `update run set origin_started_at = '2026-01-01 00:00:00' where run_id = 2`);
    recordRunner(path);
    expect(readRunningRun(db)).toMatchObject({ run_id: 2, walked: 1 });
  });
});

describe('a video', () => {
  it('has its state before each change, a hundred at most and the one before these', async () => {
    await walker.walkOnce(videos([1]));
    const updates = Array.from(
      { length: 100 },
      (_, index) => `update video set title = 't${101 + index}', change_seq = ${101 + index};`,
    );
    execute(path, ['begin;', ...updates, 'commit;'].join('\n'));
    expect(readVideo(db, { ...OF_PACKAGE, id: 1 })).toMatchObject({ now: { title: 't200' }, earlier: null });
    expect(readVideo(db, { ...OF_PACKAGE, id: 1 })?.before).toHaveLength(100);
    execute(path, `update video set title = 'last', change_seq = 300`);
    const { now, before, earlier } = readVideo(db, { ...OF_PACKAGE, id: 1 }) ?? {};
    expect([now?.title, before?.length, before?.[0]?.title, earlier?.title]).toEqual([
      'last',
      100,
      't200',
      'Video 1',
    ]);
    expect(readVideo(db, { ...OF_PACKAGE, id: 2 })).toBeNull();
  });
});
