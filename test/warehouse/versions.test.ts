import { beforeEach, describe, expect, it } from 'vitest';
import { SCHEMA_VERSION } from '../../src/database/migrate.ts';
import { openWarehouse, type Warehouse } from '../../src/warehouse/warehouse.ts';
import { execute, readRows, readValue, type Row } from '../support/fixtures/live-file.ts';
import { EVERYTHING, video, videos, type PackageWalker } from '../support/fixtures/package-walker.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';
import type { VirtualClock } from '../support/clocks/virtual-clock.ts';

let path: string;
let clock: VirtualClock;
let warehouse: Warehouse;
let walker: PackageWalker;

beforeEach(async () => {
  ({ path, clock, warehouse, walker } = await openTestWarehouse());
});

const row = (id: number): Row => readRows(path, 'select * from video where id = ?', id)[0] ?? {};
const versions = (id: number): Row[] =>
  readRows(path, 'select * from video_version where id = ? order by change_seq', id);
const countVersions = () => readValue(path, 'select count(*) from video_version');

/** A trigger of this name that keeps nothing. */
const REPLACED_TRIGGER = `drop trigger video_version_kept;
create trigger video_version_kept after update on video begin select 1; end`;

/** One page with these videos, a minute later. */
async function show(list: Parameters<typeof walker.walkOnce>[0]) {
  clock.advance(60_000);
  await walker.page(await walker.begin(), { videos: list });
}

/**
 * A walk that proves the removal of all other videos after a minute; the removal takes effect after another
 * one.
 */
async function removeOthers(ids: readonly number[]) {
  clock.advance(60_000);
  const walk = await walker.begin();
  await walker.page(walk, { videos: videos(ids), proof: EVERYTHING });
  clock.advance(60_000);
  await walker.finish(walk, { share: 1 });
}

describe('a version', () => {
  it('is exactly the former state of an edited video, from its change to the edit', async () => {
    const members = { extra_field: 'x', series: 'S', content: 'é 🎬\n', v_framerate: 23.976 };
    await walker.page(await walker.begin(), { videos: [video(1, members), video(2)] });
    const before = row(1);
    await show([video(1, { title: 'new' }), video(2)]);
    const valid_to = '2026-03-01 12:01:00';
    expect(before).toMatchObject({ changed_at: '2026-03-01 12:00:00' });
    expect(versions(1)).toEqual([{ ...before, valid_from: '2026-03-01 12:00:00', valid_to }]);
    expect(row(1)).toMatchObject({ title: 'new', changed_at: valid_to, change_seq: 3 });
    expect(countVersions()).toBe(1);
  });

  it('distinguishes null and the empty text', async () => {
    for (const series of [null, '', 'S', null]) await show([video(1, { series })]);
    expect(versions(1).map((version) => version['series'])).toEqual([null, '', 'S']);
    expect(row(1)).toMatchObject({ series: null, change_seq: 4 });
  });
});

describe('a change and its version', () => {
  it('are stored together or not at all: a page that fails leaves no trace', async () => {
    await walker.walkOnce(videos([1, 2, 3]));
    execute(
      path,
      `create trigger fault before update on video when new.id = 3 begin select raise(abort, 'the disk is on fire'); end`,
    );
    const everything = 'select * from video, warehouse_state order by id';
    const before = readRows(path, everything);
    await expect(show(videos([1, 2, 3], { title: 'new' }))).rejects.toThrow('the disk is on fire');
    expect(readRows(path, everything)).toEqual(before);
    expect(countVersions()).toBe(0);
    execute(path, 'drop trigger fault');
    await show(videos([1, 2, 3], { title: 'new' }));
    expect(countVersions()).toBe(3);
  });

  it('are rejected at the second one that takes no new change_seq', async () => {
    await walker.walkOnce(videos([1]));
    const edit = (title: string) => execute(path, `update video set title = '${title}'`);
    edit('a');
    expect(() => edit('b')).toThrow(/UNIQUE constraint failed: video_version/);
    expect(row(1)).toMatchObject({ title: 'a', change_seq: 1 });
    expect(versions(1).map(({ title }) => title)).toEqual(['Video 1']);
  });
});

describe('the trigger that writes versions', () => {
  const readColumns = (table: string) =>
    readRows(path, `select name from pragma_table_info('${table}')`).map(({ name }) => String(name));

  it('names every column of video, on both sides, in the same order', () => {
    const text = String(readValue(path, `select sql from sqlite_schema where name = 'video_version_kept'`));
    const [, into = '', values = ''] = /video_version \(([^)]*)\)\s*values \(([^]*)\);/.exec(text) ?? [];
    const columns = readColumns('video');
    const named = into.split(',').map((name) => name.trim());
    expect([...named].sort()).toEqual([...columns, 'valid_from', 'valid_to'].sort());
    const former = values.split(',').slice(0, columns.length);
    expect(former.map((value) => value.trim())).toEqual(
      named.slice(0, columns.length).map((name) => `old.${name}`),
    );
  });

  it.each(['drop trigger video_version_kept', REPLACED_TRIGGER])(
    'is made anew where a file is migrated: after %s',
    (statements) => {
      const read = () => readValue(path, `select sql from sqlite_schema where name = 'video_version_kept'`);
      const before = read();
      warehouse.close();
      execute(path, `${statements}; pragma user_version = ${SCHEMA_VERSION - 1}`);
      openWarehouse(path, clock).close();
      expect(read()).toBe(before);
    },
  );
});

describe('a state', () => {
  const OF_CHANGE = 'version_number, change, changed_fields, run_id';
  /** All states of a video, the present one last. */
  const states = (id: number) =>
    readRows(
      path,
      `select ${OF_CHANGE}, change_seq from video_version where id = :id
       union all select ${OF_CHANGE}, change_seq from video where id = :id order by change_seq`,
      { id },
    ).map((state) => Object.values(state).slice(0, -1));

  it('has its number, and the change that led to it with its fields and the run', async () => {
    await walker.walkOnce(videos([1, 2, 3]));
    await show([video(2, { title: 'new', tag: 'x', mood: 'good' })]);
    await removeOthers([1, 3]);
    await show([video(2, { title: 'back', tag: 'x', mood: 'good' })]);
    await show([video(2, { title: 'back', tag: '', mood: 'good' })]);
    expect(states(2)).toEqual([
      [1, 'imported', null, 1],
      [2, 'edited', 'title tag extra ', 2],
      [3, 'removed', null, 3],
      [4, 'restored', 'title ', 4],
      [5, 'edited', 'tag ', 5],
    ]);
    expect(states(1)).toEqual([[1, 'imported', null, 1]]);
  });

  it('has no run where none is under way', async () => {
    await walker.walkOnce(videos([1]));
    execute(path, `update run set status = 'succeeded'; update video set title = 'by hand', change_seq = 7`);
    expect(states(1)).toEqual([
      [1, 'imported', null, 1],
      [2, 'edited', 'title ', null],
    ]);
  });
});
