/** Errors of a connection to PostgreSQL that the server itself did not send: of sockets, names, TLS and the login. */
import { errorCode, errorMessage } from '../../../lib/errors.ts';
import type { FailureFacts, Known } from './target-failure.ts';

const NO_VERIFY =
  '`ssl: no-verify` accepts any certificate: whoever is in between can read and change everything';

/** Node's code for a peer that does not keep to the protocol. */
const NO_TLS = 'EPROTO';

/** What is known about such an error; null for any other error. */
export function describeConnectionError(error: unknown, facts: FailureFacts): Known | null {
  const code = errorCode(error);
  const { syscall } = (error ?? {}) as { syscall?: unknown };
  const isOfFile = (code === 'ENOENT' || code === 'EACCES') && syscall !== 'connect';
  if (isOfFile) return null;
  const byCode = CODES[code] ?? (UNTRUSTED.test(code) ? describeUntrusted : undefined);
  if (byCode) return byCode(facts, error);
  const message = errorMessage(error);
  const found = TEXTS.find(([pattern]) => pattern.test(message));
  if (found) return found[1](facts, error);
  return /^ERR_(?:SSL|TLS)_|^EPROTO$/.test(code) ? describeTlsFailure(facts, error) : null;
}

type Describe = (facts: FailureFacts, error: unknown) => Known;

const describeUnanswered: Describe = ({ place, timeoutMs }) => ({
  message: `${place} did not answer within ${timeoutMs / 1000} s`,
  hint: 'check that the server runs, the host and port in `postgres:`, and firewalls between',
  code: 'ETIMEDOUT',
});

/** `connect`: while it was opened; `read`: nobody at the other end; none: a deadline of this process. */
const describeTimeout: Describe = (facts, error) => {
  const { syscall, deadlineMs } = error as { syscall?: unknown; deadlineMs?: number };
  if (syscall === 'connect') return describeUnanswered(facts, error);
  if (syscall !== undefined) return describeLost(facts, error);
  return {
    message: `${facts.place} did not answer ${deadlineMs === undefined ? 'in time' : `within ${deadlineMs / 1000} s`}`,
    hint: 'check that the server is not frozen; a load that needs longer: raise `load_timeout` in the target',
  };
};

const describeLost: Describe = ({ place }) => ({
  message: `the connection to ${place} was lost`,
  hint: 'the next load continues from what the target has',
});

const describeUnknownHost: Describe = ({ place }) => ({
  message: `the name of ${place} is unknown to the DNS`,
  hint: 'correct the host in `postgres:`, or check the DNS of this machine',
});

const describeUnreachable: Describe = ({ place }, error) => ({
  message: `${place} cannot be reached (${errorCode(error)})`,
  hint: 'check the network, and the host in `postgres:`',
});

const describeRefused: Describe = ({ place, isSocket }) => ({
  message: `nothing listens at ${place}`,
  hint: isSocket
    ? 'start PostgreSQL; or correct ?host=/FOLDER in `postgres:`: SHOW unix_socket_directories'
    : 'start PostgreSQL; or correct the host and port in `postgres:`, or listen_addresses of the server',
});

const describeOtherName: Describe = ({ place }, error) => {
  const { cert } = error as { cert?: { subjectaltname?: string; subject?: { CN?: string } } };
  const names = cert?.subjectaltname?.replaceAll(/\b(?:DNS|IP Address):/g, '') ?? cert?.subject?.CN;
  return {
    message: `the certificate of ${place} is not for this host${names === undefined ? '' : ` but for ${names}`}`,
    hint: `write a host that the certificate names in \`postgres:\`; ${NO_VERIFY}`,
  };
};

const describeUntrusted: Describe = ({ place }, error) => ({
  message: `the certificate of ${place} is not trusted (${errorMessage(error)})`,
  hint: `\`ca: FILE\` in the target, a PEM file with the certificate of its authority; ${NO_VERIFY}`,
});

const describeExpired: Describe = ({ place }) => ({
  message: `the certificate of ${place} has expired`,
  hint: 'its owner must renew it; or the clock of this machine is wrong',
});

const describeEarly: Describe = ({ place }) => ({
  message: `the certificate of ${place} is not valid yet`,
  hint: 'check the clock of this machine',
});

const describeTlsFailure: Describe = ({ place }, error) => ({
  message: `no TLS connection to ${place} (${errorMessage(error)})`,
  hint: 'check that PostgreSQL listens at this port, with TLS 1.2 or later',
  code: errorCode(error) || NO_TLS,
});

const describeNoTls: Describe = ({ place, ssl }) => ({
  message: `${place} has no TLS, but the target has ssl: ${ssl}`,
  hint: 'set `ssl = on` in postgresql.conf, with a certificate; `ssl: off` in the target sends everything in plain text, also passwords that are not hashed',
  code: NO_TLS,
});

const describeNoPassword: Describe = ({ place, user }) => ({
  message: `${place} requires a password of ${user}, but \`postgres:\` has none`,
  hint: 'postgres://USER:PASSWORD@HOST:5432/DATABASE; PGPASSWORD and ~/.pgpass are not read',
  code: '28P01', // as where it is wrong
  retry: 'hourly',
});

const UNTRUSTED = /^(?:CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/;

const CODES: Readonly<Record<string, Describe>> = {
  ECONNREFUSED: describeRefused,
  ENOENT: describeRefused, // a unix socket that is not there
  ENOTFOUND: describeUnknownHost,
  EAI_AGAIN: describeUnknownHost,
  ETIMEDOUT: describeTimeout,
  EACCES: describeUnreachable,
  EHOSTUNREACH: describeUnreachable,
  ENETUNREACH: describeUnreachable,
  ECONNRESET: describeLost,
  EPIPE: describeLost,
  ERR_TLS_CERT_ALTNAME_INVALID: describeOtherName,
  CERT_HAS_EXPIRED: describeExpired,
  CERT_NOT_YET_VALID: describeEarly,
};

/** Errors of pg that have no code, by their text; test/postgres tries each of them. */
const TEXTS: readonly [RegExp, Describe][] = [
  [/^timeout expired$/, describeUnanswered],
  [/^Connection terminated|^Client has encountered a connection error/, describeLost],
  [/^The server does not support SSL connections$/, describeNoTls],
  [/^There was an error establishing an SSL connection$/, describeTlsFailure],
  [/client password must be a (?:non-empty )?string$/, describeNoPassword],
];
