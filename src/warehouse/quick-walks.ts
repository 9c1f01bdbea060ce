/** The beginning and the end of quick walks. */
import { countPages } from '../service/count-pages.ts';
import { toTimestamp } from '../lib/clock.ts';
import type { Tx } from '../database/connection.ts';
import { findHighestId } from './statements/expected-ids.ts';
import * as packages from './statements/package.ts';
import { dropCandidates } from './statements/removal.ts';
import { addSavedRequests, countPackageRequests } from './statements/run.ts';
import { deleteWalk } from './statements/walk.ts';
import { closeWalk, settleRemovals, type WalkEnd } from './walks.ts';
import type { PackageKey } from '../sync/package-key.ts';

/** A list as its last full walk found it. */
export interface ListBaseline {
  totalcount: number;
  pageSize: number;
  isTrusted: boolean;
  /** The highest id that the package ever had, in a row or in quarantine; 0 for none. */
  highestId: number;
  /** Records that an earlier quick walk missed below the last page, and could not find. */
  missingRecords: number;
}

/** A quick walk whose pages were all known. */
export interface UnchangedListEnd extends Pick<WalkEnd, 'key' | 'runId' | 'now' | 'day' | 'checkpoint'> {
  /** Records that it missed and could not find; null if that may have changed since. */
  missingRecords: number | null;
}

/** A quick walk that read a page that was not known. */
export interface QuickWalkEnd extends WalkEnd, UnchangedListEnd {
  /** Known ids between two pages that it could not settle. */
  unsettled: number;
  /** It changed rows, or put records into quarantine. */
  hasFindings: boolean;
}

/**
 * Begins a quick walk; what a stopped quick walk proved is void. Without a full walk the package is
 * `unwalked`, and `left` to the next full run if a full walk was tried and failed.
 */
export function beginQuickWalk(tx: Tx, key: PackageKey, now: number): ListBaseline | 'unwalked' | 'left' {
  const row = packages.findPackage(tx, key);
  if (!row?.walked_at || row.totalcount === null || !row.page_size) {
    const hadTurn = row && (row.last_turn_walk_id > 0 || row.failed_walks > 0);
    if (!hadTurn) return 'unwalked';
    packages.recordFailedQuickWalk(tx, { ...key, at: toTimestamp(now) });
    return 'left';
  }
  dropCandidates(tx, key, 'quick');
  return {
    totalcount: row.totalcount,
    pageSize: row.page_size,
    isTrusted: row.order === 'trusted',
    highestId: findHighestId(tx, key),
    missingRecords: row.missing_records ?? 0,
  };
}

/**
 * Ends a quick walk: its removals take effect or are held back. It leaves a row only if it found something.
 */
export function finishQuickWalk(tx: Tx, end: QuickWalkEnd): void {
  const { key, walkId, unsettled, checkpoint, message } = end;
  const { removed, heldBack, newlyHeldBack } = settleRemovals(tx, end);
  finishUnchangedList(tx, end);
  const { unreadReason, orderViolated } = checkpoint;
  if (orderViolated) packages.markUntrusted(tx, key);
  if (!end.hasFindings && removed + newlyHeldBack === 0 && unreadReason === null) {
    deleteWalk(tx, { walkId });
    return;
  }
  const status = unreadReason === null ? 'succeeded' : 'partial';
  closeWalk(tx, end, { status, error: unreadReason ?? message, removed, held_back: heldBack, unsettled });
}

/** Ends a quick walk: records its result and its day, and the requests saved against a full walk. */
export function finishUnchangedList(tx: Tx, end: UnchangedListEnd): void {
  const { key, runId, missingRecords } = end;
  const { totalcount, pageSize } = end.checkpoint;
  const at = toTimestamp(end.now);
  packages.recordQuickWalk(tx, { ...key, totalcount, pageSize, missingRecords, at });
  packages.recordSize(tx, key, end.day);
  const requests = countPackageRequests(tx, { ...key, runId });
  const pages = Math.max(1, countPages(totalcount, pageSize));
  const saved = Math.max(0, pages - requests);
  addSavedRequests(tx, { account: key.account, date: at.slice(0, 10), quick_walks: 1, requests: saved });
}
