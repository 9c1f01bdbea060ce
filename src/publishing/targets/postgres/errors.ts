/** What an error of a target means: the server's own message, and what to type for those that occur in practice. */
import type { PostgresTargetConfig } from '../../../config/config.ts';
import { errorCode, errorLine, hintLine, VodhouseError } from '../../../lib/errors.ts';
import { isUnixSocket, listPostgresSecrets } from '../../../lib/postgres-url.ts';
import { redact } from '../../../lib/redact.ts';
import type { TargetFailure } from '../target.ts';
import { CONNECT_TIMEOUT_MS, getAddress, LATE, quoteName } from './session.ts';

/** Describes whatever a connection or a statement ended with. The password is in no text. */
export function describeError(error: unknown, config: PostgresTargetConfig): TargetFailure {
  const code = errorCode(error) || null;
  const isOurs = error instanceof VodhouseError;
  const state = isFromServer(error) ? ` (${code})` : '';
  const message = isOurs
    ? errorLine(error)
    : `PostgreSQL at ${describePlace(config)}: ${describe(error)}${state}`;
  const secrets = listPostgresSecrets(config.postgres);
  const clean = (text: string) => redact(text, secrets).replaceAll('[key]', '***');
  const hint = hintLine(error) ?? (isOurs ? null : findHint(error, config));
  return { message: clean(message), hint: hint === null ? null : clean(hint), code };
}

const isFromServer = (error: unknown) =>
  typeof (error as { severity?: unknown } | null)?.severity === 'string';

function describePlace(config: PostgresTargetConfig): string {
  const { host, port } = getAddress(config);
  if (isUnixSocket({ host })) return `${host}/.s.PGSQL.${port}`;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** pg's own deadline of a connection has only this text. */
const CONNECT_TIMEOUT = 'timeout expired';

function describe(error: unknown): string {
  const line = errorLine(error);
  return line === CONNECT_TIMEOUT ? `the server did not answer within ${CONNECT_TIMEOUT_MS / 1000} s` : line;
}

/** One sentence of what to type; null if nothing is known. */
function findHint(error: unknown, config: PostgresTargetConfig): string | null {
  const { user, database } = getAddress(config);
  const code = errorCode(error);
  if (code === LATE)
    return 'check that the server is not frozen; a load that needs longer: raise `load_timeout` in the target';
  if (errorLine(error) === CONNECT_TIMEOUT || code === 'ECONNREFUSED' || code === 'ENOENT')
    return 'start PostgreSQL; or correct the host and port in `postgres:`, listen_addresses of the server, or the firewall';
  if (code.startsWith('28') || /client password must be/.test(errorLine(error)))
    return `correct the user and password in \`postgres:\`; or ALTER ROLE ${quoteName(user)} LOGIN PASSWORD '…', and a line in pg_hba.conf for it`;
  const hints: Readonly<Record<string, string>> = {
    '3D000': `CREATE DATABASE ${quoteName(database)} OWNER ${quoteName(user)}; or correct the name at the end of \`postgres:\``,
    '42501': `an administrator gives ${user} this right, or runs what vodhouse publish --print-sql prints`,
    '55P03':
      'another session holds a lock on the tables: SELECT * FROM pg_stat_activity shows it; or raise `lock_timeout` in the target',
    '53100': "free space on the server's disk",
  };
  return hints[code] ?? null;
}
