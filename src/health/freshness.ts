/** How long what was read counts as fresh. Pure. */
import { fromTimestamp } from '../lib/clock.ts';
import { nextTick } from '../lib/cron-ticks.ts';

/**
 * Is what was last read at `timestamp` (as the warehouse writes it; null: never) stale at `now` (ms)? It is when two
 * ticks of the schedule of full runs have passed since.
 */
export function isStale(full: string, timestamp: string | null, now: number): boolean {
  if (timestamp === null) return true;
  return now > nextTick(full, nextTick(full, fromTimestamp(timestamp)));
}

/** The same for a schedule, as a function of what is asked. */
export function createStaleCheck({
  full,
}: {
  full: string;
}): (timestamp: string | null, now: number) => boolean {
  return (timestamp, now) => isStale(full, timestamp, now);
}
