/** What the errors of PostgreSQL, of TLS and of connections mean: one sentence, what to do, and when to try again. */
import type { PostgresTargetConfig } from '../../../config/config.ts';
import { ConfigError, errorCode, errorLine, hintLine } from '../../../lib/errors.ts';
import { isUnixSocket, listPostgresSecrets } from '../../../lib/postgres-url.ts';
import { redact } from '../../../lib/redact.ts';
import { CONNECT_TIMEOUT_MS, getAddress } from './connection-options.ts';
import { describeConnectionError } from './connection-errors.ts';
import type { FailureFacts, Known, TargetFailure } from './target-failure.ts';

/** Describes any error that a connection to the target, or a statement there, ended with. */
export function describeTargetError(error: unknown, target: PostgresTargetConfig): TargetFailure {
  const facts = toFacts(target);
  const code = errorCode(error) || null;
  const state = getSqlState(error);
  const known: Known =
    (state === null ? describeConnectionError(error, facts) : describeSqlState(state, error, facts)) ?? {};
  const secrets = listPostgresSecrets(target.postgres);
  const clean = (text: string) => redact(text, secrets).replaceAll('[key]', '***');
  const byPerson = error instanceof ConfigError ? 'hourly' : 'backoff';
  const { message = errorLine(error), hint = hintLine(error), retry = byPerson } = known;
  return {
    message: clean(message),
    hint: hint === null ? null : clean(hint),
    code: known.code === undefined ? code : known.code,
    retry,
  };
}

function toFacts(target: PostgresTargetConfig): FailureFacts {
  const { host, port, user, database } = getAddress(target);
  const isSocket = isUnixSocket({ host });
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    ...{ user, database, isSocket, schema: target.schema, ssl: target.ssl, timeoutMs: CONNECT_TIMEOUT_MS },
    place: isSocket ? `${host}/.s.PGSQL.${port}` : `${name}:${port}`,
  };
}

/** The SQLSTATE of an error that the server sent; null for any other: `EPIPE` has five capital letters too. */
function getSqlState(error: unknown): string | null {
  const isFromServer = typeof (error as { severity?: unknown } | null)?.severity === 'string';
  return isFromServer ? errorCode(error) : null;
}

type Describe = (facts: FailureFacts, error: { table?: string; column?: string }) => Omit<Known, 'code'>;

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
const REACHES = 'the address in `postgres:`';
const RELOAD = 'then kill -HUP the worker';

/** By SQLSTATE (appendix A of PostgreSQL's documentation), else by its first two characters. */
const STATES: Readonly<Record<string, Describe>> = {
  '55P03': () => ({
    hint: 'another session holds a lock on the tables for long: SELECT * FROM pg_locks',
    retry: 'at_once',
  }),
  '40P01': () => ({ hint: null, retry: 'at_once' }),
  '40001': () => ({ hint: null, retry: 'at_once' }),
  '28P01': ({ user }) => ({
    message: `the password of ${user} is wrong`,
    hint: `correct the password in \`postgres:\`, ${RELOAD}; a role gets one by ALTER ROLE ${quote(user)} PASSWORD '…'`,
    retry: 'hourly',
  }),
  '28': ({ user, database, ssl, isSocket }) => ({
    hint: `let user ${user} log in to database ${database} from this machine: CREATE ROLE … LOGIN, and a line in pg_hba.conf; or correct ${REACHES}${ssl === 'off' && !isSocket ? '; a server that accepts only TLS: `ssl: verify-full`' : ''}`,
    retry: 'hourly',
  }),
  '3D000': ({ database, user }) => ({
    hint: `CREATE DATABASE ${quote(database)} OWNER ${quote(user)}; or correct the name at the end of ${REACHES}`,
    retry: 'hourly',
  }),
  '3F000': ({ schema, user }) => ({
    hint: `CREATE SCHEMA ${quote(schema)} AUTHORIZATION ${quote(user)}; or correct \`schema:\``,
    retry: 'hourly',
  }),
  '42501': ({ user }) => ({
    hint: `vodhouse check names all rights that ${user} lacks, with the statements that give them; or vodhouse publish --print-sql prints what is needed, for an administrator`,
    retry: 'hourly',
  }),
  '23502': ({ schema }, { table = '', column = '' }) => ({
    hint: `ALTER TABLE ${quote(schema)}.${quote(table)} ALTER ${quote(column)} DROP NOT NULL: vodhouse does not fill columns that others added`,
    retry: 'hourly',
  }),
  '53100': () => ({ hint: "free space on the server's disk", retry: 'hourly' }),
  '53300': () => ({
    hint: 'close other connections, or raise max_connections; SELECT * FROM pg_stat_activity shows them',
  }),
  '57014': () => ({ hint: 'a load that needs longer: raise `load_timeout` in the target' }),
  '25006': ({ place }) => ({
    message: `${place} is a replica, which takes no writes`,
    hint: `name the primary in ${REACHES}`,
  }),
};

function describeSqlState(state: string, error: unknown, facts: FailureFacts): Known {
  const known = (STATES[state] ?? STATES[state.slice(0, 2)])?.(facts, Object(error) as object) ?? {};
  const message = known.message ?? `PostgreSQL at ${facts.place}: ${errorLine(error)}`;
  return { hint: null, ...known, message: `${message} (${state})`, code: state };
}
