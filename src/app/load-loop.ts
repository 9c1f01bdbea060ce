/** Keeps the targets up to date, in parallel to the runs: one after the other, each as often as its config allows. */
import type { Config } from '../config/config.ts';
import { fromTimestamp, MINUTE_MS, type Clock } from '../lib/clock.ts';
import { coalesce } from '../lib/coalesce.ts';
import { InterruptedError } from '../lib/errors.ts';
import type { LoadReport } from '../lib/load-report.ts';
import type { Logger } from '../lib/logger.ts';
import type { TargetLoader } from '../publishing/targets/loader.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { loadTarget } from './load-targets.ts';

export interface LoadLoopOptions {
  /** The targets; none: nothing is ever loaded. */
  loaders: readonly TargetLoader[];
  config: Pick<Config, 'accounts'>;
  warehouse: Warehouse;
  clock: Clock;
  logger: Logger;
  /** Is there a published file? The first one is made some time after the first run. */
  hasFile: () => boolean;
  /** Called after each load. */
  onLoaded?: ((target: string, results: readonly LoadReport[]) => void) | undefined;
  /** Between 0 and 1; for the waits after a failure. */
  random?: () => number;
}

/** Waits after the first failure of a target, the second one, and so on; the last one goes on. */
const RETRY_MS = [1, 2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE_MS);

/** When a target is loaded next. */
interface Turn {
  loader: TargetLoader;
  /** Something was published since its last load, or that load failed. */
  isPending: boolean;
  /** Not before this, in milliseconds since 1970: `every` of the target, or the wait after a failure. */
  notBefore: number;
  failures: number;
}

/** Starts idle. A target that fails stops neither another one nor a run. */
export function createLoadLoop(options: LoadLoopOptions) {
  const { loaders, warehouse, clock } = options;
  const turns = loaders.map(
    // an earlier worker may have published
    (loader): Turn => ({ loader, isPending: true, notBefore: findFirstTime(loader, warehouse), failures: 0 }),
  );
  warehouse.deleteTargetLoadsExcept(turns.map(({ loader }) => loader.target.name));
  const closing = new AbortController();
  const { request, idle } = coalesce(async () => {
    for (const turn of turns) if (!closing.signal.aborted) await takeTurn(turn, options, closing.signal);
  }, closing.signal);
  return {
    /** The published file has changed. */
    requestLoad(): void {
      for (const turn of turns) turn.isPending = true;
      void request();
    },
    /** Loads what has waited long enough. */
    check(): void {
      if (turns.some((turn) => isDue(turn, clock.now()))) void request();
    },
    /** Stops a load under way: the next one begins where it stopped. */
    close(): Promise<void> {
      closing.abort(new InterruptedError('stopped before the end'));
      return idle();
    },
  };
}

/** A restart is no reason to load more often than `every`; a load that failed is tried again at once. */
function findFirstTime({ target: { name, everyMs } }: TargetLoader, warehouse: Warehouse): number {
  const rows = warehouse.listTargetLoads().filter(({ target }) => target === name);
  if (everyMs === 0 || rows.some(({ outcome }) => outcome === 'failed')) return 0;
  const newest = rows.flatMap(({ loaded_at: at }) => (at === null ? [] : fromTimestamp(at)));
  return newest.length === 0 ? 0 : Math.max(...newest) + everyMs;
}

/** A time further away was planned by a clock that has been set back since. */
function isDue({ isPending, notBefore, loader }: Turn, now: number): boolean {
  const longestMs = Math.max(loader.target.everyMs, ...RETRY_MS) * 2;
  return isPending && (now >= notBefore || notBefore > now + longestMs);
}

async function takeTurn(turn: Turn, options: LoadLoopOptions, signal: AbortSignal): Promise<void> {
  const { clock, warehouse, hasFile, random = Math.random } = options;
  const startedAt = clock.now();
  // a file without a run is of an earlier warehouse
  if (!isDue(turn, startedAt) || !hasFile() || warehouse.findLastUnscopedRun('full') === null) return;
  turn.isPending = false;
  try {
    const results = await loadTarget(turn.loader, options, { isVerified: false, force: null }, signal);
    const isFailed = results.some(({ outcome }) => outcome === 'failed');
    const waitMs = RETRY_MS[Math.min(turn.failures, RETRY_MS.length - 1)] ?? 0;
    turn.failures = isFailed ? turn.failures + 1 : 0;
    turn.isPending ||= isFailed;
    turn.notBefore = isFailed
      ? clock.now() + waitMs * (0.75 + 0.5 * random())
      : startedAt + turn.loader.target.everyMs;
    options.onLoaded?.(turn.loader.target.name, results);
  } catch (thrown) {
    if (!(thrown instanceof InterruptedError)) throw thrown;
  }
}
