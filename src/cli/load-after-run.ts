/** Loads the targets after a run of `sync`. */
import type { Config } from '../config/config.ts';
import { loadTarget, mayLoad } from '../app/load-targets.ts';
import { InterruptedError } from '../lib/errors.ts';
import { isLoadDone } from '../lib/load-report.ts';
import { publishedFact } from '../publishing/about-rows.ts';
import { openLoaders } from '../publishing/targets/loader.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import type { CommandContext } from './command-context.ts';
import { targetLoadsText, type TargetLoads } from './output/load-text.ts';
import type { PublishResult } from './output/publication-text.ts';

/** What became of the targets; `error`: a signal stopped it. */
export interface LoadsAfterRun {
  loads: TargetLoads[];
  error: InterruptedError | null;
}

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
  try {
    for (const loader of openLoaders(config)) {
      const { name: target } = loader.target;
      const rows = warehouse.listTargetLoads().filter((row) => row.target === target);
      const hasAll = rows.every((row) => isLoadDone(row) && (row.loaded_at ?? '') >= publishedAt);
      if (published === null && rows.length > 0 && hasAll) continue;
      if (!mayLoad(loader, rows, context.clock.now())) continue;
      context.announce(`loading target ${target} …\n`);
      loads.push({ target, results: await loadTarget(loader, { ...context, warehouse }, signal) });
    }
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    return { loads, error };
  }
  return { loads, error: null };
}

/** Empty where nothing was to be loaded. */
export const loadsAfterRunText = ({ loads, error }: LoadsAfterRun): string =>
  loads.map((load) => targetLoadsText(load, true)).join('') +
  (error === null ? '' : `targets not loaded: ${error.message}\n`);
