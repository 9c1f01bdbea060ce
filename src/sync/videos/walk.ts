/**
 * One pass over all pages of a package: last page first, one page after the other. A deletion then moves records towards
 * the unread pages, so none is missed (docs/architecture.md, "Walking").
 */
import { RefusedError } from '../../lib/errors.ts';
import type { IdRange } from '../../lib/id-range.ts';
import type { StartedWalk } from '../../warehouse/walks.ts';
import type { SyncContext } from '../context.ts';
import { getMaxBoundaryReads, readBoundary } from './boundary-read.ts';
import { createPageFetcher, judgePage, retryWrongPage, storePage } from './page.ts';
import { HIGHEST, isTrustedNeighbour, getLastPageNumber, type PageProof } from './proof.ts';
import { clampToLastPage, findLastPage, seekToId } from './seek.ts';
import {
  advance,
  beginWalk,
  buildWalkEnd,
  createWalkState,
  recordStop,
  warnIfUnsorted,
} from './walk-state.ts';
import type { FetchPage, Page, WalkOptions, WalkState } from './walk-state.ts';

/** A page size that changes more often than this in one walk is an error. */
const MAX_SIZE_CHANGES = 3;

/** Walks one package. Throws what stopped the walk, after its checkpoint and its status are stored. */
export async function walkPackage(context: SyncContext, options: WalkOptions): Promise<void> {
  const startedAt = context.clock.now();
  const started = beginWalk(context, options, 'full', startedAt);
  const walk = createWalkState({ context, options, mode: 'full', startedAt }, started);
  try {
    await readPagesDescending(walk, started.lastSize);
    warnIfUnsorted(walk);
    context.warehouse.finishWalk(buildWalkEnd(walk, !walk.resumed));
  } catch (error) {
    recordStop(walk, error);
    throw error;
  } finally {
    context.progress.walkEnded(walk.key);
  }
}

/** Reads from the start page down to page 1. Each page is stored while the next one is fetched. */
async function readPagesDescending(walk: WalkState, last: StartedWalk['lastSize']): Promise<void> {
  const { context, options, key } = walk;
  const fetchPage = createPageFetcher(walk);
  let page = await findStart(walk, fetchPage, last);
  const pages = getLastPageNumber(page.paging);
  walk.boundaryReads.left = getMaxBoundaryReads(context.walk.boundaryReads, pages);
  context.progress.walkStarted({ ...key, pages, done: Math.max(0, pages - page.number) });
  for (;;) {
    page = await adoptPageSize(walk, fetchPage, page);
    const { number } = page;
    const proof = judgePage(walk, page);
    const gap = findGapToRead(walk, page, proof);
    advance(walk, page, proof);
    const isTurnOver = options.slot.pageRead();
    // the next page is fetched now, unless a boundary read or another package comes first
    const next = number > 1 && !gap && !isTurnOver ? fetchPage(number - 1, 'page') : null;
    next?.catch(() => undefined); // awaited below; storePage may throw before that
    storePage(walk, page, proof);
    if (gap) await readBoundary(walk, number, gap);
    if (number <= 1) return;
    if (isTurnOver) await options.slot.nextSlot();
    const received = await (next ?? fetchPage(number - 1, 'page'));
    page = await clampToLastPage(fetchPage, await retryWrongPage(walk, fetchPage, received));
  }
}

/** Reads the page where the walk starts: where its checkpoint says, else the last page. */
async function findStart(
  walk: WalkState,
  fetchPage: FetchPage,
  last: StartedWalk['lastSize'],
): Promise<Page> {
  const { checkpoint } = walk;
  const { id, orderViolated } = checkpoint;
  const found = id === null || orderViolated ? null : await seekToId(fetchPage, { ...checkpoint, id });
  const retry = (missing: Page) => retryWrongPage(walk, fetchPage, missing);
  const page = found ?? (await findLastPage(fetchPage, id === null ? last : checkpoint, retry));
  checkpoint.pageSize = page.paging.pagesize;
  if (id !== null) verifyResumePoint(walk, page, id);
  return retryWrongPage(walk, fetchPage, page);
}

/** If the lowest id read before is missing, both parts may not be one sorted list: drops the proofs of the first part. */
function verifyResumePoint({ context, key }: WalkState, { contents }: Page, id: number): void {
  const { ids, bounds } = contents;
  const isInBounds = bounds !== null && bounds.first <= id && id <= bounds.last;
  const isThere =
    ids?.includes(id) ??
    (isInBounds && context.warehouse.findLiveIds({ ...key, low: id, high: id }).length > 0);
  if (!isThere) context.warehouse.dropCandidates(key, 'unheld');
}

/** If the page size has changed, the walk adopts it and continues from the lowest id read. */
async function adoptPageSize(walk: WalkState, fetchPage: FetchPage, page: Page): Promise<Page> {
  const { checkpoint, key } = walk;
  if (page.paging.pagesize === checkpoint.pageSize) return page;
  if (++walk.sizeChanges > MAX_SIZE_CHANGES) {
    const message = `account ${key.account}, package ${key.packageId}: the page size keeps changing`;
    throw new RefusedError(message, {
      fault: 'shape',
      hint: 'set page_size to one that the service keeps to',
    });
  }
  walk.above = checkpoint.id === null ? 'end' : null;
  return adoptPageSize(walk, fetchPage, await findStart(walk, fetchPage, null));
}

/**
 * The gap above a page, if it needs a boundary read: neither page proves the live rows in it; or the list has grown since
 * the page above was read, and an old id that was put back may have moved a record up, past the walk.
 */
function findGapToRead(
  { context, key, above, boundaryReads }: WalkState,
  { paging }: Page,
  { gap }: PageProof,
): IdRange | null {
  if (!gap || boundaryReads.left <= 0) return null;
  const hasGrown = isTrustedNeighbour(above) && paging.totalcount > above.totalcount;
  if (hasGrown && gap.high !== HIGHEST) return gap;
  return context.warehouse.countLive({ ...key, ...gap }) > 0 ? gap : null;
}
