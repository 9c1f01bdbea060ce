import { describe, expect, it } from 'vitest';
import { toPageContents } from '../../../src/sync/videos/page-contents.ts';
import {
  judge,
  type Decision,
  type ReceivedPage,
  type WalkProgress,
} from '../../../src/sync/videos/proof.ts';
import type { Paging } from '../../../src/service/videos.ts';
import { idsBetween } from '../../support/servers/test-service.ts';

const FOREIGN = 'it holds not one of the known videos';
const STORE: Decision = { action: 'store' };

/** Page 3 of 5 as requested, with five records; `given` replaces parts. */
function page({
  count = 5,
  ...given
}: Partial<ReceivedPage & Paging> & { count?: number } = {}): ReceivedPage {
  const { foreign = null, isSecond = false, number = 3, ...paging } = given;
  return {
    ...{ number, foreign, isSecond },
    paging: { page: number, pagesize: 5, totalcount: 23, totalpage: 5, ...paging },
    contents: toPageContents(idsBetween(11, 10 + count), 0),
  };
}

const fetchAgain = (reason: string): Decision => ({ action: 'fetch again', reason });
const goTo = (number: number | null): Decision => ({ action: 'seek', page: number });
const refuse = (fault: 'foreign' | 'shape', reason: string): Decision => ({
  action: 'refuse',
  fault,
  reason,
});

type Case = [what: string, received: ReceivedPage, walk: Partial<WalkProgress>, decision: Decision];

const CASES: Case[] = [
  ['as requested', page(), {}, STORE],
  ['of a size that the walk does not know yet', page({ pagesize: 5 }), { pageSize: 0 }, STORE],
  ['with another number', page({ page: 2 }), {}, fetchAgain('page 2 came for page 3')],
  ['with another number, twice', page({ page: 2, isSecond: true }), {}, STORE],
  ['with another number, after three others', page({ page: 2 }), { refetched: 3 }, STORE],
  ['with too few records', page({ count: 3 }), {}, fetchAgain('page 3 came with 3 of 5 records')],
  ['with too few records, twice', page({ count: 3, isSecond: true }), {}, STORE],
  ['that is the last, with one record more than the count says', page({ number: 5, count: 4 }), {}, STORE],
  ['beyond the end', page({ number: 7, count: 0 }), {}, goTo(5)],
  ['beyond the end of an empty list', page({ count: 0, totalcount: 0, totalpage: 0 }), {}, goTo(1)],
  ['beyond the end, twice', page({ number: 7, count: 0, isSecond: true }), { refetched: 3 }, goTo(5)],
  ['of another size', page(), { pageSize: 10 }, goTo(null)],
  ['of another size again and again', page(), { pageSize: 10, sizeChanges: 2 }, goTo(null)],
  [
    'of another size once too often',
    page(),
    { pageSize: 10, sizeChanges: 3 },
    refuse('shape', 'the page size keeps changing'),
  ],
  ['of another package', page({ foreign: FOREIGN }), { refetched: 9 }, fetchAgain(FOREIGN)],
  [
    'of another package, twice',
    page({ foreign: FOREIGN, isSecond: true }),
    {},
    refuse('foreign', `${FOREIGN}; it came twice, and is not stored`),
  ],
  ['of another package, accepted', page({ foreign: FOREIGN }), { acceptsForeign: true }, fetchAgain(FOREIGN)],
  [
    'of another package, accepted, twice',
    page({ foreign: FOREIGN, isSecond: true }),
    { acceptsForeign: true },
    STORE,
  ],
  [
    'of another package, accepted, after three others',
    page({ foreign: FOREIGN }),
    { acceptsForeign: true, refetched: 3 },
    STORE,
  ],
];

describe('a page', () => {
  it.each(CASES)('%s', (_what, received, walk, decision) => {
    const progress = { pageSize: 5, sizeChanges: 0, refetched: 0, acceptsForeign: false, ...walk };
    expect(judge(received, progress)).toEqual(decision);
  });
});
