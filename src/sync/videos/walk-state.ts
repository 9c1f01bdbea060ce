/** The state of one walk, how a page advances it, and what is stored when it ends. */
import type { Mode, Status } from '../../database/schema/values.ts';
import { transact } from '../../database/transaction.ts';
import { MINUTE_MS } from '../../lib/clock.ts';
import {
  errorMessage,
  InterruptedError,
  ParkedError,
  RefusedError,
  WarehouseError,
} from '../../lib/errors.ts';
import type { PackageKey } from '../package-key.ts';
import type { PageEnvelope, ReadPage } from '../../service/client/parse-response.ts';
import { dropCandidates } from '../../warehouse/statements/removal.ts';
import type { Checkpoint } from '../../warehouse/statements/walk.ts';
import type { PageOutcome } from '../../warehouse/store-page.ts';
import type { PageHash } from '../../warehouse/statements/page-hash.ts';
import { beginWalk, stopWalk, type StartedWalk, type WalkEnd } from '../../warehouse/walks.ts';
import type { SyncAccount, SyncContext } from '../context.ts';
import type { Slot } from '../fair-queue.ts';
import type { PageAbove, TrustedNeighbour } from './page-contents.ts';
import { countExpectedOn, type JudgedPage, type PageProof } from './proof.ts';

export interface WalkOptions {
  account: SyncAccount;
  key: PackageKey;
  runId: number;
  /** See RunOptions. */
  acceptRemovals: boolean | number;
  /** Store pages that look like those of another package. */
  acceptPage: boolean;
  slot: Slot;
  /** See RequestContext; with the number of the page. */
  beforeRetry: (failure: unknown, page: number) => Promise<void>;
  signal: AbortSignal;
}

/** One page of the list: known by its hash, with what the live file has of it, or with its records. */
export type Page = PlacedPage & ({ kind: 'known'; stored: PageHash } | ReadPage);

interface PlacedPage extends PageEnvelope, JudgedPage {
  /** Why it looks like a page of another package; null if it does not. */
  foreign: string | null;
}

/** Whether a page is read for its records, or to find out where the list ends. */
export type PagePurpose = 'page' | 'probe';

/** Requests one page of the package. */
export type FetchPage = (number: number, purpose: PagePurpose) => Promise<Page>;

export interface WalkState extends Readonly<WalkOptions> {
  readonly context: SyncContext;
  readonly mode: Mode;
  /** Start of the walk. */
  readonly startedAt: number;
  /** Null before the walk has a row. */
  walkId: number | null;
  checkpoint: Checkpoint;
  above: PageAbove;
  /** Pages requested again because they were not the requested ones. */
  refetched: number;
  sizeChanges: number;
  /** Live rows that believed pages cover without holding one of them. */
  replacedRows: number;
  boundaryReads: {
    left: number;
    /** The service ignores the requested page size. */
    isSizeIgnored: boolean;
  };
  /** The checkpoint of the earlier walk that this one continues; null: it continues none. */
  resumedFrom: number | null;
  /** Ids that this walk has seen in order. */
  idsInOrder: number;
  /** The most records that a page came with. */
  longestPage: number;
  /** Records of the list minus its own count, as the last page showed. */
  countError: number;
  /** The last page read was the whole list. */
  coversWholeList: boolean;
  /** Changed rows and new records in quarantine. */
  changedRows: number;
  /** Pages that proved nothing, and the reason of the last one. */
  distrusted: { pages: number; reason: string | null };
}

type NewWalk = WalkOptions & Pick<WalkState, 'context' | 'mode' | 'startedAt'>;

/** Creates the row of a walk; a full walk resumes one that stopped before its end. */
export function startWalk({ context, key, runId, mode, startedAt: now }: NewWalk): StartedWalk {
  const { resumeWithinMs } = context.walk;
  return transact(context.warehouse.db, (tx) => beginWalk(tx, { key, runId, mode, now, resumeWithinMs }));
}

/** The row of the walk. A quick walk has none until it reads a page that is not known. */
export function ensureWalkRow(walk: WalkState): number {
  walk.walkId ??= startWalk(walk).walkId;
  return walk.walkId;
}

/** Creates the state of a walk that has read nothing yet. */
export function createWalkState(
  begun: NewWalk,
  { walkId, checkpoint, lastSize }: Omit<StartedWalk, 'walkId'> & Pick<WalkState, 'walkId'>,
): WalkState {
  const initial: Checkpoint = {
    id: null,
    page: 1,
    pageSize: lastSize?.pageSize ?? begun.account.pageSize,
    totalcount: 0,
    orderViolated: false,
    unreadReason: null,
  };
  return {
    ...begun,
    walkId,
    checkpoint: checkpoint ?? initial,
    above: checkpoint?.id == null ? 'end' : null,
    refetched: 0,
    sizeChanges: 0,
    replacedRows: 0,
    boundaryReads: { left: 0, isSizeIgnored: false },
    resumedFrom: checkpoint?.id ?? null,
    idsInOrder: 0,
    longestPage: 0,
    countError: 0,
    coversWholeList: false,
    changedRows: 0,
    distrusted: { pages: 0, reason: null },
  };
}

/** Records what a page proved. Returns it as a neighbour; null if it cannot be trusted or holds no record. */
export function recordProof(walk: WalkState, page: Page, proof: PageProof): TrustedNeighbour | null {
  walk.checkpoint.unreadReason = proof.unreadReason ?? walk.checkpoint.unreadReason;
  walk.coversWholeList = proof.coversWholeList;
  walk.longestPage = Math.max(walk.longestPage, page.contents.count);
  if (proof.distrust !== null) {
    walk.distrusted = { pages: walk.distrusted.pages + 1, reason: proof.distrust };
    return null;
  }
  const { number, paging, contents } = page;
  const { bounds, ids, count } = contents;
  walk.idsInOrder += count;
  return bounds && { ...bounds, number, totalcount: paging.totalcount, ids: ids && new Set(ids) };
}

/**
 * Advances a full walk by one page. A page that cannot be trusted moves no checkpoint, because a walk that
 * resumes there would skip unread records.
 */
export function advance(walk: WalkState, page: Page, proof: PageProof): void {
  const { checkpoint } = walk;
  const { number, paging, contents } = page;
  checkpoint.totalcount = paging.totalcount;
  const neighbour = recordProof(walk, page, proof);
  if (proof.distrust !== null) {
    if (walk.above === 'end') walk.above = null;
    return;
  }
  if (number >= paging.totalpage) walk.countError = contents.count - countExpectedOn(number, paging);
  if (!neighbour) return;
  walk.above = neighbour;
  checkpoint.id = Math.min(checkpoint.id ?? neighbour.first, neighbour.first);
  checkpoint.page = number;
}

/** Adds what storing a response changed. */
export function addChanges(walk: WalkState, outcome: PageOutcome): void {
  const { added, edited, restored, newInQuarantine } = outcome;
  walk.changedRows += added + edited + restored + newInQuarantine;
}

/** The list is not sorted: drops everything that its order proved, also in earlier walks. */
export function distrustOrder({ context, key, checkpoint }: WalkState): void {
  if (checkpoint.orderViolated) return;
  checkpoint.orderViolated = true;
  transact(context.warehouse.db, (tx) => dropCandidates(tx, key, 'byOrder'));
}

/** An unsorted list shows a dozen ids in order by chance once in 479 million times. */
const MIN_IDS_IN_ORDER = 12;

/** Has the walk seen enough ids in order to know that the list is sorted? */
export function isOrderProved({ idsInOrder }: WalkState): boolean {
  return idsInOrder >= MIN_IDS_IN_ORDER;
}

/** A cron tick may be this late. */
const LATE_TICK_MS = MINUTE_MS;
/** A walk that would remove no more videos than this is not held back by the share alone. */
export const MIN_HELD_BACK = 20;

/** The end of a walk that read all its pages. `hasReadAll`: this walk itself read every page of the list. */
export function buildWalkEnd(walk: WalkState, hasReadAll: boolean): Omit<WalkEnd, 'walkId'> {
  const { context, key, runId, checkpoint, resumedFrom, coversWholeList, startedAt } = walk;
  const now = context.clock.now();
  return {
    key,
    runId,
    startedAt,
    now,
    day: context.calendar.dayAt(now),
    checkpoint: hasReadAll ? { ...checkpoint, unreadReason: formatUnread(walk) } : checkpoint,
    removalLimit: {
      share: context.walk.removalBrake,
      minimum: MIN_HELD_BACK,
      confirmBefore: startedAt - context.walk.getScheduleMs(key) + LATE_TICK_MS,
      accept: walk.acceptRemovals,
    },
    coversWholeList,
    isOrderSeen: hasReadAll || isOrderProved(walk),
    resumed: resumedFrom !== null,
    message: formatDistrust(walk),
  };
}

/** Why some page was not read, with the page size to set if the service has shorter pages than it says. */
function formatUnread({ checkpoint, longestPage }: WalkState): string | null {
  const { unreadReason, pageSize, totalcount } = checkpoint;
  const expected = Math.min(pageSize, totalcount);
  if (unreadReason === null || longestPage === 0 || longestPage >= expected) return unreadReason;
  return `no page came with more than ${longestPage} of ${expected} records; set page_size: ${longestPage}`;
}

/** Why a walk that read every page proved less than it should; null if it did not. */
function formatDistrust({ checkpoint, distrusted, coversWholeList }: WalkState): string | null {
  if (coversWholeList) return null;
  const because = distrusted.reason === null ? '' : ` (${distrusted.reason})`;
  if (checkpoint.orderViolated) return `the list is not sorted by id: nothing is marked removed${because}`;
  if (distrusted.pages === 0) return null;
  const pages = distrusted.pages === 1 ? '1 page proves' : `${distrusted.pages} pages prove`;
  return `${pages} no removal${because}`;
}

/** Stores why a walk stopped. If the file cannot be written, the original error is thrown instead. */
export function recordStop(walk: WalkState, error: unknown): void {
  if (error instanceof WarehouseError) return;
  const { context, key, mode, runId } = walk;
  const stop = { key, walkId: ensureWalkRow(walk), mode, runId, now: context.clock.now() };
  transact(context.warehouse.db, (tx) =>
    stopWalk(tx, { ...stop, status: getStatus(error), error: formatStop(error) }),
  );
}

/** The error of a stopped walk; for a page of another package with the command that accepts it. */
function formatStop(error: unknown): string {
  const isForeign = error instanceof RefusedError && error.fault === 'foreign';
  return isForeign ? `${error.message}; ${error.hint}` : errorMessage(error);
}

function getStatus(error: unknown): Status {
  if (error instanceof InterruptedError) return 'interrupted';
  return error instanceof ParkedError ? 'parked' : 'failed';
}
