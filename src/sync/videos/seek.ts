/** Finds the page where a walk starts: the last page of the list, or the page where an earlier walk stopped. */
import { countPages } from '../../lib/count-pages.ts';
import { RefusedError } from '../../lib/errors.ts';
import type { Checkpoint } from '../../warehouse/statements/walk.ts';
import { findUnreadReason, getLastPageNumber } from './proof.ts';
import type { FetchPage, Page } from './walk-state.ts';

/**
 * Reads the last page. Its number comes from the size of the list at the last walk, or from one probe; a response that
 * reports another last page is a probe too. A list that keeps growing is read from the page found: the next walk finds
 * the rest.
 */
export async function findLastPage(
  fetchPage: FetchPage,
  size: { totalcount: number; pageSize: number } | null,
): Promise<Page> {
  const guess = size ? Math.max(1, countPages(size.totalcount, size.pageSize)) : 1;
  const guessed = await fetchIfExists(fetchPage, guess, size ? 'page' : 'probe');
  const last = await followReportedLastPage(fetchPage, guessed ?? (await fetchPage(1, 'probe')));
  return last.number > 1 && isMissing(last) ? bisectLastPage(fetchPage, last.number) : last;
}

/** Follows the reported number down as often as the list shrinks, and up once. */
async function followReportedLastPage(fetchPage: FetchPage, start: Page): Promise<Page> {
  let page = start;
  let hasGrown = false;
  for (;;) {
    const number = getLastPageNumber(page.paging);
    if (number === page.number || (number > page.number && hasGrown)) return page;
    hasGrown ||= number > page.number;
    page = await fetchPage(number, 'page');
  }
}

/** The page is reported as the last one, but the list ends before it. A count that is too high by one is accepted. */
function isMissing({ number, contents, paging }: Page): boolean {
  const { totalpage, totalcount, pagesize } = paging;
  const isOffByOne =
    totalpage === countPages(totalcount, pagesize) && findUnreadReason(number, paging, 0) === null;
  return contents.count === 0 && !isOffByOne;
}

/** Finds the last page with records by bisection: a reported count may be a billion pages too high. */
async function bisectLastPage(fetchPage: FetchPage, beyond: number): Promise<Page> {
  let found = await fetchPage(1, 'probe');
  let empty = beyond;
  while (empty - found.number > 1) {
    const number = Math.floor((found.number + empty) / 2);
    const page = await fetchIfExists(fetchPage, number, 'probe');
    if (page && page.contents.count > 0 && page.paging.page === number) found = page;
    else empty = number;
  }
  return found;
}

/** Where an earlier walk stopped, and how long the list was then. */
type ResumePoint = Pick<Checkpoint, 'page' | 'pageSize' | 'totalcount'> & { id: number };

/**
 * Reads the page from which a walk resumes: upward from where `id` was, until a page holds or passes it. The page size
 * may have changed, and the list may have shrunk. Null if it is not found within what the list has grown by.
 */
export async function seekToId(fetchPage: FetchPage, from: ResumePoint): Promise<Page | null> {
  let page = await fetchIfExists(fetchPage, from.page, 'probe');
  if (!page) return null;
  const pagesize = Math.max(1, page.paging.pagesize);
  const guess = Math.floor(((from.page - 1) * from.pageSize) / pagesize) + 1;
  const start = Math.min(guess, getLastPageNumber(page.paging));
  if (start !== page.number) page = await fetchPage(start, 'probe');
  const grown = Math.max(0, page.paging.totalcount - from.totalcount);
  const highest = start + 1 + Math.floor(grown / pagesize);
  while ((page.contents.bounds?.last ?? 0) < from.id && page.number < getLastPageNumber(page.paging)) {
    if (page.number >= highest || page.contents.count === 0) return null;
    page = await fetchPage(page.number + 1, 'probe');
  }
  return page;
}

/** Null if the service refuses the page: some refuse pages beyond the end. */
async function fetchIfExists(
  fetchPage: FetchPage,
  number: number,
  purpose: 'probe' | 'page',
): Promise<Page | null> {
  try {
    return await fetchPage(number, purpose);
  } catch (error) {
    if (error instanceof RefusedError && error.fault !== 'foreign' && number > 1) return null;
    throw error;
  }
}
