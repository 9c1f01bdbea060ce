/** Looks whether a target can be loaded, without changing anything there: server, rights, readers, clock, accounts. */
import type { PostgresTargetConfig } from '../../../config/config.ts';
import { fromTimestamp } from '../../../lib/clock.ts';
import { toUtcText } from './claim.ts';
import { describeHolder, judgeClock } from '../common-checks.ts';
import { readHolders } from './holders.ts';
import { quoteName, withSession, type Session } from './session.ts';
import { failed, passed, type CheckRequest, type TargetCheck } from '../check-result.ts';
import { checkRights } from './check-rights.ts';
import { describeTargetError } from './target-errors.ts';

const DEADLINE_MS = 15_000;
const OLDEST_SERVER = 140_000;

/** Connects and looks, in one transaction that may only read. Does not throw: an error of the connection is a result. */
export async function checkTarget(request: CheckRequest<PostgresTargetConfig>): Promise<TargetCheck[]> {
  const { target } = request;
  const done: TargetCheck[] = [];
  try {
    await withSession(target, DEADLINE_MS, async (session) => {
      await session.execute('BEGIN READ ONLY');
      done.push(...(await checkServer(session)));
      done.push(await checkClock(session));
      done.push(...(await checkReaders(session, target)));
      done.push(await checkRights(session, request));
      done.push(...(await checkAccounts(session, request)));
      await session.execute('ROLLBACK');
    });
    return done;
  } catch (error) {
    if (done.some(({ asked, state }) => asked === 'rights' && state === 'failed')) return done; // for lack of them
    const { message, hint } = describeTargetError(error, target);
    const asked = done.length === 0 ? 'connection' : 'rights';
    return [...done, failed(asked, message, hint)];
  }
}

async function checkServer(session: Session): Promise<TargetCheck[]> {
  const row = await session.queryOne<Record<'version' | 'number' | 'encoding' | 'name', string> & Server>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number,
  current_setting('server_encoding') AS encoding, current_database() AS name, pg_is_in_recovery() AS is_replica,
  (SELECT s.version FROM pg_stat_ssl s WHERE s.pid = pg_backend_pid() AND s.ssl) AS tls`,
  );
  const { version = '', number = 0, encoding = '', name = '', is_replica: isReplica, tls } = row ?? {};
  const server = `PostgreSQL ${version.split(' ')[0]}, ${tls ?? 'no TLS'}`;
  const isOld = Number(number) < OLDEST_SERVER;
  const connection = isOld
    ? failed('connection', `${server}: too old`, 'PostgreSQL 14 or later is required')
    : isReplica
      ? failed('connection', `${server}: a replica, which takes no writes`, 'name the primary in `postgres:`')
      : passed('connection', server);
  if (encoding === 'UTF8') return [connection];
  const hint = `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and name it in \`postgres:\``;
  return [connection, failed('encoding', `database ${name} has the encoding ${encoding}, not UTF8`, hint)];
}

interface Server {
  is_replica: boolean;
  /** Version of the protocol; null without TLS. */
  tls: string | null;
}

/** Leases end by the clock of the database, but `status` compares its times with those of this machine. */
async function checkClock(session: Session): Promise<TargetCheck> {
  const before = Date.now();
  const row = await session.queryOne<{ now: string }>(`SELECT ${toUtcText('clock_timestamp()')} AS now`);
  const after = Date.now();
  const theirs = fromTimestamp(row?.now ?? '') + 500; // whole seconds
  return judgeClock(theirs - (before + after) / 2, 'database');
}

async function checkReaders(session: Session, { readers }: PostgresTargetConfig): Promise<TargetCheck[]> {
  if (readers.length === 0) return [];
  const { rows } = await session.query<{ name: string }>(
    `SELECT r AS name FROM unnest($1::text[]) r WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r)`,
    [readers.filter((name) => name !== 'public')], // everybody
  );
  const missing = rows.map(({ name }) => name);
  if (missing.length === 0) return [passed('readers', `${readers.join(', ')}: known`)];
  const hint = `${missing.map((name) => `CREATE ROLE ${quoteName(name)}`).join('; ')}; or correct \`readers:\``;
  return [failed('readers', `the server has no role ${missing.join(', ')}`, hint)];
}

/** Who has each account of the config. */
async function checkAccounts(
  session: Session,
  request: CheckRequest<PostgresTargetConfig>,
): Promise<TargetCheck[]> {
  const holders = new Map((await readHolders(session)).map((holder) => [holder.account, holder]));
  return request.accounts.map((account) => describeHolder(account, holders.get(account), request));
}
