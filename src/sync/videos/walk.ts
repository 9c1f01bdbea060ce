/**
 * One pass over all pages of one package: last page first, one after the other, so that a deletion moves records
 * towards the pages still unread and nothing slips past. See docs/architecture.md, "Walking".
 */
import { InterruptedError, messageOf, ParkedError, RefusedError, WarehouseError } from '../../lib/errors.ts';
import type { Status } from '../../warehouse/schema/runs.ts';
import type { Checkpoint } from '../../warehouse/statements/walk.ts';
import type { BegunWalk } from '../../warehouse/walks.ts';
import type { PackageKey, SyncAccount, SyncParts } from '../account.ts';
import { findLastPage, findPageOf, lastOf, type AskPage, type Page, type Position } from './position.ts';
import { judge, whyUnread, type Ends, type Verdict } from './proof.ts';

export interface WalkOrder {
  account: SyncAccount;
  packageId: number;
  runId: number;
  /** Removals held back before this moment (ms) were let through by a person; null where nobody did. */
  acceptBefore: number | null;
  signal: AbortSignal;
}

/** What a walk knows while it goes on. */
interface Course {
  key: PackageKey;
  walkId: number;
  checkpoint: Checkpoint;
  /** The last page in its place, and its number. */
  previous: (Ends & { number: number }) | null;
  /** Pages asked for a second time, and why the last one of those that were not read was not. */
  secondLooks: number;
  unread: string | null;
}

/** Pages that a walk asks for again because they came otherwise than asked. */
const SECOND_LOOKS = 3;
/** A page size that changes more often than this is no page size. */
const SIZE_CHANGES = 3;
/** A tick may come this much late, in milliseconds. */
const LATE_TICK_MS = 60_000;

/** Walks one package. Throws what stopped it, after its checkpoint and its status are stored. */
export async function walkPackage(parts: SyncParts, order: WalkOrder): Promise<void> {
  const key = { account: order.account.name, packageId: order.packageId };
  const { resumeWithinMs } = parts.walk;
  const start = { ...key, runId: order.runId, mode: 'full' as const, now: parts.clock.now(), resumeWithinMs };
  const begun = await parts.warehouse.beginWalk(start);
  try {
    const course = await readDown(parts, order, begun);
    await finish(parts, order, start.now, course);
  } catch (error) {
    await noteStop(parts, order, begun.walkId, error);
    throw error;
  } finally {
    parts.progress.walkEnded(key);
  }
}

/** A file that cannot be written cannot take this note either: what stopped the walk is the better error. */
async function noteStop(parts: SyncParts, order: WalkOrder, walkId: number, error: unknown): Promise<void> {
  if (error instanceof WarehouseError) return;
  const key = { account: order.account.name, packageId: order.packageId };
  const stop = { ...key, walkId, runId: order.runId, now: parts.clock.now() };
  await parts.warehouse.stopWalk({ ...stop, status: statusOf(error), error: messageOf(error) });
}

function statusOf(error: unknown): Status {
  if (error instanceof InterruptedError) return 'interrupted';
  return error instanceof ParkedError ? 'parked' : 'failed';
}

/** Reads from the start of the walk down to page 1, storing each page while the next one is fetched. */
async function readDown(parts: SyncParts, order: WalkOrder, begun: BegunWalk): Promise<Course> {
  const ask = createAsk(order);
  let position = await findStart(ask, begun);
  const course = setOut(order, begun, position.page);
  parts.progress.walkBegun({
    ...course.key,
    pages: lastOf(position.page),
    done: lastOf(position.page) - position.number,
  });
  position = await inPlace(ask, course, position);
  let sizeChanges = 0;
  for (;;) {
    if (position.page.paging.pagesize !== course.checkpoint.pageSize) {
      if (++sizeChanges > SIZE_CHANGES) throw restless(course);
      position = await settleAgain(ask, course, position.page);
    }
    const next = position.number > 1 ? ask(position.number - 1, 'page') : null;
    next?.catch(() => undefined); // awaited below; storing may throw before that
    await store(parts, course, position);
    if (!next) return course;
    const answered = { number: position.number - 1, page: await next };
    position = await unlessShrunk(ask, await inPlace(ask, course, answered));
  }
}

function createAsk({ account, packageId, runId, signal }: WalkOrder): AskPage {
  return async (page, purpose) => {
    signal.throwIfAborted();
    return account.client.videoPage({ packageId, page, pageSize: account.pageSize, purpose, runId, signal });
  };
}

function findStart(ask: AskPage, { checkpoint, last }: BegunWalk): Promise<Position> {
  if (checkpoint?.id == null) return findLastPage(ask, last);
  return findPageOf(ask, { id: checkpoint.id, page: checkpoint.page, pageSize: checkpoint.pageSize });
}

function setOut({ account, packageId }: WalkOrder, { walkId, checkpoint }: BegunWalk, page: Page): Course {
  return {
    key: { account: account.name, packageId },
    walkId,
    checkpoint: {
      id: checkpoint?.id ?? null,
      page: checkpoint?.page ?? 1,
      pageSize: page.paging.pagesize,
      totalcount: page.paging.totalcount,
      orderViolated: checkpoint?.orderViolated ?? false,
    },
    previous: null,
    secondLooks: 0,
    unread: null,
  };
}

/** Another page size than the walk settled on: it takes the new one, and goes on from the lowest id read. */
async function settleAgain(ask: AskPage, course: Course, page: Page): Promise<Position> {
  const { id, page: number, pageSize } = course.checkpoint;
  course.checkpoint.pageSize = page.paging.pagesize;
  course.previous = null;
  return id === null ? findLastPage(ask, null) : findPageOf(ask, { id, page: number, pageSize });
}

function restless({ key }: Course): RefusedError {
  const message = `account ${key.account}, package ${key.packageId}: the page size keeps changing`;
  return new RefusedError(message, {
    fault: 'shape',
    hint: 'set page_size to one that the service keeps to',
  });
}

/** A page that is not the one asked for, or holds less than it says, is asked for once more. */
async function inPlace(ask: AskPage, course: Course, position: Position): Promise<Position> {
  const { number, page } = position;
  const isBeyondEnd = lastOf(page) < number;
  if (isBeyondEnd || whyUnread(number, page.paging, page.ids.length) === null) return position;
  if (course.secondLooks++ >= SECOND_LOOKS) return position;
  return { number, page: await ask(number, 'probe') };
}

/** An answer beyond the end means that the package shrank: its new last page is read instead. */
async function unlessShrunk(ask: AskPage, position: Position): Promise<Position> {
  let current = position;
  while (lastOf(current.page) < current.number) {
    const number = lastOf(current.page);
    current = { number, page: await ask(number, 'probe') };
  }
  return current;
}

async function store(parts: SyncParts, course: Course, { number, page }: Position): Promise<void> {
  const { videos, refused, ids } = page;
  const { pageSize, orderViolated } = course.checkpoint;
  const look = {
    asked: number,
    pageSize,
    paging: page.paging,
    echo: page.echo,
    ids,
    refused: refused.length,
  };
  const verdict = judge({ ...look, previous: course.previous, orderViolated });
  if (verdict.distrust) {
    parts.logger.warn(
      { ...course.key, page: number },
      `${course.key.account}/${course.key.packageId}, page ${number} proves no removal: ${verdict.distrust}`,
    );
  }
  advance(course, number, page, verdict);
  course.unread = whyUnread(number, page.paging, ids.length) ?? course.unread;
  const { proof, gap } = verdict;
  const { key, walkId, checkpoint } = course;
  const answeredAt = page.answeredAt;
  await parts.warehouse.storePage({
    ...key,
    walkId,
    page: number,
    answeredAt,
    videos,
    refused,
    proof,
    gap,
    checkpoint,
  });
  parts.progress.pageStored({ ...key, page: number, records: ids.length });
}

/** A page out of its place moves nothing: going on from there would skip what was not read. */
function advance(
  course: Course,
  number: number,
  page: Page,
  { ends, distrust, orderViolated }: Verdict,
): void {
  course.checkpoint = { ...course.checkpoint, totalcount: page.paging.totalcount, orderViolated };
  if (!ends || distrust !== null) return;
  course.previous = { ...ends, number };
  course.checkpoint.id = lower(course.checkpoint.id, ends.first);
  course.checkpoint.page = number;
}

function lower(id: number | null, other: number): number {
  return id === null ? other : Math.min(id, other);
}

async function finish(parts: SyncParts, order: WalkOrder, startedAt: number, course: Course): Promise<void> {
  const { key, walkId, checkpoint, unread } = course;
  if (checkpoint.orderViolated) {
    parts.logger.warn(
      key,
      `${order.account.name}/${order.packageId} is not sorted by id: videos are stored, removals are not`,
    );
  }
  const brake = {
    share: parts.walk.removalBrake,
    least: 20,
    confirmBefore: startedAt - parts.walk.scheduleMs + LATE_TICK_MS,
    acceptBefore: order.acceptBefore,
  };
  const end = { ...key, walkId, runId: order.runId, startedAt, now: parts.clock.now(), checkpoint, brake };
  await parts.warehouse.finishWalk({ ...end, unread });
}
