/** What tells an old copy of a live file, or a copy of its folder, from the file that a target was loaded from. */
import { CopyError } from './load-errors.ts';
import type { Source } from './source.ts';

/** What the moves since a timeline have added; null if the account was never moved out of that timeline. */
export function findSeqOffset(source: Source, account: string, timeline: string | null): number | null {
  const origins = source.originsOf(account);
  const index = origins.findIndex((origin) => origin.timeline === timeline);
  return index === -1 ? null : origins.slice(index).reduce((sum, { seqOffset }) => sum + seqOffset, 0);
}

/** The target has the account by a move that the file does not know of. */
export const unknownMove = (account: string): CopyError =>
  new CopyError(
    `account ${account} was moved into this warehouse, but this file does not know of it: this is an old copy of the warehouse, or the account was forgotten since`,
  );

/** The target had the timeline of the file, and gave it up for another one. */
export const oldTimeline = (account: string): CopyError =>
  new CopyError(
    `the target had account ${account} from this file, and then from a later state of it: this is an old copy of the warehouse`,
  );

/** The target has states of the file's timeline that the file has not. */
export const otherStates = (account: string): CopyError =>
  new CopyError(
    `the target has changes of account ${account} that this warehouse never had: a copy of its data folder is in use elsewhere`,
  );
