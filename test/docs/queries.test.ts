import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { execute, readRows, type Row } from '../support/fixtures/live-file.ts';
import {
  ACCOUNT,
  type PackageWalker,
  EVERYTHING,
  PACKAGE,
  video,
  videos,
} from '../support/fixtures/package-walker.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';
import { HOUR_MS, DAY_MS } from '../../src/lib/clock.ts';
import type { VirtualClock } from '../support/clocks/virtual-clock.ts';

const PAGE = readFileSync('docs/queries.md', 'utf8');
/** The SQL of the page by its heading. */
const QUERIES = new Map(
  PAGE.split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const heading = section.slice(0, section.indexOf('\n'));
      return [...section.matchAll(/```sql\n([^]*?)```/g)].map(([, text = '']) => [heading, text] as const);
    }),
);

function query(heading: string): string {
  const text = QUERIES.get(heading);
  if (text === undefined) throw new Error(`docs/queries.md has no SQL under "${heading}"`);
  return text;
}

const CATALOGUE = query('The catalogue as it was at a moment');
const ONE_VIDEO = query('How one video changed');
const EDITED = query('Titles edited since yesterday');
const REMOVED = query('What was removed last week');

/** The catalogue without the optional lines. */
const CATALOGUE_OF_ALL = CATALOGUE.replaceAll(/^.*package_id = :package_id.*\n/gm, '');

let path: string;
let clock: VirtualClock;
let walker: PackageWalker;

async function open(start: string | number) {
  ({ path, clock, walker } = await openTestWarehouse({ start }));
}

const select = (text: string, parameters: Record<string, unknown> = {}): Row[] =>
  readRows(path, text, parameters);
const ofPackage = { account: ACCOUNT, package_id: PACKAGE };
const plan = (text: string, parameters = {}) =>
  select(`explain query plan ${text}`, parameters).map(({ detail }) => String(detail));

/** One page that has these videos and proves nothing. */
const show = async (...list: ReturnType<typeof video>[]) =>
  walker.page(await walker.begin(), { videos: list });

/** A walk that proves all but these removed, and takes effect a minute later. */
async function removeOthers(ids: readonly number[]) {
  const walk = await walker.begin();
  await walker.page(walk, { videos: videos(ids), proof: EVERYTHING });
  clock.advance(60_000);
  await walker.finish(walk, { share: 1 });
}

describe('the page of queries', () => {
  it('has these queries, and each of them is tested here', () => {
    expect([...QUERIES.values()]).toEqual([CATALOGUE, ONE_VIDEO, EDITED, REMOVED]);
    expect(PAGE.match(/```sql/g)).toHaveLength(QUERIES.size);
  });

  it.each([...QUERIES])('uses no syntax that SQLite 3.31 lacks: %s', (_heading, text) => {
    const newer =
      /->|\b(unixepoch|iif|format|concat|concat_ws|string_agg|timediff|octet_length|returning|materialized)\b|\bis (not )?distinct from\b|\b(right|full) (outer )?join\b/i;
    expect(text).not.toMatch(newer);
  });
});

describe('in a package whose videos are edited, removed and brought back', () => {
  beforeEach(async () => {
    await open('2026-03-01T12:00Z');
    await walker.walkOnce(videos([1, 2, 3]));
    clock.set('2026-03-01T13:00Z');
    await show(video(1, { title: 'new' }), video(4));
    clock.set('2026-03-01T14:00Z');
    await removeOthers([3, 4]);
    clock.set('2026-03-01T15:00Z');
    await show(video(2, { title: 'back' }));
  });

  const titlesAt = (at: string): Record<string, unknown> =>
    Object.fromEntries(select(CATALOGUE, { at, ...ofPackage }).map(({ id, title }) => [String(id), title]));

  it.each([
    ['2026-03-01 11:59:59', {}],
    ['2026-03-01 12:00:00', { 1: 'Video 1', 2: 'Video 2', 3: 'Video 3' }],
    ['2026-03-01 12:59:59', { 1: 'Video 1', 2: 'Video 2', 3: 'Video 3' }],
    ['2026-03-01 13:00:00', { 1: 'new', 2: 'Video 2', 3: 'Video 3', 4: 'Video 4' }],
    ['2026-03-01 13:59:59', { 1: 'new', 2: 'Video 2', 3: 'Video 3', 4: 'Video 4' }],
    ['2026-03-01 14:00:00', { 3: 'Video 3', 4: 'Video 4' }],
    ['2026-03-01 15:00:00', { 2: 'back', 3: 'Video 3', 4: 'Video 4' }],
    ['2030-01-01 00:00:00', { 2: 'back', 3: 'Video 3', 4: 'Video 4' }],
  ])('the catalogue is as it was at %s', (at, titles) => {
    expect(titlesAt(at)).toEqual(titles);
  });

  it('the catalogue is that of one package, or of all where the line is left out', () => {
    for (const table of ['video', 'video_version'])
      execute(
        path,
        `create temp table copy as select * from ${table}; update copy set package_id = 102, title = 'other';
         insert into ${table} select * from copy`,
      );
    const at = '2026-03-01 12:30:00';
    expect(titlesAt(at)).toEqual({ 1: 'Video 1', 2: 'Video 2', 3: 'Video 3' });
    const all = select(CATALOGUE_OF_ALL, { at });
    expect(all.map(({ package_id, id }) => [package_id, id])).toEqual([
      ...[1, 2, 3].map((id) => [101, id]),
      ...[1, 2, 3].map((id) => [102, id]),
    ]);
  });

  it('one video has its states in order, the present one last', () => {
    const states = select(ONE_VIDEO, { ...ofPackage, id: 2 });
    expect(states.map((state) => Object.values(state).slice(1, 5))).toEqual([
      ['2026-03-01 12:00:00', '2026-03-01 14:00:00', 0, 'Video 2'],
      ['2026-03-01 14:00:00', '2026-03-01 15:00:00', 1, 'Video 2'],
      ['2026-03-01 15:00:00', null, 0, 'back'],
    ]);
    expect(select(ONE_VIDEO, { ...ofPackage, id: 1 }).at(-1)).toMatchObject({
      valid_from: '2026-03-01 14:00:00',
      valid_to: null,
      removed: 1,
    });
    expect(select(ONE_VIDEO, { ...ofPackage, id: 77 })).toEqual([]);
  });

  it('a package and a video are found by the primary keys', () => {
    const inPackage = /^SEARCH .*account=\? AND package_id=\?\)/;
    const searches = plan(CATALOGUE, { at: '', ...ofPackage }).filter((line) => inPackage.test(line));
    expect(searches).toHaveLength(2);
    const lines = [
      ...plan(ONE_VIDEO, { ...ofPackage, id: 1 }),
      ...plan(EDITED).filter((line) => line.startsWith('SEARCH')),
    ];
    expect(lines.filter((line) => /account=\? AND package_id=\? AND id=\?/.test(line))).toHaveLength(4);
    expect(plan(EDITED).filter((line) => /^SCAN (TABLE )?video( |$)/.test(line))).toEqual([]);
  });
});

/** These two use the current time, so their history is dated back from now. */
describe('in a package that changed in the last days', () => {
  const now = Date.now();
  const stamp = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

  beforeEach(async () => {
    await open(now - 30 * DAY_MS);
    await walker.walkOnce(videos([1, 2, 3, 4, 5, 6]));
  });

  it('every edit of a title since yesterday is listed, with the old and the new title', async () => {
    clock.set(now - 3 * DAY_MS);
    await show(video(1, { title: 'long ago' }), video(2, { title: '' }));
    clock.set(now - 2 * HOUR_MS);
    await show(
      video(1, { title: 'first' }),
      video(2, { title: null }),
      video(3, { tag: 'no title' }),
      video(7),
    );
    clock.set(now - HOUR_MS);
    await show(video(1, { title: 'second' }), video(7, { title: 'seven' }), video(3));
    const [early, late] = [stamp(now - 2 * HOUR_MS), stamp(now - HOUR_MS)];
    const edit = (id: number, old_title: string | null, new_title: string | null, edited_at: string) => ({
      ...ofPackage,
      id,
      old_title,
      new_title,
      edited_at,
    });
    expect(select(EDITED)).toEqual([
      edit(1, 'long ago', 'first', early),
      edit(2, '', null, early),
      edit(1, 'first', 'second', late),
      edit(7, 'Video 7', 'seven', late),
    ]);
  });

  it('a removal is not an edit of a title, and a return with another title is one', async () => {
    clock.set(now - 2 * HOUR_MS);
    await removeOthers([1, 2, 3, 4]);
    clock.set(now - HOUR_MS);
    await show(video(5), video(6, { title: 'back' }));
    expect(select(EDITED)).toMatchObject([{ id: 6, old_title: 'Video 6', new_title: 'back' }]);
  });

  it('every removal of the last week is listed, also where the video is back', async () => {
    clock.set(now - 8 * DAY_MS);
    await removeOthers([1, 2, 3, 4, 5]);
    clock.set(now - 2 * DAY_MS);
    await removeOthers([1, 2, 3, 4]);
    clock.set(now - DAY_MS);
    await removeOthers([1, 2, 3]);
    clock.set(now - HOUR_MS);
    await show(video(5, { title: 'back' }), video(6));
    const removal = (id: number, removed_at: string, returned_at: string | null) => ({
      ...ofPackage,
      id,
      title: `Video ${id}`,
      removed_at,
      returned_at,
    });
    expect(select(REMOVED)).toEqual([
      removal(4, stamp(now - DAY_MS), null),
      removal(5, stamp(now - 2 * DAY_MS), stamp(now - HOUR_MS)),
    ]);
  });
});
