/** What a walk knows while it goes on, and how a page moves it on. */
import type { PageOutcome } from '../../warehouse/store-page.ts';
import type { Checkpoint } from '../../warehouse/statements/walk.ts';
import type { StartedWalk } from '../../warehouse/walks.ts';
import type { SyncContext } from '../context.ts';
import type { Page } from './page-fetcher.ts';
import { countExpectedOn, type TrustedNeighbour, type PageInput, type PageProof } from './proof.ts';
import type { PackageKey } from '../../lib/package-key.ts';

export interface WalkState {
  key: PackageKey;
  walkId: number;
  checkpoint: Checkpoint;
  /** What was read last that could be trusted: see PageLook. */
  above: PageInput['above'];
  /** The storing of the page above. */
  storing: Promise<unknown>;
  /** Pages asked for a second time. */
  secondLooks: number;
  /** Pages that looked like those of another package, came again as they were, and were stored. */
  confirmed: number;
  /** The page read last is one that another package shows too, and came so twice: so may those below it. */
  isCopy: boolean;
  /** Changes of the page size. */
  sizeChanges: number;
  looks: {
    /** Boundary reads that may still be made. */
    left: number;
    /** The service gives pages of one size, whatever is asked. */
    sizesIgnored: boolean;
  };
  /** The walk went on from a checkpoint, and has since seen so many ids in their order, one below the other. */
  resumed: boolean;
  inOrder: number;
  /** By how many records the list is longer than its own count says, as its last page showed. */
  miscount: number;
  /** The last page read was the whole list. */
  isWhole: boolean;
  /** Rows that the walk changed, and records that it put into quarantine. */
  news: number;
  /** Pages that proved nothing, and why the last of them did not. */
  distrusted: { pages: number; why: string };
}

/** A walk that has read nothing yet. */
export function createWalkState(key: PackageKey, { walkId, checkpoint, last }: StartedWalk): WalkState {
  const fresh = { id: null, page: 1, pageSize: last?.pageSize ?? 0, totalcount: 0 };
  return {
    key,
    walkId,
    checkpoint: checkpoint ?? { ...fresh, orderViolated: false, unread: null },
    above: checkpoint?.id == null ? 'end' : null,
    storing: Promise.resolve(),
    secondLooks: 0,
    confirmed: 0,
    isCopy: false,
    sizeChanges: 0,
    looks: { left: 0, sizesIgnored: false },
    resumed: checkpoint?.id != null,
    inOrder: 0,
    miscount: 0,
    isWhole: false,
    news: 0,
    distrusted: { pages: 0, why: '' },
  };
}

/** Counts what an answer changed. */
export function addChanges(
  course: WalkState,
  { inserted, updated, restored, newInQuarantine }: PageOutcome,
): void {
  course.news += inserted + updated + restored + newInQuarantine;
}

/** The list is not sorted: what was proved by its order is forgotten, also what earlier walks proved. */
export async function distrustOrder(
  { warehouse }: SyncContext,
  { key, checkpoint }: WalkState,
): Promise<void> {
  if (checkpoint.orderViolated) return;
  checkpoint.orderViolated = true;
  await warehouse.dropProofsByOrder(key);
}

/** Says what a list that is not sorted comes to. */
export function warnOfDisorder({ logger }: SyncContext, { key, checkpoint, isWhole }: WalkState): void {
  if (!checkpoint.orderViolated || isWhole) return;
  const name = `${key.account}/${key.packageId}`;
  logger.warn(key, `${name} is not sorted by id: videos are stored, removals are not`);
}

/** A list that is not sorted at all shows a dozen ids in their order by chance once in 479 million times. */
const LEAST_IN_ORDER = 12;

/** So much of the list was seen in order that this is no chance. */
export function isManyInOrder({ inOrder }: WalkState): boolean {
  return inOrder >= LEAST_IN_ORDER;
}

/** A walk that went on near its end has seen too little of the list to know that it is sorted. */
export function isOrderSeen(course: WalkState): boolean {
  return !course.resumed || isManyInOrder(course);
}

/** Moves on by one page. A page out of its place moves nothing: going on from there would skip what was not read. */
export function advance(course: WalkState, number: number, page: Page, verdict: PageProof): void {
  const { checkpoint } = course;
  checkpoint.totalcount = page.paging.totalcount;
  checkpoint.unread = verdict.unread ?? checkpoint.unread;
  course.isWhole = verdict.isWhole;
  if (verdict.distrust !== null) {
    course.distrusted = { pages: course.distrusted.pages + 1, why: verdict.distrust };
    if (course.above === 'end') course.above = null;
    return;
  }
  const { ends, count } = page.holding;
  if (number >= page.paging.totalpage) course.miscount = count - countExpectedOn(number, page.paging);
  if (!ends) return;
  course.above = frontierOf(number, page);
  course.inOrder += count;
  checkpoint.id = Math.min(checkpoint.id ?? ends.first, ends.first);
  checkpoint.page = number;
}

function frontierOf(number: number, { paging, holding }: Page): TrustedNeighbour | null {
  const { ends, ids } = holding;
  return ends && { ...ends, number, totalcount: paging.totalcount, ids: ids && new Set(ids) };
}

/** What is worth saying of a walk that read every page; null where nothing is. */
export function walkMessage({ checkpoint, distrusted, isWhole }: WalkState): string | null {
  if (isWhole) return null;
  if (checkpoint.orderViolated) {
    return `the list is not sorted by id: nothing is marked removed${because(distrusted.why)}`;
  }
  if (distrusted.pages === 0) return null;
  const pages = distrusted.pages === 1 ? '1 page proves' : `${distrusted.pages} pages prove`;
  return `${pages} no removal${because(distrusted.why)}`;
}

function because(why: string): string {
  return why === '' ? '' : ` (${why})`;
}
