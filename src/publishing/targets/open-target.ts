/** The kinds of targets: the one place that picks by `kind`. */
import type { TargetConfig } from '../../config/config.ts';
import { OwnedError } from './ownership.ts';
import type { Source } from './source.ts';
import type { Target, TargetAccess, TargetFailure } from './target.ts';

/** The part that needs no published file. The code of a kind is loaded when it is needed. */
async function openAccess(config: TargetConfig): Promise<TargetAccess> {
  if (config.kind === 'lake') return (await import('./delta/delta-target.ts')).openDeltaAccess(config);
  return (await import('./postgres/postgres-target.ts')).openPostgresAccess(config);
}

/** Works with a target without a published file. An error, but OwnedError, is returned as what it means. */
export async function withAccess<Result>(
  config: TargetConfig,
  work: (access: TargetAccess) => Promise<Result>,
): Promise<Result | { failure: TargetFailure }> {
  const access = await openAccess(config);
  try {
    return await work(access);
  } catch (error) {
    if (error instanceof OwnedError) throw error;
    return { failure: access.describe(error) };
  } finally {
    await access.close();
  }
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
