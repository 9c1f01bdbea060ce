/** Limits the time of work: a quadratic pattern exceeds the limit at a size that is easy for a linear one. */
import { runInNewContext } from 'node:vm';

/** Much longer than linear work takes on a busy machine. */
const LIMIT_MS = 10_000;

/**
 * Returns the result of `run`; throws where it takes longer than the limit. A running pattern is aborted too.
 */
export function inTime<T>(run: () => T): T {
  return runInNewContext('run()', { run }, { timeout: LIMIT_MS }) as T;
}
