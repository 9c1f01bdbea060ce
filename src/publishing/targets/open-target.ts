/** The kinds of targets: the one place that picks by `kind`. */
import type { TargetConfig } from '../../config/config.ts';
import type { Target } from './target.ts';

/** The code of a kind is loaded when it is needed. `worker` is shown to others. */
export async function openTarget(config: TargetConfig, worker: string): Promise<Target> {
  if (config.kind === 'lake')
    return (await import('./delta/delta-target.ts')).openDeltaTarget(config, worker);
  return (await import('./postgres/postgres-target.ts')).openPostgresTarget(config, worker);
}

/** The statements that make what a target needs, for an administrator; null for a kind that needs none. */
export async function formatSchema(target: TargetConfig): Promise<string | null> {
  if (target.kind === 'lake') return null;
  return (await import('./postgres/schema.ts')).formatSchemaSql(target);
}
