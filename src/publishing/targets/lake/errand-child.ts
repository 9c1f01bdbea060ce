/** The process that works on a folder for a worker. */
import { serveRequests } from '../../../lib/child-process.ts';
import { describeLakeError } from './lake-errors.ts';
import { runErrand, type Errand } from './errands.ts';
import { StoreError } from './store.ts';
import type { TargetFailure } from '../target.ts';

/** What the errand gave, or the StoreError that it threw, which would lose its code on the way. */
export type ErrandAnswer = { value: unknown } | { failure: TargetFailure };

serveRequests(async (errand: Errand): Promise<ErrandAnswer> => {
  try {
    return { value: await runErrand(errand) };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { failure: describeLakeError(error, errand.place) };
  }
});
