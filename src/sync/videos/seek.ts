/** Where a walk begins to read: the last page of the list, or the page where an earlier walk stopped. */
import { RefusedError } from '../../lib/errors.ts';
import { lastPageNumber, countPages, unreadReason } from './proof.ts';
import type { FetchPage, Page } from './page-fetcher.ts';

/** A page that was read, and its number. */
export interface Position {
  number: number;
  page: Page;
}

/**
 * Reads the last page. Its number comes from the last walk, or from one probe; an answer that names another last
 * page is a probe too. A list that goes on growing is read from where it is: what comes after is found by the next
 * walk. `again` may ask once more for a page that did not come.
 */
export async function findLastPage(
  ask: FetchPage,
  last: { totalcount: number; pageSize: number } | null,
  again: (position: Position) => Promise<Position>,
): Promise<Position> {
  const guess = last ? Math.max(1, Math.ceil(last.totalcount / last.pageSize)) : 1;
  const named = await followReportedLastPage(ask, await askGuess(ask, guess, last ? 'page' : 'probe'));
  if (named.number === 1 || !isMissing(named)) return named;
  const asked = await again(named);
  return isMissing(asked) ? findRealEnd(ask, asked.number) : asked;
}

async function askGuess(ask: FetchPage, number: number, purpose: 'probe' | 'page'): Promise<Position> {
  const page = await askOrNull(ask, number, purpose);
  return page ? { number, page } : { number: 1, page: await ask(1, 'probe') };
}

/** Down as often as the list shrinks, up once. */
async function followReportedLastPage(ask: FetchPage, start: Position): Promise<Position> {
  let position = start;
  let hasGrown = false;
  for (;;) {
    const number = lastPageNumber(position.page.paging);
    if (number === position.number || (number > position.number && hasGrown)) return position;
    hasGrown ||= number > position.number;
    position = { number, page: await ask(number, 'page') };
  }
}

/** The page is named as the last one, but the list ends before it; a count that is too high by one does not matter. */
function isMissing({ number, page: { holding, paging } }: Position): boolean {
  const isNearby = paging.totalpage === countPages(paging) && unreadReason(number, paging, 0) === null;
  return holding.count === 0 && !isNearby;
}

/** Halves its way to the last page that holds anything: a count may be a thousand million pages too high. */
async function findRealEnd(ask: FetchPage, beyond: number): Promise<Position> {
  let found: Position = { number: 1, page: await ask(1, 'probe') };
  let empty = beyond;
  while (empty - found.number > 1) {
    const number = Math.floor((found.number + empty) / 2);
    const page = await askOrNull(ask, number, 'probe');
    if (page && page.holding.count > 0 && page.paging.page === number) found = { number, page };
    else empty = number;
  }
  return found;
}

/** Where an earlier walk stopped, and how long the list was then. */
export interface ResumePoint {
  id: number;
  page: number;
  pageSize: number;
  totalcount: number;
}

/**
 * Reads the page from which a walk goes on downward: upward from where `id` was, until a page holds or passes it. The
 * page size may be another one now, and the list may end below. Null where it is not found within what the list has
 * grown by.
 */
export async function seekToId(ask: FetchPage, from: ResumePoint): Promise<Position | null> {
  let number = from.page;
  let page = await askOrNull(ask, number, 'probe');
  if (!page) return null;
  const pagesize = Math.max(1, page.paging.pagesize);
  const guess = Math.floor(((from.page - 1) * from.pageSize) / pagesize) + 1;
  const start = Math.min(guess, lastPageNumber(page.paging));
  if (start !== number) {
    number = start;
    page = await ask(number, 'probe');
  }
  const grown = Math.max(0, page.paging.totalcount - from.totalcount);
  const highest = number + 1 + Math.floor(grown / pagesize);
  while ((page.holding.ends?.last ?? 0) < from.id && number < lastPageNumber(page.paging)) {
    if (number >= highest || page.holding.count === 0) return null;
    number++;
    page = await ask(number, 'probe');
  }
  return { number, page };
}

/** An answer beyond the end means that the package shrank: its new last page is read instead. */
export async function clampToLastPage(ask: FetchPage, position: Position): Promise<Position> {
  let current = position;
  while (lastPageNumber(current.page.paging) < current.number) {
    const number = lastPageNumber(current.page.paging);
    current = { number, page: await ask(number, 'probe') };
  }
  return current;
}

/** Asks for a page that may be beyond the end by now: some services refuse that. Null where it is refused. */
async function askOrNull(ask: FetchPage, number: number, purpose: 'probe' | 'page'): Promise<Page | null> {
  try {
    return await ask(number, purpose);
  } catch (error) {
    if (error instanceof RefusedError && error.fault !== 'foreign' && number > 1) return null;
    throw error;
  }
}
