/** Where a walk begins to read: the last page of the list, or the page where an earlier walk stopped. */
import { RefusedError } from '../../lib/errors.ts';
import type { VideoPage } from '../../service/client/answers.ts';
import type { Answered } from '../../service/client/client.ts';

export type Page = Answered<VideoPage>;
/** Asks for one page of the package. */
export type AskPage = (page: number, purpose: 'probe' | 'page') => Promise<Page>;

/** A page that was read, and its number. */
export interface Position {
  number: number;
  page: Page;
}

/** How often the end of a list may move while it is looked for. */
const PATIENCE = 5;

/**
 * Reads the last page. Its number comes from the last walk, or from one probe; an answer that names another last
 * page is a probe too. A list that grows faster than it can be asked for is read from where it is: what comes after
 * is found by the next walk.
 */
export async function findLastPage(
  ask: AskPage,
  last: { totalcount: number; pageSize: number } | null,
): Promise<Position> {
  let number = last ? Math.max(1, Math.ceil(last.totalcount / last.pageSize)) : 1;
  let page = await askGuessed(ask, number, last ? 'page' : 'probe');
  if (!page) {
    number = 1;
    page = await ask(number, 'probe');
  }
  for (let moved = 0; moved < PATIENCE && lastOf(page) !== number; moved++) {
    number = lastOf(page);
    page = await ask(number, 'page');
  }
  return { number, page };
}

/**
 * Reads the page from which a walk goes on downward: upward from where `id` was, until a page holds or passes it.
 * `page` and `pageSize` say where it was; the page size may be another one now.
 */
export async function findPageOf(
  ask: AskPage,
  from: { id: number; page: number; pageSize: number },
): Promise<Position> {
  let number = from.page;
  let page = await askGuessed(ask, number, 'probe');
  if (!page) return findLastPage(ask, null);
  const guess = Math.floor(((from.page - 1) * from.pageSize) / Math.max(1, page.paging.pagesize)) + 1;
  const start = Math.min(guess, lastOf(page));
  if (start !== number) {
    number = start;
    page = await ask(number, 'probe');
  }
  while (highestId(page) < from.id && number < lastOf(page)) {
    number++;
    page = await ask(number, 'probe');
  }
  return { number, page };
}

/** Asks for a page that may be beyond the end by now: some services refuse that. Null where it is refused. */
async function askGuessed(ask: AskPage, number: number, purpose: 'probe' | 'page'): Promise<Page | null> {
  try {
    return await ask(number, purpose);
  } catch (error) {
    if (error instanceof RefusedError && number > 1) return null;
    throw error;
  }
}

/** The number of the last page, as this answer says it. */
export function lastOf(page: Page): number {
  return Math.max(1, page.paging.totalpage);
}

/** The highest id on the page that can be read; 0 where none can. */
function highestId(page: Page): number {
  return page.ids.reduce<number>((highest, id) => Math.max(highest, id ?? 0), 0);
}
