/** Accounts whose move to another live file has begun, or has ended: only that file takes their rows over. */
import type { LoadResult } from './target-request.ts';

/** Is the account still in the published file? Then its move was broken off. */
const HINTS = {
  leaving:
    'vodhouse move ACCOUNT --to FILE finishes the move, --take-back undoes it before that file has the account; vodhouse status names the file',
  left: 'there: vodhouse publish; under another name: vodhouse publish --target NAME --rebuild OLD-NAME deletes the rows of the old one, there',
};

/** A rebuild of an account that leaves would take it back from the file that it goes to: nothing is done. */
export function refuseRebuild(account: string, state: keyof typeof HINTS): Partial<LoadResult> {
  const error =
    state === 'left'
      ? `account ${account} was moved to another warehouse, which takes its rows over: nothing was deleted`
      : `account ${account} is being moved to another warehouse, which takes its rows over: nothing was taken`;
  return { error, hint: HINTS[state] };
}

/** The other file has it in the target, as it should be. */
export const refuseLeaving = (account: string): Partial<LoadResult> => ({
  error: `account ${account} is being moved to another warehouse, which has taken its rows over`,
  hint: HINTS.leaving,
});
