/** What an error of a lake means, and when to try again. */
import { errorLine, hintLine } from '../../../lib/errors.ts';
import { listLakeSecrets } from '../../../lib/lake-place.ts';
import { redact } from '../../../lib/redact.ts';
import type { TargetFailure } from '../target.ts';
import { StoreError, type LakePlace } from './store.ts';

/** Errors of other kinds are tried again as if they passed by. A store may repeat the login: nothing of it is in the result. */
export function describeLakeError(error: unknown, place: LakePlace): TargetFailure {
  const { message, hint, code, retry } = describe(error);
  const clean = (text: string) => redact(text, listLakeSecrets(place)).replaceAll('[key]', '***');
  return { message: clean(message), hint: hint === null ? null : clean(hint), code, retry };
}

function describe(error: unknown): TargetFailure {
  if (error instanceof StoreError) {
    const { message, hint, code, retry } = error;
    return { message, hint, code, retry };
  }
  return { message: errorLine(error), hint: hintLine(error), code: null, retry: 'backoff' };
}
