/** What tells an old copy of a live file, or a copy of its folder, from the file that a target was loaded from. */
import { CopyError } from './load-errors.ts';

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
