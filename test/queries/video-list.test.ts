import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ListQuery } from '../../src/queries/video-list/list-page.ts';
import { openVideoLists, type VideoLists } from '../../src/queries/video-list/video-list.ts';
import { openWideReads } from '../../src/queries/wide-reads.ts';
import { change, liveFileWith, packageRow, videoRow } from '../support/fixtures/filled-live-file.ts';
import { execute, readRows, readValue } from '../support/fixtures/live-file.ts';
import { parseRecords } from '../support/fixtures/json-page.ts';

const NEVER = new AbortController().signal;
const KEY = { account: 'main', packageId: 101 };
const AT = '2026-03-02 03:00:00';
const COUNTED = `update package set
  live_count = (select count(*) from video v where v.package_id = package.package_id and v.removed_at is null),
  changed_seq = (select coalesce(max(change_seq), 0) from video v where v.package_id = package.package_id);`;

function openUntilTheEnd(path: string): VideoLists {
  const wideReads = openWideReads(path);
  const lists = openVideoLists(path, wideReads.scan);
  onTestFinished(async () => {
    lists.close();
    await wideReads.close();
  });
  return lists;
}

/** Changes that a worker may make to a video, as SQL. */
type Step = { kind: 'insert' | 'remove' | 'restore' | 'edit'; id: number };

function createStatement({ kind, id }: Step): string {
  const isKnown = `exists (select 1 from video where package_id = 101 and id = ${id})`;
  if (kind === 'insert')
    return videoRow(id).replace(/ values (.*);$/, ` select * from (values $1) where not ${isKnown};`);
  if (kind === 'edit') return change(id, AT, `title = title || '!'`);
  return change(id, AT, `removed_at = ${kind === 'remove' ? `'${AT}'` : 'null'}`);
}

/** The page as a plain query returns it. */
function plainPage(path: string, { sort, page, pageSize, search }: ListQuery): unknown[] {
  const order = `${sort.item} ${sort.direction}, id ${sort.direction}`;
  const found = search ? `and instr(${search.item}, '${search.keyword}')` : '';
  return readRows(
    path,
    `select id, title from video where package_id = 101 and removed_at is null ${found}
     order by ${order} limit ${pageSize} offset ${(page - 1) * pageSize}`,
  );
}

async function expectAsPlain(lists: VideoLists, path: string, query: ListQuery): Promise<void> {
  const found = await lists.page(KEY, query, NEVER);
  expect(found && parseRecords(found).map(({ id, title }) => ({ id, title }))).toEqual(
    plainPage(path, query),
  );
  const isAll = query.search === undefined;
  if (isAll)
    expect(found?.size).toBe(readValue(path, 'select live_count from package where package_id = 101'));
}

const step = fc.record({
  kind: fc.constantFrom('insert', 'insert', 'remove', 'restore', 'edit'),
  id: fc.integer({ min: 1, max: 120 }),
});
const direction = fc.constantFrom('asc', 'desc');
const byId = fc.record({
  sort: fc.record({ item: fc.constant('id'), direction }),
  page: fc.integer({ min: 1, max: 30 }),
  pageSize: fc.constantFrom(1, 3, 5, 10, 40),
}) as fc.Arbitrary<ListQuery>;

describe('lists of a live file', () => {
  it('return each page by id as a plain query does, whatever changes between requests', async () => {
    const rounds = fc.array(fc.tuple(fc.array(step, { maxLength: 40 }), fc.array(byId, { maxLength: 6 })), {
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(rounds, async (history) => {
        const path = liveFileWith(packageRow(101, { walked_at: AT }), videoRow(1), COUNTED);
        const wideReads = openWideReads(path);
        const lists = openVideoLists(path, wideReads.scan);
        for (const [steps, queries] of history) {
          execute(path, [...steps.map(createStatement), COUNTED].join('\n'));
          for (const query of queries) await expectAsPlain(lists, path, query);
        }
        lists.close();
      }),
      { numRuns: 30 },
    );
  });

  it('return searches and other orders again when a row has changed', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => index + 1);
    const path = liveFileWith(packageRow(101, { walked_at: AT }), ...ids.map((id) => videoRow(id)), COUNTED);
    const lists = openUntilTheEnd(path);
    const sort = { item: 'title', direction: 'desc' } as const;
    const queries = [{ sort }, { sort, search: { item: 'title', keyword: '2' } }] as const;
    for (const statements of [
      '',
      createStatement({ kind: 'edit', id: 2 }),
      createStatement({ kind: 'remove', id: 12 }),
    ]) {
      execute(path, statements + COUNTED);
      for (const query of queries) {
        for (const page of [1, 2]) await expectAsPlain(lists, path, { ...query, page, pageSize: 7 });
      }
    }
  });

  it('find pages before, between and after long runs of removed rows', async () => {
    const ids = Array.from({ length: 400 }, (_, index) => index + 1);
    const live = (id: number) => id % 97 === 0 || (id > 150 && id < 170) || id > 390;
    const removed = ids.filter((id) => !live(id)).map((id) => createStatement({ kind: 'remove', id }));
    const rows = ids.map((id) => videoRow(id));
    const path = liveFileWith(packageRow(101, { walked_at: AT }), ...rows, ...removed, COUNTED);
    for (const direction of ['asc', 'desc'] as const) {
      for (const page of [6, 1, 3, 2, 4, 5]) {
        const query = { sort: { item: 'id', direction }, page, pageSize: 6 } as const;
        await expectAsPlain(openUntilTheEnd(path), path, query);
      }
    }
  });

  it('return the remaining rows where rows were deleted without the worker', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => index + 1);
    const path = liveFileWith(packageRow(101, { walked_at: AT }), ...ids.map((id) => videoRow(id)), COUNTED);
    const lists = openUntilTheEnd(path);
    const query = { sort: { item: 'id', direction: 'asc' }, page: 3, pageSize: 5 } as const;
    await expectAsPlain(lists, path, query);
    execute(path, `delete from video where id in (3, 4, 5); ${COUNTED}`);
    await expectAsPlain(lists, path, query);
  });

  it('queue a few searches, reject more, and skip those whose client left', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => index + 1);
    const path = liveFileWith(packageRow(101, { walked_at: AT }), ...ids.map((id) => videoRow(id)), COUNTED);
    const lists = openUntilTheEnd(path);
    const leaving = new AbortController();
    const searches = Array.from({ length: 68 }, (_, index) => {
      const search = { item: 'title', keyword: String(index) } as const;
      const query: ListQuery = { sort: { item: 'id', direction: 'asc' }, page: 1, pageSize: 5, search };
      return lists.page(KEY, query, index % 2 === 1 ? leaving.signal : NEVER);
    });
    leaving.abort(new Error('gone'));
    const ends = await Promise.allSettled(searches);
    const reasons = ends.map((end) => (end.status === 'fulfilled' ? 'found' : String(end.reason)));
    const full = 'BusyError: 64 searches wait already';
    const waited = Array.from({ length: 65 }, (_, index) => (index % 2 === 1 ? 'Error: gone' : 'found'));
    expect(reasons).toEqual([...waited, full, full, full]);
  });

  it('exist for no package that is unknown or has no completed walk', async () => {
    const path = liveFileWith(packageRow(101, { walked_at: null }), videoRow(1), COUNTED);
    const lists = openUntilTheEnd(path);
    const sorts = [
      { item: 'id', direction: 'asc' },
      { item: 'title', direction: 'asc' },
    ] as const;
    for (const packageId of [101, 103]) {
      for (const sort of sorts) {
        expect(
          await lists.page({ account: 'main', packageId }, { sort, page: 1, pageSize: 5 }, NEVER),
        ).toBeNull();
      }
    }
  });
});
