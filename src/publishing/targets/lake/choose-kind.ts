/** How an account is loaded: its changes, or everything; or not at all, because the lake has what the warehouse never had. */
import { getLastRun, hasAnchor, isFetched } from '../delta.ts';
import { NotFetchedError } from '../load-errors.ts';
import { oldTimeline, otherStates } from '../old-copies.ts';
import type { Source } from '../source.ts';
import type { Pointer } from './documents.ts';

export interface ChosenKind {
  kind: 'first' | 'changes' | 'reload';
  /** The lake has states of its own, which are set aside. */
  isLost: boolean;
}

/** Throws CopyError, NotFetchedError. */
export function chooseKind(
  source: Source,
  account: string,
  pointer: Pointer,
  isRebuild: boolean,
): ChosenKind {
  const { timeline, shape } = pointer.facts;
  if (timeline === null) return { kind: 'first', isLost: false };
  if (timeline !== source.timeline) {
    if (!isRebuild) assertNotSuperseded(source, account, pointer);
    if (!isFetched(source, account)) throw new NotFetchedError(account);
    return { kind: 'reload', isLost: true };
  }
  if (isRebuild) return { kind: 'reload', isLost: true };
  assertOurs(source, account, pointer);
  const isComplete = pointer.state.status === null && shape === source.shape;
  return { kind: isComplete ? 'changes' : 'reload', isLost: false };
}

/**
 * A file whose timeline the lake had, and gave up for another one, is an old copy: from before a restore.
 */
function assertNotSuperseded(source: Source, account: string, { facts, state }: Pointer): void {
  if (state.status === 'rebuild') return; // a person took the account for this file
  if (facts.former_timelines.includes(source.timeline)) throw oldTimeline(account);
}

/** The last loads brought states that this warehouse has, and no newer file of it was loaded. */
function assertOurs(source: Source, account: string, { facts, state }: Pointer): void {
  const isOther = facts.anchors.some((anchor) => hasAnchor(source, account, anchor) === false);
  // a clock may be set back, so the time alone says nothing
  const isOlder =
    state.published_at !== null &&
    source.publishedAt < state.published_at &&
    state.last_run > getLastRun(source);
  if (isOther || isOlder) throw otherStates(account);
}
