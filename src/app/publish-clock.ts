/** The time to publish at. */
import { HOUR_MS, type Clock } from '../lib/clock.ts';
import { getPublishTime, type RunClock } from '../sync/run-clock.ts';

/** How long the clock check of a run is valid: afterwards, the machine's clock may have been set. */
const CLOCK_CHECK_MS = HOUR_MS;

/** The time to publish at, by what the last run found out about the clocks. */
export function createPublishClock(clock: Clock) {
  let last: { check: RunClock; at: number } | null = null;
  return {
    checkedBy: (check: RunClock) => void (last = { check, at: clock.now() }),
    getTime: () => {
      const now = clock.now();
      return getPublishTime(now, last && Math.abs(now - last.at) < CLOCK_CHECK_MS ? last.check : null);
    },
  };
}
