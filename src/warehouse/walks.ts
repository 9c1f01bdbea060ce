/** The beginning and the end of a walk: resumption from a checkpoint, removals and their limit. */
import { eq } from 'drizzle-orm';
import { countPages } from '../service/count-pages.ts';
import { fromTimestamp, toTimestamp } from '../lib/clock.ts';
import type { Tx } from '../database/connection.ts';
import type { Mode, Status } from '../database/schema/values.ts';
import { walk } from '../database/schema/runs.ts';
import type { HeldReason } from '../database/schema/videos.ts';
import { getChangeSeq, setChangeSeq } from './statements/warehouse-state.ts';
import * as packages from './statements/package.ts';
import { deleteOtherPages } from './statements/page-hash.ts';
import { resolveUnseen } from './statements/quarantine.ts';
import * as candidates from './statements/removal.ts';
import { countPackageRequests } from './statements/run.ts';
import { markRemoved } from './statements/video.ts';
import { findLastWalk, toCheckpointColumns } from './statements/walk.ts';
import type { Checkpoint, WalkRow } from './statements/walk.ts';
import type { PackageKey } from '../sync/package-key.ts';

export interface NewWalk {
  key: PackageKey;
  runId: number;
  mode: Mode;
  now: number;
  /** Maximum age of a walk that may be resumed, in milliseconds since its first page. */
  resumeWithinMs: number;
}

/** A walk that has begun, and where it can start. */
export interface StartedWalk {
  walkId: number;
  /** Where an earlier walk of the same package stopped; null for a walk from the start. */
  checkpoint: Checkpoint | null;
  /** Size of the list at the last completed walk; null before that. */
  lastSize: { totalcount: number; pageSize: number } | null;
}

/** Begins a walk; it resumes the last one of the package if that stopped before its end. */
export function beginWalk(tx: Tx, start: NewWalk): StartedWalk {
  const { key, mode } = start;
  const earlier = pickResumable(findLastWalk(tx, key, mode), start);
  const checkpoint = earlier && toCheckpoint(earlier);
  const at = toTimestamp(start.now);
  const row = {
    run_id: start.runId,
    account: key.account,
    package_id: key.packageId,
    mode,
    status: 'running' as const,
    started_at: at,
    resumed: earlier !== null,
    origin_started_at: earlier?.origin_started_at ?? at,
    ...(checkpoint && { ...toCheckpointColumns(checkpoint), resumed_from_id: checkpoint.id }),
  };
  const walkId = tx.insert(walk).values(row).returning({ id: walk.walk_id }).get().id;
  if (mode === 'full') candidates.dropCandidates(tx, key, 'quick');
  if (earlier) candidates.reassignCandidates(tx, { ...key, from: earlier.walk_id, to: walkId });
  else if (mode === 'full') candidates.dropCandidates(tx, key, 'unheld');
  return { walkId, checkpoint, lastSize: findLastSize(tx, key) };
}

/**
 * The earlier walk, if it can be resumed; null if not. One that was resumed before, and failed at its
 * checkpoint, is not resumed again, because it might always fail there.
 */
function pickResumable(earlier: WalkRow | undefined, start: NewWalk): WalkRow | null {
  if (!earlier || earlier.checkpoint_id === null) return null;
  const stopped: Status[] = ['interrupted', 'parked', 'failed'];
  const { resumed_from_id: from, checkpoint_id: reached } = earlier;
  const isStuck = earlier.status === 'failed' && from !== null && reached >= from;
  const isYoung = fromTimestamp(earlier.origin_started_at) >= start.now - start.resumeWithinMs;
  return stopped.includes(earlier.status) && !isStuck && isYoung ? earlier : null;
}

function toCheckpoint(earlier: WalkRow): Checkpoint {
  return {
    id: earlier.checkpoint_id,
    page: earlier.checkpoint_page ?? 1,
    pageSize: earlier.page_size ?? 1,
    totalcount: earlier.totalcount ?? 0,
    orderViolated: earlier.order_violated,
    unreadReason: earlier.unread_reason,
  };
}

function findLastSize(tx: Tx, key: PackageKey): StartedWalk['lastSize'] {
  const packageRow = packages.findPackage(tx, key);
  if (packageRow?.totalcount == null || !packageRow.page_size) return null;
  return { totalcount: packageRow.totalcount, pageSize: packageRow.page_size };
}

/** When removals are held back. */
export interface RemovalLimit {
  /**
   * A walk that would remove more than this share of the live rows, and more than `minimum`, is held back.
   */
  share: number;
  minimum: number;
  /** A removal held back at this moment (ms) or before takes effect when it is proved again. */
  confirmBefore: number;
  /**
   * Accepted by a person: removals held back by this walk or an earlier one; true for all that were held back
   * before this walk.
   */
  accept: number | boolean;
}

export interface WalkEnd {
  key: PackageKey;
  walkId: number;
  runId: number;
  startedAt: number;
  now: number;
  /** The day of `now` in the calendar of the service. */
  day: string;
  checkpoint: Checkpoint;
  removalLimit: RemovalLimit;
  /** The last page read was the whole list: its proof needs no order. */
  coversWholeList: boolean;
  /** Enough ids were seen in order to exclude chance. */
  isOrderSeen: boolean;
  /** The walk resumed an earlier one. */
  resumed: boolean;
  /** Why a walk that read every page proved less than it should; null if it did not. */
  message: string | null;
}

/** The removals of a walk that reached page 1. */
export interface Removals {
  removed: number;
  heldBack: number;
  /** Those that this walk was the first to hold back. */
  newlyHeldBack: number;
}

/** Ends a walk that read every page: its removals take effect or are held back. */
export function finishWalk(tx: Tx, end: WalkEnd): Removals {
  const { key, walkId } = end;
  if (!canProve(end)) candidates.dropCandidates(tx, key, 'unheld');
  const { unreadReason, totalcount, pageSize, orderViolated } = end.checkpoint;
  const removals = settleRemovals(tx, end);
  const at = toTimestamp(end.now);
  closeWalk(tx, end, {
    status: unreadReason === null ? 'succeeded' : 'partial',
    error: unreadReason ?? end.message,
    removed: removals.removed,
    held_back: removals.heldBack,
  });
  packages.recordTurn(tx, { ...key, walkId });
  packages.recordSize(tx, key, end.day);
  if (unreadReason !== null) return removals;
  resolveUnseen(tx, { ...key, since: findLastWalk(tx, key, 'full')?.origin_started_at ?? at, at });
  const order = orderViolated ? 'untrusted' : 'trusted';
  packages.recordFullWalk(tx, { ...key, totalcount, pageSize, order, at });
  const lastPage = Math.max(1, countPages(totalcount, pageSize));
  deleteOtherPages(tx, { ...key, pageSize, lastPage });
  return removals;
}

type WalkResult = Pick<WalkRow, 'status' | 'error' | 'removed' | 'held_back'> & { unsettled?: number };

/** Stores how a walk ended, and the requests that it made. */
export function closeWalk(
  tx: Tx,
  { key, walkId, runId, now }: Pick<WalkEnd, 'key' | 'walkId' | 'runId' | 'now'>,
  result: WalkResult,
): void {
  const requests = countPackageRequests(tx, { ...key, runId });
  const end = { ...result, finished_at: toTimestamp(now), requests };
  tx.update(walk).set(end).where(eq(walk.walk_id, walkId)).run();
}

/** A walk that stopped before its end. */
export interface WalkStop {
  key: PackageKey;
  walkId: number;
  mode: Mode;
  runId: number;
  now: number;
  status: Status;
  error: string;
}

/**
 * Ends a walk that stopped before its end; its checkpoint stays. A failed walk uses up the turn of its
 * package.
 */
export function stopWalk(tx: Tx, stop: WalkStop): void {
  const { key, walkId, status, error } = stop;
  if (status === 'failed') {
    if (stop.mode === 'full') packages.recordFailedTurn(tx, { ...key, walkId });
    else packages.recordFailedQuickWalk(tx, { ...key, at: toTimestamp(stop.now) });
  }
  closeWalk(tx, stop, { status, error, removed: 0, held_back: 0 });
}

/** Applies the removals that the walk proved, or holds them back. */
export function settleRemovals(tx: Tx, end: WalkEnd): Removals {
  const { key, walkId } = end;
  const all = candidates.findCandidates(tx, key);
  const proved = canProve(end) ? all.filter((row) => row.walk_id === walkId) : [];
  const fresh = proved.filter((row) => !row.held_back);
  const confirmed = proved.filter((row) => row.held_back && isConfirmed(row, end.removalLimit));
  const waiting = all.filter((row) => row.held_back).length - confirmed.length;
  const counts = { fresh: fresh.length, waiting, confirmed: confirmed.length };
  const reason = fresh.length === 0 ? null : getHoldReason(packages.findPackage(tx, key), end, counts);
  if (reason) candidates.holdBackCandidates(tx, { ...key, walkId, at: toTimestamp(end.startedAt), reason });
  const applied = reason ? confirmed : [...confirmed, ...fresh];
  applyRemovals(tx, end, applied);
  const newlyHeldBack = reason ? fresh.length : 0;
  return { removed: applied.length, heldBack: waiting + newlyHeldBack, newlyHeldBack };
}

type Candidate = ReturnType<typeof candidates.findCandidates>[number];

/** Can the walk prove removals? A list that is not sorted proves none, unless one response held all of it. */
function canProve({ checkpoint, coversWholeList }: WalkEnd): boolean {
  return coversWholeList || !checkpoint.orderViolated;
}

/**
 * Does a removal that was held back, and is proved again, take effect now? It does a schedule later, or when
 * a person accepted it.
 */
function isConfirmed(row: Candidate, { accept, confirmBefore }: RemovalLimit): boolean {
  const isAccepted = typeof accept === 'number' ? (row.held_by ?? 0) <= accept : accept;
  return isAccepted || fromTimestamp(row.held_at ?? row.proved_at) <= confirmBefore;
}

/** Why the removals proved for the first time wait for a second proof; null if they need not. */
function getHoldReason(
  packageRow: ReturnType<typeof packages.findPackage>,
  { removalLimit, checkpoint, coversWholeList, isOrderSeen, resumed }: WalkEnd,
  { fresh, waiting, confirmed }: { fresh: number; waiting: number; confirmed: number },
): HeldReason | null {
  const { live_count: live, order } = packageRow ?? { live_count: 0, order: null };
  const unproved = fresh + waiting;
  // a resumed walk that leaves fewer live rows than the list has records did not see all videos
  const isIncomplete = resumed && live - fresh - confirmed < checkpoint.totalcount;
  const isOrderProof = order === 'trusted' && isOrderSeen && !isIncomplete;
  if (unproved + confirmed >= live) return 'all';
  if (unproved > removalLimit.minimum && unproved > live * removalLimit.share) return 'many';
  return coversWholeList || isOrderProof ? null : 'order';
}

/** Removes rows. The hashes of pages that had them were deleted when their removal was proved. */
function applyRemovals(tx: Tx, { key, now }: WalkEnd, rows: readonly Candidate[]): void {
  if (rows.length === 0) return;
  const at = toTimestamp(now);
  let changeSeq = getChangeSeq(tx);
  for (const { id, proved_at: provedAt } of rows)
    markRemoved(tx, { ...key, id, provedAt, at, changeSeq: ++changeSeq });
  candidates.deleteCandidates(tx, { ...key, ids: JSON.stringify(rows.map(({ id }) => id)) });
  setChangeSeq(tx, { seq: changeSeq });
  packages.addLiveCount(tx, { ...key, more: -rows.length, changeSeq });
}
