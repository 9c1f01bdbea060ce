/** Storing one page of a walk: rows, proofs, quarantine, drift and checkpoint, in one transaction. */
import { toTimestamp } from '../lib/clock.ts';
import type { Tx } from '../database/connection.ts';
import { getChangeSeq, setChangeSeq } from './statements/warehouse-state.ts';
import type { FieldDrift } from '../service/service-fields.ts';
import { recordDrift, touchDrift, type DriftKey } from './statements/drift.ts';
import { addLiveCount, findPackage } from './statements/package.ts';
import { deletePageHash, deletePagesAbout, upsertPageHash, type PageHash } from './statements/page-hash.ts';
import { findOpenVideoIds, quarantineOnce, resolve } from './statements/quarantine.ts';
import { deleteCandidates, upsertCandidate } from './statements/removal.ts';
import { countLive, findVideo, findVideos, restoreVideo, createVideoWriter } from './statements/video.ts';
import { advanceWalk, type Checkpoint, type PageCounts } from './statements/walk.ts';
import type { PackageKey, IdRange } from '../sync/package-key.ts';
import type { VideoRow } from '../database/schema/videos.ts';

/** A record of the page that could not be stored. `raw` is its JSON as received. */
export interface RefusedVideo {
  id: number | null;
  reason: string;
  raw: string;
}

/** One response of the list, ready to be stored. */
export interface AnswerToStore {
  key: PackageKey;
  walkId: number;
  page: number;
  /** When it is stored, in milliseconds since 1970: the time of its changes. */
  now: number;
  videos: readonly VideoRow[];
  refused: readonly RefusedVideo[];
  drift: readonly FieldDrift[];
  /** The range in which this page shows every live id; null if it proves nothing. */
  proof: IdRange | null;
  /** The page is the whole list: its proof needs no order. */
  coversWholeList: boolean;
  checkpoint: Checkpoint;
}

/** One page of the walk. */
export interface PageToStore extends AnswerToStore {
  /**
   * The ids between this page and the one read above it, which neither can prove; null if there is no gap.
   */
  gap: IdRange | null;
  /** Identifies the page in the next walk; null if it must be read again. */
  fingerprint: { hash: string; first: number; last: number } | null;
}

/** A page of the walk whose bytes, and so its records, are known. */
export interface UnchangedPageToStore extends Pick<PageToStore, 'key' | 'now' | 'gap' | 'checkpoint'> {
  /** Null for a quick walk that has read only known pages: it has no row. */
  walkId: number | null;
  stored: PageHash;
}

/** A boundary read; it moves no checkpoint. */
export interface BoundaryPageToStore extends AnswerToStore {
  /** The gap that it was made for. */
  targetGap: IdRange;
}

/** The changes that a page made. */
export interface PageOutcome extends PageCounts {
  /** Records in quarantine that were not there before. */
  newInQuarantine: number;
}

/** Stores a page of a walk. */
export function storePage(tx: Tx, page: PageToStore): PageOutcome {
  const { key, gap } = page;
  const unsettled = gap ? countLive(tx, { ...key, ...gap }) : 0;
  const { counts, newInQuarantine, isEqual } = storeAnswer(tx, page);
  updatePageHash(tx, page, isEqual);
  const changes = { ...counts, unsettled };
  advanceWalk(tx, page.walkId, { ...changes, pages: 1, recognised: 0 }, page.checkpoint);
  return { ...changes, newInQuarantine };
}

/** Stores that a page is unchanged: only the checkpoint moves. */
export function storeUnchangedPage(tx: Tx, page: UnchangedPageToStore): void {
  const { key, walkId, gap, stored, checkpoint } = page;
  const drift = JSON.parse(stored.drift ?? '[]') as DriftKey[];
  touchDrift(tx, { ...key, stream: 'videos' }, drift, toTimestamp(page.now));
  if (walkId === null) return;
  const unsettled = gap ? countLive(tx, { ...key, ...gap }) : 0;
  const counts = { added: 0, edited: 0, unchanged: stored.records, restored: 0, quarantined: 0, unsettled };
  advanceWalk(tx, walkId, { ...counts, pages: 1, recognised: 1 }, checkpoint);
}

/** Stores a boundary read. Known ids of the gap that it proves are settled: seen, or a candidate. */
export function storeBoundaryPage(tx: Tx, read: BoundaryPageToStore): PageOutcome {
  const low = Math.max(read.targetGap.low, read.proof?.low ?? 0);
  const high = Math.min(read.targetGap.high, read.proof?.high ?? 0);
  const settled = low <= high ? countLive(tx, { ...read.key, low, high }) : 0;
  const { counts, newInQuarantine } = storeAnswer(tx, read);
  const changes = { ...counts, unsettled: -settled };
  advanceWalk(tx, read.walkId, { ...changes, pages: 0, recognised: 0 }, read.checkpoint);
  return { ...changes, newInQuarantine };
}

/** `isEqual`: the rows equal the page now, so none is missing, no record was refused, no drift is new. */
function storeAnswer(tx: Tx, answer: AnswerToStore) {
  const { key, walkId, coversWholeList } = answer;
  const { account, packageId: package_id } = key;
  const at = toTimestamp(answer.now);
  const present = listPresentIds(answer);
  const matched = matchRows(tx, answer, present);
  const { changed, ...written } = writeVideos(tx, answer, matched.onPage, at);
  const counts = { ...written, quarantined: answer.refused.length };
  forgetPagesAbout(tx, answer, [...changed, ...matched.missing]);
  const proof = coversWholeList ? 'whole' : 'order';
  for (const id of matched.missing)
    upsertCandidate(tx, { account, package_id, id, proved_at: at, walk_id: walkId, proof });
  deleteCandidates(tx, { ...key, ids: JSON.stringify([...present]) });
  resolveSeen(tx, answer, at);
  const newInQuarantine = storeRefused(tx, answer, at);
  const newDrift = recordDrift(tx, { ...key, stream: 'videos' }, answer.drift, at);
  const isEqual = matched.missing.length === 0 && answer.refused.length === 0 && newDrift === 0;
  return { counts, newInQuarantine, isEqual };
}

/**
 * Deletes the hashes of pages of which a row changed, is missing or cannot be stored: they are read again.
 */
function forgetPagesAbout(tx: Tx, { key, refused }: AnswerToStore, different: readonly number[]): void {
  const ids = [...different, ...refused.flatMap(({ id }) => id ?? [])];
  if (ids.length > 0) deletePagesAbout(tx, { ...key, ...getIdRange(ids) });
}

/** Stores the hash of a page, unless it differs from the rows: then the page is read again next time. */
function updatePageHash(tx: Tx, page: PageToStore, isEqual: boolean): void {
  const { key, page: number, fingerprint, proof, drift } = page;
  const { pageSize } = page.checkpoint;
  if (!fingerprint || !proof || !isEqual) {
    deletePageHash(tx, { ...key, page: number, pageSize });
    return;
  }
  upsertPageHash(tx, {
    account: key.account,
    package_id: key.packageId,
    page: number,
    page_size: pageSize,
    hash: fingerprint.hash,
    records: page.videos.length,
    first_id: fingerprint.first,
    last_id: fingerprint.last,
    proof_low: proof.low,
    proof_high: proof.high,
    drift:
      drift.length === 0 ? null : JSON.stringify(drift.map(({ field, kind }): DriftKey => [field, kind])),
  });
}

/** The ids on the page. A refused record counts: its video is not removed. */
function listPresentIds({ videos, refused }: AnswerToStore): Set<number> {
  return new Set([...videos, ...refused].flatMap(({ id }) => id ?? []));
}

/**
 * Compares a page with the rows. `onPage`: the ids on the page that have a row, true if that row is live;
 * `missing`: live rows that the page proves removed.
 */
function matchRows(tx: Tx, { key, proof }: AnswerToStore, ids: Set<number>) {
  const onPage = new Map<number, boolean>();
  const missing: number[] = [];
  // a page without a proof may span the whole package, so only its own ids are looked up
  const rows = proof
    ? findVideos(tx, { ...key, ...proof })
    : [...ids].flatMap((id) => findVideo(tx, { ...key, id }) ?? []);
  for (const { id, isLive } of rows) {
    if (ids.has(id)) onPage.set(id, isLive === 1);
    else if (isLive === 1) missing.push(id);
  }
  return { onPage, missing };
}

function getIdRange(ids: Iterable<number>): IdRange {
  let low = Number.MAX_SAFE_INTEGER;
  let high = 0;
  for (const id of ids) {
    if (id < low) low = id;
    if (id > high) high = id;
  }
  return { low, high };
}

function writeVideos(tx: Tx, answer: AnswerToStore, isLiveById: Map<number, boolean>, at: string) {
  const { key } = answer;
  const counts = { added: 0, edited: 0, unchanged: 0, restored: 0 };
  const changed: number[] = [];
  const before = getChangeSeq(tx);
  let seq = before;
  const known = isLiveById.size > 0 ? answer.proof : null;
  const isImport = findPackage(tx, key)?.first_walked_at == null;
  const write = createVideoWriter(tx, key, { at, known, isImport });
  for (const video of answer.videos) {
    if (!write(video, seq + 1)) {
      counts.unchanged++;
      continue;
    }
    seq++;
    changed.push(video.id);
    const wasLive = isLiveById.get(video.id);
    counts[wasLive === undefined ? 'added' : wasLive ? 'edited' : 'restored']++;
    isLiveById.set(video.id, true);
  }
  // a removed video that returns with a record which cannot be stored is live again, with the fields that it
  // had
  for (const { id } of answer.refused) {
    if (id === null || isLiveById.get(id) !== false) continue;
    restoreVideo(tx, { ...key, id, at, changeSeq: ++seq });
    counts.restored++;
    isLiveById.set(id, true);
  }
  if (seq > before) {
    setChangeSeq(tx, { seq });
    addLiveCount(tx, { ...key, more: counts.added + counts.restored, changeSeq: seq });
  }
  return { ...counts, changed };
}

/** Puts the records that cannot be stored into quarantine. Returns how many were not there before. */
function storeRefused(tx: Tx, { key, page, refused }: AnswerToStore, at: string): number {
  const { account, packageId: package_id } = key;
  const place = { account, stream: 'videos' as const, package_id, page, seen_at: at };
  const added = refused.filter(({ id, reason, raw }) =>
    quarantineOnce(tx, { ...place, record_id: id === null ? null : String(id), reason, raw }),
  );
  return added.length;
}

/** Resolves quarantined videos that the page returned without a problem, or proved removed. */
function resolveSeen(tx: Tx, answer: AnswerToStore, at: string): void {
  const { key, proof } = answer;
  const range = getIdRange([...answer.videos.map(({ id }) => id), ...(proof ? [proof.low, proof.high] : [])]);
  const open = findOpenVideoIds(tx, key, range);
  if (open.length === 0) return;
  const stored = new Set(answer.videos.map((video) => String(video.id)));
  const refused = new Set(answer.refused.map(({ id }) => String(id)));
  const isRemoved = (id: string) => proof && Number(id) >= proof.low && Number(id) <= proof.high;
  const resolved = open.filter((id) => !refused.has(id) && (stored.has(id) || isRemoved(id)));
  if (resolved.length === 0) return;
  resolve(tx, { ...key, stream: 'videos', ids: JSON.stringify(resolved), at });
}
