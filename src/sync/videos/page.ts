/** Fetches, judges and stores one page of a walk. */
import type { IsUnchangedPage, PageEnvelope } from '../../service/client/parse-response.ts';
import type { UnchangedPage } from '../../warehouse/unchanged-pages.ts';
import { confirmOwnPage } from './foreign-page.ts';
import {
  isTrustedNeighbour,
  getLastPageNumber,
  provePage,
  toPageContents,
  findUnreadReason,
} from './proof.ts';
import type { PageContents, PageProof } from './proof.ts';
import { addChanges, distrustOrder, type FetchPage, type Page, type WalkState } from './walk-state.ts';

/** Creates the function that requests the pages of one walk; a page that looks foreign is requested twice. */
export function createPageFetcher(walk: WalkState): FetchPage {
  return async (number, purpose) => {
    const page = await fetchOnce(walk, number, purpose);
    return confirmOwnPage(walk, page, () => fetchOnce(walk, number, 'probe'));
  };
}

async function fetchOnce(walk: WalkState, number: number, purpose: 'probe' | 'page'): Promise<Page> {
  const { account, key, runId, signal, slot } = walk.options;
  signal.throwIfAborted();
  const match: { page: UnchangedPage | null } = { page: null };
  const isUnchanged: IsUnchangedPage = async (hash, readEnvelope) => {
    match.page = findUnchanged(walk, { page: number, hash }, readEnvelope);
    return match.page !== null;
  };
  const page = await account.client.videoPage({
    packageId: key.packageId,
    page: number,
    pageSize: account.pageSize,
    purpose: walk.mode === 'quick' ? 'quick' : purpose,
    runId,
    signal,
    isUnchanged,
  });
  slot.answered();
  const recognised = match.page;
  const contents = recognised
    ? toUnchangedContents(recognised)
    : toPageContents(page.ids, page.refused.length);
  return { ...page, number, recognised, contents };
}

function toUnchangedContents({ records, first, last }: UnchangedPage): PageContents {
  return { count: records, bounds: { first, last }, disorder: null, flaw: null, ids: null };
}

/**
 * The known page, if its records need not be read: same bytes, same rows, and the same proof in its place. Where it
 * overlaps the page above, the ids are needed.
 */
function findUnchanged(
  walk: WalkState,
  place: { page: number; hash: string },
  readEnvelope: () => PageEnvelope | null,
): UnchangedPage | null {
  const { context, key } = walk;
  const unchanged = context.warehouse.recognisePage({ ...key, ...place });
  if (!unchanged || (isTrustedNeighbour(walk.above) && unchanged.last >= walk.above.first)) return null;
  const envelope = readEnvelope();
  return envelope && isSameProof(walk, place.page, envelope, unchanged) ? unchanged : null;
}

function isSameProof(walk: WalkState, number: number, page: PageEnvelope, unchanged: UnchangedPage): boolean {
  if (page.paging.pagesize !== unchanged.pageSize) return false;
  const { range } = proveInWalk(walk, { ...page, number, contents: toUnchangedContents(unchanged) });
  return range?.low === unchanged.proof.low && range.high === unchanged.proof.high;
}

function proveInWalk(
  { above, checkpoint }: WalkState,
  { number, paging, echo, contents }: Pick<Page, 'number' | 'paging' | 'echo' | 'contents'>,
): PageProof {
  const { orderViolated } = checkpoint;
  const pageSize = checkpoint.pageSize || paging.pagesize; // 0 before the first page
  return provePage({ number, pageSize, paging, echo, contents, above, orderViolated });
}

/** Pages of a walk that are requested again because they were not the requested ones. */
const MAX_RETRIED_PAGES = 3;

/** Requests a page once more if it is another one, or holds fewer records than it says. */
export async function retryWrongPage(walk: WalkState, fetchPage: FetchPage, page: Page): Promise<Page> {
  const { number, paging, contents } = page;
  const isBeyondEnd = getLastPageNumber(paging) < number;
  if (isBeyondEnd || findUnreadReason(number, paging, contents.count) === null) return page;
  if (walk.retriedPages++ >= MAX_RETRIED_PAGES) return page;
  return fetchPage(number, 'probe');
}

/** Judges a page. If it reaches into a recognised page above, the ids of that page are read from its rows. */
export function judgePage(walk: WalkState, page: Page): PageProof {
  const { context, key, above } = walk;
  const { number, contents } = page;
  if (isTrustedNeighbour(above) && !above.ids && (contents.bounds?.last ?? 0) >= above.first) {
    above.ids = new Set(context.warehouse.findLiveIds({ ...key, low: above.first, high: above.last }));
  }
  const proof = proveInWalk(walk, page);
  if (proof.distrust !== null && !proof.coversWholeList) {
    const { account, packageId } = key;
    context.logger.warn(
      { event: 'page_proves_nothing', account, package_id: packageId, page: number, reason: proof.distrust },
      `${account}/${packageId}, page ${number} proves no removal: ${proof.distrust}`,
    );
  }
  if (proof.orderViolated) distrustOrder(walk);
  return proof;
}

/** Stores the rows of a page and what it proves; of a recognised page only that it is unchanged. */
export function storePage(walk: WalkState, page: Page, proof: PageProof): void {
  const { context, key, walkId, checkpoint } = walk;
  const { number, answeredAt, videos, refused, drift, hash, recognised, contents } = page;
  const { range, gap, coversWholeList, orderViolated } = proof;
  const place = { ...key, walkId, page: number, answeredAt, gap, checkpoint };
  if (recognised) {
    const { records, drift: knownDrift } = recognised;
    context.warehouse.storeUnchangedPage({ ...place, records, drift: knownDrift });
  } else {
    const fingerprint =
      hash !== null && contents.bounds && !orderViolated ? { hash, ...contents.bounds } : null;
    const answer = { ...place, videos, refused, drift, proof: range, coversWholeList, fingerprint };
    addChanges(walk, context.warehouse.storePage(answer));
  }
  context.progress.pageStored({ ...key, page: number, records: contents.count });
}
