/** PostgreSQL as a target. Each operation uses a connection of its own, and one transaction. */
import { setTimeout } from 'node:timers/promises';
import type { PostgresTargetConfig } from '../../../config/config.ts';
import { errorCode } from '../../../lib/errors.ts';
import type { AccountState } from '../ownership.ts';
import type { Source } from '../source.ts';
import type { Target, TargetAccess } from '../target.ts';
import { checkTarget } from './check.ts';
import { describeError } from './errors.ts';
import { loadShared } from './load-shared.ts';
import { loadAccount, removeAccount, SELECT_STATE, type LoadedState, type Place } from './load.ts';
import { ensureSchema } from './schema.ts';
import { begin, withSession, type Session } from './session.ts';
import { verifyAccount } from './verify.ts';

/** Of short statements; a shorter `load_timeout` holds for them too. */
const SHORT_DEADLINE_MS = 30_000;

/** Connects when needed. See `TargetAccess`. */
export function openPostgresAccess(config: PostgresTargetConfig): TargetAccess {
  const deadlineMs = Math.min(SHORT_DEADLINE_MS, config.loadTimeoutMs);

  /** Works in a transaction that only reads, if the table exists. */
  const readFrom = <Result>(table: string, otherwise: Result, work: (session: Session) => Promise<Result>) =>
    withSession(config, deadlineMs, async (session) => {
      await begin(session, { ...config, loadTimeoutMs: deadlineMs }, 'READ ONLY');
      const row = await session.queryOne<{ exists: boolean }>(
        'SELECT to_regclass($1) IS NOT NULL AS exists',
        [session.name(table)],
      );
      return row?.exists === true ? work(session) : otherwise;
    });

  return {
    readAccounts: () =>
      readFrom('vodhouse_account', new Map<string, AccountState>(), async (session) => {
        const rows = await session.query<LoadedState & { account: string }>(
          `${SELECT_STATE} FROM ${session.name('vodhouse_account')} WHERE publication_id IS NOT NULL ORDER BY account`,
        );
        return new Map(rows.map(({ account, ...state }) => [account, state]));
      }),
    countRows: (account) => {
      const tables = ['videos', 'video_history', 'storage_daily'];
      return readFrom(
        'storage_daily',
        Object.fromEntries(tables.map((table) => [table, 0])),
        async (session) => {
          const counts = tables.map(
            (table) => `(SELECT count(*) FROM ${session.name(table)} WHERE account = $1)::float8 AS ${table}`,
          );
          return (
            (await session.queryOne<Record<string, number>>(`SELECT ${counts.join(', ')}`, [account])) ?? {}
          );
        },
      );
    },
    check: () => checkTarget(config),
    describe: (error) => describeError(error, config),
    close: () => Promise.resolve(),
  };
}

/** How often a load is tried whose transaction met another one, and the codes of that. */
const TRIES = 3;
const CONFLICTS = ['40001', '40P01'];

/** Connects when needed; makes or extends the schema before each load. See `Target`. */
export function openPostgresTarget(config: PostgresTargetConfig, source: Source, worker: string): Target {
  const place: Place = { config, source, worker };

  async function run<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries++) {
      try {
        return await withSession(config, config.loadTimeoutMs, async (session) => {
          await ensureSchema(session, config, source.timezone);
          return work(session);
        });
      } catch (error) {
        if (tries === TRIES || !CONFLICTS.includes(errorCode(error))) throw error;
        await setTimeout(100 * 2 ** tries * Math.random());
      }
    }
  }

  return {
    ...openPostgresAccess(config),
    load: (account, options) => run((session) => loadAccount(session, place, account, options)),
    loadShared: () => run((session) => loadShared(session, place)),
    remove: (account) => run((session) => removeAccount(session, place, account)),
    verify: (account) =>
      withSession(config, config.loadTimeoutMs, (session) => verifyAccount(session, place, account)),
  };
}
