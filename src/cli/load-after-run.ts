/** Loads the targets after a run of `sync`. */
import type { Config } from '../config/config.ts';
import { loadTarget } from '../app/load-targets.ts';
import { fromTimestamp } from '../lib/clock.ts';
import { InterruptedError } from '../lib/errors.ts';
import { publishedFact } from '../publishing/about-rows.ts';
import { openLoaders } from '../publishing/targets/loader.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import type { CommandContext } from './command-context.ts';
import { targetLoadsBriefly, type TargetLoads } from './output/load-text.ts';
import type { PublishResult } from './output/publication-text.ts';

/** What became of the targets; `error`: a signal stopped it. */
export interface LoadsAfterRun {
  loads: TargetLoads[];
  error: InterruptedError | null;
}

type Row = Pick<
  ReturnType<Warehouse['listTargetLoads']>[number],
  'target' | 'account' | 'outcome' | 'loaded_at'
>;

/**
 * Loads each target that lacks something of the published file, as often as its `every` allows, one after the other. Nothing
 * after a publication that failed. Does not throw: a target that fails is a result.
 */
export async function loadAfterRun(
  config: Config,
  warehouse: Warehouse,
  context: Pick<CommandContext, 'clock' | 'logger' | 'announce'>,
  published: PublishResult,
  signal: AbortSignal,
): Promise<LoadsAfterRun> {
  const loads: TargetLoads[] = [];
  const publishedAt = config.publish && publishedFact(config.publish.file, 'published_at');
  if (published instanceof Error || publishedAt === null) return { loads, error: null };
  const names = config.accounts.map(({ name }) => name);
  for (const loader of openLoaders(config)) {
    const { name: target, everyMs } = loader.target;
    const rows = warehouse.listTargetLoads().filter((row) => row.target === target);
    const isNew = published !== null;
    if (!isLoadDue(rows, names, { publishedAt, isNew, everyMs, now: context.clock.now() })) continue;
    context.announce(`loading target ${target} …\n`);
    try {
      const options = { isVerified: false, force: null };
      const results = await loadTarget(loader, { ...context, warehouse }, options, signal);
      loads.push({ target, results });
    } catch (error) {
      if (!(error instanceof InterruptedError)) throw error;
      return { loads, error };
    }
  }
  return { loads, error: null };
}

/** Empty where nothing was to be loaded. */
export function loadsAfterRunText({ loads, error }: LoadsAfterRun): string {
  const stopped = error === null ? [] : [`targets not loaded: ${error.message}\n`];
  return [...loads.map(targetLoadsBriefly), ...stopped].join('');
}

interface LoadTimes {
  /** When the published file was made (`YYYY-MM-DD HH:MM:SS` UTC). */
  publishedAt: string;
  /** Was it made by this run? Another clock may have set `publishedAt` than that of this machine. */
  isNew: boolean;
  everyMs: number;
  /** Milliseconds since 1970. */
  now: number;
}

/** Does a target lack something of the file, and may it be loaded again? `rows` are those of the target. */
export function isLoadDue(
  rows: readonly Row[],
  accounts: readonly string[],
  { publishedAt, isNew, everyMs, now }: LoadTimes,
): boolean {
  const own = rows.filter(({ account }) => accounts.includes(account) || account === '(runs)');
  const hasAll = own.every(
    ({ outcome, loaded_at: at }) =>
      (outcome === 'loaded' || outcome === 'unchanged') && at !== null && at >= publishedAt,
  );
  if (own.length > 0 && hasAll && !isNew) return false;
  const newest = Math.max(0, ...own.map(({ loaded_at: at }) => (at === null ? 0 : fromTimestamp(at))));
  return newest > now || newest + everyMs <= now; // a time in the future: the clock was put back
}
