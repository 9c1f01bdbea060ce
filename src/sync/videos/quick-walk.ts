/** Quick walk: reads the last page of a package, and the pages that a bisection by counts points to. */
import { WarehouseError } from '../../lib/errors.ts';
import type { SyncContext } from '../context.ts';
import { readBoundary } from './boundary-read.ts';
import { HIGHEST } from './page-contents.ts';
import {
  createQuickWalk,
  ensureWalkRow,
  readNearest,
  readPage,
  START,
  storeAndTrust,
} from './quick-pages.ts';
import type { PageBounds, QuickWalk } from './quick-pages.ts';
import { findLastPage } from './seek.ts';
import { walkPackage } from './walk.ts';
import { buildWalkEnd, isOrderProved, recordStop, warnIfUnsorted } from './walk-state.ts';
import type { WalkOptions, WalkState } from './walk-state.ts';

/**
 * Makes a quick walk of one package; a package that has no completed walk is walked in full, or left to the next full
 * run. Throws what stopped the walk, after that is stored.
 */
export async function runQuickWalk(context: SyncContext, options: WalkOptions): Promise<void> {
  const { warehouse, progress, clock } = context;
  const baseline = warehouse.beginQuickWalk(options.key, clock.now());
  if (baseline === 'left') {
    progress.walkEnded(options.key);
    return;
  }
  if (baseline === 'unwalked') return walkPackage(context, options);
  const quick = createQuickWalk(context, options, baseline);
  try {
    await readChanges(quick);
    finish(quick);
  } catch (error) {
    if (!(error instanceof WarehouseError)) ensureWalkRow(quick.walk);
    recordStop(quick.walk, error);
    throw error;
  } finally {
    progress.walkEnded(options.key);
  }
}

async function readChanges(quick: QuickWalk): Promise<void> {
  const { walk, baseline, trustedPages } = quick;
  const end = await readEnd(quick);
  if (!end || walk.checkpoint.orderViolated) return;
  walk.boundaryReads.left = 2 * end.number;
  await readNewPages(quick, end);
  const isAsBefore = trustedPages.size === 1 && countMissing(quick, end) === baseline.missingRecords;
  if (!isAsBefore) {
    await searchAll(quick);
    await readAbove(quick, end);
  }
  await confirmOrder(quick, end);
}

/** Reads the last page. Returns the highest trusted page; null if the last page is the whole list, or none is trusted. */
async function readEnd(quick: QuickWalk): Promise<PageBounds | null> {
  const { walk, baseline, fetchPage, pagesRead } = quick;
  const last = await findLastPage(fetchPage, baseline);
  walk.checkpoint.pageSize = last.paging.pagesize;
  // the list has grown: store the former last page first, so that it cannot overwrite the newer response
  for (const page of pagesRead.values()) if (page.number < last.number) storeAndTrust(quick, page, null);
  const end = storeAndTrust(quick, last, 'end');
  if (walk.coversWholeList || walk.checkpoint.orderViolated) return null;
  return end ?? readNearest(quick, last.number - 1, START, { number: last.number });
}

/** Reads down from the last page until a page begins with a known id: new videos have the highest ids. */
async function readNewPages(quick: QuickWalk, end: PageBounds): Promise<void> {
  let { first } = end;
  for (let number = end.number - 1; number >= 1 && first > quick.baseline.highestId; number--) {
    first = (await readPage(quick, number))?.first ?? first;
  }
}

/** Searches between all trusted pages, the highest first. */
async function searchAll(quick: QuickWalk): Promise<void> {
  const pages = [...quick.trustedPages.values()].sort((one, other) => other.number - one.number);
  for (const [index, high] of pages.entries()) await search(quick, pages[index + 1] ?? START, high);
}

/** Finds by bisection where records are missing or new between two trusted pages, the upper half first. */
async function search(quick: QuickWalk, low: PageBounds, high: PageBounds): Promise<void> {
  const { walk } = quick;
  if (walk.checkpoint.orderViolated || countSurplus(walk, low, high) === 0) return;
  if (high.number - low.number > 1) {
    const middle = await readNearest(quick, Math.floor((low.number + high.number) / 2), low, high);
    if (!middle) return;
    await search(quick, middle, high);
    await search(quick, low, middle);
  } else if (low.number > 0 && low.last + 1 < high.first) {
    ensureWalkRow(walk); // known ids between two neighbours: neither page proves them
    await readBoundary(walk, low.number, { low: low.last + 1, high: high.first - 1 });
  }
}

/** A full last page does not show what is above it. */
async function readAbove({ walk }: QuickWalk, end: PageBounds): Promise<void> {
  if (walk.checkpoint.orderViolated || countExpectedAbove(walk, end) === 0) return;
  ensureWalkRow(walk);
  await readBoundary(walk, end.number, { low: end.last + 1, high: HIGHEST });
}

/** A removal by order needs as many ids seen in order as show that the list is sorted. */
async function confirmOrder(quick: QuickWalk, end: PageBounds): Promise<void> {
  const { context, key, walkId } = quick.walk;
  if (context.warehouse.countProofsByOrder({ ...key, walkId }) === 0) return;
  for (let number = end.number; number >= 1 && !isOrderProved(quick.walk); number--) {
    await readPage(quick, number);
  }
}

/** Known records between two pages minus those that the pages between them hold; negative if records are new. */
function countSurplus(walk: WalkState, low: PageBounds, high: PageBounds): number {
  const ids = { low: low.last + 1, high: high.first - 1 };
  const pages = { fromPage: low.number + 1, toPage: high.number - 1 };
  const expected = walk.context.warehouse.countExpected({ ...walk.key, ...ids, ...pages });
  return expected - (high.number - low.number - 1) * walk.checkpoint.pageSize;
}

function countExpectedAbove({ context, key }: WalkState, { number, last }: PageBounds): number {
  const pages = { fromPage: number + 1, toPage: number + 1 };
  return context.warehouse.countExpected({ ...key, low: last + 1, high: HIGHEST, ...pages });
}

/** Known records outside the last page that exceed the list's own count. */
function countMissing({ walk }: QuickWalk, end: PageBounds): number {
  return countSurplus(walk, START, end) + countExpectedAbove(walk, end);
}

function finish(quick: QuickWalk): void {
  const { walk, baseline, trustedPages } = quick;
  const { context, checkpoint } = walk;
  const highest = Math.max(0, ...trustedPages.keys());
  const lastPage = trustedPages.get(highest);
  const canCount = !checkpoint.orderViolated && !walk.coversWholeList;
  const missing = lastPage && canCount ? countMissing(quick, lastPage) : 0;
  const hasReadAll = trustedPages.size === highest;
  const hasChanged = quick.firstTotalcount !== checkpoint.totalcount; // the list, during the walk
  const end = { ...buildWalkEnd(walk, hasReadAll), missingRecords: hasChanged ? null : missing };
  if (walk.walkId === 0) {
    context.warehouse.finishUnchangedList(end);
    return;
  }
  if (baseline.isTrusted) warnIfUnsorted(walk);
  const unsettled = Math.max(0, missing);
  context.warehouse.finishQuickWalk({ ...end, unsettled, hasFindings: hasFindings(quick) });
}

/** False for a quick walk that leaves no row: nothing changed, and nothing was lost. */
function hasFindings({ walk, baseline, trustedPages }: QuickWalk): boolean {
  const provedNothing = trustedPages.size === 0 && !walk.coversWholeList;
  const lostOrder = baseline.isTrusted && walk.checkpoint.orderViolated;
  return walk.changedRows > 0 || provedNothing || lostOrder;
}
