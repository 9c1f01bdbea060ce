/** PostgreSQL as a target. Each operation uses a connection of its own, and one transaction. */
import type { PostgresTargetConfig } from '../../../config/config.ts';
import { errorCode } from '../../../lib/errors.ts';
import { COUNTED } from '../changes.ts';
import type { Source } from '../source.ts';
import type { Loaded, Target, TargetAccess } from '../target.ts';
import { checkTarget, describeError } from './check.ts';
import { loadAccount, loadShared, removeAccount } from './load.ts';
import { ensureSchema } from './schema.ts';
import { begin, withSession, type Session } from './session.ts';
import { SELECT_STATE, type Context, type LoadedState } from './state.ts';
import { verifyAccount } from './verify.ts';

/** Of short statements; a shorter `load_timeout` holds for them too. */
const SHORT_DEADLINE_MS = 30_000;
const UNDEFINED_TABLE = '42P01';
/** Deadlock and serialization failure: the server rolled back one of two transactions, which passes when it is repeated. */
const LOCKED_OUT = ['40P01', '40001'];

/** Connects when needed. See `TargetAccess`. */
export function openPostgresAccess(config: PostgresTargetConfig): TargetAccess {
  /** Null where nothing was loaded yet. */
  const read = async <Row>(work: (session: Session) => Promise<Row>): Promise<Row | null> => {
    try {
      return await withSession(config, Math.min(SHORT_DEADLINE_MS, config.loadTimeoutMs), work);
    } catch (error) {
      if (errorCode(error) === UNDEFINED_TABLE) return null;
      throw error;
    }
  };
  return {
    readAccounts: async () => {
      const rows = await read(({ query, name }) =>
        query<LoadedState & { account: string }>(
          `${SELECT_STATE} FROM ${name('vodhouse_account')} ORDER BY account`,
        ),
      );
      return new Map(rows?.map(({ account, ...state }) => [account, state]));
    },
    countRows: async (account) => {
      const row = await read(({ queryOne, name }) => {
        const counts = COUNTED.map(
          (table) => `(SELECT count(*) FROM ${name(table)} WHERE account = $1)::float8 AS ${table}`,
        );
        return queryOne<Record<string, number>>(`SELECT ${counts.join(', ')}`, [account]);
      });
      return row ?? Object.fromEntries(COUNTED.map((table) => [table, 0]));
    },
    check: () => checkTarget(config),
    describe: (error) => describeError(error, config),
    close: () => Promise.resolve(),
  };
}

/** Connects when needed; makes or extends the schema before each load. See `Target`. */
export function openPostgresTarget(config: PostgresTargetConfig, source: Source, worker: string): Target {
  const connect = <Result>(work: (context: Context) => Promise<Result>) =>
    withSession(config, config.loadTimeoutMs, (session) => work({ session, config, source, worker }));

  const loadOnce = (work: (context: Context) => Promise<Loaded>) =>
    connect(async (context) => {
      await ensureSchema(context.session, config);
      await begin(context.session, config);
      const result = await work(context);
      await context.session.execute('COMMIT');
      return result;
    });
  const load = (work: (context: Context) => Promise<Loaded>) =>
    loadOnce(work).catch((error: unknown) => {
      if (!LOCKED_OUT.includes(errorCode(error))) throw error;
      return loadOnce(work);
    });

  return {
    ...openPostgresAccess(config),
    load: (account, options) => load((context) => loadAccount(context, account, options)),
    loadShared: () => load(loadShared),
    remove: (account) => load((context) => removeAccount(context, account)),
    verify: (account) => connect((context) => verifyAccount(context, account)),
  };
}
