/** Whether a target can be loaded: does what a load needs in a transaction that is rolled back. */
import type { PostgresTargetConfig } from '../../../config/config.ts';
import type { TargetCheck } from '../target.ts';
import { describeError } from './errors.ts';
import { extendSchema, planSchema } from './schema.ts';
import { begin, quoteName, withSession, type Session } from './session.ts';
import { TABLES } from './tables.ts';

const DEADLINE_MS = 15_000;
const DESCRIBE_SERVER = `SELECT format('PostgreSQL %s, %s', split_part(current_setting('server_version'), ' ', 1),
  coalesce((SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl), 'no TLS')) AS server`;

/** As `TargetAccess.check`: does not throw, an error of the server is a result. */
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
      const { length } = await planSchema(session, config);
      const state = length > 0 ? 'what is missing is made by the next load' : 'complete';
      pass(`${config.schema}: ${state}`, 'rights');
      await extendSchema(session, config);
      await tryStatements(session);
      pass(`enough to load the schema ${config.schema}`, '');
    });
  } catch (error) {
    const { message, hint } = describeError(error, config);
    done.push({ subject, isOk: false, result: message, hint });
  }
  return done;
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
