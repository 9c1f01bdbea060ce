/** Whether a target can be loaded: does what a load needs in a transaction that is rolled back. */
import type { PostgresTargetConfig } from '../../../config/config.ts';
import type { TargetCheck } from '../target.ts';
import { describeError } from './errors.ts';
import { extendSchema, planSchema } from './schema.ts';
import { begin, quoteName, withSession, type Session } from './session.ts';
import { TABLES } from './tables.ts';

const DEADLINE_MS = 15_000;
const OLDEST_VERSION = 14;

/** As `TargetAccess.check`: does not throw, an error of the server is a result. */
export async function checkTarget(config: PostgresTargetConfig): Promise<TargetCheck[]> {
  const done: TargetCheck[] = [];
  let subject = 'connection';
  try {
    await withSession(config, DEADLINE_MS, async (session) => {
      await begin(session, { lockTimeoutMs: DEADLINE_MS, loadTimeoutMs: DEADLINE_MS });
      done.push(await checkServer(session), ...(await checkReaders(session, config)));
      if (done.some(({ isOk }) => !isOk)) return;
      subject = 'schema';
      const { length } = await planSchema(session, config);
      const state = length > 0 ? 'what is missing is made by the next load' : 'complete';
      done.push(passed('schema', `${config.schema}: ${state}`));
      subject = 'rights';
      await extendSchema(session, config);
      await tryStatements(session);
      done.push(passed('rights', `enough to load the schema ${config.schema}`));
    });
  } catch (error) {
    const { message, hint } = describeError(error, config);
    done.push({ subject, isOk: false, result: message, hint });
  }
  return done;
}

const passed = (subject: string, result: string): TargetCheck => ({
  subject,
  isOk: true,
  result,
  hint: null,
});
const failed = (subject: string, result: string, hint: string): TargetCheck => ({
  ...{ subject, isOk: false, result, hint },
});

async function checkServer(session: Session): Promise<TargetCheck> {
  const row = await session.queryOne<{
    version: string;
    encoding: string;
    isReplica: boolean;
    tls: string | null;
  }>(
    `SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding,
  pg_is_in_recovery() AS "isReplica", (SELECT s.version FROM pg_stat_ssl s WHERE s.pid = pg_backend_pid() AND s.ssl) AS tls`,
  );
  const { version = '', encoding = '', isReplica = false, tls = null } = row ?? {};
  const server = `PostgreSQL ${version.split(' ')[0]}, ${tls ?? 'no TLS'}`;
  const fail = (what: string, hint: string) => failed('connection', `${server}: ${what}`, hint);
  if (Number.parseInt(version) < OLDEST_VERSION) return fail('too old', `install ${OLDEST_VERSION} or later`);
  if (isReplica) return fail('a replica, which accepts no writes', 'name the primary in `postgres:`');
  if (encoding === 'UTF8') return passed('connection', server);
  const hint = `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and name it in \`postgres:\``;
  return fail(`the database has the encoding ${encoding}, not UTF8`, hint);
}

async function checkReaders(session: Session, { readers }: PostgresTargetConfig): Promise<TargetCheck[]> {
  const rows = await session.query<{ name: string }>(
    `SELECT r AS name FROM unnest($1::text[]) r WHERE r <> 'public' AND NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r)`,
    [readers],
  );
  const names = rows.map(({ name }) => name);
  const hint = `${names.map((name) => `CREATE ROLE ${quoteName(name)}`).join('; ')}; or correct \`readers:\``;
  return names.length > 0 ? [failed('readers', `the server has no role ${names.join(', ')}`, hint)] : [];
}

/** What a load does, without a row: the server names the first right that is missing. */
async function tryStatements(session: Session): Promise<void> {
  await session.execute('CREATE TEMPORARY TABLE vodhouse_check () ON COMMIT DROP');
  for (const { name, columns } of TABLES) {
    const [table, column] = [session.name(name), quoteName(Object.keys(columns)[0] ?? '')];
    await session.execute(`INSERT INTO ${table} SELECT * FROM ${table} WHERE false`);
    await session.execute(`UPDATE ${table} SET ${column} = ${column} WHERE false`);
    await session.execute(`DELETE FROM ${table} WHERE false`);
  }
}
