/** `demo --postgres`: a schema of the demo's own in a database that is there already. */
import type { Config, PostgresTargetConfig } from '../config/config.ts';
import { loadTarget } from '../app/load-targets.ts';
import type { Pipeline } from '../app/pipeline.ts';
import { systemClock } from '../lib/clock.ts';
import { ConfigError, LockedError, VodhouseError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { hidePassword, parsePostgresUrl } from '../lib/postgres-url.ts';
import { createMarts } from '../publishing/marts/marts.ts';
import { createHolder } from '../publishing/targets/holder.ts';
import { openLoaders } from '../publishing/targets/loader.ts';
import { claim } from '../publishing/targets/postgres/claim.ts';
import { ensureSchema } from '../publishing/targets/postgres/ensure-schema.ts';
import { readHolders } from '../publishing/targets/postgres/holders.ts';
import { withSession } from '../publishing/targets/postgres/session.ts';
import { describeTargetError } from '../publishing/targets/postgres/target-errors.ts';
import { openWarehouse } from '../warehouse/warehouse.ts';
import type { TargetLoads } from './output/load-text.ts';

/** The only schema that the demo creates and writes. */
export const DEMO_SCHEMA = 'vodhouse_demo';

const CONNECT_DEADLINE_MS = 30_000;

/** Throws ConfigError for an address that is none; the error has no part of it that may be the password. */
export function assertPostgresUrl(text: string): void {
  const parsed = parsePostgresUrl(text);
  if ('expected' in parsed)
    throw new ConfigError(
      `--postgres is ${hidePassword(text)}; expected ${parsed.expected.replace(/: write the key .*/, '')}`,
    );
}

/**
 * Makes the schema, and claims the account of the demo there, also from an earlier demo that has ended: its rows are replaced
 * by the first load. Opens the warehouse only after the server has answered. Throws LockedError where another demo has the
 * account, ConfigError where the schema has foreign tables, VodhouseError where the target cannot be used.
 */
export async function claimDemoAccount(config: Config, target: PostgresTargetConfig): Promise<void> {
  const { schema, readers } = target;
  const { timezone, durationUnit, publish } = config;
  const account = config.accounts[0]?.name ?? '';
  const holder = createHolder(config);
  const marts = createMarts({ durationUnit, exclude: publish?.exclude ?? [] });
  try {
    await withSession(target, CONNECT_DEADLINE_MS, async (session) => {
      await ensureSchema(session, { schema, readers, marts }, timezone);
      const other = (await readHolders(session)).find(({ instance }) => instance !== holder.instance);
      if (other?.isHeld)
        throw new LockedError(
          `another demo (of ${other.worker}) loads the schema ${schema} until ${other.leaseUntil} UTC`,
          { hint: 'stop it with Ctrl-C, which frees the schema at once; or name another database' },
        );
      await claim(session, [account], {
        holder,
        warehouseId: readWarehouseId(config),
        originsOf: () => [],
        force: true,
      });
    });
  } catch (error) {
    if (error instanceof ConfigError)
      throw new ConfigError(error.message, { hint: 'name another database with --postgres' });
    if (error instanceof VodhouseError) throw error;
    const { message, hint } = describeTargetError(error, target);
    throw new VodhouseError(message, { hint: hint === null ? undefined : toDemoHint(hint), cause: error });
  }
}

/** The demo has no config: hints about its keys become hints about the option. */
function toDemoHint(hint: string): string {
  if (/`(?:ssl|ca):/.test(hint))
    return 'the demo has no keys for TLS: name a database of this machine, or write a config with publish.targets (docs/targets.md)';
  return hint
    .replaceAll('`postgres:`', '--postgres')
    .replace(', then kill -HUP the worker', '')
    .replace('; vodhouse publish --print-sql prints what is needed', '');
}

function readWarehouseId({ warehouse: path }: Config): string {
  const warehouse = openWarehouse(path, systemClock);
  try {
    return warehouse.getWarehouseId();
  } finally {
    warehouse.close();
  }
}

/** Loads the target of the demo once, and gives the account back. Null where the demo has none. */
export async function loadDemoTarget(
  config: Config,
  { warehouse, leases }: Pick<Pipeline, 'warehouse' | 'leases'>,
  logger: Logger,
  signal: AbortSignal,
): Promise<TargetLoads | null> {
  const [loader] = openLoaders(config);
  if (!loader) return null;
  const results = await loadTarget(loader, { warehouse, clock: systemClock, logger }, {}, signal);
  await leases.release();
  return { target: loader.target.name, results, isVerified: false };
}
