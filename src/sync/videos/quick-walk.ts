/** Quick walk: reads the last page of a package, and the pages that a bisection by counts points to. */
import type { ListBaseline } from '../../warehouse/quick-walks.ts';
import type { SyncContext } from '../context.ts';
import { readAbove, readBoundary } from './boundary-read.ts';
import { fetchPage, proveWalked, storeWalkedPage } from './page.ts';
import { HIGHEST, type TrustedNeighbour } from './page-contents.ts';
import { getLastPageNumber } from './proof.ts';
import { findLastPage, walkPackage } from './walk.ts';
import {
  buildWalkEnd,
  createWalkState,
  distrustOrder,
  ensureWalkRow,
  isOrderProved,
  recordProof,
  recordStop,
} from './walk-state.ts';
import type { FetchPage, Page, WalkOptions, WalkState } from './walk-state.ts';
import { transact } from '../../database/transaction.ts';
import { beginQuickWalk, finishUnchangedList, finishQuickWalk } from '../../warehouse/quick-walks.ts';
import { countProofsByOrder } from '../../warehouse/statements/removal.ts';
import { countExpected } from '../../warehouse/statements/expected-ids.ts';

/** A trusted page. The number of records between two of them is known by their page numbers. */
type PageBounds = Pick<TrustedNeighbour, 'number' | 'first' | 'last'>;

/** The position below the first page. */
const START: PageBounds = { number: 0, first: 0, last: 0 };

interface QuickWalk {
  walk: WalkState;
  /** What earlier walks know of the list. */
  baseline: ListBaseline;
  fetchPage: FetchPage;
  /** Every page returned, by its number. */
  received: Map<number, Page>;
  /** The pages that were judged, by their numbers; null for one that proves nothing. */
  judged: Map<number, TrustedNeighbour | null>;
  /** The count of the first response. */
  firstTotalcount: number | null;
  /** What is above the last page was shown. */
  isEndShown: boolean;
}

/**
 * Makes a quick walk of one package; a package that has no completed walk is walked in full, or left to the
 * next full run. Throws what stopped the walk, after that is stored.
 */
export async function runQuickWalk(context: SyncContext, options: WalkOptions): Promise<void> {
  const baseline = transact(context.warehouse.db, (tx) =>
    beginQuickWalk(tx, options.key, context.clock.now()),
  );
  if (baseline === 'left') return;
  if (baseline === 'unwalked') return walkPackage(context, options);
  const quick = createQuickWalk(context, options, baseline);
  try {
    await readChanges(quick);
    finish(quick);
  } catch (error) {
    recordStop(quick.walk, error);
    throw error;
  }
}

function createQuickWalk(context: SyncContext, options: WalkOptions, baseline: ListBaseline): QuickWalk {
  const begun = { ...options, context, mode: 'quick', startedAt: context.clock.now() } as const;
  const walk = createWalkState(begun, { walkId: null, checkpoint: null, lastSize: baseline });
  walk.checkpoint.orderViolated = !baseline.isTrusted;
  const quick: QuickWalk = {
    walk,
    baseline,
    fetchPage: async (number, purpose) => {
      const page = await fetchPage(walk, number, purpose);
      quick.received.set(number, page);
      quick.firstTotalcount ??= page.paging.totalcount;
      walk.checkpoint.totalcount = page.paging.totalcount;
      return page;
    },
    received: new Map(),
    judged: new Map(),
    firstTotalcount: null,
    isEndShown: false,
  };
  return quick;
}

/** The trusted pages, the highest first. */
function listTrusted({ judged }: QuickWalk): TrustedNeighbour[] {
  return [...judged.values()].filter((page) => page !== null).sort((one, other) => other.number - one.number);
}

async function readChanges(quick: QuickWalk): Promise<void> {
  const { walk, baseline } = quick;
  const end = await readEnd(quick);
  if (!end || walk.checkpoint.orderViolated) return;
  walk.boundaryReads.left = 2 * end.number;
  await readNewPages(quick, end);
  const isAsBefore = listTrusted(quick).length === 1 && countMissing(quick, end) === baseline.missingRecords;
  if (!isAsBefore) {
    await searchAll(quick);
    if (countExpectedAbove(quick, end) > 0) await readAboveLast(quick, end);
  }
  await confirmOrder(quick, end);
}

/**
 * Reads the last page. Returns the highest trusted page; null if there is none, or if the list is not sorted.
 */
async function readEnd(quick: QuickWalk): Promise<PageBounds | null> {
  const { walk, baseline, fetchPage, received } = quick;
  const last = await findLastPage(fetchPage, baseline);
  walk.checkpoint.pageSize = last.paging.pagesize;
  // where the list has grown, the former last page is stored first, so that it cannot overwrite a newer
  // response
  for (const page of received.values()) if (page.number < last.number) storeAndTrust(quick, page);
  const end = storeAndTrust(quick, last);
  const { bounds, count } = last.contents;
  const bottom = bounds && { number: last.number, ...bounds };
  const isKnown = last.kind === 'known' && bottom && countExpectedAbove(quick, bottom) === 0;
  if (bottom && count >= last.paging.pagesize && !isKnown) await readAboveLast(quick, bottom);
  if (walk.checkpoint.orderViolated) return null;
  return end ?? readNearest(quick, last.number - 1, START, { number: last.number });
}

/** Reads down from the last page until a page begins with a known id: new videos have the highest ids. */
async function readNewPages(quick: QuickWalk, end: PageBounds): Promise<void> {
  let { first } = end;
  for (let number = end.number - 1; number >= 1 && first > quick.baseline.highestId; number--) {
    first = (await readPage(quick, number))?.first ?? first;
  }
}

/** Reads the page `aim`, or the nearest trusted one between the two; null if there is none. */
async function readNearest(
  quick: QuickWalk,
  aim: number,
  low: { number: number },
  high: { number: number },
): Promise<PageBounds | null> {
  for (let distance = 0; distance < high.number - low.number; distance++) {
    for (const number of [aim + distance, aim - distance]) {
      const isBetween = number > low.number && number < high.number;
      const page = isBetween ? await readPage(quick, number) : null;
      if (page) return page;
    }
  }
  return null;
}

/**
 * Reads a page once, and again where the count has changed: the list may have shifted. Null if it proves
 * nothing, or if the list is shorter or its page size is another one now.
 */
async function readPage(quick: QuickWalk, number: number): Promise<PageBounds | null> {
  const { walk, judged } = quick;
  const known = judged.get(number);
  if (known === null || known?.totalcount === walk.checkpoint.totalcount) return known;
  walk.above = judged.get(number + 1) ?? null;
  const page = await quick.fetchPage(number, 'page');
  const { paging } = page;
  const isUsable = getLastPageNumber(paging) >= number && paging.pagesize === walk.checkpoint.pageSize;
  const bounds = isUsable ? storeAndTrust(quick, page) : null;
  if (!bounds) judged.set(number, null);
  if (walk.slot.pageRead()) await walk.slot.nextSlot();
  return bounds;
}

/** Judges a page and stores it. Returns its bounds; null if it proves nothing or is empty. */
function storeAndTrust(quick: QuickWalk, page: Page): PageBounds | null {
  const { walk, judged } = quick;
  walk.above = judged.get(page.number + 1) ?? null;
  let proof = proveWalked(walk, page);
  const overlap = proof.distrust === null ? findOverlap(quick, page) : null;
  if (overlap !== null) {
    proof = { ...proof, distrust: overlap, range: proof.coversWholeList ? proof.range : null };
    distrustOrder(walk);
  }
  const trusted = recordProof(walk, page, proof);
  storeWalkedPage(walk, page, { ...proof, gap: null });
  judged.set(page.number, trusted);
  return trusted;
}

/** Why a page cannot be where it is in a sorted list, given the other pages; null if it can. */
function findOverlap(quick: QuickWalk, { number, paging, contents }: Page): string | null {
  const { bounds } = contents;
  if (!bounds) return null;
  const others = listTrusted(quick).filter((other) => other.number !== number);
  // a page with another count is not compared, because the list may have shifted since
  const overlapped = others
    .filter(({ totalcount }) => totalcount === paging.totalcount)
    .find((other) => (other.number < number ? other.last >= bounds.first : other.first <= bounds.last));
  return overlapped ? `page ${number} reaches over page ${overlapped.number}` : null;
}

/** Searches between all trusted pages, the highest first. */
async function searchAll(quick: QuickWalk): Promise<void> {
  const pages = listTrusted(quick);
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
  } else if (low.number > 0) {
    ensureWalkRow(walk); // neither page proves the known ids between them, so a boundary read is stored
    await readBoundary(walk, low.number, { low: low.last + 1, high: high.first - 1 });
  }
}

/** Reads what is above the last page, down to the highest known id: that is where new videos are. */
async function readAboveLast(quick: QuickWalk, { number, last }: PageBounds): Promise<void> {
  const { walk, baseline } = quick;
  if (walk.checkpoint.orderViolated) return;
  ensureWalkRow(walk);
  const gap = { low: last + 1, high: HIGHEST };
  quick.isEndShown = await readAbove(walk, number, gap, Math.max(last, baseline.highestId));
}

/**
 * Reads pages until the walk has seen enough ids in order, if it proved a removal by their order: that needs
 * a list which is known to be sorted.
 */
async function confirmOrder(quick: QuickWalk, end: PageBounds): Promise<void> {
  const { context, key, walkId } = quick.walk;
  if (walkId === null || countProofsByOrder(context.warehouse.db, { ...key, walkId }) === 0) return;
  for (let number = end.number; number >= 1 && !isOrderProved(quick.walk); number--) {
    await readPage(quick, number);
  }
}

/**
 * Known records between two pages minus those that the pages between them hold; negative if records are new.
 */
function countSurplus(walk: WalkState, low: PageBounds, high: PageBounds): number {
  const ids = { low: low.last + 1, high: high.first - 1 };
  const pages = { fromPage: low.number + 1, toPage: high.number - 1 };
  const expected = countExpected(walk.context.warehouse.db, walk.key, ids, pages);
  return expected - (high.number - low.number - 1) * walk.checkpoint.pageSize;
}

function countExpectedAbove({ walk, isEndShown }: QuickWalk, { number, last }: PageBounds): number {
  if (isEndShown) return 0;
  const { context, key } = walk;
  const pages = { fromPage: number + 1, toPage: number + 1 };
  return countExpected(context.warehouse.db, key, { low: last + 1, high: HIGHEST }, pages);
}

/** Known records outside the last page that exceed the list's own count. */
function countMissing(quick: QuickWalk, end: PageBounds): number {
  return countSurplus(quick.walk, START, end) + countExpectedAbove(quick, end);
}

function finish(quick: QuickWalk): void {
  const { walk, baseline } = quick;
  const { context, checkpoint } = walk;
  const trusted = listTrusted(quick);
  const [lastPage] = trusted;
  const canCount = !checkpoint.orderViolated && !walk.coversWholeList;
  const missing = lastPage && canCount ? countMissing(quick, lastPage) : 0;
  const hasReadAll = trusted.length === (lastPage?.number ?? 0);
  const hasChanged = quick.firstTotalcount !== checkpoint.totalcount; // during the walk
  const end = { ...buildWalkEnd(walk, hasReadAll), missingRecords: hasChanged ? null : missing };
  const { walkId } = walk;
  if (walkId === null) {
    transact(context.warehouse.ledger, (tx) => finishUnchangedList(tx, end));
    return;
  }
  // a walk without findings leaves no row
  const provedNothing = trusted.length === 0 && !walk.coversWholeList;
  const lostOrder = baseline.isTrusted && checkpoint.orderViolated;
  const hasFindings = walk.changedRows > 0 || provedNothing || lostOrder;
  transact(context.warehouse.db, (tx) =>
    finishQuickWalk(tx, { ...end, walkId, unsettled: Math.max(0, missing), hasFindings }),
  );
}
