import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutPage, findRank, sortBy } from '../../src/sandbox/sorted-list.ts';

interface Row {
  id: number;
  value: string;
}

const byBytes = (a: Row, b: Row) => Buffer.compare(Buffer.from(a.value), Buffer.from(b.value)) || a.id - b.id;
const text = fc.string({ unit: 'binary', maxLength: 6 });

describe('sortBy', () => {
  it('sorts by code point, also where UTF-16 sorts otherwise', () => {
    const rows = ['🔥', 'Ｌ', '한', 'a'].map((value, id) => ({ id, value }));
    const values = sortBy(rows, (row) => row.value);
    expect(values.map((row) => row.value)).toEqual(['a', '한', 'Ｌ', '🔥']);
  });

  it('puts null first, and the empty text after it', () => {
    const rows = ['', null, 'a', null].map((value, id) => ({ id, value }));
    expect(sortBy(rows, (row) => row.value).map(({ id }) => id)).toEqual([1, 3, 0, 2]);
  });

  it('sorts any text as its UTF-8 bytes are sorted, and equal text by id', () => {
    fc.assert(
      fc.property(fc.array(text), (values) => {
        const rows = values.map((value, id) => ({ id, value }));
        expect(sortBy(rows, (row) => row.value)).toEqual(rows.toSorted(byBytes));
      }),
    );
  });
});

describe('cutPage', () => {
  it('splits a list into pages that form the complete list, in either direction', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), fc.integer({ min: 1, max: 9 }), (list, size) => {
        const pages = Array.from({ length: Math.ceil(list.length / size) + 2 }, (_, index) => index + 1);
        expect(pages.flatMap((page) => cutPage(list, 'asc', page, size))).toEqual(list);
        expect(pages.flatMap((page) => cutPage(list, 'desc', page, size))).toEqual(list.toReversed());
      }),
    );
  });
});

describe('findRank', () => {
  it('is the number of smaller ids', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(50)), fc.nat(50), (ids, id) => {
        const sorted = ids.toSorted((a, b) => a - b).map((one) => ({ id: one }));
        expect(findRank(sorted, id)).toBe(ids.filter((one) => one < id).length);
      }),
    );
  });
});
