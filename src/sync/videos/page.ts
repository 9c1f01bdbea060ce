/** Fetches, judges and stores one page of a walk. */
import { RefusedError } from '../../lib/errors.ts';
import { pluralize } from '../../lib/format.ts';
import type { PageEnvelope } from '../../service/client/parse-response.ts';
import type { UnchangedPage } from '../../warehouse/unchanged-pages.ts';
import { findForeignEcho, getPlace, isTrustedNeighbour, toPageContents } from './page-contents.ts';
import type { PageAbove, PageContents } from './page-contents.ts';
import { getLastPageNumber, judge, provePage, type Decision, type PageProof } from './proof.ts';
import { addChanges, distrustOrder, MIN_HELD_BACK, type Page, type WalkState } from './walk-state.ts';
import { findPageHash, recognisePage, storeUnchangedPage } from '../../warehouse/unchanged-pages.ts';
import { countReplaced } from '../../warehouse/statements/expected-ids.ts';
import { findLiveIds } from '../../warehouse/statements/video.ts';
import { transact } from '../../database/transaction.ts';
import { storePage } from '../../warehouse/store-page.ts';

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
  const { parse, unchanged, ...answer } = await requestPage(walk, number, purpose);
  const recognised = unchanged ? findUnchanged(walk, number, answer) : null;
  const read = recognised ? answer : { ...answer, ...parse() };
  const contents = recognised
    ? toUnchangedContents(recognised)
    : toPageContents(read.ids, read.refused.length);
  const page = { ...read, number, recognised, contents, isSecond: false };
  return { ...page, foreign: await findForeignReason(walk, page) };
}

async function requestPage(walk: WalkState, number: number, purpose: PagePurpose) {
  const { context, key, checkpoint } = walk;
  const { account, runId, signal, slot, beforeRetry } = walk.options;
  signal.throwIfAborted();
  const page = await account.client.videoPage({
    packageId: key.packageId,
    page: number,
    pageSize: account.pageSize,
    purpose: walk.mode === 'quick' ? 'quick' : purpose,
    runId,
    signal,
    beforeRetry: (failure) => beforeRetry(failure, number),
    knownHash: findPageHash(context.warehouse.db, { ...key, page: number, pageSize: checkpoint.pageSize }),
  });
  slot.answered();
  return page;
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
  const unchanged = recognisePage(context.warehouse.db, {
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

/** What a page is judged by. */
type JudgedPage = Pick<Page, 'number' | 'paging' | 'echo' | 'contents'>;

/**
 * Why a page looks like one of another package; null if it does not. It shares no id with the live rows, and such
 * pages of the walk would replace as many as a held-back removal: more than a few, or all of the package. A few may be
 * replaced at any time: then the pages below are requested too, until one shares an id or they replace more.
 */
async function findForeignReason(walk: WalkState, page: JudgedPage): Promise<string | null> {
  const reason = findForeignEcho(page.echo, walk.key.packageId);
  const own = reason === null ? countReplacedRows(walk, page, walk.above) : null;
  if (!own) return reason;
  const lowest = own.rows === 0 ? page.number : Math.max(1, page.number - MIN_HELD_BACK);
  let rows = walk.replacedRows + own.rows;
  let { number, paging, contents } = page;
  while (rows <= MIN_HELD_BACK && number > lowest) {
    const above = contents.bounds && { ...contents.bounds, number, totalcount: paging.totalcount, ids: null };
    const below = await requestPage(walk, --number, 'probe');
    ({ paging } = below);
    contents = toPageContents(below.ids, below.refused.length);
    const replaced = countReplacedRows(walk, { ...below, number, contents }, above);
    if (!replaced) break;
    rows += replaced.rows;
  }
  if (rows <= MIN_HELD_BACK && !(own.isAll && page.contents.count > MIN_HELD_BACK)) {
    walk.replacedRows += own.rows;
    return null;
  }
  const covers = rows === own.rows ? 'it covers' : 'it and other pages cover';
  return `it holds not one of the ${pluralize(rows, 'known video')} whose ids ${covers}`;
}

/** The live rows that a page would replace; null if it shares one, or if there is nothing to compare. */
function countReplacedRows({ context, key }: WalkState, page: JudgedPage, above: PageAbove) {
  const { number, paging, contents } = page;
  const last = getLastPageNumber(paging);
  const place = getPlace({ number, last, above }, contents);
  if (!contents.ids || !place) return null;
  return countReplaced(context.warehouse.db, { ...key, ids: contents.ids, ...place, isWhole: last === 1 });
}

function proveInWalk({ above, checkpoint }: WalkState, page: JudgedPage): PageProof {
  const { number, paging, echo, contents } = page;
  const { orderViolated } = checkpoint;
  const pageSize = checkpoint.pageSize || paging.pagesize; // 0 before the first page
  return provePage({ number, pageSize, paging, echo, contents, above, orderViolated });
}

/** What a page proves. If it reaches into a recognised page above, the ids of that page are read from its rows. */
export function proveWalked(walk: WalkState, page: Page): PageProof {
  const { context, key, above } = walk;
  const { number, contents } = page;
  if (isTrustedNeighbour(above) && !above.ids && (contents.bounds?.last ?? 0) >= above.first) {
    above.ids = new Set(findLiveIds(context.warehouse.db, { ...key, low: above.first, high: above.last }));
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
export function storeWalkedPage(
  walk: WalkState,
  page: Page,
  proof: PageProof,
  checkpoint = walk.checkpoint,
): void {
  const { context, key, walkId } = walk;
  const { number, videos, refused, drift, hash, recognised, contents } = page;
  const { range, gap, coversWholeList, orderViolated } = proof;
  const place = { ...key, walkId, page: number, now: context.clock.now(), gap, checkpoint };
  if (recognised) {
    const { records, drift: knownDrift } = recognised;
    transact(context.warehouse.ledger, (tx) =>
      storeUnchangedPage(tx, { ...place, records, drift: knownDrift }),
    );
  } else {
    const fingerprint =
      hash !== null && contents.bounds && !orderViolated ? { hash, ...contents.bounds } : null;
    const answer = { ...place, videos, refused, drift, proof: range, coversWholeList, fingerprint };
    addChanges(
      walk,
      transact(context.warehouse.db, (tx) => storePage(tx, answer)),
    );
  }
  context.progress.pageStored?.({ ...key, page: number, records: contents.count });
}
