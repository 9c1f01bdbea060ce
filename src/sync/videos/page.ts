/** Fetches, judges and stores one page of a walk. */
import { RefusedError } from '../../lib/errors.ts';
import { pluralize } from '../../lib/format.ts';
import type { PageEnvelope } from '../../service/client/parse-response.ts';
import type { UnchangedPage } from '../../warehouse/unchanged-pages.ts';
import { findForeignEcho, getPlace, isTrustedNeighbour, toPageContents } from './page-contents.ts';
import type { PageContents } from './page-contents.ts';
import { getLastPageNumber, judge, provePage, type Decision, type PageProof } from './proof.ts';
import { addChanges, distrustOrder, MIN_HELD_BACK, type Page, type WalkState } from './walk-state.ts';

export type PagePurpose = 'probe' | 'page';

/** A page that only shows where the walk goes on may have any size. */
const ANY_SIZE = 0;

/** Requests one page, and once more if it is not the requested one. Throws RefusedError if the walk cannot go on with it. */
export async function fetchPage(walk: WalkState, number: number, purpose: PagePurpose): Promise<Page> {
  const page = await fetchOnce(walk, number, purpose);
  const decision = decide(walk, page, ANY_SIZE);
  if (decision.action !== 'fetch again') return page;
  walk.refetched++;
  const { account, packageId } = walk.key;
  const { reason } = decision;
  walk.context.logger.warn(
    { event: 'page_requested_again', account, package_id: packageId, page: number, reason },
    `${account}/${packageId}, page ${number} is requested again: ${reason}`,
  );
  const second = { ...(await fetchOnce(walk, number, 'probe')), isSecond: true };
  decide(walk, second, ANY_SIZE);
  return second;
}

/** What to do with a page of a walk by pages of this size. Throws RefusedError if the walk cannot go on with it. */
export function decide(
  walk: WalkState,
  page: Page,
  pageSize: number,
): Exclude<Decision, { action: 'refuse' }> {
  const { key, context, options, sizeChanges, refetched } = walk;
  const decision = judge(page, { pageSize, sizeChanges, refetched, acceptsForeign: options.acceptPage });
  if (decision.action !== 'refuse') return decision;
  const { fault, reason } = decision;
  const hint =
    fault === 'foreign'
      ? `if the package was really filled with other videos: ${context.acceptPageCommand(key)}`
      : 'set page_size to one that the service keeps to';
  const place = `account ${key.account}, package ${key.packageId}, page ${page.number}`;
  throw new RefusedError(`${place}: ${reason}`, { fault, hint });
}

/** The records of a page whose hash is known are parsed only if the page proves something else than before. */
async function fetchOnce(walk: WalkState, number: number, purpose: PagePurpose): Promise<Page> {
  const { context, key, checkpoint } = walk;
  const { account, runId, signal, slot, beforeRetry } = walk.options;
  signal.throwIfAborted();
  const { parse, unchanged, ...answer } = await account.client.videoPage({
    packageId: key.packageId,
    page: number,
    pageSize: account.pageSize,
    purpose: walk.mode === 'quick' ? 'quick' : purpose,
    runId,
    signal,
    beforeRetry: (failure) => beforeRetry(failure, number),
    knownHash: context.warehouse.findPageHash({ ...key, page: number, pageSize: checkpoint.pageSize }),
  });
  slot.answered();
  const recognised = unchanged ? findUnchanged(walk, number, answer) : null;
  return toPage(walk, number, recognised ? answer : { ...answer, ...parse() }, recognised);
}

function toPage(
  walk: WalkState,
  number: number,
  answer: Omit<Page, 'number' | 'contents' | 'recognised' | 'foreign' | 'isSecond'>,
  recognised: UnchangedPage | null,
): Page {
  const contents = recognised
    ? toUnchangedContents(recognised)
    : toPageContents(answer.ids, answer.refused.length);
  const page = { ...answer, number, recognised, contents, isSecond: false };
  return { ...page, foreign: findForeignReason(walk, page) };
}

function toUnchangedContents({ records, first, last }: UnchangedPage): PageContents {
  return { count: records, bounds: { first, last }, disorder: null, flaw: null, ids: null };
}

/**
 * The known page, if its records need not be read: same bytes, same rows, and the same proof in its place. Where it
 * overlaps the page above, the ids are needed.
 */
function findUnchanged(walk: WalkState, number: number, envelope: PageEnvelope): UnchangedPage | null {
  const { context, key, above } = walk;
  const { paging, hash } = envelope;
  const unchanged = context.warehouse.recognisePage({
    ...key,
    page: number,
    pageSize: paging.pagesize,
    hash,
  });
  if (!unchanged || (isTrustedNeighbour(above) && unchanged.last >= above.first)) return null;
  const { range } = proveInWalk(walk, { ...envelope, number, contents: toUnchangedContents(unchanged) });
  const isSameProof = range?.low === unchanged.proof.low && range.high === unchanged.proof.high;
  return isSameProof ? unchanged : null;
}

/**
 * Why a page looks like one of another package; null if it does not. It shares no id with the live rows, and would replace
 * as many as a held-back removal: more than a few, or all of the package. A few videos may be replaced at any time.
 */
function findForeignReason(
  { context, key, above }: WalkState,
  { number, paging, echo, contents }: Pick<Page, 'number' | 'paging' | 'echo' | 'contents'>,
): string | null {
  const reason = findForeignEcho(echo, key.packageId);
  const { ids, count } = contents;
  const last = getLastPageNumber(paging);
  const place = getPlace({ number, last, above }, contents);
  if (reason !== null || !ids || !place) return reason;
  const replaced = context.warehouse.countReplaced({ ...key, ids, ...place, isWhole: last === 1 });
  const isFew = replaced.rows <= MIN_HELD_BACK && !(replaced.isAll && count > MIN_HELD_BACK);
  return isFew
    ? null
    : `it holds not one of the ${pluralize(replaced.rows, 'known video')} whose ids it covers`;
}

function proveInWalk(
  { above, checkpoint }: WalkState,
  { number, paging, echo, contents }: Pick<Page, 'number' | 'paging' | 'echo' | 'contents'>,
): PageProof {
  const { orderViolated } = checkpoint;
  const pageSize = checkpoint.pageSize || paging.pagesize; // 0 before the first page
  return provePage({ number, pageSize, paging, echo, contents, above, orderViolated });
}

/** What a page proves. If it reaches into a recognised page above, the ids of that page are read from its rows. */
export function proveWalked(walk: WalkState, page: Page): PageProof {
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

/** A page of 1,000 records takes two megabytes, and hundreds of walks may wait for the page after it. */
export function releaseRecords({ videos }: Page): void {
  videos.length = 0;
}

/** Stores the rows of a page and what it proves, and the checkpoint; of a recognised page only that it is unchanged. */
export function storePage(walk: WalkState, page: Page, proof: PageProof, checkpoint = walk.checkpoint): void {
  const { context, key, walkId } = walk;
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
  context.progress.pageStored?.({ ...key, page: number, records: contents.count });
}
