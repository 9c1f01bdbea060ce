/** Whether a target can be loaded, and what an error of one means. */
import type { PostgresTargetConfig } from '../../../config/config.ts';
import { ConfigError, errorCode, errorLine, hintLine, VodhouseError } from '../../../lib/errors.ts';
import { listPostgresSecrets } from '../../../lib/postgres-url.ts';
import { redact } from '../../../lib/redact.ts';
import type { TargetCheck, TargetFailure } from '../target.ts';
import { extendSchema, planSchema } from './schema.ts';
import { begin, getAddress, quoteName, withSession, type Session } from './session.ts';
import { TABLES } from './tables.ts';

const DEADLINE_MS = 15_000;
const DESCRIBE_SERVER = `SELECT format('PostgreSQL %s, %s', split_part(current_setting('server_version'), ' ', 1),
  coalesce((SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl), 'no TLS')) AS server`;

/** As `TargetAccess.check`, in a transaction that is rolled back: does not throw, an error of the server is a result. */
export async function checkTarget(config: PostgresTargetConfig): Promise<TargetCheck[]> {
  const done: TargetCheck[] = [];
  let subject = 'connection';
  const pass = (result: string, next: string) => {
    done.push({ subject, isOk: true, result, hint: null });
    subject = next;
  };
  try {
    await withSession(config, DEADLINE_MS, async (session) => {
      await begin(session, { lockTimeoutMs: DEADLINE_MS, loadTimeoutMs: DEADLINE_MS });
      pass((await session.queryOne<{ server: string }>(DESCRIBE_SERVER))?.server ?? '', 'schema');
      const planned = await planSchema(session, config);
      const state = planned.length > 0 ? 'what is missing is made by the next load' : 'complete';
      pass(`${config.schema}: ${state}`, 'rights');
      await assertRights(session, config, planned);
      await extendSchema(session, config);
      pass(`enough to load the schema ${config.schema}`, '');
    });
  } catch (error) {
    const { message, hint } = describeError(error, config);
    done.push({ subject, isOk: false, result: message, hint });
  }
  return done;
}

/** One row for each place where the user lacks rights; $3: the rights on the schema. */
const MISSING_RIGHTS = `WITH s AS (SELECT oid, nspname FROM pg_namespace WHERE nspname = $1), d AS (SELECT current_database() AS db)
SELECT format('TEMPORARY on database %I', db) AS missing FROM d WHERE NOT has_database_privilege(db, 'TEMPORARY')
UNION ALL SELECT format('CREATE on database %I', db) FROM d
  WHERE NOT EXISTS (SELECT FROM s) AND NOT has_database_privilege(db, 'CREATE')
UNION ALL SELECT format('%s on schema %I', p, nspname) FROM s, unnest($3::text[]) p WHERE NOT has_schema_privilege(s.oid, p)
UNION ALL SELECT format('%s on table %I', string_agg(p, ', ' ORDER BY p), relname)
FROM s JOIN pg_class c ON c.relnamespace = s.oid AND relname = ANY ($2), unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) p
WHERE NOT has_table_privilege(c.oid, p) GROUP BY relname`;

/** Throws ConfigError with all rights that are missing. */
async function assertRights(
  session: Session,
  config: PostgresTargetConfig,
  planned: readonly string[],
): Promise<void> {
  const { user } = getAddress(config);
  const tables = TABLES.map(({ name }) => name);
  const onSchema = planned.some((sql) => sql.startsWith('CREATE')) ? ['USAGE', 'CREATE'] : ['USAGE'];
  const rows = await session.query<{ missing: string }>(MISSING_RIGHTS, [config.schema, tables, onSchema]);
  if (rows.length === 0) return;
  throw new ConfigError(`${user} lacks ${rows.map(({ missing }) => missing).join('; ')}`, {
    hint: `an administrator gives ${user} these rights, or runs what vodhouse publish --print-sql prints`,
  });
}

/** Describes whatever a connection or a statement ended with. The password is in no text. */
export function describeError(error: unknown, config: PostgresTargetConfig): TargetFailure {
  const { host, port } = getAddress(config);
  const [code, line] = [errorCode(error), errorLine(error)];
  const isOurs = error instanceof VodhouseError;
  const isFromServer = typeof (error as { severity?: unknown } | null)?.severity === 'string';
  const state = isFromServer ? ` (${code})` : '';
  const clean = (text: string) =>
    redact(text, listPostgresSecrets(config.postgres)).replaceAll('[key]', '***');
  const hint = isOurs ? hintLine(error) : findHint(`${code} ${line}`, config);
  return {
    message: clean(isOurs ? line : `PostgreSQL at ${host}:${port}: ${line}${state}`),
    hint: hint === null ? null : clean(hint),
    code: code || null,
  };
}

/** One sentence of what to type; null if nothing is known. `said`: code and message. */
function findHint(said: string, config: PostgresTargetConfig): string | null {
  const { user, database } = getAddress(config);
  const role = quoteName(user);
  const hints: readonly [RegExp, string][] = [
    [
      /^ETIMEDOUT/,
      'check that the server is not frozen; a load that needs longer: raise `load_timeout` in the target',
    ],
    [
      /^(ECONNREFUSED|ENOENT)|timeout expired/,
      'start PostgreSQL; or correct the host and port in `postgres:`, listen_addresses of the server, or the firewall',
    ],
    [
      /^28|client password must be/,
      `correct the user and password in \`postgres:\`; or ALTER ROLE ${role} LOGIN PASSWORD '…', and a line in pg_hba.conf for it`,
    ],
    [
      /^3D000/,
      `CREATE DATABASE ${quoteName(database)} OWNER ${role}; or correct the name at the end of \`postgres:\``,
    ],
    [/^42501/, `an administrator gives ${user} this right, or runs what vodhouse publish --print-sql prints`],
    [/^42704/, 'CREATE ROLE for it; or correct `readers:` of the target'],
    [/^(23505|42P10)/, 'DROP TABLE … CASCADE, and vodhouse publish makes and loads it again'],
    [
      /^55P03/,
      'another session holds a lock on the tables: SELECT * FROM pg_stat_activity shows it; or raise `lock_timeout` in the target',
    ],
    [/^53100/, "free space on the server's disk"],
  ];
  return hints.find(([pattern]) => pattern.test(said))?.[1] ?? null;
}
