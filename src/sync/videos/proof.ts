/**
 * What a page of a walk proves about removals (docs/contributing/walking.md). Pure.
 */
import { countPages } from '../../service/count-pages.ts';
import type { IdRange } from '../package-key.ts';
import type { Paging, SearchOption } from '../../service/videos.ts';
import { HIGHEST, isTrustedNeighbour, LOWEST, type PageAbove, type PageContents } from './page-contents.ts';

/** One page as requested and as returned. */
export interface JudgedPage {
  /** The requested page number. */
  number: number;
  paging: Paging;
  echo: SearchOption | null;
  contents: PageContents;
  /** The page was requested in descending order, and `contents` are reversed. */
  isDescending?: boolean;
}

/** A page, and what the walk knows. */
export interface PageInput extends JudgedPage {
  /** The page size of the walk. */
  pageSize: number;
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
  return rules.map((rule) => rule(input)).find((reason) => reason !== null) ?? null;
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
