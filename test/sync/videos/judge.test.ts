import { describe, expect, it } from 'vitest';
import { toPageContents } from '../../../src/sync/videos/page-contents.ts';
import { decideStep, findRefetchReason, type ReceivedPage } from '../../../src/sync/videos/proof.ts';
import type { Paging } from '../../../src/service/videos.ts';
import { idsBetween } from '../../support/servers/test-service.ts';

const FOREIGN = 'it holds not one of the known videos';

/** Page 3 of 5 as requested, with five records; `given` replaces parts. */
function page({
  count = 5,
  ...given
}: Partial<ReceivedPage & Paging> & { count?: number } = {}): ReceivedPage {
  const { foreign = null, number = 3, ...paging } = given;
  return {
    number,
    foreign,
    paging: { page: number, pagesize: 5, totalcount: 23, totalpage: 5, ...paging },
    contents: toPageContents(idsBetween(11, 10 + count), 0),
  };
}

type Walk = Parameters<typeof findRefetchReason>[1];
const REFETCHED: [what: string, received: ReceivedPage, walk: Partial<Walk>, reason: string | null][] = [
  ['as requested', page(), {}, null],
  ['with another number', page({ page: 2 }), {}, 'page 2 came for page 3'],
  ['with another number, after three others', page({ page: 2 }), { refetched: 3 }, null],
  ['with too few records', page({ count: 3 }), {}, 'page 3 came with 3 of 5 records'],
  ['that is the last, with one record more than the count says', page({ number: 5, count: 4 }), {}, null],
  ['beyond the end', page({ number: 7, count: 0 }), {}, null],
  ['of another package', page({ foreign: FOREIGN }), { refetched: 9 }, FOREIGN],
  ['of another package, accepted', page({ foreign: FOREIGN }), { acceptsForeign: true }, FOREIGN],
  [
    'of another package, accepted, after three others',
    page({ foreign: FOREIGN }),
    { acceptsForeign: true, refetched: 3 },
    null,
  ],
];

describe('the reason to request a page again', () => {
  it.each(REFETCHED)('%s', (_what, received, walk, reason) => {
    expect(findRefetchReason(received, { refetched: 0, acceptsForeign: false, ...walk })).toBe(reason);
  });
});

const STORE = { action: 'store' };
const ANOTHER_SIZE = { action: 'go on by another size' };
const STEPS: [what: string, received: ReceivedPage, sizes: object, step: object][] = [
  ['as requested', page(), {}, STORE],
  ['with another number', page({ page: 2 }), {}, STORE],
  ['with too few records', page({ count: 3 }), {}, STORE],
  ['beyond the end', page({ number: 7, count: 0 }), {}, { action: 'go to page', number: 5 }],
  [
    'beyond the end of an empty list',
    page({ count: 0, totalcount: 0, totalpage: 0 }),
    {},
    { action: 'go to page', number: 1 },
  ],
  ['of another size', page(), { pageSize: 10 }, ANOTHER_SIZE],
  ['of another size again and again', page(), { pageSize: 10, sizeChanges: 2 }, ANOTHER_SIZE],
  [
    'of another size once too often',
    page(),
    { pageSize: 10, sizeChanges: 3 },
    { action: 'refuse', reason: 'the page size keeps changing' },
  ],
];

describe('the step after a page', () => {
  it.each(STEPS)('%s', (_what, received, sizes, step) => {
    expect(decideStep(received, { pageSize: 5, sizeChanges: 0, ...sizes })).toEqual(step);
  });
});
