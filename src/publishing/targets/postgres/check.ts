/** Whether a target can be loaded, and what an error of one means. */
import type { PostgresTargetConfig } from '../../../config/config.ts';
import { ConfigError, errorCode, errorLine, VodhouseError } from '../../../lib/errors.ts';
import { listPostgresSecrets } from './postgres-url.ts';
import { redact } from '../../../lib/redact.ts';
import { TargetError } from '../target.ts';
import { extendSchema, planSchema } from './schema.ts';
import { begin, getAddress, quoteName, type Session } from './session.ts';
import { TABLES } from './tables.ts';

const DESCRIBE_SERVER = `SELECT format('PostgreSQL %s, %s',
  split_part(current_setting('server_version'), ' ', 1),
  coalesce((SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl), 'no TLS')) AS server,
  current_setting('server_encoding') AS encoding`;

const MISSING_RIGHTS = `SELECT format('%s on %s', string_agg(p, ', '), t) AS missing
FROM unnest($1::text[]) t, unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) p
WHERE NOT has_table_privilege(t, p) GROUP BY t
UNION ALL SELECT 'TEMPORARY on the database'
WHERE NOT has_database_privilege(current_database(), 'TEMPORARY')`;

/**
 * As `Target.check`. What is missing is made in a transaction without a COMMIT: the end of the session rolls
 * it back.
 */
export async function checkTarget(session: Session, config: PostgresTargetConfig): Promise<string> {
  await begin(session, config);
  const [described] = await session.query<{ server: string; encoding: string }>(DESCRIBE_SERVER);
  // the statement always returns a row
  const { server, encoding } = described ?? { server: '', encoding: '' };
  if (!['UTF8', 'SQL_ASCII'].includes(encoding))
    throw new ConfigError(
      `the database ${getAddress(config).database} has the encoding ${encoding}, which lacks characters of titles`,
      { hint: createOther(config) },
    );
  const isComplete = (await planSchema(session, config)).statements.length === 0;
  await extendSchema(session, config);
  const tables = TABLES.map(({ name }) => session.name(name));
  const missing = await session.query<{ missing: string }>(MISSING_RIGHTS, [tables]);
  if (missing.length > 0) {
    const rights = missing.map((row) => row.missing).join('; ');
    throw new ConfigError(`${getAddress(config).user} lacks ${rights}`, { hint: runSql(config) });
  }
  const schema = isComplete ? 'complete' : 'what is missing is made by the next load';
  const warning =
    encoding === 'UTF8'
      ? ''
      : '; WARNING: a database in SQL_ASCII keeps UTF-8 as bytes, so lengths and upper case are wrong';
  return `${server}; schema ${config.schema}: ${schema}${warning}`;
}

/**
 * The statement that makes a database. It names the encoding, because titles may have any character, and the
 * default of a server may be an encoding that lacks some.
 */
const createDatabase = (config: PostgresTargetConfig, name: string): string =>
  `CREATE DATABASE ${quoteName(name)} OWNER ${quoteName(getAddress(config).user)} ENCODING 'UTF8' TEMPLATE template0`;

const createOther = (config: PostgresTargetConfig): string =>
  `${createDatabase(config, `${getAddress(config).database}_utf8`)}; and name it in \`postgres:\``;

const runSql = (config: PostgresTargetConfig): string =>
  `as an administrator: ${config.command} --print-sql | psql ${getAddress(config).database}`;

/** Turns the error of a connection or a statement into one of vodhouse. No text of it has the password. */
export function describeError(error: unknown, config: PostgresTargetConfig): VodhouseError {
  if (error instanceof VodhouseError) return error;
  const { host, port } = getAddress(config);
  const [code, line] = [errorCode(error), errorLine(error)];
  const isFromServer = typeof (error as { severity?: unknown } | null)?.severity === 'string';
  const clean = (text: string) =>
    redact(text, listPostgresSecrets(config.postgres)).replaceAll('[key]', '***');
  const hint = findHint(`${code} ${line}`, config);
  return new TargetError(clean(`PostgreSQL at ${host}:${port}: ${line}${isFromServer ? ` (${code})` : ''}`), {
    code: code || null,
    cause: error,
    hint: hint && clean(hint),
  });
}

/**
 * What to type after an error that occurs in practice; undefined for any other. `error`: code and message.
 */
function findHint(error: string, config: PostgresTargetConfig): string | undefined {
  const { user, database, host, port } = getAddress(config);
  const role = quoteName(user);
  const hints: readonly [RegExp, string][] = [
    [/^ETIMEDOUT/, 'check that the server is not frozen; or raise `load_timeout` of the target'],
    [/^(ECONNREFUSED|ENOENT)|timeout expired/, `pg_isready -h ${host} -p ${port}; or correct \`postgres:\``],
    [/^28|client password must be/, `ALTER ROLE ${role} LOGIN PASSWORD '…'; or correct \`postgres:\``],
    [/^3D000/, `${createDatabase(config, database)}; or correct the name in \`postgres:\``],
    [/^22P05/, createOther(config)],
    [/^42501/, runSql(config)],
    [/^42704/, 'CREATE ROLE …; or take the role out of `readers:`'],
    [/^23/, 'take back your own constraint; or DROP TABLE … CASCADE, and a load makes it again'],
    [/^2BP01/, 'drop your own views on it, and make them again after the load'],
    [/^42P07/, 'drop or rename it: what stood in the place of a table or view was kept there'],
    [/^55P03/, 'pg_stat_activity shows who holds the lock; or raise `lock_timeout` of the target'],
    [/^53100/, "free space on the server's disk"],
  ];
  return hints.find(([pattern]) => pattern.test(error))?.[1];
}
