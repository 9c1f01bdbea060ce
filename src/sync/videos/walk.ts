/**
 * One pass over all pages of one package: last page first, one after the other, so that a deletion moves records
 * towards the pages still unread and nothing slips past. See docs/architecture.md, "Walking".
 */
import { RefusedError } from '../../lib/errors.ts';
import type { StartedWalk } from '../../warehouse/walks.ts';
import type { SyncAccount, SyncContext } from '../context.ts';
import type { Slot } from '../fair-queue.ts';
import { readBoundary, maxBoundaryReads } from './boundary-read.ts';
import { advance, createWalkState, warnOfDisorder, type WalkState } from './walk-state.ts';
import { buildWalkEnd, recordStop } from './walk-end.ts';
import { findLastPage, seekToId, clampToLastPage, type Position } from './seek.ts';
import { HIGHEST, isTrustedNeighbour, lastPageNumber, type PageProof } from './proof.ts';
import type { PageOwners } from './page-owners.ts';
import { createPageFetcher, type FetchPage } from './page-fetcher.ts';
import { judgePage, retryWrongPage, storePage } from './page.ts';
import type { IdRange } from '../../lib/id-range.ts';

export interface WalkOptions {
  account: SyncAccount;
  packageId: number;
  runId: number;
  /** What a person let through: see RunOrder. */
  acceptRemovals: boolean | number;
  acceptPage: boolean;
  /** Which package of the account showed which page. */
  owners: PageOwners;
  /** Others wait for theirs. */
  turn: Slot;
  signal: AbortSignal;
}

/** A page size that changes more often than this is no page size. */
const SIZE_CHANGES = 3;

/** Walks one package. Throws what stopped it, after its checkpoint and its status are stored. */
export async function walkPackage(parts: SyncContext, order: WalkOptions): Promise<void> {
  const key = { account: order.account.name, packageId: order.packageId };
  const { resumeWithinMs } = parts.walk;
  const startedAt = order.account.clock.mark();
  const start = { ...key, runId: order.runId, mode: 'full' as const, now: startedAt(), resumeWithinMs };
  const begun = await parts.warehouse.beginWalk(start);
  try {
    const course = createWalkState(key, begun);
    await readPagesDescending(parts, order, begun, course);
    warnOfDisorder(parts, course);
    await parts.warehouse.finishWalk(buildWalkEnd(parts, order, startedAt(), course));
  } catch (error) {
    await recordStop(parts, order, { walkId: begun.walkId, mode: 'full' }, error);
    throw error;
  } finally {
    parts.progress.walkEnded(key);
  }
}

/** Reads from the start of the walk down to page 1, storing each page while the next one is fetched. */
async function readPagesDescending(
  parts: SyncContext,
  order: WalkOptions,
  begun: StartedWalk,
  course: WalkState,
): Promise<void> {
  const ask = createPageFetcher(parts, order, course);
  let position = await findStart(parts, ask, course, begun);
  const pages = lastPageNumber(position.page.paging);
  course.looks.left = maxBoundaryReads(parts.walk.boundaryReads, pages);
  parts.progress.walkStarted({ ...course.key, pages, done: Math.max(0, pages - position.number) });
  for (;;) {
    position = await adoptPageSize(parts, ask, course, position);
    const verdict = await judgePage(parts, course, position);
    const gap = await gapToProbe(parts, course, position, verdict);
    const { number } = position;
    advance(course, number, position.page, verdict);
    const isTurnOver = order.turn.pageRead();
    // the next page is fetched while this one is stored; but a look, or others, may come between the two
    const next = number > 1 && !gap && !isTurnOver ? ask(number - 1, 'page') : null;
    next?.catch(() => undefined); // awaited below; storing may throw before that
    course.storing = storePage(parts, course, position, verdict);
    await course.storing;
    if (gap) await readBoundary(parts, order, course, { number, gap });
    if (number <= 1) return;
    if (isTurnOver) await order.turn.nextSlot();
    const page = await (next ?? ask(number - 1, 'page'));
    position = await clampToLastPage(ask, await retryWrongPage(ask, course, { number: number - 1, page }));
  }
}

async function findStart(
  parts: SyncContext,
  ask: FetchPage,
  course: WalkState,
  { last }: Pick<StartedWalk, 'last'>,
): Promise<Position> {
  const { id, orderViolated } = course.checkpoint;
  const found = id === null || orderViolated ? null : await seekToId(ask, { ...course.checkpoint, id });
  const size = id === null ? last : course.checkpoint;
  const position =
    found ?? (await findLastPage(ask, size, (missing) => retryWrongPage(ask, course, missing)));
  course.checkpoint.pageSize = position.page.paging.pagesize;
  if (id !== null) await verifyResumePoint(parts, course, position, id);
  return retryWrongPage(ask, course, position);
}

/**
 * What was read before goes on where its lowest id is. Without that id nobody can tell whether the two parts of the
 * walk belong to one sorted list: what the earlier part proved is then forgotten.
 */
async function verifyResumePoint(
  { warehouse }: SyncContext,
  course: WalkState,
  { page }: Position,
  id: number,
): Promise<void> {
  const { ids, ends } = page.holding;
  const isKnownThere = ends !== null && ends.first <= id && id <= ends.last;
  const isThere =
    ids?.includes(id) ??
    (isKnownThere && (await warehouse.liveIds(course.key, { low: id, high: id })).length > 0);
  if (!isThere) await warehouse.dropProofs(course.key);
}

/** Another page size than the walk settled on: it takes the new one, and goes on from the lowest id read. */
async function adoptPageSize(
  parts: SyncContext,
  ask: FetchPage,
  course: WalkState,
  position: Position,
): Promise<Position> {
  if (position.page.paging.pagesize === course.checkpoint.pageSize) return position;
  if (++course.sizeChanges > SIZE_CHANGES) throw pageSizeUnstable(course);
  course.above = course.checkpoint.id === null ? 'end' : null;
  const again = await findStart(parts, ask, course, { last: null });
  return adoptPageSize(parts, ask, course, again);
}

function pageSizeUnstable({ key }: WalkState): RefusedError {
  const message = `account ${key.account}, package ${key.packageId}: the page size keeps changing`;
  return new RefusedError(message, {
    fault: 'shape',
    hint: 'set page_size to one that the service keeps to',
  });
}

/**
 * The gap above a page, where it wants a look: live rows in it are proved by neither page; or the list has grown
 * since the page above was read, and an old id that was put back may have moved a record up, past the walk.
 */
async function gapToProbe(
  { warehouse }: SyncContext,
  { key, above, looks }: WalkState,
  { page }: Position,
  { gap }: PageProof,
): Promise<IdRange | null> {
  if (!gap || looks.left <= 0) return null;
  if (isTrustedNeighbour(above) && gap.high !== HIGHEST && page.paging.totalcount > above.totalcount)
    return gap;
  return (await warehouse.countLive(key, gap)) > 0 ? gap : null;
}
