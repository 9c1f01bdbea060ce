/** Looks across the boundary of two pages, where neither of them can tell what is between (docs/architecture.md). */
import { RefusedError, TransientError } from '../../lib/errors.ts';
import type { VideoPage } from '../../service/client/answers.ts';
import type { Answered } from '../../service/client/client.ts';
import type { SyncParts } from '../account.ts';
import type { Course } from './course.ts';
import { HIGHEST, holdingOf, judge, type IdRange, type Verdict } from './proof.ts';
import type { WalkOrder } from './walk.ts';

/** One request that looks across a boundary. */
export interface BoundaryPlan {
  page: number;
  pageSize: number;
  direction: 'asc' | 'desc';
}

/** A boundary between two pages: `rank` records of the list lie below it. */
export interface Boundary {
  rank: number;
  totalcount: number;
  /** The page size of the walk. */
  pageSize: number;
  /** The service gives pages of one size, whatever is asked. */
  sizesIgnored: boolean;
}

/** A walk may make so many, also where its share of the pages is less. */
const LEAST_LOOKS = 3;

/** How many boundary reads a walk of so many pages may make. */
export function mostLooks(share: number, pages: number): number {
  return share > 0 ? Math.max(LEAST_LOOKS, Math.ceil(share * pages)) : 0;
}

/**
 * The looks across a boundary, the better one first: a smaller page on which the boundary lies as deep inside as
 * possible; or the same page size counted from the other end of the list.
 */
export function planLooks({ rank, totalcount, pageSize, sizesIgnored }: Boundary): BoundaryPlan[] {
  const plans: BoundaryPlan[] = [];
  const smaller = sizesIgnored ? null : deepestSize(rank, pageSize);
  if (smaller !== null) plans.push({ ...pageAt(rank, smaller), direction: 'asc' });
  const fromTop = totalcount - rank;
  if (fromTop > 0 && depth(fromTop, pageSize) > 0) {
    plans.push({ ...pageAt(fromTop, pageSize), direction: 'desc' });
  }
  return plans;
}

/** The first page from the other end shows what is above all others, whatever the count says. */
export function planEndLook(pageSize: number): BoundaryPlan {
  return { page: 1, pageSize, direction: 'desc' };
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
export async function lookAcross(
  parts: SyncParts,
  order: WalkOrder,
  course: Course,
  { number, gap }: { number: number; gap: IdRange },
): Promise<void> {
  const { pageSize, totalcount } = course.checkpoint;
  const { sizesIgnored } = course.looks;
  const boundary = { rank: number * pageSize, totalcount, pageSize, sizesIgnored };
  const plans = gap.high === HIGHEST ? [planEndLook(pageSize)] : planLooks(boundary);
  for (const plan of plans) {
    if (course.looks.left <= 0) return;
    course.looks.left--;
    const page = await askLook(order, course, plan);
    if (!page) return;
    await storeLook(parts, course, gap, { plan, page });
    const wasIgnored = plan.pageSize !== pageSize && page.paging.pagesize === pageSize;
    if (!wasIgnored) return;
    course.looks.sizesIgnored = true;
  }
}

/** A look is a favour: a service that does not grant it is asked for no more of them in this walk. */
async function askLook(
  { account, packageId, runId, signal }: WalkOrder,
  course: Course,
  plan: BoundaryPlan,
): Promise<Answered<VideoPage> | null> {
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
  parts: SyncParts,
  course: Course,
  across: IdRange,
  { plan, page }: { plan: BoundaryPlan; page: Answered<VideoPage> },
): Promise<void> {
  const { key, walkId, checkpoint } = course;
  const { proof, orderViolated } = judgeLook(course, plan, page);
  if (plan.direction === 'asc') checkpoint.orderViolated = orderViolated;
  const { answeredAt, videos, refused, drift } = page;
  const answer = { ...key, walkId, page: plan.page, answeredAt, videos, refused, drift, proof };
  await parts.warehouse.storeLook({ ...answer, across, checkpoint });
}

/** Judged by its own page size. From the other end, a list that is not turned round is no sign of disorder. */
function judgeLook(
  { checkpoint }: Course,
  { page: asked, direction }: BoundaryPlan,
  page: VideoPage,
): Verdict {
  const fromTop = direction === 'desc';
  const { paging, echo, refused } = page;
  const ids = fromTop ? page.ids.toReversed() : page.ids;
  const holding = holdingOf(ids, refused.length);
  const { orderViolated } = checkpoint;
  return judge({
    asked,
    pageSize: paging.pagesize,
    paging,
    echo,
    holding,
    fromTop,
    above: null,
    orderViolated,
  });
}
