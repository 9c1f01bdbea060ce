/**
 * One pass over all pages of a package: last page first, one page after the other. A deletion then moves
 * records towards the unread pages, so none is missed (docs/contributing/walking.md).
 */
import type { IdRange } from '../package-key.ts';
import type { StartedWalk } from '../../warehouse/walks.ts';
import type { SyncContext } from '../context.ts';
import { getMaxBoundaryReads, readAbove, readBoundary } from './boundary-read.ts';
import { fetchPage, proveWalked, refusePage, releaseRecords, storeWalkedPage } from './page.ts';
import { HIGHEST, isTrustedNeighbour } from './page-contents.ts';
import { getLastPageNumber, type PageProof, findUnreadReason } from './proof.ts';
import {
  advance,
  startWalk,
  buildWalkEnd,
  createWalkState,
  recordStop,
  type FetchPage,
  type Page,
  type PagePurpose,
  type WalkOptions,
  type WalkState,
} from './walk-state.ts';
import { countPages } from '../../service/count-pages.ts';
import { RefusedError } from '../../lib/errors.ts';
import type { Checkpoint } from '../../warehouse/statements/walk.ts';
import { transact } from '../../database/transaction.ts';
import { finishWalk } from '../../warehouse/walks.ts';
import { countLive } from '../../warehouse/statements/video.ts';
import { dropCandidates } from '../../warehouse/statements/removal.ts';

/** Walks one package. Throws what stopped the walk, after its checkpoint and its status are stored. */
export async function walkPackage(context: SyncContext, options: WalkOptions): Promise<void> {
  const begun = { ...options, context, mode: 'full', startedAt: context.clock.now() } as const;
  const started = startWalk(begun);
  const walk = createWalkState(begun, started);
  try {
    await readPagesDescending(walk, started.lastSize);
    const end = { ...buildWalkEnd(walk, walk.resumedFrom === null), walkId: started.walkId };
    transact(context.warehouse.db, (tx) => finishWalk(tx, end));
  } catch (error) {
    recordStop(walk, error);
    throw error;
  }
}

/** Reads from the start page down to page 1. Each page is stored while the next one is fetched. */
async function readPagesDescending(walk: WalkState, last: StartedWalk['lastSize']): Promise<void> {
  const { context, key, slot } = walk;
  let page = await findStart(walk, last);
  const pages = getLastPageNumber(page.paging);
  walk.boundaryReads.left = getMaxBoundaryReads(context.walk.boundaryReads, pages);
  context.progress.walkStarted?.({ ...key, pages });
  for (;;) {
    page = await seekStorable(walk, page);
    const { number } = page;
    const proof = proveWalked(walk, page);
    const gap = findGapToRead(walk, page, proof);
    proof.gap ??= gap;
    const before = { ...walk.checkpoint };
    advance(walk, page, proof);
    const isTurnOver = slot.pageRead();
    // The next page is fetched now, unless a boundary read or another package comes first. A page that proves
    // nothing is stored before that: it may change rows by which the next one is known.
    const mayFetchNext = number > 1 && !gap && !isTurnOver && proof.distrust === null;
    const next = mayFetchNext ? fetchPage(walk, number - 1, 'page') : null;
    next?.catch(() => undefined); // awaited below; storeWalkedPage may throw before that
    storeWalkedPage(walk, page, proof, gap ? holdCheckpoint(walk, before) : walk.checkpoint);
    releaseRecords(page);
    if (gap?.high === HIGHEST) await readAbove(walk, number, gap);
    else if (gap) await readBoundary(walk, number, gap);
    if (number <= 1) return;
    if (isTurnOver) await slot.nextSlot();
    page = await (next ?? fetchPage(walk, number - 1, 'page'));
  }
}

/**
 * The checkpoint that is stored with a page whose gap is read next. It stays above the page, so that a walk
 * that stops before the gap is read resumes with the page and its gap. It does so only once: with a budget of
 * two requests, the walk would stop at the same page for ever.
 */
function holdCheckpoint({ checkpoint, resumedFrom }: WalkState, { id, page }: Checkpoint): Checkpoint {
  return id === resumedFrom ? checkpoint : { ...checkpoint, id, page };
}

/**
 * Requests other pages until one can be stored: the list may have shrunk, or its page size may have changed.
 */
async function seekStorable(walk: WalkState, start: Page): Promise<Page> {
  let page = start;
  for (;;) {
    const last = getLastPageNumber(page.paging);
    if (last < page.number) page = await fetchPage(walk, last, 'probe');
    else if (page.paging.pagesize !== walk.checkpoint.pageSize) page = await adoptPageSize(walk, page);
    else return page;
  }
}

/** A page size that changes more often than this in one walk is an error. */
const MAX_SIZE_CHANGES = 3;

/** Continues the walk from the lowest id read, after the page size has changed. */
function adoptPageSize(walk: WalkState, { number }: Page): Promise<Page> {
  if (walk.sizeChanges >= MAX_SIZE_CHANGES) {
    const hint = 'set page_size to one that the service keeps to';
    throw refusePage(walk, number, 'the page size keeps changing', { fault: 'shape', hint });
  }
  walk.sizeChanges++;
  walk.above = walk.checkpoint.id === null ? 'end' : null;
  return findStart(walk, null);
}

/**
 * Reads the page where the walk starts: at its checkpoint, or without one the last page. The page size of
 * that page becomes the one of the walk.
 */
async function findStart(walk: WalkState, last: StartedWalk['lastSize']): Promise<Page> {
  const { checkpoint } = walk;
  const { id, orderViolated } = checkpoint;
  const fetch: FetchPage = (number, purpose) => fetchPage(walk, number, purpose);
  const found = id === null || orderViolated ? null : await seekToId(fetch, { ...checkpoint, id });
  const page = found ?? (await findLastPage(fetch, id === null ? last : checkpoint, releaseRecords));
  checkpoint.pageSize = page.paging.pagesize;
  if (id !== null) verifyResumePoint(walk, page, id);
  return page;
}

/**
 * Drops the proofs of the first part of a resumed walk if the lowest id that it read is missing, because both
 * parts may not be one sorted list then.
 */
function verifyResumePoint({ context, key }: WalkState, { contents }: Page, id: number): void {
  const { ids, bounds } = contents;
  const isInBounds = bounds !== null && bounds.first <= id && id <= bounds.last;
  const isThere =
    ids?.includes(id) ?? (isInBounds && countLive(context.warehouse.db, { ...key, low: id, high: id }) > 0);
  if (!isThere) transact(context.warehouse.db, (tx) => dropCandidates(tx, key, 'unheld'));
}

/**
 * The gap above a page, if it needs a boundary read: neither page proves the live rows in it; or the list has
 * grown since the page above was read, and an old id that was put back may have moved a record up, past the
 * walk. A full last page does not show the end of the list, whatever its count is.
 */
function findGapToRead(
  { context, key, above, boundaryReads }: WalkState,
  { paging, contents: { bounds, count } }: Page,
  { gap, orderViolated, unreadReason }: PageProof,
): IdRange | null {
  const isRead = bounds !== null && !orderViolated && unreadReason === null;
  if (above === 'end' && isRead && count >= paging.pagesize) return { low: bounds.last + 1, high: HIGHEST };
  if (!gap || boundaryReads.left <= 0 || (gap.high === HIGHEST && above !== 'end')) return null;
  if (isTrustedNeighbour(above) && paging.totalcount > above.totalcount) return gap;
  return countLive(context.warehouse.db, { ...key, ...gap }) > 0 ? gap : null;
}

/**
 * Reads the last page. Its number comes from the size of the list at the last walk, or from one probe; a
 * response that reports another last page is a probe too. A list that keeps growing is read from the page
 * found: the next walk finds the rest. `passOver` gets each page below or above the last one before the next
 * is requested.
 */
export async function findLastPage(
  fetchPage: FetchPage,
  size: { totalcount: number; pageSize: number } | null,
  passOver: (page: Page) => void = () => undefined,
): Promise<Page> {
  const guess = size ? Math.max(1, countPages(size.totalcount, size.pageSize)) : 1;
  const guessed = await fetchIfExists(fetchPage, guess, size ? 'page' : 'probe');
  const last = await followReportedLastPage(fetchPage, guessed ?? (await fetchPage(1, 'probe')), passOver);
  return last.number > 1 && isMissing(last) ? bisectLastPage(fetchPage, last.number) : last;
}

/** Follows the reported number down as often as the list shrinks, and up once. */
async function followReportedLastPage(
  fetchPage: FetchPage,
  start: Page,
  passOver: (page: Page) => void,
): Promise<Page> {
  let page = start;
  let hasGrown = false;
  for (;;) {
    const number = getLastPageNumber(page.paging);
    if (number === page.number || (number > page.number && hasGrown)) return page;
    hasGrown ||= number > page.number;
    passOver(page);
    // the count may need more pages than `totalpage` names, so the page that it needs is tried first
    const { totalpage } = page.paging;
    const counted = number > totalpage ? await fetchIfExists(fetchPage, number, 'page') : null;
    page = counted ?? (await fetchPage(Math.min(number, totalpage || number), 'page'));
  }
}

/**
 * Does the list end before the page that is reported as the last one? A count that is too high by one is
 * accepted.
 */
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
 * Reads the page from which a walk resumes: upward from where `id` was, until a page holds or passes it. The
 * page size may have changed, and the list may have shrunk. Null if it is not found within what the list has
 * grown by.
 */
async function seekToId(fetchPage: FetchPage, from: ResumePoint): Promise<Page | null> {
  let page = await fetchIfExists(fetchPage, from.page, 'probe');
  if (!page) return null;
  const pagesize = Math.max(1, page.paging.pagesize);
  const guess = Math.floor(((from.page - 1) * from.pageSize) / pagesize) + 1;
  const start = Math.min(guess, getLastPageNumber(page.paging));
  if (start !== page.number) {
    releaseRecords(page);
    page = await fetchPage(start, 'probe');
  }
  const grown = Math.max(0, page.paging.totalcount - from.totalcount);
  const highest = start + 1 + Math.floor(grown / pagesize);
  while ((page.contents.bounds?.last ?? 0) < from.id && page.number < getLastPageNumber(page.paging)) {
    if (page.number >= highest || page.contents.count === 0) return null;
    page = await fetchPage(page.number + 1, 'probe');
  }
  return page;
}

/**
 * Requests a page that may be beyond the end of the list. Null if the service returns another page, or
 * refuses this one for another reason than the key: some services have no pages beyond the end.
 */
async function fetchIfExists(
  fetchPage: FetchPage,
  number: number,
  purpose: PagePurpose,
): Promise<Page | null> {
  try {
    const page = await fetchPage(number, purpose);
    return page.paging.page === number || number <= page.paging.totalpage ? page : null;
  } catch (error) {
    const isOfKey = error instanceof RefusedError && (error.status === 401 || error.status === 403);
    if (error instanceof RefusedError && error.fault !== 'foreign' && !isOfKey && number > 1) return null;
    throw error;
  }
}
