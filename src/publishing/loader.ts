/** Loading targets as the rest of vodhouse sees it. */
import type { Config, TargetConfig } from '../config/config.ts';
import { resolveLink } from '../database/files.ts';
import { runInChild } from '../lib/child-process.ts';
import { WarehouseError } from '../lib/errors.ts';
import type { LoadReport } from './targets/load-report.ts';
import type { LoadRequest, Target } from './targets/target.ts';

/** Loads one target of a config. */
export interface TargetLoader {
  target: TargetConfig;
  /**
   * Loads every account of the published file, in a process of its own. Returns a report for each account,
   * and one for the tables that belong to none. Throws WarehouseError if there is no published file that this
   * version reads, InterruptedError if the signal aborts: then the next load begins where this one stopped.
   */
  load: (options: Pick<LoadRequest, 'isVerified' | 'force'>, signal: AbortSignal) => Promise<LoadReport[]>;
}

/** The targets of a config; none where it publishes nothing. */
export function openLoaders({ warehouse: live, publish, accounts, worker }: Config): TargetLoader[] {
  if (!publish) return [];
  const file = resolveLink(publish.file);
  const names = accounts.map(({ name, was }) => ({ name, was }));
  return publish.targets.map((target) => ({
    target,
    load: (options, signal) => {
      const request: LoadRequest = { ...options, target, live, file, worker, accounts: names };
      return runInChild('publishing/load-child', request, signal, (reason) => {
        return new WarehouseError(`the process that loads target ${target.name} ended with ${reason}`);
      });
    },
  }));
}

/**
 * Opens a target. The code of each kind is imported when it is needed. `worker` is the name that other
 * workers are shown. When the signal aborts, a lake gets no more requests; a connection to PostgreSQL ends by
 * itself after `load_timeout`.
 */
export async function openTarget(
  config: TargetConfig,
  worker: string,
  signal?: AbortSignal,
): Promise<Target> {
  if (config.kind === 'lake')
    return (await import('./targets/delta/delta-target.ts')).openDeltaTarget(config, worker, { signal });
  return (await import('./targets/postgres/postgres-target.ts')).openPostgresTarget(config, worker);
}

/** The statements that make what a target needs, for an administrator; null for a kind that needs none. */
export async function formatSchema(target: TargetConfig): Promise<string | null> {
  if (target.kind === 'lake') return null;
  return (await import('./targets/postgres/schema.ts')).formatSchemaSql(target);
}
