/** One connection to PostgreSQL, used for one operation. After an error it is closed, never used again. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientConfig, type QueryResultRow } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { PostgresTargetConfig } from '../../../config/config.ts';
import { MINUTE_MS } from '../../../lib/clock.ts';
import { parsePostgresUrl, type PostgresAddress } from './postgres-url.ts';

/** Milliseconds until a server that does not answer is given up; the TLS handshake and the login included. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Milliseconds of silence after which the system asks whether the other end is still there. */
const KEEP_ALIVE_MS = 30_000;
/** How long a server may take to close a connection. */
const CLOSE_MS = 1_000;

/** A name in double quotes. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const quoteNames = (names: readonly string[]): string => names.map(quoteName).join(', ');

/** A text in single quotes. */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Where a target is. Throws RangeError for an address that `loadConfig` refuses. */
export function getAddress({ postgres }: Pick<PostgresTargetConfig, 'postgres'>): PostgresAddress {
  const parsed = parsePostgresUrl(postgres);
  if ('address' in parsed) return parsed.address;
  throw new RangeError('not the address of a database');
}

function createClient(target: PostgresTargetConfig): Client {
  const { password, ...place } = getAddress(target);
  return new Client({
    ...place,
    // a function, because pg would replace an empty text by PGPASSWORD or that of ~/.pgpass
    password: () => password ?? '',
    ssl: toSsl(target),
    application_name: 'vodhouse',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  });
}

/** pg itself adds the name to check: `host`, and `servername` where it is not an IP address. */
function toSsl({ ssl, ca }: PostgresTargetConfig): Exclude<ClientConfig['ssl'], undefined> {
  if (ssl === 'off') return false;
  if (ssl === 'no-verify') return { rejectUnauthorized: false };
  if (ca === null) return { rejectUnauthorized: true };
  return { rejectUnauthorized: true, ca: [...ca.certificates], allowPartialTrustChain: true };
}

/**
 * Ends a connection at once, also while its server does not answer; all its statements fail with the error.
 * pg has no function for that, so this ends the socket of its private connection, which its types do not
 * have.
 */
function destroy(client: Client, error?: Error): void {
  const { connection } = client as unknown as {
    connection: { stream: { destroy: (error?: Error) => void } };
  };
  connection.stream.destroy(error);
}

/**
 * Works on a connection of its own. After an error, or after `deadlineMs`, it is closed, and the server rolls
 * back. Throws what pg throws.
 */
export async function withSession<Result>(
  target: PostgresTargetConfig,
  deadlineMs: number,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const client = createClient(target);
  const failures: Error[] = []; // the connection may fail while no statement runs
  client.on('error', (error) => failures.push(error));
  const late = new Error(`the server did not answer within ${deadlineMs / 1000} s`);
  const deadline = setTimeout(() => destroy(client, Object.assign(late, { code: 'ETIMEDOUT' })), deadlineMs);
  try {
    await client.connect();
    const result = await work(createSession(client, target.schema));
    // the work is done, so a server that does not answer delays nothing
    await Promise.race([client.end().catch(() => undefined), sleep(CLOSE_MS, undefined, { ref: false })]);
    return result;
  } catch (error) {
    throw failures[0] ?? error;
  } finally {
    clearTimeout(deadline);
    destroy(client);
  }
}

export type Session = ReturnType<typeof createSession>;

function createSession(client: Client, schema: string) {
  const query = async <Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []) =>
    (await client.query<Row>(sql, [...values])).rows;
  return {
    /** The quoted name of a table in the schema. */
    name: (table: string) => `${quoteName(schema)}.${quoteName(table)}`,
    query,
    /** Runs a statement. Returns the number of rows that it changed. */
    execute: async (sql: string, values: readonly unknown[] = []) =>
      (await client.query(sql, [...values])).rowCount ?? 0,
    /** Waits for the lock of this name in the schema, which the transaction then has until its end. */
    lock: async (name: string) => {
      await query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`vodhouse ${schema} ${name}`]);
    },
    /** Sends chunks to a COPY. Returns the number of rows that the server stored. */
    copyIn: async (sql: string, chunks: Iterable<Buffer>): Promise<number> => {
      const stream = client.query(copyFrom(sql));
      await pipeline(Readable.from(chunks), stream);
      return stream.rowCount;
    },
    /**
     * The output of a COPY TO STDOUT. A stream that is not read to its end leaves the connection unusable:
     * call `destroy` then.
     */
    copyOut: (sql: string): AsyncIterable<Buffer> => client.query(copyTo(sql)),
    /** Closes the connection at once: the server rolls back. */
    destroy: () => destroy(client),
  };
}

/** A process that was stopped in the middle of a load keeps its locks no longer than this. */
const MAX_IDLE_MS = 5 * MINUTE_MS;

/**
 * The settings of each transaction, in place of those of the role and the database. By the keep-alive, the
 * locks of a worker that lost its power or its network end after a minute or two.
 */
const SETTINGS = {
  timezone: 'UTC',
  datestyle: 'ISO',
  extra_float_digits: 1, // with 0, a number comes back with fewer digits than it has
  search_path: 'pg_catalog',
  jit: 'off',
  // loads find a few rows of large tables by an index; the planner would prefer to read whole tables
  enable_seqscan: 'off',
  tcp_keepalives_idle: 30,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
};

/** Begins a transaction with the settings of a load. `mode`: such as `READ ONLY`. */
export async function begin(
  session: Session,
  { lockTimeoutMs, loadTimeoutMs }: Pick<PostgresTargetConfig, 'lockTimeoutMs' | 'loadTimeoutMs'>,
  mode = 'ISOLATION LEVEL READ COMMITTED READ WRITE',
): Promise<void> {
  await session.execute(`BEGIN ${mode}`);
  const settings = {
    ...SETTINGS,
    lock_timeout: lockTimeoutMs,
    statement_timeout: loadTimeoutMs,
    transaction_timeout: 0,
    idle_in_transaction_session_timeout: Math.min(loadTimeoutMs, MAX_IDLE_MS),
  };
  // only those that the server knows: `transaction_timeout` came with PostgreSQL 17
  await session.query(
    `SELECT set_config(name, $1::jsonb ->> lower(name), true) FROM pg_settings WHERE $1::jsonb ? lower(name)`,
    [JSON.stringify(settings)],
  );
}
