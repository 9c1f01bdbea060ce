/** The address of a database of PostgreSQL: its parts, what is wrong with it, and how it may be printed. */
import { isLoopback } from '../../../lib/loopback.ts';

/** The parts of `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, without percent-encoding. */
export interface PostgresAddress {
  /** A name, an address without brackets, or the folder of a unix socket, which begins with `/`. */
  host: string;
  port: number;
  user: string;
  /** Null: the server asks for none. */
  password: string | null;
  database: string;
}

const EXPECTED =
  'postgres://USER:PASSWORD@HOST:5432/DATABASE, with % @ : / ? # in a name or a password written %25 %40 %3A %2F %3F %23; for TLS the key `ssl`, for a unix socket ?host=/FOLDER';
/** Takes the place of the host in `postgres://user@/database?host=/folder`, which is no URL for Node. */
const NO_HOST = 'unnamed.vodhouse.invalid';

/** The parts of an address, or what was expected in its place: a phrase without any part of the address. */
export function parsePostgresUrl(text: string): { address: PostgresAddress } | { expected: string } {
  const isForm =
    /^postgres(?:ql)?:\/\/[^\s\\#,]*@[^\s\\#,/]*\/[^/?\s\\#]+(?:\?host=(?:\/|%2f)[^&\s\\#]*)?$/i.test(text);
  const withHost = text.replace(/@(?=\/)/, `@${NO_HOST}`);
  if (!isForm || !URL.canParse(withHost)) return { expected: EXPECTED };
  const { hostname, port, username, password, pathname, searchParams } = new URL(withHost);
  try {
    const host = searchParams.get('host') ?? decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1');
    const [user, database] = [decodeURIComponent(username), decodeURIComponent(pathname.slice(1))];
    const address = { host, port: Number(port || 5432), user, database };
    if (user === '' || host === NO_HOST || port === '0') return { expected: EXPECTED };
    return { address: { ...address, password: password === '' ? null : decodeURIComponent(password) } };
  } catch {
    return { expected: EXPECTED }; // a percent sign that begins no encoding
  }
}

/**
 * The address in a form that may be printed, valid or not: `postgres://user:***@host/db`. Without a part that
 * is certainly no password: `[hidden]`.
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

/** Such a password is hidden only in addresses: elsewhere it would hide words and numbers of messages. */
const SHORT_WORD = /^(?:[a-z]{1,11}|\d{1,11})$/i;

/** The password of an address in every form that it may be printed in, and the address; none without one. */
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
  return isLoopback(host) || host.startsWith('/');
}
