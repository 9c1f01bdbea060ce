/** Storing one page of a walk: rows, proofs, quarantine and checkpoint, in one transaction. */
import { toTimestamp } from '../lib/clock.ts';
import { transact } from './transact.ts';
import type { Db, Tx } from './file.ts';
import { prepareOpenVideoIds, quarantineOnce, resolve } from './statements/quarantine.ts';
import {
  prepareCandidatesBetween,
  prepareNoteCandidate,
  prepareStrikeCandidate,
} from './statements/removal.ts';
import { lastChangeSeq, noteChangeSeq } from './statements/state.ts';
import { prepareCountLive, prepareFindVideo, prepareKnownVideos, prepareUpsert } from './statements/video.ts';
import type { PackageKey, VideoRow } from './statements/video.ts';
import { addToLiveCount, prepareAdvanceWalk, type Checkpoint, type PageCounts } from './statements/walk.ts';

/** A record of the page that could not be stored. `raw` is its JSON as received. */
export interface RefusedVideo {
  id: number | null;
  reason: string;
  raw: string;
}

/** Ids from `low` to `high`, both included. */
export interface IdRange {
  low: number;
  high: number;
}

/** One page, ready to be stored. */
export interface PageToStore extends PackageKey {
  walkId: number;
  page: number;
  /** When its answer was there, in milliseconds since 1970. */
  answeredAt: number;
  videos: readonly VideoRow[];
  refused: readonly RefusedVideo[];
  /** The ids of which this page shows every live one; null where it proves nothing. */
  proof: IdRange | null;
  /** The ids between this page and the one read before, which neither can prove; null where there is no such gap. */
  gap: IdRange | null;
  checkpoint: Checkpoint;
}

/** Gives the function that stores pages into this file. */
export function createPageStore(db: Db): (page: PageToStore) => PageCounts {
  const statements = prepareStatements(db);
  return (page) => transact(db, (tx) => storePage(tx, statements, page));
}

/** The statements of every page, prepared once. */
function prepareStatements(db: Db) {
  return {
    upsert: prepareUpsert(db),
    knownVideos: prepareKnownVideos(db),
    countLive: prepareCountLive(db),
    candidatesBetween: prepareCandidatesBetween(db),
    openVideoIds: prepareOpenVideoIds(db),
    advanceWalk: prepareAdvanceWalk(db),
    findVideo: prepareFindVideo(db),
    noteCandidate: prepareNoteCandidate(db),
    strikeCandidate: prepareStrikeCandidate(db),
  };
}

type Statements = ReturnType<typeof prepareStatements>;

function storePage(tx: Tx, statements: Statements, page: PageToStore): PageCounts {
  const at = toTimestamp(page.answeredAt);
  const present = presentIds(page);
  const known = findKnown(statements, page, present);
  const counts = {
    ...writeVideos(tx, statements, page, known.present, at),
    quarantined: page.refused.length,
    unsettled: page.gap ? statements.countLive(page, page.gap.low, page.gap.high) : 0,
  };
  for (const id of known.missing) statements.noteCandidate(page, id, at, page.walkId);
  strikeSeen(statements, page, present);
  storeRefused(tx, page, at);
  resolveSeen(tx, statements, page, at);
  const more = counts.inserted + counts.restored;
  if (more > 0) addToLiveCount(tx, page, more);
  statements.advanceWalk(page.walkId, counts, page.checkpoint);
  return counts;
}

/** A refused record is there all the same: it must never make its video look removed. */
function presentIds(page: PageToStore): Set<number> {
  const ids = new Set(page.videos.map((video) => video.id));
  for (const { id } of page.refused) if (id !== null) ids.add(id);
  return ids;
}

interface Known {
  /** Ids on the page that have a row; true where that row is live. */
  present: Map<number, boolean>;
  /** Live rows that the page proves removed. */
  missing: number[];
}

function findKnown(statements: Statements, page: PageToStore, ids: Set<number>): Known {
  const known: Known = { present: new Map(), missing: [] };
  if (!page.proof) {
    // a page that is not sorted may span the whole package: only its own ids are looked up
    for (const id of ids) {
      const row = statements.findVideo(page, id);
      if (row) known.present.set(id, row.removedAt === null);
    }
    return known;
  }
  for (const { id, removedAt } of statements.knownVideos(page, page.proof.low, page.proof.high)) {
    if (ids.has(id)) known.present.set(id, removedAt === null);
    else if (removedAt === null) known.missing.push(id);
  }
  return known;
}

function idRange(ids: Set<number>): IdRange | null {
  if (ids.size === 0) return null;
  let low = Number.MAX_SAFE_INTEGER;
  let high = 0;
  for (const id of ids) {
    if (id < low) low = id;
    if (id > high) high = id;
  }
  return { low, high };
}

function writeVideos(
  tx: Tx,
  { upsert }: Statements,
  page: PageToStore,
  known: Map<number, boolean>,
  at: string,
) {
  const counts = { inserted: 0, updated: 0, unchanged: 0, restored: 0 };
  const before = lastChangeSeq(tx);
  let seq = before;
  for (const video of page.videos) {
    if (!upsert(video, page, at, seq + 1)) {
      counts.unchanged++;
      continue;
    }
    seq++;
    const wasLive = known.get(video.id);
    if (wasLive === undefined) counts.inserted++;
    else if (wasLive) counts.updated++;
    else counts.restored++;
    known.set(video.id, true);
  }
  if (seq > before) noteChangeSeq(tx, seq);
  return counts;
}

function strikeSeen(
  { candidatesBetween, strikeCandidate }: Statements,
  page: PageToStore,
  present: Set<number>,
): void {
  const range = idRange(present);
  if (!range) return;
  for (const id of candidatesBetween(page, range.low, range.high)) {
    if (present.has(id)) strikeCandidate(page, id);
  }
}

function storeRefused(tx: Tx, page: PageToStore, at: string): void {
  for (const record of page.refused) {
    quarantineOnce(tx, {
      account: page.account,
      stream: 'videos',
      package_id: page.packageId,
      record_id: record.id === null ? null : String(record.id),
      page: page.page,
      reason: record.reason,
      raw: record.raw,
      seen_at: at,
    });
  }
}

function resolveSeen(tx: Tx, { openVideoIds }: Statements, page: PageToStore, at: string): void {
  const open = openVideoIds(page);
  if (open.length === 0) return;
  const well = new Set(page.videos.map((video) => String(video.id)));
  resolve(
    tx,
    page.account,
    'videos',
    page.packageId,
    open.filter((id) => well.has(id)),
    at,
  );
}
