/** Random lists of difficult text, and random searches that often find something. */
import fc from 'fast-check';
import { SEARCH_ITEMS, SORT_DIRECTIONS, SORT_ITEMS } from '../../../src/service/videos.ts';
import type { ListQuery, Sent } from './reference-list.ts';
import { videoRecord } from '../fixtures/service-responses.ts';

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
export const someRecords: fc.Arbitrary<Sent[]> = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 40 }), members), { minLength: 12, maxLength: 60 })
  .map((list) => {
    let id = 0;
    return list.map(([gap, fields]) => videoRecord((id += gap), fields) as Sent);
  });

/** Queries; half of the keywords are part of a field of some record. */
export function someQueries(records: readonly Sent[], count: number): fc.Arbitrary<ListQuery[]> {
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
