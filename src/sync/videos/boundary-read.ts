/** Looks across the boundary of two pages, where neither of them can tell what is between (docs/architecture.md). */
import { RefusedError, TransientError } from '../../lib/errors.ts';
import type { VideoPage } from '../../service/client/parse-response.ts';
import type { WithReceivedAt } from '../../service/client/client.ts';
import type { SyncContext } from '../context.ts';
import { addChanges, distrustOrder, type WalkState } from './walk-state.ts';
import { doubtEcho } from './foreign-page.ts';
import { findDoubtByRows } from './confirm-page.ts';
import { HIGHEST, toPageContents, provePage, type PageProof } from './proof.ts';
import type { WalkOptions } from './walk.ts';
import type { IdRange } from '../../lib/id-range.ts';

/** One request that looks across a boundary. */
export interface BoundaryPlan {
  page: number;
  pageSize: number;
  direction: 'asc' | 'desc';
}

/** A boundary between two pages: `rank` records of the list lie below it. */
export interface Boundary {
  rank: number;
  /** Records of the whole list. */
  length: number;
  /** The page size of the walk. */
  pageSize: number;
  /** The service gives pages of one size, whatever is asked. */
  sizesIgnored: boolean;
}

/** A walk may make so many, also where its share of the pages is less. */
const MIN_BOUNDARY_READS = 3;

/** Looks at one boundary: where the first does not hold both its sides, another one may. */
const MOST_LOOKS = 2;

/** How many boundary reads a walk of so many pages may make. */
export function maxBoundaryReads(share: number, pages: number): number {
  return share > 0 ? Math.max(MIN_BOUNDARY_READS, Math.ceil(share * pages)) : 0;
}

/**
 * The looks across a boundary, in the order in which they are tried: a smaller page on which the boundary lies as deep
 * inside as possible; or a page counted from the other end of the list, of the same size where that will do. The last
 * one is for a list that counts itself wrongly by one.
 */
export function planBoundaryReads({ rank, length, pageSize, sizesIgnored }: Boundary): BoundaryPlan[] {
  const fromTop = Math.max(0, length - rank);
  const isInside = depth(fromTop, pageSize) > 0;
  const sizes = [
    { rank, size: sizesIgnored ? null : deepestSize(rank, pageSize), direction: 'asc' as const },
    { rank: fromTop, size: isInside ? pageSize : null, direction: 'desc' as const },
    { rank: fromTop, size: sizesIgnored ? null : deepestSize(fromTop, pageSize), direction: 'desc' as const },
    { rank: fromTop, size: isInside ? null : pageSize, direction: 'desc' as const },
  ];
  return sizes
    .flatMap((plan) =>
      plan.size === null ? [] : [{ ...pageAt(plan.rank, plan.size), direction: plan.direction }],
    )
    .slice(0, MOST_LOOKS);
}

/** The first page from the other end shows what is above all others, whatever the count says. */
function planEndLooks(boundary: Boundary): BoundaryPlan[] {
  const fromTop = { page: 1, pageSize: boundary.pageSize, direction: 'desc' } as const;
  return [fromTop, ...planBoundaryReads(boundary).filter(({ direction }) => direction === 'asc')];
}

/** The size below `pageSize` with which the boundary lies deepest inside a page; null where none does. */
function deepestSize(rank: number, pageSize: number): number | null {
  let best: number | null = null;
  for (let size = pageSize - 1; size > 1; size--) {
    if (depth(rank, size) > (best === null ? 0 : depth(rank, best))) best = size;
  }
  return best;
}

/** Records between the boundary and the nearer end of the page that it lies in. */
function depth(rank: number, size: number): number {
  return Math.min(rank % size, size - (rank % size));
}

function pageAt(rank: number, pageSize: number): { page: number; pageSize: number } {
  return { page: Math.floor(rank / pageSize) + 1, pageSize };
}

/** Looks into a gap above page `number`, as long as boundary reads are left, until it has been seen whole. */
export async function readBoundary(
  parts: SyncContext,
  order: WalkOptions,
  course: WalkState,
  { number, gap }: { number: number; gap: IdRange },
): Promise<void> {
  const { pageSize, totalcount } = course.checkpoint;
  const { sizesIgnored } = course.looks;
  const length = totalcount + course.miscount;
  const boundary = { rank: number * pageSize, length, pageSize, sizesIgnored };
  const plans = gap.high === HIGHEST ? planEndLooks(boundary) : planBoundaryReads(boundary);
  for (const plan of plans) {
    if (course.looks.left <= 0) return;
    course.looks.left--;
    const page = await fetchBoundaryPage(order, course, plan);
    if (!page) return;
    if (!order.acceptPage && (await isForeign(parts, course, plan, page))) return;
    const { proof } = await storeLook(parts, course, gap, { plan, page });
    const wasIgnored = plan.pageSize !== pageSize && page.paging.pagesize === pageSize;
    if (proof && !wasIgnored) return;
    course.looks.sizesIgnored ||= wasIgnored;
  }
}

/** A look that may show another package proves nothing, and nothing of it is stored. */
async function isForeign(
  parts: SyncContext,
  course: WalkState,
  { direction }: BoundaryPlan,
  { paging, echo, ids: listed, refused }: VideoPage,
): Promise<boolean> {
  const { key } = course;
  const { packageId } = key;
  if (doubtEcho(echo, packageId)?.isSure) return true;
  const fromTop = direction === 'desc';
  const holding = toPageContents(fromTop ? listed.toReversed() : listed, refused.length);
  const page = { packageId, paging, echo, holding, fromTop, above: null };
  const doubt = await findDoubtByRows(parts, course, page);
  return doubt !== null && doubt !== 'unknown';
}

/** A look is a favour: a service that does not grant it is asked for no more of them in this walk. */
async function fetchBoundaryPage(
  { account, packageId, runId, signal }: WalkOptions,
  course: WalkState,
  plan: BoundaryPlan,
): Promise<WithReceivedAt<VideoPage> | null> {
  signal.throwIfAborted();
  try {
    return await account.client.videoPage({ packageId, ...plan, purpose: 'boundary', runId, signal });
  } catch (error) {
    if (!(error instanceof RefusedError || error instanceof TransientError)) throw error;
    course.looks.left = 0;
    return null;
  }
}

async function storeLook(
  parts: SyncContext,
  course: WalkState,
  across: IdRange,
  { plan, page }: { plan: BoundaryPlan; page: WithReceivedAt<VideoPage> },
): Promise<PageProof> {
  const { key, walkId, checkpoint } = course;
  const verdict = judgeLook(course, plan, page, across);
  if (plan.direction === 'asc' && verdict.orderViolated) await distrustOrder(parts, course);
  const { proof, isWhole } = verdict;
  const { answeredAt, videos, refused, drift } = page;
  const answer = { ...key, walkId, page: plan.page, answeredAt, videos, refused, drift, proof, isWhole };
  addChanges(course, await parts.warehouse.storeLook({ ...answer, across, checkpoint }));
  return verdict;
}

/**
 * Judged by its own page size. It looks across only if it holds the records on both sides of the gap. From the other
 * end, a list that is not turned round is no sign of disorder.
 */
function judgeLook(
  { checkpoint }: WalkState,
  { page: asked, direction }: BoundaryPlan,
  page: VideoPage,
  across: IdRange,
): PageProof {
  const fromTop = direction === 'desc';
  const { paging, echo, refused } = page;
  const ids = fromTop ? page.ids.toReversed() : page.ids;
  const holding = toPageContents(ids, refused.length);
  const { orderViolated } = checkpoint;
  const look = {
    asked,
    pageSize: paging.pagesize,
    paging,
    echo,
    holding,
    fromTop,
    above: null,
    orderViolated,
  };
  const verdict = provePage(look);
  const isAcross = ids.includes(across.low - 1) && (across.high === HIGHEST || ids.includes(across.high + 1));
  return isAcross || verdict.isWhole ? verdict : { ...verdict, proof: null };
}
