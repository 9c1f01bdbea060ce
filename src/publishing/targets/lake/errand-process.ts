/**
 * Errands on a folder run in a process of their own. A file server that does not answer blocks the threads that wait for it for
 * ever, and a process has four of them: in the worker, all its files and host names would wait with them.
 */
import { runInChild } from '../../../lib/child-process.ts';
import { runErrand, type Errand } from './errands.ts';
import type { ErrandAnswer } from './errand-child.ts';
import { StoreError } from './store.ts';
import { toSilence } from './with-store.ts';

/** What a process needs until it begins, in milliseconds. */
const START_MS = 1_000;
const FOREVER_MS = 2 ** 31 - 1;
const CHILD = 'publishing/targets/lake/errand-child.js';

/** Throws as `runErrand` does; a process that hangs is killed after the deadline. */
export async function sendErrand<Result>(errand: Errand): Promise<Result> {
  const { place } = errand;
  if (place.kind !== 'folder') return (await runErrand(errand)) as Result;
  const late = AbortSignal.timeout(errand.deadlineMs + START_MS);
  const die = (reason: string) =>
    new StoreError(`the process that works on ${place.path} ended with ${reason}`);
  try {
    const given = { ...errand, deadlineMs: FOREVER_MS }; // where it hangs, only a kill ends it
    const answer = await runInChild<ErrandAnswer>(CHILD, given, late, die);
    if ('value' in answer) return answer.value as Result;
    const { message, hint, code, retry } = answer.failure;
    throw new StoreError(message, { hint, code, retry: retry === 'at_once' ? 'backoff' : retry });
  } catch (error) {
    throw late.aborted ? toSilence(place.path, errand.deadlineMs) : error;
  }
}
