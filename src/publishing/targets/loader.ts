/** Loading targets as the rest of vodhouse sees it. */
import type { Config, TargetConfig } from '../../config/config.ts';
import { runInChild } from '../../lib/child-process.ts';
import { WarehouseError } from '../../lib/errors.ts';
import { resolveLink } from '../../database/paths.ts';
import { createHolder } from './holder.ts';
import type { LoadRequest, LoadResult } from './target-request.ts';

export type { LoadResult } from './target-request.ts';

/** Loads one target of a config. */
export interface TargetLoader {
  target: TargetConfig;
  /**
   * Loads every account of the published file, in a process of its own. Gives a result for each account, and one for the runs.
   * Throws WarehouseError if there is no published file that this version reads, InterruptedError if the signal aborts.
   */
  load: (options: Pick<LoadRequest, 'verify' | 'rebuild'>, signal: AbortSignal) => Promise<LoadResult[]>;
}

/** The targets of a config; none where it publishes nothing. */
export function openLoaders(config: Config): TargetLoader[] {
  const { publish, accounts } = config;
  if (!publish) return [];
  const holder = createHolder(config);
  const file = resolveLink(publish.file);
  const names = accounts.map(({ name }) => name);
  return publish.targets.map((target) => ({
    target,
    load: (options, signal) => loadInChild({ ...options, target, file, holder, accounts: names }, signal),
  }));
}

function loadInChild(request: LoadRequest, signal: AbortSignal): Promise<LoadResult[]> {
  return runInChild(
    'publishing/targets/load-child.js',
    request,
    signal,
    (reason) =>
      new WarehouseError(`the process that loads target ${request.target.name} ended with ${reason}`),
  );
}
