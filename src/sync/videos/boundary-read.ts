/**
 * Boundary reads: requests that show both sides of the gap between two pages (docs/contributing/walking.md).
 */
import { countPages } from '../../service/count-pages.ts';
import { RefusedError, TransientError } from '../../lib/errors.ts';
import type { IdRange } from '../package-key.ts';
import type { ReadPage } from '../../service/client/parse-response.ts';
import { findForeignEcho, toPageContents } from './page-contents.ts';
import { provePage, type JudgedPage, type PageProof } from './proof.ts';
import { addChanges, distrustOrder, ensureWalkRow, type WalkState } from './walk-state.ts';
import { countLive } from '../../warehouse/statements/video.ts';
import { hasLiveId } from '../../warehouse/statements/expected-ids.ts';
import { transact } from '../../database/transaction.ts';
import { storeBoundaryPage } from '../../warehouse/store-page.ts';

/** One boundary read. */
export interface BoundaryPlan {
  page: number;
  pageSize: number;
  direction: 'asc' | 'desc';
}

/** A boundary between two pages. */
export interface Boundary {
  /** Number of records below it. */
  rank: number;
  /** Records of the whole list. */
  length: number;
  /** The page size of the walk. */
  pageSize: number;
  /** The service ignores the requested page size. */
  isSizeIgnored: boolean;
}

/** A walk may make this many boundary reads, even if its share of the pages is less. */
const MIN_BOUNDARY_READS = 3;
/** The most reads of one boundary. A second one helps if the page of the first does not hold both sides. */
const MAX_READS_PER_BOUNDARY = 2;

/** The number of boundary reads that a walk of `pages` pages may make. */
export function getMaxBoundaryReads(share: number, pages: number): number {
  return share > 0 ? Math.max(MIN_BOUNDARY_READS, Math.ceil(share * pages)) : 0;
}

/**
 * The reads of a boundary, in the order in which they are tried: a smaller page with the boundary as deep
 * inside as possible; or a page counted from the other end of the list, of the same size if that works. The
 * last one is for a list whose count is wrong by one.
 */
export function planBoundaryReads({ rank, length, pageSize, isSizeIgnored }: Boundary): BoundaryPlan[] {
  const fromTop = Math.max(0, length - rank);
  const isInside = getDistanceToEdge(fromTop, pageSize) > 0;
  const options = [
    { rank, size: isSizeIgnored ? null : findDeepestSize(rank, pageSize), direction: 'asc' as const },
    { rank: fromTop, size: isInside ? pageSize : null, direction: 'desc' as const },
    {
      rank: fromTop,
      size: isSizeIgnored ? null : findDeepestSize(fromTop, pageSize),
      direction: 'desc' as const,
    },
    { rank: fromTop, size: isInside ? null : pageSize, direction: 'desc' as const },
  ];
  return options
    .flatMap(({ rank: below, size, direction }) =>
      size === null ? [] : [{ page: Math.floor(below / size) + 1, pageSize: size, direction }],
    )
    .slice(0, MAX_READS_PER_BOUNDARY);
}

/**
 * The page size below `pageSize` with which the boundary lies deepest inside a page; null if there is none.
 */
function findDeepestSize(rank: number, pageSize: number): number | null {
  let best: number | null = null;
  for (let size = pageSize - 1; size > 1; size--) {
    if (getDistanceToEdge(rank, size) > (best === null ? 0 : getDistanceToEdge(rank, best))) best = size;
  }
  return best;
}

/** Records between the boundary and the nearer end of the page that it lies in. */
function getDistanceToEdge(rank: number, size: number): number {
  return Math.min(rank % size, size - (rank % size));
}

/** Reads the gap above page `number` until a page shows all of it, as long as boundary reads are left. */
export async function readBoundary(walk: WalkState, number: number, gap: IdRange): Promise<void> {
  const { checkpoint, countError, boundaryReads } = walk;
  const { pageSize, totalcount } = checkpoint;
  const { isSizeIgnored } = boundaryReads;
  const boundary = { rank: number * pageSize, length: totalcount + countError, pageSize, isSizeIgnored };
  for (const plan of planBoundaryReads(boundary)) {
    if (boundaryReads.left <= 0) return;
    boundaryReads.left--;
    const page = await fetchBoundaryPage(walk, plan);
    if (!page) boundaryReads.left = 0; // after one has failed, no more are made
    if (!page || isForeign(walk, page, gap)) return;
    const proof = proveGap(page, gap, checkpoint.orderViolated);
    storeBoundaryRead(walk, page, gap, proof);
    const wasSizeIgnored = plan.pageSize !== pageSize && page.paging.pagesize === pageSize;
    if (proof.range && !wasSizeIgnored) return;
    boundaryReads.isSizeIgnored ||= wasSizeIgnored;
  }
}

/** How many pages above its own count a list is followed. */
const MAX_PAGES_ABOVE = 1000;

/**
 * Reads what is above the last page `number`, which need not be the end: search engines stop counting at
 * 10,000. The list is read from the other end down to the id `known`, or upward where that fails. Returns
 * whether all was shown. If more is listed than could be read, the walk is incomplete.
 */
export async function readAbove(walk: WalkState, number: number, gap: IdRange, known = gap.low - 1) {
  const { checkpoint, context, key, slot } = walk;
  const { unreadReason, totalcount, pageSize } = checkpoint;
  const size = findDeepestSize(number * pageSize, pageSize) ?? pageSize;
  const plans: BoundaryPlan[] = [
    { page: 1, pageSize, direction: 'desc' },
    { page: Math.floor((number * pageSize) / size) + 1, pageSize: size, direction: 'asc' },
    { page: number + 1, pageSize, direction: 'asc' },
  ];
  const unread = { ...gap };
  let highest = 0;
  for (const plan of plans) {
    for (let pages = 0; pages < MAX_PAGES_ABOVE; pages++) {
      const page = await fetchBoundaryPage(walk, { ...plan, page: plan.page + pages });
      const proof = page && proveAbove(walk, page, plan.pageSize, unread);
      if (!proof) break;
      // a page without a known video may be of another package, so it is requested once more, and used if it
      // is the same
      const again = pages === 0 && isForeign(walk, page, gap) ? await fetchBoundaryPage(walk, plan) : page;
      if (again?.ids.at(0) !== page.ids.at(0)) break;
      const { first, last } = page.contents.bounds ?? { first: unread.low, last: unread.low - 1 };
      if (first < gap.low && !page.ids.includes(gap.low - 1)) break; // it differs from what was read
      const isShort = page.ids.length < plan.pageSize;
      const isEnd = page.isDescending ? first <= known : isShort || last > unread.high;
      if (isEnd && last < gap.low && countLive(context.warehouse.db, { ...key, ...gap }) === 0) return true;
      if (page.isDescending) unread.high = first - 1;
      else unread.low = last + 1;
      highest = Math.max(highest, last);
      const seen = `id ${highest} is listed, not all above ${gap.low - 1} was read`;
      const isUnread = !isEnd && highest >= gap.low;
      checkpoint.unreadReason = isUnread ? `the count of ${totalcount} is too low: ${seen}` : unreadReason;
      storeBoundaryRead(walk, page, gap, proof);
      if (isEnd) {
        walk.countError += pages * pageSize + page.ids.filter((id) => id === null || id >= gap.low).length;
        return true;
      }
      if (slot.pageRead()) await slot.nextSlot();
    }
  }
  return false;
}

/** What a page above the last one proves, whatever its count; null if it does not follow what was read. */
function proveAbove(walk: WalkState, page: BoundaryPage, pageSize: number, unread: IdRange) {
  const { number, paging, echo, contents, isDescending } = page;
  const { count, bounds, disorder } = contents;
  if (!isDescending && disorder !== null) distrustOrder(walk); // also where the page is not used
  const isNext = isDescending
    ? bounds !== null && bounds.first <= unread.high
    : count < pageSize || (bounds?.last ?? 0) >= unread.low;
  const isRequested = paging.page === number && paging.pagesize === pageSize;
  if (!isNext || !isRequested || findForeignEcho(echo, walk.key.packageId) !== null) return null;
  const totalcount = Math.max(paging.totalcount, (number - 1) * pageSize + count);
  const raised = { ...paging, totalcount, totalpage: countPages(totalcount, pageSize) };
  const proof = provePage({ ...page, paging: raised, pageSize, above: null, orderViolated: false });
  return proof.orderViolated ? null : proof;
}

type BoundaryPage = ReadPage & JudgedPage;

/** Requests a page; null if that failed, because boundary reads are optional. */
async function fetchBoundaryPage(walk: WalkState, plan: BoundaryPlan): Promise<BoundaryPage | null> {
  const { account, key, runId, signal } = walk;
  signal.throwIfAborted();
  try {
    const request = { packageId: key.packageId, ...plan, purpose: 'boundary' as const, runId, signal };
    const page = await account.client.videoPage(request);
    const isDescending = plan.direction === 'desc';
    const contents = toPageContents(isDescending ? page.ids.toReversed() : page.ids, page.refused.length);
    return { ...page, number: plan.page, isDescending, contents };
  } catch (error) {
    if (!(error instanceof RefusedError || error instanceof TransientError)) throw error;
    return null;
  }
}

/**
 * Is a page one of another package? It is if it has neither the record below the gap, which may be in
 * quarantine, nor the id of a live row.
 */
function isForeign({ context, key }: WalkState, { echo, contents }: BoundaryPage, gap: IdRange): boolean {
  if (findForeignEcho(echo, key.packageId) !== null) return true;
  const ids = contents.ids ?? [];
  const isKnown = ids.length === 0 || ids.includes(gap.low - 1);
  return !isKnown && !hasLiveId(context.warehouse.db, key, ids);
}

function storeBoundaryRead(walk: WalkState, page: BoundaryPage, gap: IdRange, proof: PageProof): void {
  const { context, key, checkpoint } = walk;
  const walkId = ensureWalkRow(walk);
  // a list that ignores the descending order is no sign of disorder
  if (!page.isDescending && proof.orderViolated) distrustOrder(walk);
  const { number, videos, refused, drift } = page;
  const { range, coversWholeList } = proof;
  const place = { key, walkId, page: number, now: context.clock.now(), checkpoint, targetGap: gap };
  const answer = { ...place, videos, refused, drift, proof: range, coversWholeList };
  addChanges(
    walk,
    transact(context.warehouse.db, (tx) => storeBoundaryPage(tx, answer)),
  );
}

/**
 * What a page proves, judged by its own page size. It proves the gap only if it holds the records on both
 * sides of it.
 */
function proveGap(page: BoundaryPage, { low, high }: IdRange, orderViolated: boolean): PageProof {
  const proof = provePage({ ...page, pageSize: page.paging.pagesize, above: null, orderViolated });
  const showsBothSides = page.ids.includes(low - 1) && page.ids.includes(high + 1);
  return showsBothSides || proof.coversWholeList ? proof : { ...proof, range: null };
}
