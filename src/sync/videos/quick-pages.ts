/** The pages of a quick walk: each is read once, judged, stored, and trusted if it proves something. */
import type { ListBaseline } from '../../warehouse/quick-walks.ts';
import type { SyncContext } from '../context.ts';
import { decide, fetchPage, proveWalked, storePage } from './page.ts';
import type { TrustedNeighbour } from './page-contents.ts';
import type { PageProof } from './proof.ts';
import { beginWalk, createWalkState, distrustOrder, recordProof } from './walk-state.ts';
import type { FetchPage, Page, WalkOptions, WalkState } from './walk-state.ts';

/** A trusted page. The number of records between two of them is known by their page numbers. */
export type PageBounds = Pick<TrustedNeighbour, 'number' | 'first' | 'last'>;

/** The position below the first page. */
export const START: PageBounds = { number: 0, first: 0, last: 0 };

export interface QuickWalk {
  walk: WalkState;
  /** What earlier walks know of the list. */
  baseline: ListBaseline;
  fetchPage: FetchPage;
  /** Every page returned, by its number. */
  pagesRead: Map<number, Page>;
  trustedPages: Map<number, TrustedNeighbour>;
  untrustedPages: Set<number>;
  /** The count of the first response. */
  firstTotalcount: number | null;
}

export function createQuickWalk(
  context: SyncContext,
  options: WalkOptions,
  baseline: ListBaseline,
): QuickWalk {
  const startedAt = context.clock.now();
  const unstarted = { walkId: 0, checkpoint: null, lastSize: baseline };
  const walk = createWalkState({ context, options, mode: 'quick', startedAt }, unstarted);
  walk.checkpoint.orderViolated = !baseline.isTrusted;
  const quick: QuickWalk = {
    walk,
    baseline,
    fetchPage: async (number, purpose) => {
      const page = await fetchPage(walk, number, purpose);
      quick.pagesRead.set(number, page);
      quick.firstTotalcount ??= page.paging.totalcount;
      walk.checkpoint.totalcount = page.paging.totalcount;
      return page;
    },
    pagesRead: new Map(),
    trustedPages: new Map(),
    untrustedPages: new Set(),
    firstTotalcount: null,
  };
  return quick;
}

/** Creates the row of the walk. A quick walk that reads only known pages has none. */
export function ensureWalkRow(walk: WalkState): void {
  if (walk.walkId > 0) return;
  walk.walkId = beginWalk(walk.context, walk.options, 'quick', walk.startedAt).walkId;
}

/** Reads the page `aim`, or the nearest trusted one between the two; null if there is none. */
export async function readNearest(
  quick: QuickWalk,
  aim: number,
  low: { number: number },
  high: { number: number },
): Promise<PageBounds | null> {
  for (let distance = 0; distance < high.number - low.number; distance++) {
    for (const number of distance === 0 ? [aim] : [aim + distance, aim - distance]) {
      const isCandidate = number > low.number && number < high.number && !quick.untrustedPages.has(number);
      const page = isCandidate ? await readPage(quick, number) : null;
      if (page) return page;
    }
  }
  return null;
}

/** Reads a page once. Null if it proves nothing, or if the list is shorter or its page size is another one now. */
export async function readPage(quick: QuickWalk, number: number): Promise<PageBounds | null> {
  const { walk, trustedPages, untrustedPages } = quick;
  const trusted = trustedPages.get(number);
  if (trusted) return trusted;
  walk.above = trustedPages.get(number + 1) ?? null;
  const page = await quick.fetchPage(number, 'page');
  const isUsable = decide(walk, page, walk.checkpoint.pageSize).action === 'store';
  const bounds = isUsable ? storeAndTrust(quick, page, null) : null;
  if (!bounds) untrustedPages.add(number);
  const { slot } = walk.options;
  if (slot.pageRead()) await slot.nextSlot();
  return bounds;
}

/** Judges a page and stores it. Returns its bounds; null if it proves nothing or is empty. */
export function storeAndTrust(quick: QuickWalk, page: Page, above: 'end' | null): PageBounds | null {
  const { walk, trustedPages } = quick;
  walk.above = above ?? trustedPages.get(page.number + 1) ?? null;
  const judged = proveWalked(walk, page);
  const overlap = judged.distrust === null ? findOverlap(quick, page) : null;
  const proof = overlap === null ? judged : distrust(judged, overlap);
  const trusted = recordProof(walk, page, proof);
  if (!page.recognised) ensureWalkRow(walk);
  if (overlap !== null) distrustOrder(walk);
  storePage(walk, page, { ...proof, gap: null });
  if (trusted) trustedPages.set(page.number, trusted);
  return trusted;
}

function distrust(proof: PageProof, reason: string): PageProof {
  return { ...proof, distrust: reason, range: proof.coversWholeList ? proof.range : null };
}

/** Why a page cannot be where it is in a sorted list, given the other pages; null if it can. */
function findOverlap({ trustedPages }: QuickWalk, { number, paging, contents }: Page): string | null {
  const { bounds } = contents;
  if (!bounds) return null;
  for (const other of trustedPages.values()) {
    // another count: the list may have shifted since
    if (other.totalcount !== paging.totalcount || other.number === number) continue;
    const isOverlap = other.number < number ? other.last >= bounds.first : other.first <= bounds.last;
    if (isOverlap) return `page ${number} reaches over page ${other.number}`;
  }
  return null;
}
