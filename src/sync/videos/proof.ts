/**
 * What to do with a page of a walk, and what it proves about removals (docs/contributing/walking.md). Pure.
 */
import { countPages } from '../../service/count-pages.ts';
import type { IdRange } from '../package-key.ts';
import type { Paging, SearchOption } from '../../service/videos.ts';
import { HIGHEST, isTrustedNeighbour, LOWEST, type PageAbove, type PageContents } from './page-contents.ts';

/** One page as requested and as returned. */
export interface PageInput {
  /** The requested page number. */
  number: number;
  /** The page size of the walk. */
  pageSize: number;
  paging: Paging;
  echo: SearchOption | null;
  contents: PageContents;
  /** The page was requested in descending order, and `contents` are reversed. */
  isDescending?: boolean;
  above: PageAbove;
  /** Earlier pages of the walk were out of order. */
  orderViolated: boolean;
}

export interface PageProof {
  /** The list is not sorted: only a page that covers the whole list proves anything. */
  orderViolated: boolean;
  /** Why this page proves nothing; null if it does. */
  distrust: string | null;
  /** The page shows every live id of this range; null if it proves nothing. */
  range: IdRange | null;
  /** The page is the whole list: its proof needs no order. */
  coversWholeList: boolean;
  /** Ids between this page and the one above, which neither page proves. */
  gap: IdRange | null;
  /** Why the requested page was not read; null if it was. */
  unreadReason: string | null;
}

const ALL_IDS: IdRange = { low: LOWEST, high: HIGHEST };

/** A page as it was received, and what was found out about it. */
export interface ReceivedPage {
  /** The requested page number. */
  number: number;
  paging: Paging;
  contents: PageContents;
  /** Why it looks like a page of another package; null if it does not. */
  foreign: string | null;
}

/** Pages of a walk that are requested again. */
const MAX_REFETCHED = 3;

/**
 * Why a page is requested again: it is not the requested one. Null if it is used as it is. `refetched`: pages
 * of the walk that were requested again; `acceptsForeign`: a person accepts pages that look like those of
 * another package.
 */
export function findRefetchReason(
  { number, paging, contents, foreign }: ReceivedPage,
  { refetched, acceptsForeign }: { refetched: number; acceptsForeign: boolean },
): string | null {
  if (foreign !== null && !acceptsForeign) return foreign;
  if (refetched >= MAX_REFETCHED || getLastPageNumber(paging) < number) return null;
  return foreign ?? findUnreadReason(number, paging, contents.count);
}

/**
 * What a walk does with a page. `store`: the page is the next one; `go to page`: the list ends before it;
 * `adopt page size`: the walk continues, by pages of this size, from the place that it has reached; `refuse`:
 * it fails.
 */
export type Step =
  | { action: 'store' }
  | { action: 'go to page'; number: number }
  | { action: 'adopt page size' }
  | { action: 'refuse'; reason: string };

/** A page size that changes more often than this in one walk is an error. */
const MAX_SIZE_CHANGES = 3;

/**
 * Decides what a walk by pages of this size does with a page. `sizeChanges`: how often the size has changed
 * in it.
 */
export function decideStep(
  { number, paging }: Pick<ReceivedPage, 'number' | 'paging'>,
  { pageSize, sizeChanges }: { pageSize: number; sizeChanges: number },
): Step {
  const last = getLastPageNumber(paging);
  if (last < number) return { action: 'go to page', number: last };
  if (paging.pagesize === pageSize) return { action: 'store' };
  if (sizeChanges < MAX_SIZE_CHANGES) return { action: 'adopt page size' };
  return { action: 'refuse', reason: 'the page size keeps changing' };
}

/** Decides whether a page can be trusted, and what it proves. */
export function provePage(input: PageInput): PageProof {
  const disorder = input.orderViolated ? null : findFirstReason(DISORDER_RULES, input);
  const orderViolated = input.orderViolated || disorder !== null;
  const distrust = findFirstReason(DISTRUST_RULES, input);
  const coversWholeList = distrust === null && input.number === 1 && showsEnd(input);
  const isSorted = distrust === null && !orderViolated;
  return {
    orderViolated,
    distrust: disorder ?? distrust,
    range: coversWholeList ? ALL_IDS : isSorted ? getProvedRange(input) : null,
    coversWholeList,
    gap: isSorted ? findGapAbove(input) : null,
    unreadReason:
      findUnreadReason(input.number, input.paging, input.contents.count) ?? findRepeatedPage(input),
  };
}

/** Returns the reason if the rule is broken. */
type Rule = (input: PageInput) => string | null;

/** Signs that the list is not sorted by rising id. Equal neighbours are a duplicate, not disorder. */
const DISORDER_RULES: readonly Rule[] = [
  ({ echo }) => {
    const item = echo?.sort_item;
    return item && item.toLowerCase() !== 'id' ? `the service says it sorts by ${item}` : null;
  },
  ({ echo, isDescending }) => {
    const direction = echo?.sort_direction;
    const requested = isDescending ? 'desc' : 'asc';
    if (!direction || direction.toLowerCase() === requested) return null;
    return `the service says it sorts ${direction}`;
  },
  ({ contents }) => contents.disorder,
  ({ contents, above }) => {
    if (!isTrustedNeighbour(above) || !contents.ids || !above.ids) return null;
    const { ids, first } = above;
    const stranger = contents.ids.find((id) => id >= first && !ids.has(id));
    return stranger === undefined ? null : `id ${stranger} comes below the page that begins with ${first}`;
  },
];

/** Signs that the page is not what was requested, or contradicts itself. */
const DISTRUST_RULES: readonly Rule[] = [
  ({ number, paging }) => (paging.page === number ? null : formatOtherPage(number, paging)),
  ({ pageSize, paging: { pagesize } }) =>
    pagesize === pageSize ? null : `page size ${pagesize} instead of ${pageSize}`,
  ({ paging }) => {
    const { totalpage, totalcount, pagesize } = paging;
    if (totalcount <= 0 || countPages(totalcount, pagesize) === totalpage) return null;
    return `${totalpage} pages for ${totalcount} records`;
  },
  ({ number, paging, contents: { count } }) => {
    const expected = countExpectedOn(number, paging);
    const isRight = holdsItsCount(number, paging, count) && count <= paging.pagesize;
    return isRight ? null : `${count} records where its own count says ${expected}`;
  },
  ({ contents }) => contents.flaw,
  findRepetition,
];

function findFirstReason(rules: readonly Rule[], input: PageInput): string | null {
  for (const rule of rules) {
    const reason = rule(input);
    if (reason !== null) return reason;
  }
  return null;
}

function formatOtherPage(number: number, { page }: Paging): string {
  return `page ${page} came for page ${number}`;
}

/**
 * Records of the page above appear again when records below them were removed: then the count falls too. If
 * it does not fall, one of the two pages is wrong.
 */
function findRepetition({ number, paging, contents, above }: PageInput): string | null {
  const repeated = countRepeated(contents, above);
  if (!isTrustedNeighbour(above) || repeated === 0) return null;
  const fallen = (above.number - number) * paging.pagesize - (contents.count - repeated);
  if (above.totalcount - paging.totalcount >= fallen) return null;
  const records = repeated === 1 ? '1 record' : `${repeated} records`;
  return `${records} of page ${above.number} seen again, and the count did not fall by ${fallen}`;
}

/** Counts the records that were on the page above too. */
function countRepeated({ ids }: PageContents, above: PageAbove): number {
  if (!isTrustedNeighbour(above) || !ids) return 0;
  return ids.reduce((count, id) => (id >= above.first ? count + 1 : count), 0);
}

/**
 * Why the page counts as unread because it has only records of the page above; null if it does not. A service
 * that returns the same page for every number has not shown the others.
 */
function findRepeatedPage(input: PageInput): string | null {
  const { number, contents, above } = input;
  const isRepeated = countRepeated(contents, above) === contents.count;
  if (!isRepeated || !isTrustedNeighbour(above) || findRepetition(input) === null) return null;
  return `page ${number} came with nothing but records of page ${above.number}`;
}

/** Number of records that the page should hold by its own paging. */
export function countExpectedOn(number: number, { pagesize, totalcount }: Paging): number {
  return Math.max(0, Math.min(pagesize, totalcount - (number - 1) * pagesize));
}

/** The number of the last page: the higher one of `totalpage` and what the count needs. */
export function getLastPageNumber({ totalpage, totalcount, pagesize }: Paging): number {
  return Math.max(1, totalpage, countPages(totalcount, pagesize));
}

/** Why the requested page was not read; null if it was. */
export function findUnreadReason(number: number, paging: Paging, count: number): string | null {
  if (paging.page !== number) return formatOtherPage(number, paging);
  if (holdsItsCount(number, paging, count)) return null;
  return `page ${number} came with ${count} of ${countExpectedOn(number, paging)} records`;
}

/**
 * Does a page hold as many records as it should? Some lists count badly, so the last page may lack one
 * record, and hold any number more.
 */
function holdsItsCount(number: number, paging: Paging, count: number): boolean {
  const expected = countExpectedOn(number, paging);
  return number < paging.totalpage ? count === expected : count >= expected - 1;
}

/** Does a page show the end of the list? Only one that is not full does, because the count may be wrong. */
function showsEnd({ number, paging, contents: { count } }: PageInput): boolean {
  return number >= paging.totalpage && count < paging.pagesize && count >= countExpectedOn(number, paging);
}

function getProvedRange(input: PageInput): IdRange | null {
  const { bounds } = input.contents;
  if (!bounds) return null;
  const isFirst = input.number === 1;
  const [atBottom, atTop] = input.isDescending ? [showsEnd(input), isFirst] : [isFirst, showsEnd(input)];
  return { low: atBottom ? LOWEST : bounds.first, high: atTop ? HIGHEST : bounds.last };
}

/**
 * The ids between the page and the one above it, which neither page shows; for a full last page, all ids
 * above it. Null if there are none.
 */
function findGapAbove(input: PageInput): IdRange | null {
  const { number, paging, contents, above } = input;
  if (!contents.bounds) return null;
  const low = contents.bounds.last + 1;
  if (number >= paging.totalpage || above === 'end') return showsEnd(input) ? null : { low, high: HIGHEST };
  if (above?.number !== number + 1 || low > above.first - 1) return null;
  return { low, high: above.first - 1 };
}
