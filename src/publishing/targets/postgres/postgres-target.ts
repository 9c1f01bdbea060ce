/** PostgreSQL as a target. Each operation uses a connection of its own, and one transaction. */
import type { QueryResultRow } from 'pg';
import type { PostgresTargetConfig } from '../../../config/config.ts';
import { errorCode } from '../../../lib/errors.ts';
import type { Source } from '../source.ts';
import type { Target } from '../target.ts';
import { checkTarget, describeError } from './check.ts';
import { loadAccount, loadShared, removeAccount } from './load.ts';
import { beginLoad } from './schema.ts';
import { begin, withSession, type Session } from './session.ts';
import { SELECT_STATE, type Context, type LoadedState } from './tables.ts';
import { verifyAccount } from './verify.ts';

/** The time limit of all operations but loads and comparisons; a shorter `load_timeout` replaces it. */
const SHORT_DEADLINE_MS = 30_000;
/** The SQLSTATE of a table and of a column that does not exist. */
const NOT_THERE = ['42P01', '42703'];

/** Connects when needed; makes or extends the schema before each load. See `Target`. */
export function openPostgresTarget(config: PostgresTargetConfig, worker: string): Target {
  const shortMs = Math.min(SHORT_DEADLINE_MS, config.loadTimeoutMs);
  const connect = <Result>(deadlineMs: number, work: (session: Session) => Promise<Result>) =>
    withSession(config, deadlineMs, work).catch((error: unknown) => {
      throw describeError(error, config);
    });
  const load = (source: Source, work: (context: Context) => Promise<number>, isRebuilt = false) =>
    connect(config.loadTimeoutMs, async (session) => {
      await beginLoad(session, config, isRebuilt);
      const result = await work({ session, config, source, worker });
      await session.execute('COMMIT');
      return result;
    });
  /** Returns no rows where a table or a column does not exist: nothing was loaded yet, or it was dropped. */
  const read = <Row extends object>(toSql: (session: Session) => string, values: readonly unknown[] = []) =>
    connect(shortMs, async (session) => {
      await begin(session, config, 'READ ONLY');
      return session.query<Row & QueryResultRow>(toSql(session), values);
    }).catch((error: unknown): Row[] => {
      if (NOT_THERE.includes(errorCode(error))) return [];
      throw error;
    });

  return {
    readAccounts: async () => {
      const rows = await read<LoadedState & { account: string }>(
        ({ name }) => `${SELECT_STATE} FROM ${name('vodhouse_account')} ORDER BY account`,
      );
      return new Map(rows.map(({ account, ...state }) => [account, state]));
    },
    countVideos: async (account) => {
      const [row] = await read<{ count: number }>(
        ({ name }) => `SELECT count(*)::float8 AS count FROM ${name('all_videos')} WHERE account = $1`,
        [account],
      );
      return row?.count ?? 0;
    },
    check: () => connect(shortMs, (session) => checkTarget(session, config)),
    load: (source, account, options) =>
      load(source, (context) => loadAccount(context, account, options), options.force !== null),
    loadShared: (source) => load(source, loadShared),
    remove: (source, account) => load(source, (context) => removeAccount(context, account)),
    verify: (source, account) =>
      connect(config.loadTimeoutMs, (session) => verifyAccount({ session, config, source, worker }, account)),
  };
}
