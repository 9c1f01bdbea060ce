/** The kinds of targets: the one place that picks by `kind`. */
import type { TargetConfig } from '../../config/config.ts';
import type { Source } from './source.ts';
import type { Target, TargetAccess } from './target.ts';

/** The part that needs no published file. The caller closes it. The code of a kind is loaded when it is needed. */
export async function openAccess(config: TargetConfig): Promise<TargetAccess> {
  if (config.kind === 'lake') return (await import('./delta/delta-target.ts')).openDeltaAccess(config);
  return (await import('./postgres/postgres-target.ts')).openPostgresAccess(config);
}

/** Connects when needed. The caller closes it; `worker` is shown to others. */
export async function openTarget(config: TargetConfig, source: Source, worker: string): Promise<Target> {
  if (config.kind === 'lake')
    return (await import('./delta/delta-target.ts')).openDeltaTarget(config, source, worker);
  return (await import('./postgres/postgres-target.ts')).openPostgresTarget(config, source, worker);
}

/** The statements that make what a target needs, for an administrator; null for a kind that needs none. */
export async function formatSchema(target: TargetConfig): Promise<string | null> {
  if (target.kind === 'lake') return null;
  return (await import('./postgres/schema.ts')).formatSchemaSql(target);
}
