/** What an error of a target means: the words of the server or the driver, and what to type for those that occur in practice. */
import type { PostgresTargetConfig } from '../../../config/config.ts';
import { errorCode, errorLine, hintLine, VodhouseError } from '../../../lib/errors.ts';
import { listPostgresSecrets } from '../../../lib/postgres-url.ts';
import { redact } from '../../../lib/redact.ts';
import type { TargetFailure } from '../target.ts';
import { getAddress, quoteName } from './session.ts';

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
