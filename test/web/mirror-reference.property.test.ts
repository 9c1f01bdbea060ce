/**
 * Lists of random records that are searched, sorted and paged: by a server, and as simply as possible by
 * docs/service.md 4.1 and the choices of vodhouse. No SQL, no index, no cache.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allRecords } from '../support/fixtures/json-page.ts';
import { startSandbox } from '../support/servers/sandbox-account.ts';
import { rounds } from '../support/rounds.ts';
import {
  SEARCH_ITEMS,
  SORT_DIRECTIONS,
  SORT_ITEMS,
  type SearchItem,
  type SortDirection,
  type SortItem,
} from '../../src/service/videos.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { listPage, serveEverything, VIDEO_LIST, videoRecord } from '../support/fixtures/service-responses.ts';
import { expectDescribed } from '../support/openapi-document.ts';
import { createMirrored } from '../support/servers/mirrored-warehouse.ts';
import { startScriptedService } from '../support/servers/scripted-service.ts';

/** A record as the service sent it. */
type Sent = { id: number } & Record<SearchItem, string | null> &
  Record<'duration' | 'filesize', number | null> &
  Record<string, unknown>;

interface ListQuery {
  search: { item: SearchItem; keyword: string } | null;
  item: SortItem;
  direction: SortDirection;
  page: number;
  size: number;
}

/** The number of matching records, and those of the page. */
function referenceList(records: readonly Sent[], { search, item, direction, page, size }: ListQuery) {
  const matching = records.filter((record) => !search || record[search.item]?.includes(search.keyword));
  const sorted = matching.sort((one, other) => compare(one[item], other[item]) || one.id - other.id);
  if (direction === 'desc') sorted.reverse();
  return { totalcount: matching.length, records: sorted.slice((page - 1) * size, page * size) };
}

/** Null first, numbers by size, text by code point. */
function compare(one: string | number | null, other: string | number | null): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  if (typeof one === 'number') return one - Number(other);
  const [left, right] = [Array.from(one), Array.from(String(other))].map((characters) =>
    characters.map((character) => character.codePointAt(0) ?? 0),
  ) as [number[], number[]];
  const at = left.findIndex((code, index) => code !== right[index]);
  return at === -1 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
}

/**
 * Few letters, so that they collide; characters with a meaning in SQL, LIKE, GLOB and FTS; characters with
 * two Unicode forms.
 */
const LETTERS = [
  ...Array.from('aAbB%_*?[]^-\\\'"`;:()|&+ \t\n\0'),
  ...Array.from('éÉｅ한글ㅎｱアß'),
  'e\u0301', // the second form of é
  '\u1112\u1161\u11ab', // and of 한
  '\u0130',
  '\ufeff',
  '\uffff',
  '🔥',
  '👩‍🏫',
  '\u{10ffff}',
];
const letter = fc.oneof(
  { arbitrary: fc.constantFrom(...LETTERS), weight: 8 },
  { arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), weight: 1 },
);
const text = fc.array(letter, { maxLength: 8 }).map((letters) => letters.join(''));
const field = fc.oneof(
  { arbitrary: text, weight: 6 },
  { arbitrary: fc.constantFrom(null, '', 'a%b', '100%', 'NULL', '0'), weight: 2 },
);
const figure = fc.oneof(fc.constantFrom(null, 0, 1, 2, 60_000), fc.integer(), fc.maxSafeInteger());

const members = fc.record({
  ...Object.fromEntries(SEARCH_ITEMS.map((name) => [name, field])),
  duration: figure,
  filesize: figure,
});

/** A package: records by rising ids with gaps. */
const someRecords: fc.Arbitrary<Sent[]> = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 40 }), members), { minLength: 12, maxLength: 60 })
  .map((list) => {
    let id = 0;
    return list.map(([gap, fields]) => videoRecord((id += gap), fields) as Sent);
  });

/** Queries; half of the keywords are part of a field of some record. */
function someQueries(records: readonly Sent[], count: number): fc.Arbitrary<ListQuery[]> {
  const part = fc
    .tuple(
      fc.nat(records.length - 1),
      fc.constantFrom(...SEARCH_ITEMS),
      fc.nat(7),
      fc.integer({ min: 1, max: 4 }),
    )
    .map(([at, item, start, length]) => {
      const letters = Array.from(records[at]?.[item] ?? '');
      const from = letters.length === 0 ? 0 : start % letters.length;
      return { item, keyword: letters.slice(from, from + length).join('') };
    });
  const other = fc.record({ item: fc.constantFrom(...SEARCH_ITEMS), keyword: text });
  const search = fc
    .oneof(fc.constant(null), part, part, other)
    .map((search) => (search?.keyword ? search : null));
  const query = fc.record({
    search,
    item: fc.constantFrom(...SORT_ITEMS),
    direction: fc.constantFrom(...SORT_DIRECTIONS),
    page: fc.integer({ min: 1, max: 6 }),
    size: fc.constantFrom(1, 2, 3, 7, 10, 50, 1000),
  });
  return fc.array(query, { minLength: count, maxLength: count });
}

/** Sends each query and expects the records, the count and the echo of the reference. */
async function expectAsReference(url: string, records: readonly Sent[], queries: readonly ListQuery[]) {
  for (const query of queries) {
    const response = await fetch(`${url}${VIDEO_LIST}?${formatQuery(query)}`);
    const body = (await response.json()) as { videoInfoList: Record<string, unknown> };
    expectDescribed(VIDEO_LIST, response.status, body);
    const expected = referenceList([...records], query);
    expect(body.videoInfoList).toMatchObject({
      errorInfo: { errorCode: 'None' },
      paging: { page: query.page, pagesize: query.size, totalcount: expected.totalcount },
      apiVideoSearchOption: { search_item: query.search?.item ?? '', keyword: query.search?.keyword ?? '' },
    });
    expect(body.videoInfoList['videoInfoList']).toEqual(expected.records);
  }
}

function formatQuery({ search, item, direction, page, size }: ListQuery): string {
  const found = search && { search_item: search.item, keyword: search.keyword };
  const sort = { sort_item: item, sort_direction: direction };
  const paging = { page: String(page), pagesize: String(size) };
  return new URLSearchParams({ key: 'test-key', pkg: '101', ...found, ...sort, ...paging }).toString();
}

/** Random packages, each synced into a warehouse and served back, with the given number of queries each. */
function compareWithReference(cases: number, queries: number, seed: number): Promise<void> {
  const package101 = someRecords.chain((records) =>
    fc.record({ records: fc.constant(records), queries: someQueries(records, queries) }),
  );
  const property = fc.asyncProperty(package101, async ({ records, queries }) => {
    const service = await startScriptedService(serveEverything((request) => listPage(request, records)));
    const clock = createVirtualClock('2026-03-09T03:00:00Z');
    const mirrored = createMirrored({
      url: service.url,
      packages: [101],
      pageSize: 25,
      clock,
      since: '2026-03-08',
    });
    try {
      expect((await mirrored.sync()).status).toBe('succeeded');
      await expectAsReference(await mirrored.serve(), records, queries);
    } finally {
      await mirrored.close();
    }
  });
  return fc.assert(property, { numRuns: cases, seed, endOnFailure: true });
}

describe('a list that is searched, sorted and paged', () => {
  it('equals a plain filter of the records, from the warehouse', async () => {
    await expect(compareWithReference(rounds(100), rounds(200), 1)).resolves.toBeUndefined();
  });

  it('equals it from the sandbox, too', async () => {
    const { url, sandbox } = await startSandbox({ keys: ['test-key'], packages: [{ id: 101, videos: 80 }] });
    const records = (await allRecords(sandbox.catalogue, 101)) as unknown as Sent[];
    const [queries = []] = fc.sample(someQueries(records, 300), { numRuns: 1, seed: 1 });
    await expectAsReference(url, records, queries);
  });
});
