/** Whether a target can be loaded: server, rights, readers, schema. In one transaction that may only read. */
import type { PostgresTargetConfig } from '../../../config/config.ts';
import type { TargetCheck } from '../target.ts';
import { describeError } from './errors.ts';
import { findFlaw, planAdditions, readFacts, readRelations, type Relations } from './schema.ts';
import { begin, quoteName, withSession, type Session } from './session.ts';
import { TABLES } from './tables.ts';

const DEADLINE_MS = 15_000;
const OLDEST_VERSION = 14;

/** As `TargetAccess.check`: does not throw, an error of the connection is a result. */
export async function checkTarget(config: PostgresTargetConfig): Promise<TargetCheck[]> {
  const done: TargetCheck[] = [];
  try {
    await withSession(config, DEADLINE_MS, async (session) => {
      await begin(session, { lockTimeoutMs: DEADLINE_MS, loadTimeoutMs: DEADLINE_MS }, 'READ ONLY');
      done.push(...(await checkServer(session)));
      done.push(...(await checkReaders(session, config)));
      const rights = await readRights(session);
      const relations = rights.may_use === null ? null : await readRelations(session);
      done.push(checkRights(config, rights, relations));
      if (relations !== null && done.at(-1)?.isOk) done.push(await checkSchema(session, config, relations));
      await session.execute('ROLLBACK');
    });
  } catch (error) {
    const { message, hint } = describeError(error, config);
    done.push(failed('connection', message, hint));
  }
  return done;
}

const passed = (subject: string, result: string): TargetCheck => ({
  subject,
  isOk: true,
  result,
  hint: null,
});
const failed = (subject: string, result: string, hint: string | null): TargetCheck => ({
  ...{ subject, isOk: false, result, hint },
});

async function checkServer(session: Session): Promise<TargetCheck[]> {
  const row = await session.queryOne<{
    version: string;
    encoding: string;
    is_replica: boolean;
    tls: string | null;
  }>(
    `SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding,
  pg_is_in_recovery() AS is_replica, (SELECT s.version FROM pg_stat_ssl s WHERE s.pid = pg_backend_pid() AND s.ssl) AS tls`,
  );
  const { version = '', encoding = '', is_replica: isReplica = false, tls = null } = row ?? {};
  const server = `PostgreSQL ${version.split(' ')[0]}, ${tls ?? 'no TLS'}`;
  const checks =
    Number.parseInt(version) < OLDEST_VERSION
      ? [failed('connection', `${server}: too old`, `PostgreSQL ${OLDEST_VERSION} or later is required`)]
      : isReplica
        ? [
            failed(
              'connection',
              `${server}: a replica, which accepts no writes`,
              'name the primary in `postgres:`',
            ),
          ]
        : [passed('connection', server)];
  if (encoding === 'UTF8') return checks;
  const hint = `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and name it in \`postgres:\``;
  return [...checks, failed('encoding', `the database has the encoding ${encoding}, not UTF8`, hint)];
}

async function checkReaders(session: Session, { readers }: PostgresTargetConfig): Promise<TargetCheck[]> {
  if (readers.length === 0) return [];
  const rows = await session.query<{ name: string }>(
    `SELECT r AS name FROM unnest($1::text[]) r WHERE r <> 'public' AND NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r)`,
    [readers],
  );
  if (rows.length === 0) return [passed('readers', `${readers.join(', ')}: known`)];
  const names = rows.map(({ name }) => name);
  const hint = `${names.map((name) => `CREATE ROLE ${quoteName(name)}`).join('; ')}; or correct \`readers:\``;
  return [failed('readers', `the server has no role ${names.join(', ')}`, hint)];
}

/** What the user may do; of a schema that does not exist, null. */
interface Rights {
  user: string;
  database: string;
  may_make_schema: boolean;
  may_make_temporary: boolean;
  may_use: boolean | null;
  may_create: boolean | null;
  /** Of SELECT, INSERT, UPDATE and DELETE, those that are lacking on one of our tables. */
  lacks: string[];
}

async function readRights(session: Session): Promise<Rights> {
  const [rights] = await session.query<Rights & Record<string, unknown>>(
    `SELECT current_user::text AS user, current_database()::text AS database,
  has_database_privilege(current_database(), 'CREATE') AS may_make_schema,
  has_database_privilege(current_database(), 'TEMPORARY') AS may_make_temporary,
  (SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = $1) AS may_use,
  (SELECT has_schema_privilege(oid, 'CREATE') FROM pg_namespace WHERE nspname = $1) AS may_create,
  ARRAY(SELECT p FROM unnest($3::text[]) p WHERE EXISTS (
    SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relname = ANY ($2) AND c.relkind IN ('r', 'p') AND NOT has_table_privilege(c.oid, p))) AS lacks`,
    [session.schema, TABLES.map(({ name }) => name), DML],
  );
  if (!rights) throw new RangeError('no answer');
  return rights;
}

/** Everything that is lacking, with the statements that grant it. */
function checkRights(
  { schema }: PostgresTargetConfig,
  rights: Rights,
  relations: Relations | null,
): TargetCheck {
  const [prefix, role, database] = [schema, rights.user, rights.database].map(quoteName);
  const additions = planAdditions(schema, relations);
  const foreign = TABLES.filter(
    ({ name }) =>
      relations?.get(name)?.isOwn === false && additions.some(({ what }) => what.startsWith(`${name}.`)),
  );
  const lacks = [
    ...lack(
      !rights.may_make_temporary,
      'TEMPORARY on the database',
      `GRANT TEMPORARY ON DATABASE ${database}`,
    ),
    ...lack(
      relations === null && !rights.may_make_schema,
      'CREATE on the database',
      `GRANT CREATE ON DATABASE ${database}`,
    ),
    ...lack(rights.may_use === false, `USAGE on schema ${schema}`, `GRANT USAGE ON SCHEMA ${prefix}`),
    ...lack(
      additions.length > 0 && rights.may_create === false,
      `CREATE on schema ${schema}`,
      `GRANT CREATE ON SCHEMA ${prefix}`,
    ),
    ...lack(
      rights.lacks.length > 0,
      `${rights.lacks.join(', ')} on tables`,
      `GRANT ${DML.join(', ')} ON ALL TABLES IN SCHEMA ${prefix}`,
    ),
    ...foreign.flatMap(({ name }) =>
      lack(true, `the ownership of ${name}`, `ALTER TABLE ${prefix}.${quoteName(name)} OWNER`),
    ),
  ];
  if (lacks.length === 0) return passed('rights', `${rights.user} may load the schema ${schema}`);
  const grants = lacks.map(({ grant }) => `${grant} TO ${role}`).join('; ');
  const result = `${rights.user} lacks ${lacks.map(({ what }) => what).join('; ')}`;
  return failed('rights', result, `${grants}; or vodhouse publish --print-sql, for an administrator`);
}

const lack = (isLacking: boolean, what: string, grant: string) => (isLacking ? [{ what, grant }] : []);

const DML = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

async function checkSchema(
  session: Session,
  { schema }: PostgresTargetConfig,
  relations: Relations,
): Promise<TargetCheck> {
  const facts = await readFacts(session, relations);
  const flaw = findFlaw(schema, relations, facts, null);
  if (flaw) return failed('schema', flaw.message, flaw.hint ?? null);
  const missing = planAdditions(schema, relations).length;
  if (missing > 0) return passed('schema', `${schema}: what is missing is made by the next load`);
  return passed('schema', `${schema}: complete, with the days of ${facts.get('timezone') ?? 'no time zone'}`);
}
