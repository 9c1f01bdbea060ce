/** Work that must come to an end: a pattern that is quadratic or worse does not, at a size that a linear one takes in its stride. */
import { runInNewContext } from 'node:vm';

/** Far more than linear work takes here on a busy machine. */
const LIMIT_MS = 10_000;

/** Gives what `run` gives; throws where it takes longer than the limit. A pattern under way is broken off too. */
export function inTime<T>(run: () => T): T {
  return runInNewContext('run()', { run }, { timeout: LIMIT_MS }) as T;
}
