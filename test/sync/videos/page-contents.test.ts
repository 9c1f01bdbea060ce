import { describe, expect, it } from 'vitest';
import {
  findForeignEcho,
  getPlace,
  HIGHEST,
  isTrustedNeighbour,
  LOWEST,
  toPageContents,
  type PageAbove,
} from '../../../src/sync/videos/page-contents.ts';

const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
const fiveHundred = Array.from({ length: 500 }, (_, index) => index + 1);

describe('the contents of a page', () => {
  it.each<[name: string, ids: (number | null)[], refused: number, flaw: RegExp | null]>([
    ['all records stored', [1, 2, 3], 0, null],
    ['an id that cannot be read', [1, null, 3], 1, /id cannot be read/],
    ['an id twice', [1, 2, 2], 0, /twice/],
    ['twenty bad records', hundred, 20, null],
    ['more than twenty bad records', hundred, 21, /^21 of 100 records cannot be stored$/],
    ['a twentieth of bad records', fiveHundred, 25, null],
    ['more than a twentieth of them', fiveHundred, 26, /^26 of 500/],
  ])('prove something or not: %s', (_name, ids, refused, flaw) => {
    const contents = toPageContents(ids, refused);
    if (flaw === null) expect(contents.flaw).toBeNull();
    else expect(contents.flaw).toMatch(flaw);
    expect(contents.count).toBe(ids.length);
  });

  it.each<[ids: number[], bounds: object | null, isSorted: boolean]>([
    [[], null, true],
    [[7], { first: 7, last: 7 }, true],
    [[3, 5, 5], { first: 3, last: 5 }, true],
    [[3, 5, 4], { first: 3, last: 4 }, false],
  ])('have bounds and an order: %j', (ids, bounds, isSorted) => {
    const contents = toPageContents(ids, 0);
    expect(contents.bounds).toEqual(bounds);
    expect(contents.disorder === null).toBe(isSorted);
    if (!isSorted) expect(contents.disorder).toMatch(/do not rise/);
  });
});

describe('the echo of a response', () => {
  it.each<[echo: Parameters<typeof findForeignEcho>[0], isForeign: boolean]>([
    [null, false],
    [{}, false],
    [{ pkg: '101' }, false],
    [{ pkg: ' 101 ' }, false],
    [{ pkg: 101 }, false],
    [{ pkg: '' }, false],
    [{ pkg: '102' }, true],
    [{ pkg: ' 102 ' }, true],
    [{ pkg: 'p102' }, false],
    [{ pkg: '102p' }, false],
    [{ pkg: null }, false],
    [{ keyword: ' ' }, false],
    [{ keyword: 'lecture' }, true],
  ] as [Parameters<typeof findForeignEcho>[0], boolean][])(
    '%j names another request: %s',
    (echo, isForeign) => {
      expect(findForeignEcho(echo, 101) !== null).toBe(isForeign);
    },
  );
});

describe('the place of a page', () => {
  const above: PageAbove = { number: 3, totalcount: 30, first: 50, last: 60, ids: null };
  it.each<[name: string, number: number, above: PageAbove, low: number, high: number]>([
    ['the first page begins at the lowest id', 1, null, LOWEST, 20],
    ['the last page ends at the highest one', 4, null, 10, HIGHEST],
    ['a page below its neighbour ends before that', 2, above, 10, 49],
    ['the neighbour of another page does not count', 1, above, LOWEST, 20],
    ['nothing above is no neighbour', 2, 'end', 10, 20],
  ])('%s', (_name, number, neighbour, low, high) => {
    const contents = toPageContents([10, 20], 0);
    expect(getPlace({ number, last: 4, above: neighbour }, contents)).toEqual({ low, high });
    expect(getPlace({ number, last: 4, above: neighbour }, toPageContents([], 0))).toBeNull();
    expect(isTrustedNeighbour(neighbour)).toBe(neighbour === above);
  });
});
