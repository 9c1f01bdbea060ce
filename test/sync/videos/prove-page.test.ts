import { describe, expect, it } from 'vitest';
import type { Paging } from '../../../src/service/videos.ts';
import {
  HIGHEST,
  LOWEST,
  toPageContents,
  type TrustedNeighbour,
} from '../../../src/sync/videos/page-contents.ts';
import { provePage, type PageInput, type PageProof } from '../../../src/sync/videos/proof.ts';
import { idsBetween } from '../../support/servers/test-service.ts';

const FIVE = idsBetween(11, 15);

type Given = Partial<Omit<PageInput, 'contents' | 'paging'>> & {
  paging?: Partial<Paging>;
  ids?: readonly (number | null)[];
};

/** Proves page 3 of 5 with five records, as requested; `given` replaces parts. */
function prove({ ids = FIVE, paging, ...given }: Given): PageProof {
  const number = given.number ?? 3;
  return provePage({
    number,
    pageSize: 5,
    echo: null,
    above: null,
    orderViolated: false,
    ...given,
    paging: { page: number, pagesize: 5, totalcount: 23, totalpage: 5, ...paging },
    contents: toPageContents(ids, 0),
  });
}

/** The page above, page 4, which begins with `first`. */
const above = (first: number, given: Partial<TrustedNeighbour> = {}): TrustedNeighbour => ({
  number: 4,
  totalcount: 23,
  first,
  last: first + 4,
  ids: new Set(idsBetween(first, first + 4)),
  ...given,
});

const LAST = { number: 5, ids: [11, 12, 13] };
const WHOLE = { number: 1, ids: [11, 12, 13], paging: { totalcount: 3, totalpage: 1 } };
const ALL = { low: LOWEST, high: HIGHEST };
const FROM_LAST = { low: 16, high: HIGHEST };
const repeated = (what: string) => `${what} of page 4 seen again, and the count did not fall by`;

/** Nothing is proved; what a disorder adds to that. */
const distrust = (reason: string, unreadReason: string | null = null) => ({
  distrust: reason,
  range: null,
  unreadReason,
});
const disorder = (reason: string) => ({ ...distrust(reason), orderViolated: true });

type Case = [what: string, given: Given, proof: Partial<PageProof>];
const CASES: Case[] = [
  ['as requested', {}, {}],
  ['with a neighbour that follows', { above: above(16) }, {}],
  ['with a neighbour at a distance', { above: above(20) }, { gap: { low: 16, high: 19 } }],
  ['with a page above that is not its neighbour', { above: above(20, { number: 5 }) }, {}],
  ['with nothing above, before the last number', { above: 'end' }, { gap: FROM_LAST }],
  ['that is the first one', { number: 1 }, { range: { low: LOWEST, high: 15 } }],
  ['that is the last one, with free room', LAST, { range: { low: 11, high: HIGHEST } }],
  ['that is the last one, and full', { number: 5, paging: { totalcount: 25 } }, { gap: FROM_LAST }],
  [
    'that is the last one, with more records than its count',
    { number: 5, ids: [...LAST.ids, 14] },
    { range: { low: 11, high: HIGHEST } },
  ],
  [
    'that is the last one, with more records than a page holds',
    { number: 5, ids: [...FIVE, 16], paging: { totalcount: 25 } },
    distrust('6 records where its own count says 5'),
  ],
  ['that is the whole list', WHOLE, { range: ALL, coversWholeList: true }],
  [
    'that is the whole list, of a list that is not sorted',
    { ...WHOLE, orderViolated: true },
    { range: ALL, coversWholeList: true, orderViolated: true },
  ],
  [
    'of an empty list',
    { ...WHOLE, ids: [], paging: { totalcount: 0, totalpage: 0 } },
    { range: ALL, coversWholeList: true },
  ],
  [
    'that is empty, and the first of five',
    { number: 1, ids: [], paging: { totalcount: 0 } },
    { range: null },
  ],
  ['of a list that is not sorted', { orderViolated: true }, { range: null, orderViolated: true }],
  ['in descending order', { number: 1, isDescending: true }, { range: { low: 11, high: HIGHEST } }],
  [
    'in descending order, the last one',
    { ...LAST, isDescending: true },
    { range: { low: LOWEST, high: 13 } },
  ],
  ['sorted by ID', { echo: { sort_item: 'ID', sort_direction: 'ASC' } }, {}],
  ['without an order', { echo: { sort_item: '', sort_direction: '' } }, {}],
  ['sorted by title', { echo: { sort_item: 'title' } }, disorder('the service says it sorts by title')],
  ['sorted down', { echo: { sort_direction: 'desc' } }, disorder('the service says it sorts desc')],
  ['sorted down as requested', { echo: { sort_direction: 'DESC' }, isDescending: true }, {}],
  ['with ids that fall', { ids: [11, 13, 12, 14, 15] }, disorder('ids do not rise within the page')],
  [
    'with an id that belongs above',
    { above: above(14, { ids: new Set([14, 16]), totalcount: 25 }) },
    disorder('id 15 comes below the page that begins with 14'),
  ],
  [
    'with another number',
    { paging: { page: 2 } },
    distrust('page 2 came for page 3', 'page 2 came for page 3'),
  ],
  ['of another size', { pageSize: 10 }, distrust('page size 5 instead of 10')],
  ['of too many pages', { paging: { totalpage: 6 } }, distrust('6 pages for 23 records')],
  [
    'with too few records',
    { ids: [11, 12, 13, 14] },
    distrust('4 records where its own count says 5', 'page 3 came with 4 of 5 records'),
  ],
  [
    'with an id that cannot be read',
    { ids: [11, 12, null, 14, 15] },
    distrust('a record whose id cannot be read'),
  ],
  [
    'that moved by a record, and the count fell by one',
    { above: above(15, { totalcount: 24 }) },
    { gap: null },
  ],
  ['that moved by a record', { above: above(15) }, distrust(`${repeated('1 record')} 1`)],
  ['that moved by two records', { above: above(14) }, distrust(`${repeated('2 records')} 2`)],
  ['like the one above, and the count fell by five', { above: above(11, { totalcount: 28 }) }, {}],
  [
    'like the one above',
    { above: above(11) },
    distrust(`${repeated('5 records')} 5`, 'page 3 came with nothing but records of page 4'),
  ],
];

describe('a page', () => {
  it.each(CASES)('%s', (_what, given, expected) => {
    expect(prove(given)).toEqual({
      orderViolated: false,
      distrust: null,
      range: { low: 11, high: 15 },
      coversWholeList: false,
      gap: null,
      unreadReason: null,
      ...expected,
    });
  });
});
