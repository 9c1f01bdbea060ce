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
export function createLoadLoop(options: LoadLoopOptions) {
  const { loaders, warehouse, clock, hasFile } = options;
  // pending: something was published since its last load, perhaps by an earlier worker, or that load failed
  const turns = loaders.map((loader): Turn => ({ loader, isPending: true, retryAt: 0, failures: 0 }));
  warehouse.deleteTargetLoadsExcept(loaders.map(({ target }) => target.name));
  const isDue = ({ loader, isPending, retryAt }: Turn): boolean =>
    isPending && clock.now() >= retryAt && mayLoad(loader, warehouse.listTargetLoads(), clock.now());
  const { request, close } = coalesce(async (signal) => {
    // a file without a run is of an earlier warehouse
    if (!hasFile() || warehouse.findLastRun('full') === null) return;
    try {
      for (const turn of turns) if (!signal.aborted && isDue(turn)) await takeTurn(turn, options, signal);
    } catch (thrown) {
      if (!(thrown instanceof InterruptedError)) throw thrown;
    }
  });
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
    close,
  };
}

interface Turn {
  loader: TargetLoader;
  isPending: boolean;
  retryAt: number;
  failures: number;
}

async function takeTurn(turn: Turn, options: LoadLoopOptions, signal: AbortSignal): Promise<void> {
  turn.isPending = false;
  const results = await loadTarget(turn.loader, options, signal);
  if (results.some(({ outcome }) => outcome === 'failed')) {
    turn.isPending = true;
    turn.retryAt = options.clock.now() + Math.min(2 ** turn.failures++, LONGEST_RETRY) * MINUTE_MS;
  } else turn.failures = 0;
}
