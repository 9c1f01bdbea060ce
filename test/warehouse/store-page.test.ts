import { beforeEach, describe, expect, it } from 'vitest';
import type { Warehouse } from '../../src/warehouse/warehouse.ts';
import { readRows, readValue, type Row } from '../support/fixtures/live-file.ts';
import {
  ACCOUNT,
  createWalker,
  type PackageWalker,
  EVERYTHING,
  PACKAGE,
  video,
  videos,
  type Walk,
} from '../support/fixtures/package-walker.ts';
import { videoRecord } from '../support/fixtures/service-responses.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';
import type { VirtualClock } from '../support/clocks/virtual-clock.ts';
import { transact } from '../../src/database/transaction.ts';
import { registerPackages } from '../../src/warehouse/packages.ts';

const NOTHING = { added: 0, edited: 0, unchanged: 0, restored: 0, quarantined: 0, unsettled: 0 };

describe('a page', () => {
  let path: string;
  let clock: VirtualClock;
  let warehouse: Warehouse;
  let walker: PackageWalker;
  let walk: Walk;

  beforeEach(async () => {
    ({ path, clock, warehouse, walker } = await openTestWarehouse());
    walk = await walker.begin();
  });

  const row = (id: number): Row => readRows(path, 'select * from video where id = ?', id)[0] ?? {};

  it('stores every field of docs/service.md unchanged, and the internal ones', async () => {
    const members = { cid: '', series: null, v_framerate: 29.97, filesize: 2 ** 53 - 1, tag: 'a, b\n"c" 🎬' };
    expect(await walker.page(walk, { videos: [video(7, members)] })).toEqual({ ...NOTHING, added: 1 });
    expect(row(7)).toEqual({
      ...videoRecord(7, members),
      account: 'main',
      package_id: 101,
      extra: null,
      first_seen_at: '2026-03-01 12:00:00',
      changed_at: '2026-03-01 12:00:00',
      removed_at: null,
      first_missing_at: null,
      change_seq: 1,
      version_number: 1,
      change: 'imported',
      changed_fields: null,
      run_id: 1,
    });
  });

  it('stores undocumented fields, and detects their changes and removals', async () => {
    const seen = [];
    for (const members of [{}, { mood: 'good' }, { mood: 'good' }, { mood: 'bad', id2: 7 }, {}]) {
      const { unchanged } = await walker.page(walk, { videos: [video(1, members)] });
      seen.push([unchanged, row(1)['extra']]);
    }
    expect(seen).toEqual([
      [0, null],
      [0, '{"mood":"good"}'],
      [1, '{"mood":"good"}'],
      [0, '{"id2":7,"mood":"bad"}'],
      [0, null],
    ]);
  });

  it('cannot overwrite internal columns', async () => {
    const members = {
      account: 'x',
      package_id: 9,
      change_seq: 99,
      removed_at: 'x',
      first_seen_at: 'x',
      changed_at: 'x',
      extra: 'x',
    };
    await walker.page(walk, { videos: [video(1, members)] });
    expect(row(1)).toMatchObject({
      account: 'main',
      package_id: 101,
      change_seq: 1,
      removed_at: null,
      first_seen_at: '2026-03-01 12:00:00',
    });
    expect(JSON.parse(String(row(1)['extra']))).toEqual(members);
  });

  it('writes a row that differs in any one field, and only that one', async () => {
    const fields = Object.entries(videoRecord(1)).filter(([name]) => name !== 'id');
    await walker.page(walk, { videos: videos([1, 2]) });
    const other = row(2);
    for (const [name, value] of fields) {
      clock.advance(1000);
      const changed = typeof value === 'number' ? value + 1 : `${String(value)}!`;
      const members = { [name]: changed };
      const page = { videos: [video(1, members), video(2)] };
      expect(await walker.page(walk, page), name).toEqual({ ...NOTHING, edited: 1, unchanged: 1 });
      expect(row(1)).toMatchObject({ ...members, first_seen_at: '2026-03-01 12:00:00' });
      await walker.page(walk, { videos: [video(1)] });
    }
    expect(row(1)).toMatchObject({ changed_at: '2026-03-01 12:00:23', change_seq: 2 + 2 * fields.length });
    expect(row(2)).toEqual(other);
  });

  it('belongs to one package of one account', async () => {
    await walker.page(walk, { videos: videos([1]) });
    const other = { account: 'other', packageId: PACKAGE };
    const packages = [{ id: PACKAGE, name: null }];
    const accounts = [ACCOUNT, 'other'].map((name) => ({ name, packages }));
    transact(warehouse.db, (tx) => registerPackages(tx, accounts, clock.now()));
    const otherWalker = createWalker(warehouse, clock, other);
    const page = { videos: videos([2]), proof: EVERYTHING, coversWholeList: true };
    await otherWalker.page(await otherWalker.begin(), page);
    expect(readRows(path, 'select account, id from video order by id')).toEqual([
      { account: 'main', id: 1 },
      { account: 'other', id: 2 },
    ]);
    expect(readRows(path, 'select * from removal_candidate')).toEqual([]);
    expect(readRows(path, 'select account, live_count from package order by account')).toEqual([
      { account: 'main', live_count: 1 },
      { account: 'other', live_count: 1 },
    ]);
  });

  it('moves the checkpoint and adds its counts', async () => {
    await walker.page(walk, {
      videos: videos([5, 6]),
      checkpoint: { id: 5, page: 2, pageSize: 2, totalcount: 4 },
    });
    await walker.page(walk, {
      videos: videos([3, 4, 5]),
      refused: [{ id: 9, reason: 'r', raw: '{}' }],
      gap: { low: 5, high: 6 },
      checkpoint: { id: 3, page: 1, totalcount: 5, orderViolated: true },
    });
    expect(readRows(path, 'select * from walk')[0]).toMatchObject({
      status: 'running',
      pages: 2,
      added: 4,
      unchanged: 1,
      quarantined: 1,
      unsettled: 2,
      checkpoint_id: 3,
      checkpoint_page: 1,
      page_size: 2,
      totalcount: 5,
      order_violated: 1,
    });
  });

  it('counts the live rows in its gap as unsettled, ends included', async () => {
    await walker.walkOnce(videos([1, 5, 6, 7, 9]));
    await walker.walkOnce(videos([1, 5, 7, 9]), { share: 1 });
    const again = await walker.begin();
    const counts = await walker.page(again, { videos: videos([1]), gap: { low: 5, high: 8 } });
    expect(counts).toMatchObject({ unsettled: 2 });
    expect(await walker.page(again, { gap: { low: 6, high: 6 } })).toMatchObject({ unsettled: 0 });
  });
});

describe('a record that cannot be stored', () => {
  let path: string;
  let clock: VirtualClock;
  let walker: PackageWalker;
  const open = () =>
    readRows(
      path,
      'select record_id, reason, raw, seen_at, resolved_at, page from quarantine order by quarantine_id',
    );
  const refused = (id: number | null, raw: string) => ({ id, reason: 'duration: "x" is no number', raw });

  beforeEach(async () => {
    ({ path, clock, walker } = await openTestWarehouse());
  });

  it('is stored unchanged, once, however often it arrives', async () => {
    const walk = await walker.begin();
    const page = { page: 4, refused: [refused(5, '{"id":5,"duration":"x"}'), refused(null, '{"id":"?"}')] };
    for (let round = 0; round < 3; round++) {
      expect(await walker.page(walk, page)).toEqual({ ...NOTHING, quarantined: 2 });
      clock.advance(60_000);
    }
    const row = {
      reason: 'duration: "x" is no number',
      page: 4,
      seen_at: '2026-03-01 12:02:00',
      resolved_at: null,
    };
    expect(open()).toEqual([
      { ...row, record_id: '5', raw: '{"id":5,"duration":"x"}' },
      { ...row, record_id: null, raw: '{"id":"?"}' },
    ]);
    expect(readRows(path, 'select account, stream, package_id from quarantine')[0]).toEqual({
      account: 'main',
      stream: 'videos',
      package_id: 101,
    });
  });

  it('is stored again where it differs, and all of it is resolved when it is valid', async () => {
    const walk = await walker.begin();
    await walker.page(walk, { refused: [refused(5, '{"id":5,"duration":"x"}'), refused(55, '{"id":55}')] });
    await walker.page(walk, { refused: [refused(5, '{"id":5,"duration":"y"}')] });
    clock.advance(60_000);
    await walker.page(walk, { videos: videos([5]) });
    expect(open().map(({ record_id, resolved_at }) => [record_id, resolved_at])).toEqual([
      ['5', '2026-03-01 12:01:00'],
      ['55', null],
      ['5', '2026-03-01 12:01:00'],
    ]);
    await walker.page(walk, { refused: [refused(5, '{"id":5,"duration":"x"}')] });
    expect(open().map(({ resolved_at }) => resolved_at)).toEqual([
      '2026-03-01 12:01:00',
      null,
      '2026-03-01 12:01:00',
      null,
    ]);
  });

  it('does not remove its video, and does not change the row', async () => {
    await walker.walkOnce(videos([4, 5, 6]));
    const before = readRows(path, 'select * from video where id = 5');
    const walk = await walker.begin();
    await walker.page(walk, { videos: videos([4, 6]), refused: [refused(5, '{}')], proof: EVERYTHING });
    expect(await walker.finish(walk, { share: 1 })).toEqual({ removed: 0, heldBack: 0 });
    expect(readRows(path, 'select * from video where id = 5')).toEqual(before);
  });

  it('clears the removal candidate of its video: it still exists', async () => {
    await walker.walkOnce(videos([4, 5, 6]));
    const walk = await walker.begin();
    await walker.page(walk, { videos: videos([4, 6]), proof: EVERYTHING });
    expect(readValue(path, 'select count(*) from removal_candidate')).toBe(1);
    await walker.page(walk, { refused: [refused(5, '{}')] });
    expect(readValue(path, 'select count(*) from removal_candidate')).toBe(0);
  });
});
