/** Boundary reads: requests that show both sides of the gap between two pages (docs/contributing/walking.md). */
import { RefusedError, TransientError } from '../../lib/errors.ts';
import type { IdRange } from '../../lib/package-key.ts';
import type { VideoPage, WithReceivedAt } from '../../service/client/parse-response.ts';
import { findForeignEcho, HIGHEST, toPageContents, type PageContents } from './page-contents.ts';
import { provePage, type PageProof } from './proof.ts';
import { addChanges, distrustOrder, type WalkState } from './walk-state.ts';

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
/** Reads of one boundary: a second one helps if the first does not hold both sides. */
const MAX_READS_PER_BOUNDARY = 2;

/** The number of boundary reads that a walk of `pages` pages may make. */
export function getMaxBoundaryReads(share: number, pages: number): number {
  return share > 0 ? Math.max(MIN_BOUNDARY_READS, Math.ceil(share * pages)) : 0;
}

/**
 * The reads of a boundary, in the order in which they are tried: a smaller page with the boundary as deep inside as
 * possible; or a page counted from the other end of the list, of the same size if that works. The last one is for a list
 * whose count is wrong by one.
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

/** The first page from the other end shows what is above all others, even if the count is wrong. */
function planEndReads(boundary: Boundary): BoundaryPlan[] {
  const fromTop = { page: 1, pageSize: boundary.pageSize, direction: 'desc' } as const;
  return [fromTop, ...planBoundaryReads(boundary).filter(({ direction }) => direction === 'asc')];
}

/** The page size below `pageSize` with which the boundary lies deepest inside a page; null if there is none. */
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
  const plans = gap.high === HIGHEST ? planEndReads(boundary) : planBoundaryReads(boundary);
  for (const plan of plans) {
    if (boundaryReads.left <= 0) return;
    boundaryReads.left--;
    const page = await fetchBoundaryPage(walk, plan);
    if (!page || isForeign(walk, page, gap)) return;
    const proof = storeBoundaryPage(walk, page, gap);
    const wasSizeIgnored = plan.pageSize !== pageSize && page.paging.pagesize === pageSize;
    if (proof.range && !wasSizeIgnored) return;
    boundaryReads.isSizeIgnored ||= wasSizeIgnored;
  }
}

interface BoundaryPage extends WithReceivedAt<VideoPage> {
  number: number;
  isDescending: boolean;
  contents: PageContents;
}

/** Boundary reads are optional: a walk makes no more of them after one has failed. Null if it failed. */
async function fetchBoundaryPage(walk: WalkState, plan: BoundaryPlan): Promise<BoundaryPage | null> {
  const { account, key, runId, signal } = walk.options;
  signal.throwIfAborted();
  try {
    const request = { packageId: key.packageId, ...plan, purpose: 'boundary' as const, runId, signal };
    const page = await account.client.videoPage(request);
    const isDescending = plan.direction === 'desc';
    const contents = toPageContents(isDescending ? page.ids.toReversed() : page.ids, page.refused.length);
    return { ...page, number: plan.page, isDescending, contents };
  } catch (error) {
    if (!(error instanceof RefusedError || error instanceof TransientError)) throw error;
    walk.boundaryReads.left = 0;
    return null;
  }
}

/** A page that has neither the record below the gap, which may be in quarantine, nor a live id is not one of this package. */
function isForeign({ context, key }: WalkState, { echo, contents }: BoundaryPage, gap: IdRange): boolean {
  if (findForeignEcho(echo, key.packageId) !== null) return true;
  const ids = contents.ids ?? [];
  const isKnown = ids.length === 0 || ids.includes(gap.low - 1);
  return !isKnown && !context.warehouse.hasLiveId({ ...key, ids });
}

function storeBoundaryPage(walk: WalkState, page: BoundaryPage, gap: IdRange): PageProof {
  const { context, key, walkId, checkpoint } = walk;
  const proof = proveGap(page, gap, checkpoint.orderViolated);
  // a list that ignores the descending order is no sign of disorder
  if (!page.isDescending && proof.orderViolated) distrustOrder(walk);
  const { number, answeredAt, videos, refused, drift } = page;
  const { range, coversWholeList } = proof;
  const place = { ...key, walkId, page: number, answeredAt, checkpoint, targetGap: gap };
  const answer = { ...place, videos, refused, drift, proof: range, coversWholeList };
  addChanges(walk, context.warehouse.storeBoundaryPage(answer));
  return proof;
}

/** The page is judged by its own page size. It proves the gap only if it holds the records on both sides. */
function proveGap(page: BoundaryPage, { low, high }: IdRange, orderViolated: boolean): PageProof {
  const { number, paging, echo, contents, isDescending, ids } = page;
  const input = { number, pageSize: paging.pagesize, paging, echo, contents, isDescending };
  const proof = provePage({ ...input, above: null, orderViolated });
  const showsBothSides = ids.includes(low - 1) && (high === HIGHEST || ids.includes(high + 1));
  return showsBothSides || proof.coversWholeList ? proof : { ...proof, range: null };
}
