/** Quick looks at a package: what is known of its list, and what a look came to. */
import { toTimestamp } from '../lib/clock.ts';
import type { Db, Tx } from '../database/connection.ts';
import { prepareCountExpected, prepareHighestId, type KnownRange } from './statements/expected-ids.ts';
import { addSaving } from './statements/savings.ts';
import {
  findPackage,
  markUntrusted,
  recordQuickWalk,
  recordFailedQuickWalk,
  recordSize,
  type QuickWalkRecord,
} from './statements/package.ts';
import { dropCandidatesOfQuickWalks } from './statements/removal.ts';
import { countRequests } from './statements/run.ts';
import { closeWalk, deleteWalk } from './statements/walk.ts';
import { transact } from '../database/transaction.ts';
import { settleRemovals, type WalkEnd } from './walks.ts';
import type { PackageKey } from '../lib/package-key.ts';

/** What is known of a list that was walked whole. */
export interface KnownList {
  totalcount: number;
  pageSize: number;
  isTrusted: boolean;
  /** The highest id that there ever was, in a row or in quarantine; 0 where there is none. */
  highestId: number;
  /** Records that an earlier look missed below the last page, and could not find. */
  missingRecords: number;
}

/** What a quick look came to. */
export interface QuickWalkResult extends PackageKey {
  runId: number;
  now: number;
  totalcount: number;
  pageSize: number;
  /** What it missed and could not find; null where that may be otherwise by now. */
  missingRecords: number | null;
}

/** A look that read a page that was not known, and so became a walk. */
export interface QuickWalkEnd extends QuickWalkResult {
  walk: WalkEnd;
  /** Ids that it knows of between two pages, and could not settle. */
  unsettled: number;
  /** It changed rows, or put records into quarantine. */
  isNews: boolean;
}

export interface QuickWalks {
  /**
   * Begins a look. What a quick walk that stopped had proved is void. A package that was never walked whole is `unwalked`
   * where a full walk was not begun, or was put off; `left` to full walks where one has had its turn in vain.
   */
  begin(key: PackageKey, now: number): KnownList | 'unwalked' | 'left';
  /** How many records is the service believed to list in the range? */
  countBelieved(key: PackageKey, range: KnownRange): number;
  /** Ends a look at pages that were all known. */
  finish(end: QuickWalkResult): void;
  /** Ends a quick walk: its removals take effect or are held back. It leaves a row only where it found something. */
  finishWalk(end: QuickWalkEnd): void;
}

/** Gives the functions of quick looks in this file; what only says that all is as it was is written without an fsync. */
export function createQuickWalks(db: Db, ledger: Db): QuickWalks {
  const countBelieved = prepareCountExpected(db);
  const highestId = prepareHighestId(db);
  return {
    begin: (key, now) => transact(db, (tx) => begin(tx, key, now, highestId)),
    countBelieved,
    finish: (end) => transact(ledger, (tx) => noteLooked(tx, end)),
    finishWalk: (end) => transact(db, (tx) => finishWalk(db, tx, end)),
  };
}

function begin(
  tx: Tx,
  key: PackageKey,
  now: number,
  highestId: (key: PackageKey) => number,
): KnownList | 'unwalked' | 'left' {
  const known = findPackage(tx, key);
  if (!known?.walked_at || known.totalcount === null || !known.page_size) {
    const hadTurn = known && (known.last_turn_walk_id > 0 || known.failed_walks > 0);
    if (!hadTurn) return 'unwalked';
    recordFailedQuickWalk(tx, key, toTimestamp(now));
    return 'left';
  }
  dropCandidatesOfQuickWalks(tx, key);
  return {
    totalcount: known.totalcount,
    pageSize: known.page_size,
    isTrusted: known.order === 'trusted',
    highestId: highestId(key),
    missingRecords: known.missing_records ?? 0,
  };
}

/** Notes the look, and the requests that a full walk would have made more. */
function noteLooked(tx: Tx, end: QuickWalkResult): number {
  const at = toTimestamp(end.now);
  const { totalcount, pageSize, missingRecords } = end;
  const looked: QuickWalkRecord = {
    totalcount,
    page_size: pageSize,
    looked_at: at,
    missing_records: missingRecords,
  };
  recordQuickWalk(tx, end, looked);
  const requests = countRequests(tx, end.runId, end.account, end.packageId);
  const pages = Math.max(1, Math.ceil(totalcount / pageSize));
  addSaving(tx, end.account, at.slice(0, 10), Math.max(0, pages - requests));
  return requests;
}

function finishWalk(db: Db, tx: Tx, end: QuickWalkEnd): void {
  const requests = noteLooked(tx, end);
  const { walk, unsettled } = end;
  const { removed, heldBack, newlyHeld } = settleRemovals(db, tx, walk);
  const { unread, orderViolated } = walk.checkpoint;
  if (orderViolated) markUntrusted(tx, end);
  if (!end.isNews && removed + newlyHeld === 0 && unread === null) {
    deleteWalk(tx, walk.walkId);
    return;
  }
  const at = toTimestamp(end.now);
  recordSize(tx, end, at.slice(0, 10));
  closeWalk(tx, walk.walkId, {
    status: unread === null ? 'succeeded' : 'partial',
    finished_at: at,
    error: unread ?? walk.note,
    removed,
    held_back: heldBack,
    requests,
    unsettled,
  });
}
