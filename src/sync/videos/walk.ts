/**
 * One pass over all pages of one package: last page first, one after the other, so that a deletion moves records
 * towards the pages still unread and nothing slips past. See docs/architecture.md, "Walking".
 */
import { RefusedError } from '../../lib/errors.ts';
import type { BegunWalk } from '../../warehouse/walks.ts';
import type { SyncAccount, SyncParts } from '../context.ts';
import type { Turn } from '../fair-queue.ts';
import { lookAcross, mostLooks } from './boundary-read.ts';
import { advance, setOut, warnOfDisorder, type Course } from './walk-state.ts';
import { endOf, noteStop } from './walk-end.ts';
import { findLastPage, findPageOf, unlessShrunk, type Position } from './seek.ts';
import { HIGHEST, isFrontier, lastOf, type Verdict } from './proof.ts';
import type { PageOwners } from './page-owners.ts';
import { createAsk, type AskPage } from './page-fetcher.ts';
import { examine, inPlace, store } from './page.ts';
import type { IdRange } from '../../lib/id-range.ts';

export interface WalkOrder {
  account: SyncAccount;
  packageId: number;
  runId: number;
  /** What a person let through: see RunOrder. */
  acceptRemovals: boolean | number;
  acceptPage: boolean;
  /** Which package of the account showed which page. */
  owners: PageOwners;
  /** Others wait for theirs. */
  turn: Turn;
  signal: AbortSignal;
}

/** A page size that changes more often than this is no page size. */
const SIZE_CHANGES = 3;

/** Walks one package. Throws what stopped it, after its checkpoint and its status are stored. */
export async function walkPackage(parts: SyncParts, order: WalkOrder): Promise<void> {
  const key = { account: order.account.name, packageId: order.packageId };
  const { resumeWithinMs } = parts.walk;
  const startedAt = order.account.clock.mark();
  const start = { ...key, runId: order.runId, mode: 'full' as const, now: startedAt(), resumeWithinMs };
  const begun = await parts.warehouse.beginWalk(start);
  try {
    const course = setOut(key, begun);
    await readDown(parts, order, begun, course);
    warnOfDisorder(parts, course);
    await parts.warehouse.finishWalk(endOf(parts, order, startedAt(), course));
  } catch (error) {
    await noteStop(parts, order, { walkId: begun.walkId, mode: 'full' }, error);
    throw error;
  } finally {
    parts.progress.walkEnded(key);
  }
}

/** Reads from the start of the walk down to page 1, storing each page while the next one is fetched. */
async function readDown(parts: SyncParts, order: WalkOrder, begun: BegunWalk, course: Course): Promise<void> {
  const ask = createAsk(parts, order, course);
  let position = await findStart(parts, ask, course, begun);
  const pages = lastOf(position.page.paging);
  course.looks.left = mostLooks(parts.walk.boundaryReads, pages);
  parts.progress.walkBegun({ ...course.key, pages, done: Math.max(0, pages - position.number) });
  for (;;) {
    position = await settleSize(parts, ask, course, position);
    const verdict = await examine(parts, course, position);
    const gap = await gapToCross(parts, course, position, verdict);
    const { number } = position;
    advance(course, number, position.page, verdict);
    const isTurnOver = order.turn.pageRead();
    // the next page is fetched while this one is stored; but a look, or others, may come between the two
    const next = number > 1 && !gap && !isTurnOver ? ask(number - 1, 'page') : null;
    next?.catch(() => undefined); // awaited below; storing may throw before that
    course.storing = store(parts, course, position, verdict);
    await course.storing;
    if (gap) await lookAcross(parts, order, course, { number, gap });
    if (number <= 1) return;
    if (isTurnOver) await order.turn.again();
    const page = await (next ?? ask(number - 1, 'page'));
    position = await unlessShrunk(ask, await inPlace(ask, course, { number: number - 1, page }));
  }
}

async function findStart(
  parts: SyncParts,
  ask: AskPage,
  course: Course,
  { last }: Pick<BegunWalk, 'last'>,
): Promise<Position> {
  const { id, orderViolated } = course.checkpoint;
  const found = id === null || orderViolated ? null : await findPageOf(ask, { ...course.checkpoint, id });
  const size = id === null ? last : course.checkpoint;
  const position = found ?? (await findLastPage(ask, size, (missing) => inPlace(ask, course, missing)));
  course.checkpoint.pageSize = position.page.paging.pagesize;
  if (id !== null) await joinEarlier(parts, course, position, id);
  return inPlace(ask, course, position);
}

/**
 * What was read before goes on where its lowest id is. Without that id nobody can tell whether the two parts of the
 * walk belong to one sorted list: what the earlier part proved is then forgotten.
 */
async function joinEarlier(
  { warehouse }: SyncParts,
  course: Course,
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
async function settleSize(
  parts: SyncParts,
  ask: AskPage,
  course: Course,
  position: Position,
): Promise<Position> {
  if (position.page.paging.pagesize === course.checkpoint.pageSize) return position;
  if (++course.sizeChanges > SIZE_CHANGES) throw restless(course);
  course.above = course.checkpoint.id === null ? 'end' : null;
  const again = await findStart(parts, ask, course, { last: null });
  return settleSize(parts, ask, course, again);
}

function restless({ key }: Course): RefusedError {
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
async function gapToCross(
  { warehouse }: SyncParts,
  { key, above, looks }: Course,
  { page }: Position,
  { gap }: Verdict,
): Promise<IdRange | null> {
  if (!gap || looks.left <= 0) return null;
  if (isFrontier(above) && gap.high !== HIGHEST && page.paging.totalcount > above.totalcount) return gap;
  return (await warehouse.countLive(key, gap)) > 0 ? gap : null;
}
