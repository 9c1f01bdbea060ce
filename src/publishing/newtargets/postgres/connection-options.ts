/** How a target of PostgreSQL is connected to: all of it comes from the config, nothing from the environment. */
import { Client, type ClientConfig } from 'pg';
import type { PostgresTargetConfig } from '../../../config/config.ts';
import { parsePostgresUrl, type PostgresAddress } from '../../../lib/postgres-url.ts';

/** Milliseconds until a server that does not answer is given up; the TLS handshake and the login included. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** Milliseconds of silence after which the system asks whether the other end is still there. */
const KEEP_ALIVE_MS = 30_000;

/** Where a target is. Throws RangeError for an address that `loadConfig` refuses. */
export function getAddress({ postgres }: Pick<PostgresTargetConfig, 'postgres'>): PostgresAddress {
  const parsed = parsePostgresUrl(postgres);
  if ('address' in parsed) return parsed.address;
  throw new RangeError('not the address of a database');
}

/**
 * The options of pg for a target. pg reads variables (`PGPASSWORD`, `PGSSLMODE`) and `~/.pgpass` for what is left out or
 * empty, so everything that has one is set. `createTargetClient` removes the two that cannot be.
 */
export function toClientConfig(target: PostgresTargetConfig): ClientConfig {
  const { password, ...place } = getAddress(target);
  return {
    ...place,
    password: () => password ?? '', // a function: an empty text would be replaced
    ssl: toSsl(target),
    sslnegotiation: 'postgres',
    client_encoding: 'utf8',
    application_name: 'vodhouse',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
}

/** pg itself adds the name to check: `host`, and `servername` where it is not an IP address. */
function toSsl({
  ssl,
  ca,
}: Pick<PostgresTargetConfig, 'ssl' | 'ca'>): Exclude<ClientConfig['ssl'], undefined> {
  if (ssl === 'off') return false;
  if (ssl === 'no-verify') return { rejectUnauthorized: false };
  if (ca === null) return { rejectUnauthorized: true };
  return { rejectUnauthorized: true, ca: [...ca.certificates], allowPartialTrustChain: true };
}

/**
 * A client of a target that is not connected yet. An error of its connection while no statement runs is ignored: the next
 * statement fails too.
 */
export function createTargetClient(target: PostgresTargetConfig): Client {
  const client = new Client(toClientConfig(target));
  // PGOPTIONS and PGREPLICATION would be sent, and an empty value does not replace them
  const { connectionParameters } = client as unknown as { connectionParameters: Record<string, unknown> };
  connectionParameters.options = undefined;
  connectionParameters.replication = undefined;
  client.on('error', () => undefined);
  return client;
}
