import { resolve } from 'node:path';
import type { PostgresTargetConfig, TargetConfig } from '../../config/config.ts';
import { readCertificates } from '../../config/certificates.ts';
import { target as targetSchema } from '../../config/publish-targets.ts';
import { ConfigError, VodhouseError } from '../../lib/errors.ts';
import { assessFleet } from '../../lib/fleet.ts';
import { formatLakePlace } from '../../lib/lake-place.ts';
import { hidePassword, parsePostgresUrl } from '../../lib/postgres-url.ts';
import { describeTargetError, readFleet } from '../../publishing/targets/target-kinds.ts';
import type { LogOptions } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { fleetDocument, fleetText } from '../output/fleet-text.ts';
import { formatJson } from '../output/output.ts';

export interface FleetOptions extends LogOptions {
  /** One of both. */
  postgres?: string;
  folder?: string;
  schema?: string;
  ssl?: PostgresTargetConfig['ssl'];
  ca?: string;
  cron?: true;
  json?: true;
}

/** A person does not wait longer for the target, in milliseconds. */
const DEADLINE_MS = 15_000;

/** `vodhouse fleet`: every worker and account of a target. Returns the exit code: 3 where something needs a person. */
export async function fleet(options: FleetOptions): Promise<number> {
  const target = toTarget(options);
  const entries = assessFleet(await read(target), { isCron: options.cron === true, everyMs: target.everyMs });
  const place = describePlace(target);
  const document = () => formatJson(fleetDocument(entries, place));
  process.stdout.write(options.json ? document() : fleetText(entries, place));
  return entries.some(({ problems }) => problems.length > 0) ? EXIT.partial : EXIT.done;
}

const describePlace = (target: TargetConfig): string =>
  target.kind === 'lake'
    ? formatLakePlace(target.place)
    : `${hidePassword(target.postgres)}, schema ${target.schema}`;

async function read(target: TargetConfig) {
  try {
    return await readFleet(target, DEADLINE_MS);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { message, hint } = await describeTargetError(error, target);
    throw new VodhouseError(toOptions(message), { hint: toOptions(hint ?? '') || undefined });
  }
}

/** There is no config: what is said of its keys becomes what is said of the options. */
const toOptions = (text: string): string =>
  text
    .replaceAll('`postgres:`', '--postgres')
    .replace(/write the key `ssl: (\S+)` (.*) below it/, 'give `--ssl $1` $2')
    .replaceAll(/`ssl: (\S+)`(?: in the target)?/g, '`--ssl $1`')
    .replaceAll(/`ca: FILE`(?: in the target)?/g, '`--ca FILE`')
    .replace(/the target has ssl: (\S+)/, '--ssl is $1')
    .replace(/(?:; )?a load that needs longer: raise `load_timeout` in the target/, '')
    .replace(', then kill -HUP the worker', '');

/** Throws ConfigError where not exactly one place is named. */
function toTarget(options: FleetOptions): TargetConfig {
  const { postgres, folder, schema, ssl, ca } = options;
  if (postgres !== undefined && folder === undefined) return toDatabase(postgres, options);
  const unused = Object.entries({ postgres, schema, ssl, ca }).find(([, value]) => value !== undefined);
  if (folder === undefined || unused)
    throw new ConfigError(
      unused ? `--${unused[0]} has no meaning with --folder` : 'the fleet of which target is not said',
      { hint: 'vodhouse fleet --postgres URL, or vodhouse fleet --folder FOLDER for a lake' },
    );
  if (/^[a-z0-9]+:\/\//i.test(folder))
    throw new ConfigError(
      `--folder is ${hidePassword(folder)}; expected a folder: vodhouse fleet reads no buckets`,
      {
        hint: 'vodhouse status, or vodhouse_freshness in sql/ of the lake, for a lake in a bucket',
      },
    );
  const { data } = targetSchema.safeParse({ name: 'fleet', folder: resolve(folder) });
  if (data === undefined) throw new ConfigError(`--folder ${folder} cannot be the folder of a lake`);
  return data;
}

/** Throws ConfigError, without any part of the address that may be the password. */
function toDatabase(postgres: string, { schema, ssl, ca }: FleetOptions): PostgresTargetConfig {
  const parsed = parsePostgresUrl(postgres);
  if ('expected' in parsed)
    throw new ConfigError(`--postgres is ${hidePassword(postgres)}; expected ${toOptions(parsed.expected)}`);
  const given = { name: 'fleet', postgres, schema, ssl, ca };
  const { data, error } = targetSchema.safeParse(given);
  if (data?.kind !== 'postgres') {
    const [issue] = error?.issues ?? [];
    throw new ConfigError(`--${String(issue?.path[0] ?? 'postgres')}: expected ${issue?.message ?? ''}`);
  }
  const read = ca === undefined ? null : readCertificates(resolve(ca));
  if (read && 'problem' in read) throw new ConfigError(`--ca ${ca ?? ''} ${read.problem}`);
  return {
    ...data,
    ca: read && { file: resolve(ca ?? ''), certificates: read.certificates },
  };
}
