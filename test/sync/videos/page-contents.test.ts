import { describe, expect, it } from 'vitest';
import { toPageContents } from '../../../src/sync/videos/page-contents.ts';

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
});
