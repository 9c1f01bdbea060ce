/** Pages that are byte for byte what they were: nothing of them is looked into, and only the checkpoint moves. */
import { toTimestamp } from '../lib/clock.ts';
import type { Db, Tx } from '../database/connection.ts';
import type { DriftKind } from '../database/schema/videos.ts';
import { touchDrift } from './statements/drift.ts';
import * as hashes from './statements/page-hash.ts';
import type { HashedPage } from './statements/page-hash.ts';
import { prepareOpenVideoIds } from './statements/quarantine.ts';
import { prepareCandidatesBetween } from './statements/removal.ts';
import { prepareLastChangeSeq } from './statements/change-seq.ts';
import { prepareCountLive } from './statements/video.ts';
import { prepareAdvanceWalk, type Checkpoint, type PageCounts } from './statements/walk.ts';
import { transact } from '../database/transaction.ts';
import type { PackageKey } from '../lib/package-key.ts';
import type { IdRange } from '../lib/id-range.ts';

/** What is known of a page whose records need not be read. */
export interface UnchangedPage {
  records: number;
  pageSize: number;
  /** Its lowest and its highest id. */
  first: number;
  last: number;
  /** The ids of which it shows every live one, if it stands where it stood in the list. */
  proof: IdRange;
  /** The drift in its records, by field and kind. */
  drift: readonly (readonly [field: string, kind: DriftKind])[];
}

/** A recognised page of a walk. */
export interface UnchangedPageToStore extends PackageKey {
  walkId: number;
  page: number;
  answeredAt: number;
  records: number;
  drift: UnchangedPage['drift'];
  /** The ids between this page and what was read above it; null where there is no such gap. */
  gap: IdRange | null;
  checkpoint: Checkpoint;
}

export interface UnchangedPages {
  /**
   * The page of this number, if its records have this hash and all that it says is in the rows still: no row of its
   * proof has changed, is a candidate, or is in quarantine.
   */
  recognise(page: HashedPage): UnchangedPage | null;
  store(page: UnchangedPageToStore): PageCounts;
}

/** Gives the functions that deal with known pages in this file. */
export function createUnchangedPages(db: Db): UnchangedPages {
  const statements = prepareStatements(db);
  return {
    recognise: (place) => recognise(statements, place),
    store: (page) => transact(db, (tx) => storeKnown(tx, statements, page)),
  };
}

function prepareStatements(db: Db) {
  return {
    findByHash: hashes.prepareFindByHash(db),
    confirm: hashes.prepareConfirmPageHash(db),
    changedSince: hashes.prepareChangedSince(db),
    candidatesBetween: prepareCandidatesBetween(db),
    openVideoIds: prepareOpenVideoIds(db),
    countLive: prepareCountLive(db),
    lastChangeSeq: prepareLastChangeSeq(db),
    advanceWalk: prepareAdvanceWalk(db),
  };
}

type Statements = ReturnType<typeof prepareStatements>;

function recognise(statements: Statements, place: HashedPage): UnchangedPage | null {
  const known = statements.findByHash(place);
  if (!known) return null;
  const { proof_low: low, proof_high: high } = known;
  const isOpen = (id: string) => Number(id) >= low && Number(id) <= high;
  const isStill =
    !statements.changedSince(place, low, high, known.change_seq) &&
    statements.candidatesBetween(place, low, high).length === 0 &&
    !statements.openVideoIds(place).some(isOpen);
  if (!isStill) return null;
  const { records, page_size: pageSize, first_id: first, last_id: last } = known;
  const drift = known.drift === null ? [] : (JSON.parse(known.drift) as UnchangedPage['drift']);
  return { records, pageSize, first, last, proof: { low, high }, drift };
}

function storeKnown(tx: Tx, statements: Statements, page: UnchangedPageToStore): PageCounts {
  const place = { ...page, pageSize: page.checkpoint.pageSize };
  touchDrift(tx, page.account, 'videos', page.drift, toTimestamp(page.answeredAt));
  statements.confirm(place, statements.lastChangeSeq());
  const { gap, records } = page;
  const counts = {
    inserted: 0,
    updated: 0,
    unchanged: records,
    restored: 0,
    quarantined: 0,
    unsettled: gap ? statements.countLive(page, gap.low, gap.high) : 0,
  };
  statements.advanceWalk(page.walkId, { ...counts, pages: 1, recognised: 1 }, page.checkpoint);
  return counts;
}
