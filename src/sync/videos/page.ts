/** Fetches, judges and stores one page of a walk. */
import { RefusedError } from '../../lib/errors.ts';
import { pluralize } from '../../lib/format.ts';
import { findForeignEcho, getPlace, isTrustedNeighbour, toPageContents } from './page-contents.ts';
import type { PageAbove, PageContents } from './page-contents.ts';
import { findUnreadReason, getLastPageNumber, provePage, type JudgedPage, type PageProof } from './proof.ts';
import { addChanges, distrustOrder, ensureWalkRow, MIN_HELD_BACK } from './walk-state.ts';
import type { Page, PagePurpose, WalkState } from './walk-state.ts';
import { countReplaced } from '../../warehouse/statements/expected-ids.ts';
import { findLiveIds } from '../../warehouse/statements/video.ts';
import { transact } from '../../database/transaction.ts';
import { storePage, storeUnchangedPage } from '../../warehouse/store-page.ts';
import { findPage, type PageHash } from '../../warehouse/statements/page-hash.ts';

/**
 * Requests one page, and once more if it is not the requested one. Throws RefusedError for one that came
 * twice as a page of another package.
 */
export async function fetchPage(walk: WalkState, number: number, purpose: PagePurpose): Promise<Page> {
  const page = await fetchOnce(walk, number, purpose);
  const reason = findRefetchReason(walk, page);
  if (reason === null) return page;
  walk.refetched++;
  const { account, packageId } = walk.key;
  walk.context.logger.warn(
    { event: 'page_requested_again', account, package_id: packageId, page: number, reason },
    `${account}/${packageId}, page ${number} is requested again: ${reason}`,
  );
  const second = await fetchOnce(walk, number, 'probe');
  if (second.foreign === null || walk.acceptPage) return second;
  const refusal = `${second.foreign}; it came twice, and is not stored`;
  const command = walk.context.acceptPageCommand(walk.key);
  const hint = `if the package was really filled with other videos: ${command}`;
  throw refusePage(walk, number, refusal, { fault: 'foreign', hint });
}

/** Pages of a walk that are requested again. */
const MAX_REFETCHED = 3;

/** Why a page is requested again: it is not the requested one. Null if it is used as it is. */
function findRefetchReason(walk: WalkState, { number, paging, contents, foreign }: Page): string | null {
  if (foreign !== null && !walk.acceptPage) return foreign;
  if (walk.refetched >= MAX_REFETCHED || getLastPageNumber(paging) < number) return null;
  return foreign ?? findUnreadReason(number, paging, contents.count);
}

/** The error of a walk that cannot use a page. */
export function refusePage(
  { key }: WalkState,
  number: number,
  reason: string,
  options: { fault: 'foreign' | 'shape'; hint: string },
): RefusedError {
  const place = `account ${key.account}, package ${key.packageId}, page ${number}`;
  return new RefusedError(`${place}: ${reason}`, options);
}

/** The records of a known page are parsed only if the page proves something else than before. */
async function fetchOnce(walk: WalkState, number: number, purpose: PagePurpose): Promise<Page> {
  const { answer, stored } = await requestPage(walk, number, purpose);
  const { paging, echo, hash } = answer;
  if (answer.kind === 'known' && stored) {
    const known = { number, paging, echo, hash, contents: toKnownContents(stored) };
    const foreign = findForeignEcho(echo, walk.key.packageId);
    if (isInItsPlace(walk, known, stored)) return { ...known, kind: 'known', foreign, stored };
  }
  const read = answer.kind === 'read' ? answer : walk.account.client.readRecords(answer);
  const page = { ...read, number, contents: toPageContents(read.ids, read.refused.length) };
  return { ...page, foreign: await findForeignReason(walk, page) };
}

/** `stored`: what the live file knows of the page; if the answer is `known`, it has the same records. */
async function requestPage(walk: WalkState, number: number, purpose: PagePurpose) {
  const { context, key, checkpoint, account, runId, signal, slot, beforeRetry } = walk;
  signal.throwIfAborted();
  const place = { ...key, page: number, pageSize: checkpoint.pageSize };
  const stored = findPage(context.warehouse.db, place);
  const request = {
    packageId: key.packageId,
    page: number,
    pageSize: account.pageSize,
    purpose: walk.mode === 'quick' ? ('quick' as const) : purpose,
    runId,
    signal,
    beforeRetry: (failure: unknown) => beforeRetry(failure, number),
  };
  const answer = await account.client.videoPageIfChanged(request, stored?.hash ?? null);
  slot.answered();
  return { answer, stored };
}

function toKnownContents({ records, first_id: first, last_id: last }: PageHash): PageContents {
  return { count: records, bounds: { first, last }, disorder: null, flaw: null, ids: null };
}

/**
 * Does a known page prove the same as before? Where it overlaps the page above, that cannot be seen without
 * its ids, so the answer is no.
 */
function isInItsPlace(walk: WalkState, page: JudgedPage, stored: PageHash): boolean {
  const { above } = walk;
  if (isTrustedNeighbour(above) && stored.last_id >= above.first) return false;
  const { range } = proveInWalk(walk, page);
  return range?.low === stored.proof_low && range.high === stored.proof_high;
}

/**
 * Why a page looks like one of another package; null if it does not. It shares no id with the live rows, and
 * such pages of the walk would replace as many as a held-back removal: more than a few, or all of the
 * package. A few may be replaced at any time: then the pages below are requested too, until one shares an id
 * or they replace more.
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
    const { answer: below } = await requestPage(walk, --number, 'probe');
    if (below.kind === 'known') break;
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
  const { ids } = contents;
  const range = getPlace({ number, last, above }, contents);
  return ids && range && countReplaced(context.warehouse.db, key, { ids, range, isWhole: last === 1 });
}

function proveInWalk({ above, checkpoint }: WalkState, page: JudgedPage): PageProof {
  const { pageSize, orderViolated } = checkpoint;
  return provePage({ ...page, pageSize, above, orderViolated });
}

/** What a page proves. If it reaches into a known page above, the ids of that page are read from its rows. */
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

/**
 * Frees the records of a page that is stored. A page of 1,000 takes two megabytes, and hundreds of walks may
 * wait for their next page at the same time.
 */
export function releaseRecords(page: Page): void {
  if (page.kind === 'read') page.videos.length = 0;
}

/**
 * Stores the rows of a page and what it proves, and the checkpoint; of a known page only that it is
 * unchanged.
 */
export function storeWalkedPage(
  walk: WalkState,
  page: Page,
  proof: PageProof,
  checkpoint = walk.checkpoint,
): void {
  const { context, key } = walk;
  const { ledger, db } = context.warehouse;
  const place = { key, now: context.clock.now(), gap: proof.gap, checkpoint };
  if (page.kind === 'known') {
    const unchanged = { ...place, walkId: walk.walkId, stored: page.stored };
    transact(ledger, (tx) => storeUnchangedPage(tx, unchanged));
  } else {
    const { number, videos, refused, drift } = page;
    const { range, coversWholeList } = proof;
    const fingerprint = createFingerprint(page, proof);
    const rows = { page: number, videos, refused, drift, proof: range, coversWholeList, fingerprint };
    const walkId = ensureWalkRow(walk);
    const outcome = transact(db, (tx) => storePage(tx, { ...place, walkId, ...rows }));
    addChanges(walk, outcome);
  }
  context.progress.pageStored?.({ ...key, page: page.number, records: page.contents.count });
}

/** The hash and the ids by which the next walk recognizes the page; null if it must read the page again. */
function createFingerprint({ hash, contents }: Page, { orderViolated }: PageProof) {
  return hash !== null && contents.bounds && !orderViolated ? { hash, ...contents.bounds } : null;
}
