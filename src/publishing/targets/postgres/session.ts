/** One connection to PostgreSQL, used for one operation. After an error it is closed, never used again. */
import { setImmediate } from 'node:timers/promises';
import type { Client, QueryResultRow } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { PostgresTargetConfig } from '../../../config/config.ts';
import { MINUTE_MS } from '../../../lib/clock.ts';
import type { Chunk } from '../copy-lines.ts';
import { createTargetClient } from './connection-options.ts';

export type Session = Awaited<ReturnType<typeof openSession>>;

/** A name in double quotes. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const quoteNames = (names: readonly string[]): string => names.map(quoteName).join(', ');

/** Works on a connection of its own. After an error it is destroyed, and the server rolls back. Throws what pg throws. */
export async function withSession<Result>(
  target: PostgresTargetConfig,
  deadlineMs: number,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const session = await openSession(target, deadlineMs);
  try {
    const result = await work(session);
    await session.close();
    return result;
  } catch (error) {
    session.destroy();
    throw error;
  }
}

/** Connects. After `deadlineMs` the connection is destroyed in any state, because a frozen server never answers. */
async function openSession(target: PostgresTargetConfig, deadlineMs: number) {
  const { schema } = target;
  const { client, orFail, cut, end } = createClient(target, deadlineMs);
  try {
    await orFail(client.connect());
  } catch (error) {
    cut(error as Error);
    throw error;
  }

  const query = async <Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []) =>
    (await orFail(client.query<Row>(sql, [...values]))).rows;

  return {
    schema,
    /** The quoted name of a table in the schema. */
    name: (table: string) => `${quoteName(schema)}.${quoteName(table)}`,
    query,
    /** The first row; null if there is none. */
    queryOne: async <Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []) =>
      (await query<Row>(sql, values))[0] ?? null,
    /** Runs a statement. Returns the number of rows that it changed. */
    execute: async (sql: string, values: readonly unknown[] = []) =>
      (await orFail(client.query(sql, [...values]))).rowCount ?? 0,
    /** Changes settings until the end of the transaction. */
    setLocal: async (settings: Readonly<Record<string, string | number>>): Promise<void> => {
      const calls = Object.keys(settings).map((name, index) => `set_config('${name}', $${index + 1}, true)`);
      await query(`SELECT ${calls.join(', ')}`, Object.values(settings).map(String));
    },
    /** Sends chunks to a COPY; `onNul` is called for texts with NUL. Returns the number of rows that the server stored. */
    copyIn: (sql: string, chunks: Iterable<Chunk>, onNul: (count: number) => void) =>
      orFail(copyChunks(client, sql, chunks, onNul)),
    /** The output of a COPY TO STDOUT. Whoever does not read all of it destroys the session. */
    copyOut: async function* (sql: string): AsyncGenerator<Buffer> {
      const stream = client.query(copyTo(sql));
      const failing = orFail(new Promise<never>(() => undefined));
      failing.catch((error: unknown) => stream.destroy(error as Error));
      yield* stream as AsyncIterable<Buffer>;
    },
    /** Closes the connection at once: the server rolls back. */
    destroy: () => cut(new Error('the connection was closed')),
    close: end,
  };
}

/** How long a server may take to close a connection, in milliseconds. */
const CLOSE_MS = 1_000;

/** A client whose every wait ends when the connection fails or the deadline passes. */
function createClient(target: PostgresTargetConfig, deadlineMs: number) {
  const client = createTargetClient(target);
  let reject: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_, rejectFailed) => (reject = rejectFailed));
  failed.catch(() => undefined);
  let failure: Error | null = null;
  const cut = (error: Error) => {
    clearTimeout(timer);
    failure ??= error;
    reject(failure);
    getSocket(client).destroy();
  };
  const timer = setTimeout(() => cut(new DeadlineError(deadlineMs)), deadlineMs);
  client.on('error', cut);
  return {
    client,
    cut,
    orFail: async <Result>(work: Promise<Result>): Promise<Result> => {
      try {
        return await Promise.race([work, failed]);
      } catch (error) {
        throw failure ?? error;
      }
    },
    /** Closes the connection: the work is done, so a server that does not answer delays nothing. */
    end: async (): Promise<void> => {
      clearTimeout(timer);
      if (failure !== null) return;
      const closing = setTimeout(() => cut(new DeadlineError(CLOSE_MS)), CLOSE_MS);
      await Promise.race([client.end(), failed]).catch(() => undefined);
      clearTimeout(closing);
    },
  };
}

/** The connection was closed by its own deadline. */
export class DeadlineError extends Error {
  readonly code = 'ETIMEDOUT';

  constructor(readonly deadlineMs: number) {
    super(`the server did not answer within ${deadlineMs / 1000} s`);
  }
}

/** pg has no other way to end a connection whose server is frozen. */
function getSocket(client: Client): { destroy: () => void } {
  return (client as unknown as { connection: { stream: { destroy: () => void } } }).connection.stream;
}

/** Sends as much as the socket accepts. Timers and signals of the process run after each chunk. */
async function copyChunks(
  client: Client,
  sql: string,
  chunks: Iterable<Chunk>,
  onNul: (count: number) => void,
): Promise<number> {
  const stream = client.query(copyFrom(sql));
  const failures: Error[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    stream.once('finish', resolve);
    stream.once('error', (error: Error) => {
      failures.push(error);
      reject(error);
    });
  });
  ended.catch(() => undefined);
  for (const { lines } of chunks) {
    if (failures.length > 0) break; // the stream has lost its connection: to write would hide the error of the server
    const isFull = !stream.write(replaceNul(lines, onNul));
    if (isFull) await Promise.race([new Promise<void>((resolve) => stream.once('drain', resolve)), ended]);
    await setImmediate();
  }
  if (failures.length > 0) await ended;
  stream.end();
  await ended;
  return stream.rowCount;
}

/** Stands for NUL, which texts of PostgreSQL cannot have. */
export const NUL_REPLACEMENT = '\uFFFD';

function replaceNul(lines: Buffer, onNul: (count: number) => void): Buffer | string {
  if (!lines.includes(0)) return lines;
  const parts = lines.toString('utf8').split('\0');
  onNul(parts.length - 1);
  return parts.join(NUL_REPLACEMENT);
}

/** A process that was stopped in the middle of a load keeps its locks no longer than this. */
const MAX_IDLE_MS = 5 * MINUTE_MS;

/** Of each transaction. A machine that lost its power or its network keeps no lock for longer than a minute or two. */
const SETTINGS = {
  timezone: 'UTC',
  datestyle: 'ISO',
  jit: 'off',
  tcp_keepalives_idle: 30,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
  tcp_user_timeout: MINUTE_MS,
  client_connection_check_interval: 10_000,
};

/** Begins a transaction with the settings of a load, whatever the role has. `mode`: such as `READ ONLY`. */
export async function begin(
  session: Session,
  { lockTimeoutMs, loadTimeoutMs }: Pick<PostgresTargetConfig, 'lockTimeoutMs' | 'loadTimeoutMs'>,
  mode = 'ISOLATION LEVEL READ COMMITTED READ WRITE',
): Promise<void> {
  await session.execute(`BEGIN ${mode}`);
  await session.setLocal({
    ...SETTINGS,
    lock_timeout: lockTimeoutMs,
    statement_timeout: loadTimeoutMs,
    idle_in_transaction_session_timeout: Math.min(loadTimeoutMs, MAX_IDLE_MS),
  });
}
