/** Keeps the targets up to date, in parallel to the runs: one after the other, each as often as its config allows. */
import { createHash } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { fromTimestamp, HOUR_MS, MINUTE_MS, type Clock } from '../lib/clock.ts';
import { coalesce } from '../lib/coalesce.ts';
import { previousTick } from '../lib/cron-ticks.ts';
import { errorLine, hintLine, InterruptedError, withHint } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import type { LoadResult, TargetLoader } from '../publishing/targets/loader.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { loadTarget } from './load-targets.ts';

export interface LoadLoopOptions {
  /** The targets; none: nothing is ever loaded. */
  loaders: readonly TargetLoader[];
  config: Pick<Config, 'accounts' | 'timezone'>;
  warehouse: Warehouse;
  clock: Clock;
  logger: Logger;
  /** Is there a published file? The first one is made some time after the first run. */
  hasFile: () => boolean;
  /** Called if another worker has an account that this one was to load. */
  onHeld: () => void;
  /** Called after each load. */
  onLoaded?: ((target: string, results: readonly LoadResult[]) => void) | undefined;
  /** Between 0 and 1; for the waits after a failure. */
  random?: () => number;
}

/** Waits after the first failure of a target, the second one, and so on; the last one goes on. */
const RETRY_MS = [1, 2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE_MS);

/** Accounts are verified in these hours of the night, each in a minute of its own. */
const VERIFY_MINUTES = 5 * 60;

/** Other workers give an account back at any time; a person who decides publishes anyway. */
const HELD_RETRY_MS = 10 * MINUTE_MS;

/** Waits are between 0.75 and 1.25 times as long. */
const MAX_SPREAD = 1.25;

/** When a target is loaded next. */
interface Turn {
  loader: TargetLoader;
  /** Something was published since its last load, or that load failed. */
  isPending: boolean;
  /** Not before this, in milliseconds since 1970: `every` of the target, or the wait after a failure. */
  notBefore: number;
  /** When accounts are tried again that were not loaded or not compared, while the others go on; null: there are none. */
  retryAt: number | null;
  failures: number;
  /** The accounts of the last load; null before the first one. */
  accounts: ReadonlySet<string> | null;
}

/** Starts idle. A target that fails stops neither another one nor a run. */
export function createLoadLoop(options: LoadLoopOptions) {
  const { loaders, warehouse, clock } = options;
  const turns = loaders.map(
    // an earlier worker may have published
    (loader): Turn => ({
      ...{ loader, isPending: true, notBefore: findFirstTime(loader, warehouse) },
      ...{ retryAt: null, failures: 0, accounts: null },
    }),
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
    /** Loads what has waited long enough, and verifies what is due. */
    check(): void {
      const isDue = turns.some((turn) => isTurnDue(turn, options, clock.now()));
      if (isDue) void request();
    },
    /** Stops a load under way: the target rolls it back. */
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

function isTurnDue(turn: Turn, options: LoadLoopOptions, now: number): boolean {
  const isReached = (time: number) => now >= time || time > now + longestWait(turn);
  if (!isReached(turn.notBefore)) return false;
  if (turn.isPending) return true;
  return turn.retryAt === null ? findUnverified(turn, options, now).length > 0 : isReached(turn.retryAt);
}

/** A time further away was planned by a clock that has been set back since. */
const longestWait = ({ loader }: Turn): number => Math.max(loader.target.everyMs, HOUR_MS * MAX_SPREAD);

async function takeTurn(turn: Turn, options: LoadLoopOptions, signal: AbortSignal): Promise<void> {
  const { clock, logger } = options;
  const startedAt = clock.now();
  if (!isTurnDue(turn, options, startedAt) || !isPublished(options)) return;
  turn.isPending = false;
  try {
    const verify = findUnverified(turn, options, startedAt);
    const results = await loadTarget(turn.loader, options, { verify, rebuild: [] }, signal);
    if (results.some(({ outcome }) => outcome === 'held')) options.onHeld();
    planNext(turn, results, startedAt, options);
    options.onLoaded?.(turn.loader.target.name, results);
  } catch (thrown) {
    if (thrown instanceof InterruptedError) return;
    const { name: target } = turn.loader.target;
    const [error, hint] = [errorLine(thrown), hintLine(thrown)];
    const message = withHint(`target ${target} is not loaded: ${error}`, hint);
    logger.error({ event: 'target_load_failed', target, account: null, code: null, error, hint }, message);
    planNext(turn, null, startedAt, options);
  }
}

/** Before the first publication there is nothing to load; a file without a run is of an earlier warehouse. */
function isPublished({ warehouse, hasFile }: LoadLoopOptions): boolean {
  return hasFile() && warehouse.findLastUnscopedRun('full') !== null;
}

/** `results` is null if the load itself failed. */
function planNext(
  turn: Turn,
  results: readonly LoadResult[] | null,
  startedAt: number,
  { clock, random = Math.random }: LoadLoopOptions,
): void {
  if (results) turn.accounts = new Set(results.map(({ account }) => account));
  const spread = 0.75 + 0.5 * random();
  turn.retryAt = findRetryTime(results ?? [], clock.now(), spread);
  const retries = results?.flatMap(({ outcome, retry }) => (outcome === 'failed' ? (retry ?? []) : [])) ?? [
    'backoff',
  ];
  if (retries.length === 0) {
    turn.failures = 0;
    turn.notBefore = startedAt + turn.loader.target.everyMs;
    return;
  }
  const waitMs = retries.includes('backoff')
    ? (RETRY_MS[Math.min(turn.failures, RETRY_MS.length - 1)] ?? 0)
    : HOUR_MS;
  turn.failures++;
  turn.isPending = true;
  turn.notBefore = clock.now() + waitMs * spread;
}

/** When accounts are tried again that others have, that a person must decide about, or that could not be compared. */
function findRetryTime(results: readonly LoadResult[], now: number, spread: number): number | null {
  const waits = results.flatMap(({ outcome, retry }) => {
    if (retry === null || outcome === 'failed') return [];
    return retry === 'hourly' ? HOUR_MS * spread : HELD_RETRY_MS;
  });
  return waits.length === 0 ? null : now + Math.min(...waits);
}

/** Accounts of the last load that no check has compared since their minute of the last night. */
function findUnverified(
  { loader, accounts }: Turn,
  { config, warehouse }: LoadLoopOptions,
  now: number,
): string[] {
  const { name } = loader.target;
  const names = new Set(config.accounts.map(({ name: account }) => account));
  return warehouse
    .listTargetLoads()
    .filter(({ target, account, loaded_at: at }) => target === name && names.has(account) && at !== null)
    .filter(({ account }) => accounts?.has(account) ?? true)
    .filter(({ account, verified_at: text }) => {
      const at = text === null ? null : fromTimestamp(text);
      return at === null || at > now || at < getVerifyTime(account, now, config.timezone);
    })
    .map(({ account }) => account);
}

/** The last minute at which the account was due. */
function getVerifyTime(account: string, now: number, timezone: string): number {
  const minute = createHash('sha256').update(account).digest().readUInt32BE() % VERIFY_MINUTES;
  return previousTick(`${minute % 60} ${Math.floor(minute / 60)} * * *`, now, timezone);
}
