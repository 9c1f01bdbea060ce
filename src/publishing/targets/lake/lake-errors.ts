/** What an error of a lake means, and when to try again. */
import { errorLine, hintLine } from '../../../lib/errors.ts';
import type { TargetFailure } from '../target.ts';
import { StoreError } from './store.ts';

/** Errors of other kinds are tried again as if they passed by. */
export function describeLakeError(error: unknown): TargetFailure {
  if (error instanceof StoreError) {
    const { message, hint, code, retry } = error;
    return { message, hint, code, retry };
  }
  return { message: errorLine(error), hint: hintLine(error), code: null, retry: 'backoff' };
}
