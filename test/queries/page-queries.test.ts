import { beforeEach, describe, expect, it } from 'vitest';
import { openPageQueries, type PageQueries } from '../../src/queries/page-queries.ts';
import { openReadOnly, type Db } from '../../src/database/connection.ts';
import { EDITABLE_FIELDS } from '../../src/database/version-trigger.ts';
import { ADDED, EDITED, REMOVED } from '../../src/queries/named/changes.ts';
import { execute } from '../support/fixtures/live-file.ts';
import {
  EVERYTHING,
  KEY,
  PACKAGE,
  video,
  videos,
  type PackageWalker,
} from '../support/fixtures/package-walker.ts';
import { recordRunner } from '../support/fixtures/run-holder.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';
import type { VirtualClock } from '../support/clocks/virtual-clock.ts';

let path: string;
let clock: VirtualClock;
let details: PageQueries;
let db: Db;
let walker: PackageWalker;

beforeEach(async () => {
  ({ path, clock, walker } = await openTestWarehouse({ packageName: 'Lectures' }));
  details = openPageQueries(path);
  db = openReadOnly(path);
  return () => {
    details.close();
    db.$client.close();
  };
});

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

const added = (limit: number) => ADDED.all(db, { limit });
const edited = (limit: number) => EDITED.all(db, { window: 1_000, limit });
const removed = (limit: number) => REMOVED.all(db, { limit });
const editedIds = (limit = 10) => edited(limit).map(({ id }) => id);

describe('the latest edits', () => {
  it('list each video once, with its last change, the newest first', async () => {
    await walker.walkOnce(videos([1, 2, 3, 4]));
    for (const title of ['a', 'b', 'c']) {
      await show(video(1, { title }), video(2, { title: `2${title}` }));
    }
    await show(video(3, { title: 'x', tag: 'y' }));
    await show(video(1, { title: 'd' }));
    expect(editedIds()).toEqual([1, 3, 2]);
    expect(editedIds(2)).toEqual([1, 3]);
    expect(edited(10)).toMatchObject([
      { old_title: 'c', title: 'd', fields: 'title ', restored: 0, at: '2026-03-01 17:00:00' },
      { old_title: 'Video 3', title: 'x', fields: 'title tag ', restored: 0, at: '2026-03-01 16:00:00' },
      { old_title: '2b', title: '2c', fields: 'title ', restored: 0, package_name: 'Lectures' },
    ]);
  });

  it('include restored videos with their other changes; not removed videos, removed then or before an edit', async () => {
    await walker.walkOnce(videos([1, 2, 3, 4]));
    await show(video(4, { title: 'edited, then removed' }));
    await removeOthers([1]);
    await show(video(2), video(3, { title: 'back', tag: 'other' }));
    expect(edited(10)).toMatchObject([
      { id: 3, restored: 1, fields: 'title tag ', at: '2026-03-01 15:00:00' },
      { id: 2, restored: 1, fields: '', at: '2026-03-01 15:00:00' },
    ]);
    await show(video(2, { title: 'edited since' }));
    expect(edited(1)).toMatchObject([{ id: 2, restored: 0, fields: 'title ' }]);
  });

  it('name every field that a change can affect, and no internal one', async () => {
    await walker.walkOnce(videos([1]));
    const every = EDITABLE_FIELDS.map((name) => `${name} = coalesce(${name}, 0) || '7'`).join(', ');
    execute(path, `update video set ${every}, changed_at = '2026-03-02 00:00:00', change_seq = 99`);
    expect(edited(1)[0]?.fields.trim().split(' ')).toEqual(EDITABLE_FIELDS);
    execute(path, `update video set thumbnail_url = null, change_seq = 100`);
    expect(edited(1)[0]?.fields).toBe('thumbnail_url ');
  });

  it('are searched in the last thousand former states: a large removal hides older ones', async () => {
    await walker.walkOnce(videos([1, 2, ...Array.from({ length: 999 }, (_, index) => 10 + index)]));
    await show(video(1, { title: 'one' }));
    await show(video(2, { title: 'two' }));
    expect(editedIds()).toEqual([2, 1]);
    await removeOthers([1, 2]);
    expect(editedIds()).toEqual([2]);
  });
});

describe('the latest removals', () => {
  it('are in the order of their proof, not of their ids or of the packages', async () => {
    await walker.walkOnce(videos([1, 2, 3, 4, 5]));
    await removeOthers([1, 2, 3, 5]);
    await removeOthers([1, 3]);
    await removeOthers([3]);
    expect(removed(10).map(({ id, removed_at }) => [id, removed_at])).toEqual([
      [1, '2026-03-01 15:00:00'],
      [5, '2026-03-01 14:00:00'],
      [2, '2026-03-01 14:00:00'],
      [4, '2026-03-01 13:00:00'],
    ]);
    expect(removed(2).map(({ id }) => id)).toEqual([1, 5]);
    await show(video(1));
    expect(removed(10).map(({ id }) => id)).toEqual([5, 2, 4]);
  });
});

describe('the latest additions', () => {
  it('are in the order in which they were first stored, whatever changed since', async () => {
    await walker.walkOnce(videos([7, 8]));
    await show(video(3));
    await show(video(7, { title: 'edited' }), video(5));
    await removeOthers([7, 8, 3]);
    const ids = added(3).map(({ id, removed_at }) => [id, removed_at === null]);
    expect(ids.slice(0, 2)).toEqual([
      [5, false],
      [3, true],
    ]);
    expect(ids).toHaveLength(3);
    expect(added(10)).toHaveLength(4);
  });
});

describe('a run under way', () => {
  it('is the newest run with its walks, and none once it ended, also where an older one was killed', async () => {
    await walker.walkOnce(videos([1]));
    expect(details.runningRun()).toBeNull(); // no process runs it: it was killed
    recordRunner(path, 2 ** 22 + 1); // more than Linux allows
    expect(details.runningRun()).toBeNull();
    recordRunner(path);
    expect(details.runningRun()).toMatchObject({ run_id: 1, walked: 1, running_walks: [] });
    const walk = await walker.begin();
    expect(details.runningRun()).toMatchObject({
      run_id: 2,
      walked: 0,
      running_walks: [{ run_id: 2, package_id: PACKAGE, name: 'Lectures', checkpoint_page: null }],
    });
    await walker.stop(walk, 'failed');
    expect(details.runningRun()).toMatchObject({ run_id: 2, walked: 1, running_walks: [] });
    execute(path, `update run set status = 'failed' where run_id = 2`);
    expect(details.runningRun()).toBeNull();
  });
});

describe('a run that resumes another', () => {
  it('includes the walks of that one', async () => {
    await walker.walkOnce(videos([1]));
    await walker.stop(await walker.begin(), 'parked');
    execute(path, `update run set status = 'parked', started_at = '2026-01-01 00:00:00' where run_id = 1`);
    execute(path, `update run set origin_started_at = '2026-01-01 00:00:00' where run_id = 2`);
    recordRunner(path);
    expect(details.runningRun()).toMatchObject({ run_id: 2, walked: 1 });
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
    expect(details.video(KEY, 1)).toMatchObject({ now: { title: 't200' }, earlier: null });
    expect(details.video(KEY, 1)?.before).toHaveLength(100);
    execute(path, `update video set title = 'last', change_seq = 300`);
    const { now, before, earlier } = details.video(KEY, 1) ?? {};
    expect([now?.title, before?.length, before?.[0]?.title, earlier?.title]).toEqual([
      ...['last', 100, 't200', 'Video 1'],
    ]);
    expect(details.video(KEY, 2)).toBeNull();
  });
});

describe('the stamp', () => {
  it('exists for an empty file, and changes with every stored change', async () => {
    expect(details.changeMarker()).toMatchObject({
      last_run: null,
      last_reading: null,
      restricted_until: null,
      last_load: null,
    });
    const before = details.changeMarker().change_seq;
    await walker.walkOnce(videos([1, 2]));
    expect(details.changeMarker().change_seq).toBeGreaterThan(before);
  });
});
