/** Keeps the targets up to date, in parallel to the runs: one after the other, each as often as its config allows. */
import { MINUTE_MS, type Clock } from '../lib/clock.ts';
import { coalesce } from '../lib/coalesce.ts';
import { InterruptedError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import type { TargetLoader } from '../publishing/targets/loader.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { loadTarget, mayLoad } from './load-targets.ts';

interface LoadLoopOptions {
  /** The targets; none: nothing is ever loaded. */
  loaders: readonly TargetLoader[];
  warehouse: Warehouse;
  clock: Clock;
  logger: Logger;
  /** Is there a published file? The first one is made some time after the first run. */
  hasFile: () => boolean;
}

const LONGEST_RETRY = 30;

/** Starts idle. A target that fails stops neither another one nor a run. */
export function createLoadLoop({ loaders, warehouse, clock, logger, hasFile }: LoadLoopOptions) {
  // pending: something was published since its last load, perhaps by an earlier worker, or that load failed
  const turns = loaders.map((loader) => ({ loader, isPending: true, retryAt: 0, failures: 0 }));
  type Turn = (typeof turns)[number];
  warehouse.deleteTargetLoadsExcept(loaders.map(({ target }) => target.name));
  const closing = new AbortController();
  const isDue = ({ loader, isPending, retryAt }: Turn): boolean =>
    isPending && clock.now() >= retryAt && mayLoad(loader, warehouse.listTargetLoads(), clock.now());

  async function takeTurn(turn: Turn): Promise<void> {
    turn.isPending = false;
    const options = { isVerified: false, force: null };
    const results = await loadTarget(turn.loader, { warehouse, clock, logger }, options, closing.signal);
    if (results.some(({ outcome }) => outcome === 'failed')) {
      turn.isPending = true;
      turn.retryAt = clock.now() + Math.min(2 ** turn.failures++, LONGEST_RETRY) * MINUTE_MS;
    } else turn.failures = 0;
  }

  const { request, idle } = coalesce(async () => {
    // a file without a run is of an earlier warehouse
    if (!hasFile() || warehouse.findLastRun('full') === null) return;
    try {
      for (const turn of turns) if (!closing.signal.aborted && isDue(turn)) await takeTurn(turn);
    } catch (thrown) {
      if (!(thrown instanceof InterruptedError)) throw thrown;
    }
  }, closing.signal);
  return {
    /** The published file has changed. */
    requestLoad(): void {
      for (const turn of turns) Object.assign(turn, { isPending: true, retryAt: 0 });
      void request();
    },
    /** Loads what has waited long enough. */
    check(): void {
      if (turns.some(isDue)) void request();
    },
    /** Stops a load under way: the next one begins where it stopped. */
    close(): Promise<void> {
      closing.abort(new InterruptedError('stopped before the end'));
      return idle();
    },
  };
}
