/** The address of a database of PostgreSQL: its parts, what is wrong with it, and how it may be printed. */
import { isLoopback } from './loopback.ts';

/** What `postgres://USER:PASSWORD@HOST:PORT/DATABASE` says, without percent-encoding. */
export interface PostgresAddress {
  /** A name or an address, an IPv6 one without brackets; the folder of a unix socket, which begins with `/`. */
  host: string;
  port: number;
  user: string;
  /** Null: the server asks for none. */
  password: string | null;
  database: string;
}

const FORM = 'postgres://USER:PASSWORD@HOST:5432/DATABASE';
const ENCODED =
  'where % @ : / ? # in a name or a password are written %25 %40 %3A %2F %3F %23, and one host is named';
const DEFAULT_PORT = 5432;
/** Stands for a host in `postgres://user@/database?host=/folder`, which is no URL for Node. */
const NO_HOST = 'unnamed.vodhouse.invalid';

/** The parts of an address, or what was expected in its place: a phrase without any part of the address. */
export function parsePostgresUrl(text: string): { address: PostgresAddress } | { expected: string } {
  if (!/^postgres(?:ql)?:\/\//i.test(text)) return { expected: FORM };
  const withHost = text.replace(/@(?=\/)/, `@${NO_HOST}`);
  const url = /[\s\\#]/.test(text) || !URL.canParse(withHost) ? null : new URL(withHost);
  const parts = url && decodeParts(url);
  if (!url || !parts || parts.host.includes(',')) return { expected: `${FORM}, ${ENCODED}` };
  const expected = findMissing(url, parts);
  return expected === null ? { address: parts } : { expected };
}

/** Null where a percent sign does not begin an encoding. */
function decodeParts({ hostname, port, username, password, pathname, searchParams }: URL) {
  try {
    return {
      host: searchParams.get('host') ?? decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? DEFAULT_PORT : Number(port),
      user: decodeURIComponent(username),
      password: password === '' ? null : decodeURIComponent(password),
      database: decodeURIComponent(pathname.slice(1)),
    };
  } catch {
    return null;
  }
}

function findMissing({ pathname, searchParams }: URL, { host, user, port }: PostgresAddress): string | null {
  const folder = searchParams.get('host');
  const others = [...searchParams.keys()].filter((name) => name !== 'host');
  if (user === '') return `the name of a user: ${FORM}`;
  if (pathname.length < 2) return `the name of a database at its end: ${FORM}`;
  if (pathname.includes('/', 1)) return `one name after the host, that of the database: ${FORM}`;
  if (others.length > 0) return describeParameters(others);
  if (folder !== null && !folder.startsWith('/')) return '?host=/FOLDER, the folder of a unix socket';
  if (host === '' || host === NO_HOST || port === 0) return `a host and a port: ${FORM}`;
  return null;
}

/** libpq's other parameters, so that their names may be printed: an unknown one may be part of a password. */
const PARAMETER =
  /^(?:ssl\w*|uselibpqcompat|application_name|connect_timeout|options|user|password|port|dbname|hostaddr|keepalives\w*|target_session_attrs|channel_binding|gssencmode|client_encoding|pool\w*|schema|search_path|statement_timeout)$/;

function describeParameters(names: readonly string[]): string {
  const shown = [...new Set(names.map((name) => (PARAMETER.test(name) ? name : 'its parameters')))].join(
    ', ',
  );
  const isTls = names.some((name) => /^(?:ssl|uselibpqcompat)/.test(name));
  if (isTls) return `it without ${shown}: write the key \`ssl: verify-full\` (or no-verify, off) below it`;
  return `it without ${shown}: only ?host=/FOLDER, of a unix socket, is known`;
}

/**
 * The address in a form that may be printed, valid or not: `postgres://user:***@host/db`. Without a part that is certainly
 * no password: `[hidden]`.
 */
export function hidePassword(text: string): string {
  const [, scheme = '', rest = ''] = /^(\w+:\/\/)(.*)$/s.exec(text) ?? [];
  const end = rest.lastIndexOf('@'); // a password may have one too
  const [login, place] = [rest.slice(0, Math.max(end, 0)), rest.slice(end + 1)];
  if (scheme === '' || (end < 0 && /[:?#]/.test(place))) return '[hidden]';
  const colon = login.indexOf(':');
  const shown = colon < 0 ? login : `${login.slice(0, colon)}:***`;
  return `${scheme}${shown}${end < 0 ? '' : '@'}${place.replace(/[?#].*$/s, '')}`;
}

/** As a password, it is a secret only in addresses: anywhere else it would hide words and numbers of messages. */
const SHORT_WORD = /^(?:[a-z]{1,11}|\d{1,11})$/i;

/** The password of an address in each form that it has there, and the address itself; none where it has no password. */
export function listPostgresSecrets(text: string): string[] {
  const [, password = ''] = /^\w+:\/\/[^:@/]*:(.+)@/s.exec(text) ?? [];
  const parsed = parsePostgresUrl(text);
  const decoded = 'address' in parsed ? (parsed.address.password ?? '') : '';
  if (password === '') return [];
  if (SHORT_WORD.test(password)) return [text, `:${password}@`];
  return [...new Set([text, password, decoded])].filter((each) => each !== '');
}

/** True where only this machine is reached: loopback, and unix sockets. */
export function isLocalAddress({ host }: Pick<PostgresAddress, 'host'>): boolean {
  return isLoopback(host) || isUnixSocket({ host });
}

/** True for the folder of a unix socket. */
export function isUnixSocket({ host }: Pick<PostgresAddress, 'host'>): boolean {
  return host.startsWith('/');
}
