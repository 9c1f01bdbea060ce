/** Reads only what may have changed in a package: its last page, and the pages that a bisection finds. */
import { WarehouseError } from '../../lib/errors.ts';
import type { KnownList } from '../../warehouse/quick-walks.ts';
import type { SyncContext } from '../context.ts';
import { readBoundary } from './boundary-read.ts';
import {
  distrustOrder,
  isManyInOrder,
  createWalkState,
  warnOfDisorder,
  type WalkState,
} from './walk-state.ts';
import { buildWalkEnd, recordStop } from './walk-end.ts';
import { findLastPage, type Position } from './seek.ts';
import { HIGHEST, lastPageNumber, LOWEST, type TrustedNeighbour } from './proof.ts';
import { createPageFetcher, type FetchPage } from './page-fetcher.ts';
import { judgePage, retryWrongPage, storePage } from './page.ts';
import { walkPackage, type WalkOptions } from './walk.ts';

/** A page that was read and could be trusted: what lies between two of these is known by its number of records. */
type Edge = Pick<TrustedNeighbour, 'number' | 'first' | 'last'>;

interface QuickWalk {
  parts: SyncContext;
  order: WalkOptions;
  startedAt: () => number;
  known: KnownList;
  course: WalkState;
  ask: FetchPage;
  /** Every page that came, by its number. */
  came: Map<number, Position>;
  /** Those that could be trusted, and the numbers of those that could not. */
  edges: Map<number, TrustedNeighbour>;
  opaque: Set<number>;
  /** How many records the first answer said there are. */
  totalcount: number | null;
}

/** Below the first page. */
const START: Edge = { number: 0, first: 0, last: 0 };

/** Looks at one package; one that was never walked whole is walked. Throws what stopped it, after that is stored. */
export async function quickWalk(parts: SyncContext, order: WalkOptions): Promise<void> {
  const key = { account: order.account.name, packageId: order.packageId };
  const known = await parts.warehouse.beginLook(key, parts.clock.now());
  if (known === 'left') {
    parts.progress.walkEnded(key);
    return;
  }
  if (known === 'unwalked') {
    await walkPackage(parts, order);
    return;
  }
  const look = createLook(parts, order, known);
  try {
    await readAll(look);
    await finish(look);
  } catch (error) {
    if (!(error instanceof WarehouseError)) await beginWalk(look);
    await recordStop(parts, order, { walkId: look.course.walkId, mode: 'quick' }, error);
    throw error;
  } finally {
    parts.progress.walkEnded(key);
  }
}

function createLook(parts: SyncContext, order: WalkOptions, known: KnownList): QuickWalk {
  const key = { account: order.account.name, packageId: order.packageId };
  const course = createWalkState(key, { walkId: 0, checkpoint: null, last: known });
  course.checkpoint.orderViolated = !known.isTrusted;
  const ask = createPageFetcher(parts, order, course);
  const look: QuickWalk = {
    parts,
    order,
    startedAt: order.account.clock.mark(),
    known,
    course,
    ask: async (number) => {
      const page = await ask(number, 'quick');
      look.came.set(number, { number, page });
      look.totalcount ??= page.paging.totalcount;
      course.checkpoint.totalcount = page.paging.totalcount;
      return page;
    },
    came: new Map(),
    edges: new Map(),
    opaque: new Set(),
    totalcount: null,
  };
  return look;
}

async function readAll(look: QuickWalk): Promise<void> {
  const { course, known } = look;
  const end = await readEnd(look);
  if (!end || course.checkpoint.orderViolated) return;
  course.looks.left = 2 * end.number;
  await readNew(look, end);
  const isAsBefore = look.edges.size === 1 && (await missing(look, end)) === known.missingRecords;
  if (!isAsBefore) {
    await searchBetween(look);
    await lookAbove(look, end);
  }
  await confirmOrder(look, end);
}

/** New videos are the last ones: pages are read downward until one begins with an id that was known. */
async function readNew(look: QuickWalk, end: Edge): Promise<void> {
  let { first } = end;
  for (let number = end.number - 1; number >= 1 && first > look.known.highestId; number--) {
    first = (await read(look, number))?.first ?? first;
  }
}

/** Looks between the pages that came, the upper ones first. */
async function searchBetween(look: QuickWalk): Promise<void> {
  const edges = [...look.edges.values()].sort((one, other) => other.number - one.number);
  for (const [index, high] of edges.entries()) await search(look, edges[index + 1] ?? START, high);
}

/** Reads the last page. Gives the last one that can be trusted; null where it is the whole list, or none can. */
async function readEnd(look: QuickWalk): Promise<Edge | null> {
  const { ask, course, known } = look;
  const again = (missing: Position) => retryWrongPage(ask, course, missing);
  const found = await findLastPage(ask, known, again);
  course.checkpoint.pageSize = found.page.paging.pagesize;
  const last = await retryWrongPage(ask, course, found);
  // the page that was the last one, where the list has grown: what is older is stored first, lest it undo what is newer
  for (const [number, position] of look.came) if (number < found.number) await take(look, position, null);
  const end = await take(look, last, 'end');
  if (course.isWhole || course.checkpoint.orderViolated) return null;
  return end ?? readNear(look, found.number - 1, START, { number: found.number });
}

/** Judges a page and stores it. Gives it as an edge; null where it proves nothing, or holds nothing. */
async function take(look: QuickWalk, position: Position, above: WalkState['above']): Promise<Edge | null> {
  const { parts, course, edges } = look;
  const { number, page } = position;
  course.above = above === 'end' ? above : (edges.get(number + 1) ?? null);
  const verdict = await judgePage(parts, course, position);
  const { holding } = page;
  course.isWhole = verdict.isWhole;
  course.checkpoint.unread = verdict.unread ?? course.checkpoint.unread;
  const stray = verdict.distrust ?? overlapReason(look, position);
  if (!page.known) await beginWalk(look);
  if (stray !== verdict.distrust) await distrustOrder(parts, course);
  const proof = course.checkpoint.orderViolated && !verdict.isWhole ? null : verdict.proof;
  await storePage(parts, course, position, { ...verdict, proof, gap: null });
  if (stray !== null) {
    course.distrusted = { pages: course.distrusted.pages + 1, why: stray };
    return null;
  }
  course.inOrder += holding.count;
  if (!holding.ends) return null;
  const ids = holding.ids && new Set(holding.ids);
  const edge = { number, ...holding.ends, totalcount: page.paging.totalcount, ids };
  edges.set(number, edge);
  return edge;
}

/** Why a page cannot stand where it stands in a sorted list, beside the others that came; null where it can. */
function overlapReason({ edges }: QuickWalk, { number, page }: Position): string | null {
  const { ends } = page.holding;
  if (!ends) return null;
  for (const edge of edges.values()) {
    if (edge.totalcount !== page.paging.totalcount) continue; // the list may have shifted meanwhile
    const isOver = edge.number < number ? edge.last >= ends.first : edge.first <= ends.last;
    if (isOver && edge.number !== number) return `page ${number} reaches over page ${edge.number}`;
  }
  return null;
}

/** What is only as it was needs no walk. */
async function beginWalk({ parts, order, course, startedAt }: QuickWalk): Promise<void> {
  if (course.walkId > 0) return;
  const { resumeWithinMs } = parts.walk;
  const start = { ...course.key, runId: order.runId, mode: 'quick' as const, resumeWithinMs };
  course.walkId = (await parts.warehouse.beginWalk({ ...start, now: startedAt() })).walkId;
}

/** By how many records those known between two pages are more than the pages between them hold; less than 0: fewer. */
async function surplus({ parts, course }: QuickWalk, low: Edge, high: Edge): Promise<number> {
  const between = { low: Math.max(LOWEST, low.last + 1), high: high.first - 1 };
  const pages = { fromPage: low.number + 1, toPage: high.number - 1 };
  const known = await parts.warehouse.countBelieved(course.key, { ...between, ...pages });
  return known - (high.number - low.number - 1) * course.checkpoint.pageSize;
}

/** Finds what is more or less than it was between two pages: by halves, the upper one first. */
async function search(look: QuickWalk, low: Edge, high: Edge): Promise<void> {
  if (look.course.checkpoint.orderViolated || (await surplus(look, low, high)) === 0) return;
  if (high.number - low.number <= 1) {
    await lookBetween(look, low, high);
    return;
  }
  const edge = await readNear(look, Math.floor((low.number + high.number) / 2), low, high);
  if (!edge) return;
  await search(look, edge, high);
  await search(look, low, edge);
}

/** Reads the page aimed at, or else the nearest one between the two that can be trusted; null where none can. */
async function readNear(
  look: QuickWalk,
  aim: number,
  low: Pick<Edge, 'number'>,
  high: Pick<Edge, 'number'>,
): Promise<Edge | null> {
  for (let away = 0; away < high.number - low.number; away++) {
    for (const number of away === 0 ? [aim] : [aim + away, aim - away]) {
      const isBetween = number > low.number && number < high.number;
      const edge = isBetween && !look.opaque.has(number) ? await read(look, number) : null;
      if (edge) return edge;
    }
  }
  return null;
}

/** Reads a page in the middle; null where it proves nothing, or the list has become shorter meanwhile. */
async function read(look: QuickWalk, number: number): Promise<Edge | null> {
  const known = look.edges.get(number);
  if (known) return known;
  const { ask, course } = look;
  course.above = look.edges.get(number + 1) ?? null;
  const position = await retryWrongPage(ask, course, { number, page: await ask(number, 'quick') });
  const edge = lastPageNumber(position.page.paging) < number ? null : await take(look, position, null);
  if (!edge) look.opaque.add(number);
  if (look.order.turn.pageRead()) await look.order.turn.nextSlot();
  return edge;
}

/** Known ids between two neighbours are proved by neither. */
async function lookBetween(look: QuickWalk, low: Edge, high: Edge): Promise<void> {
  if (low.number === 0 || low.last + 1 > high.first - 1) return;
  await beginWalk(look);
  const gap = { low: low.last + 1, high: high.first - 1 };
  await readBoundary(look.parts, look.order, look.course, { number: low.number, gap });
}

/** A last page that is full does not say what is above it. */
async function lookAbove(look: QuickWalk, end: Edge): Promise<void> {
  if (look.course.checkpoint.orderViolated || (await countAbove(look, end)) === 0) return;
  await beginWalk(look);
  const gap = { low: end.last + 1, high: HIGHEST };
  await readBoundary(look.parts, look.order, look.course, { number: end.number, gap });
}

function countAbove({ parts, course }: QuickWalk, { number, last }: Edge): Promise<number> {
  const above = { low: last + 1, high: HIGHEST, fromPage: number + 1, toPage: number + 1 };
  return parts.warehouse.countBelieved(course.key, above);
}

/** By how many records those known below the last page, and above it, are more than stand there. */
async function missing(look: QuickWalk, end: Edge): Promise<number> {
  return (await surplus(look, START, end)) + (await countAbove(look, end));
}

/** A removal by order wants as much of the list seen in order as shows that it is sorted. */
async function confirmOrder(look: QuickWalk, end: Edge): Promise<void> {
  const { course, parts } = look;
  if (!(await parts.warehouse.hasProofs(course.key, course.walkId))) return;
  for (let number = end.number; number >= 1 && !isManyInOrder(course); number--) await read(look, number);
}

async function finish(look: QuickWalk): Promise<void> {
  const { parts, order, course, totalcount } = look;
  const { checkpoint, key, walkId, news } = course;
  const left = await surplusLeft(look);
  const isStill = totalcount === checkpoint.totalcount;
  const { totalcount: count, pageSize } = checkpoint;
  const end = { ...key, runId: order.runId, now: parts.clock.now(), totalcount: count, pageSize };
  const missingRecords = isStill ? left : null;
  if (walkId === 0) {
    await parts.warehouse.finishLook({ ...end, missingRecords });
    return;
  }
  const walk = { ...buildWalkEnd(parts, order, look.startedAt(), course), isOrderSeen: isOrderSeen(look) };
  const unsettled = Math.max(0, left);
  const isBlind = look.edges.size === 0 && !course.isWhole;
  if (look.known.isTrusted) warnOfDisorder(parts, course);
  const isNews = news > 0 || isBlind || (look.known.isTrusted && checkpoint.orderViolated);
  await parts.warehouse.finishQuickWalk({ ...end, missingRecords, walk, unsettled, isNews });
}

/** What is missed below the last page still. */
async function surplusLeft(look: QuickWalk): Promise<number> {
  const end = look.edges.get(highest(look));
  const { isWhole, checkpoint } = look.course;
  return end && !checkpoint.orderViolated && !isWhole ? missing(look, end) : 0;
}

/** Enough of the list, or all of it. */
function isOrderSeen(look: QuickWalk): boolean {
  return isManyInOrder(look.course) || look.edges.size === highest(look);
}

function highest({ edges }: QuickWalk): number {
  return Math.max(0, ...edges.keys());
}
