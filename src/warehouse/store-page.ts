/** Storing one page of a walk: rows, proofs, quarantine, drift and checkpoint, in one transaction. */
import { toTimestamp } from '../lib/clock.ts';
import { transact } from '../database/transaction.ts';
import type { Db, Tx } from '../database/connection.ts';
import { noteDrift, type FieldDrift } from './statements/drift.ts';
import { addLiveCount } from './statements/package.ts';
import { prepareForgetPageHash, prepareKeepPageHash } from './statements/page-hash.ts';
import { prepareOpenVideoIds, quarantineOnce, resolve } from './statements/quarantine.ts';
import {
  prepareCandidatesBetween,
  prepareNoteCandidate,
  prepareDeleteCandidate,
} from './statements/removal.ts';
import { prepareLastChangeSeq, prepareNoteChangeSeq } from './statements/change-seq.ts';
import { prepareCountLive, prepareFindVideo, prepareKnownVideos } from './statements/video.ts';
import { prepareRestore, prepareUpsert } from './statements/video.ts';
import { prepareAdvanceWalk, type Checkpoint, type PageCounts } from './statements/walk.ts';
import type { PackageKey } from '../lib/package-key.ts';
import type { IdRange } from '../lib/id-range.ts';
import type { VideoRow } from '../database/received-columns.ts';

/** A record of the page that could not be stored. `raw` is its JSON as received. */
export interface RefusedVideo {
  id: number | null;
  reason: string;
  raw: string;
}

/** One answer of the list, ready to be stored. */
export interface AnswerToStore extends PackageKey {
  walkId: number;
  page: number;
  /** When its answer was there, in milliseconds since 1970. */
  answeredAt: number;
  videos: readonly VideoRow[];
  refused: readonly RefusedVideo[];
  drift: readonly FieldDrift[];
  /** The ids of which this page shows every live one; null where it proves nothing. */
  proof: IdRange | null;
  /** The page is the whole list: its proof does not rest on an order. */
  isWhole: boolean;
  checkpoint: Checkpoint;
}

/** One page of the walk. */
export interface PageToStore extends AnswerToStore {
  /** The ids between this page and what was read above it, which neither can prove; null where there is no such gap. */
  gap: IdRange | null;
  /** By what the page is known again, if all that it proves is in the rows; null where it is not to be. */
  mark: PageMark | null;
}

/** By what a page is known again. */
export interface PageMark {
  hash: string;
  first: number;
  last: number;
}

/** A look across the boundary of two pages; it moves no checkpoint. */
export interface BoundaryLook extends AnswerToStore {
  /** The gap that it was meant to look into. */
  across: IdRange;
}

/** What a page did to the rows. */
export interface PageOutcome extends PageCounts {
  /** Of the records in quarantine, those that were not there before. */
  newInQuarantine: number;
}

export interface PageStore {
  storePage(page: PageToStore): PageOutcome;
  storeLook(look: BoundaryLook): PageOutcome;
}

/** Gives the functions that store answers into this file. */
export function createPageStore(db: Db): PageStore {
  const statements = prepareStatements(db);
  return {
    storePage: (page) => transact(db, (tx) => storePage(tx, statements, page)),
    storeLook: (look) => transact(db, (tx) => storeLook(tx, statements, look)),
  };
}

/** The statements of every page, prepared once. */
function prepareStatements(db: Db) {
  return {
    upsert: prepareUpsert(db),
    restore: prepareRestore(db),
    knownVideos: prepareKnownVideos(db),
    countLive: prepareCountLive(db),
    candidatesBetween: prepareCandidatesBetween(db),
    openVideoIds: prepareOpenVideoIds(db),
    advanceWalk: prepareAdvanceWalk(db),
    findVideo: prepareFindVideo(db),
    noteCandidate: prepareNoteCandidate(db),
    strikeCandidate: prepareDeleteCandidate(db),
    keepPageHash: prepareKeepPageHash(db),
    forgetPageHash: prepareForgetPageHash(db),
    lastChangeSeq: prepareLastChangeSeq(db),
    noteChangeSeq: prepareNoteChangeSeq(db),
  };
}

type Statements = ReturnType<typeof prepareStatements>;

function storePage(tx: Tx, statements: Statements, page: PageToStore): PageOutcome {
  const unsettled = page.gap ? statements.countLive(page, page.gap.low, page.gap.high) : 0;
  const stored = storeAnswer(tx, statements, page);
  keepMark(statements, page, stored);
  const counts = { ...stored.counts, unsettled };
  statements.advanceWalk(page.walkId, { ...counts, pages: 1 }, page.checkpoint);
  return { ...counts, newInQuarantine: stored.newInQuarantine };
}

/** What was counted as unsettled in the gap, and is in this proof, is settled now: seen, or a candidate. */
function storeLook(tx: Tx, statements: Statements, look: BoundaryLook): PageOutcome {
  const low = Math.max(look.across.low, look.proof?.low ?? 0);
  const high = Math.min(look.across.high, look.proof?.high ?? 0);
  const settled = low <= high ? statements.countLive(look, low, high) : 0;
  const { counts, newInQuarantine } = storeAnswer(tx, statements, look);
  const more = { ...counts, unsettled: -settled };
  statements.advanceWalk(look.walkId, { ...more, pages: 0 }, look.checkpoint);
  return { ...more, newInQuarantine };
}

interface Stored {
  counts: Omit<PageCounts, 'unsettled'>;
  newInQuarantine: number;
  /** Page and rows are equal now: nothing is missing, nothing was refused, no drift is new. */
  isEqual: boolean;
}

function storeAnswer(tx: Tx, statements: Statements, answer: AnswerToStore): Stored {
  const at = toTimestamp(answer.answeredAt);
  const present = presentIds(answer);
  const known = findKnown(statements, answer, present);
  const counts = {
    ...writeVideos(tx, statements, answer, known.present, at),
    quarantined: answer.refused.length,
  };
  const { walkId, isWhole } = answer;
  const proof = isWhole ? 'whole' : 'order';
  for (const id of known.missing) statements.noteCandidate(answer, { id, provedAt: at, walkId, proof });
  strikeSeen(statements, answer, present);
  resolveSeen(tx, statements, answer, at);
  const newInQuarantine = storeRefused(tx, answer, at);
  const newDrift = noteDrift(tx, answer.account, 'videos', answer.drift, at);
  const isEqual = known.missing.length === 0 && answer.refused.length === 0 && newDrift === 0;
  return { counts, newInQuarantine, isEqual };
}

/** A page that left something to do is looked into again next time, whatever it was known by before. */
function keepMark(statements: Statements, page: PageToStore, { isEqual }: Stored): void {
  const { mark, proof, checkpoint, drift } = page;
  const place = { ...page, pageSize: checkpoint.pageSize };
  if (!mark || !proof || !isEqual) {
    statements.forgetPageHash(place);
    return;
  }
  statements.keepPageHash({
    account: page.account,
    package_id: page.packageId,
    page: page.page,
    page_size: checkpoint.pageSize,
    hash: mark.hash,
    records: page.videos.length,
    first_id: mark.first,
    last_id: mark.last,
    proof_low: proof.low,
    proof_high: proof.high,
    change_seq: statements.lastChangeSeq(),
    drift: drift.length === 0 ? null : JSON.stringify(drift.map(({ field, kind }) => [field, kind])),
  });
}

/** A refused record is there all the same: it must never make its video look removed. */
function presentIds(answer: AnswerToStore): Set<number> {
  const ids = new Set(answer.videos.map((video) => video.id));
  for (const { id } of answer.refused) if (id !== null) ids.add(id);
  return ids;
}

interface Known {
  /** Ids on the page that have a row; true where that row is live. */
  present: Map<number, boolean>;
  /** Live rows that the page proves removed. */
  missing: number[];
}

function findKnown(statements: Statements, answer: AnswerToStore, ids: Set<number>): Known {
  const known: Known = { present: new Map(), missing: [] };
  if (!answer.proof) {
    // a page that is not sorted may span the whole package: only its own ids are looked up
    for (const id of ids) {
      const row = statements.findVideo(answer, id);
      if (row) known.present.set(id, row.removedAt === null);
    }
    return known;
  }
  for (const [id, isLive] of statements.knownVideos(answer, answer.proof.low, answer.proof.high)) {
    if (ids.has(id)) known.present.set(id, isLive === 1);
    else if (isLive === 1) known.missing.push(id);
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
  { upsert, restore, lastChangeSeq, noteChangeSeq }: Statements,
  answer: AnswerToStore,
  known: Map<number, boolean>,
  at: string,
) {
  const counts = { inserted: 0, updated: 0, unchanged: 0, restored: 0 };
  const before = lastChangeSeq();
  let seq = before;
  for (const video of answer.videos) {
    if (!upsert(video, answer, at, seq + 1)) {
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
  // a video that comes back with a record that cannot be stored is back, with the fields that it had
  for (const { id } of answer.refused) {
    if (id === null || known.get(id) !== false) continue;
    restore(answer, { id, at, changeSeq: ++seq });
    counts.restored++;
    known.set(id, true);
  }
  if (seq > before) {
    noteChangeSeq(seq);
    addLiveCount(tx, answer, counts.inserted + counts.restored, seq);
  }
  return counts;
}

function strikeSeen(
  { candidatesBetween, strikeCandidate }: Statements,
  answer: AnswerToStore,
  present: Set<number>,
): void {
  const range = idRange(present);
  if (!range) return;
  for (const id of candidatesBetween(answer, range.low, range.high)) {
    if (present.has(id)) strikeCandidate(answer, id);
  }
}

/** Gives how many of them are new in quarantine. */
function storeRefused(tx: Tx, { account, packageId, page, refused }: AnswerToStore, at: string): number {
  const place = { account, stream: 'videos' as const, package_id: packageId, page, seen_at: at };
  const added = refused.filter(({ id, reason, raw }) =>
    quarantineOnce(tx, { ...place, record_id: id === null ? null : String(id), reason, raw }),
  );
  return added.length;
}

/** A video that came well, and not badly on the same page too, is in quarantine no more; nor is one that is gone. */
function resolveSeen(tx: Tx, { openVideoIds }: Statements, answer: AnswerToStore, at: string): void {
  const open = openVideoIds(answer);
  if (open.length === 0) return;
  const well = new Set(answer.videos.map((video) => String(video.id)));
  const bad = new Set(answer.refused.map(({ id }) => String(id)));
  const isGone = (id: string) =>
    answer.proof && Number(id) >= answer.proof.low && Number(id) <= answer.proof.high;
  const over = open.filter((id) => !bad.has(id) && (well.has(id) || isGone(id)));
  if (over.length > 0) resolve(tx, answer.account, 'videos', answer.packageId, over, at);
}
