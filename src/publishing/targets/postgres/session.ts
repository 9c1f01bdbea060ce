/** One connection to PostgreSQL, used for one load, check or claim. After an error it is closed, never used again. */
import { setImmediate } from 'node:timers/promises';
import type { Client, QueryResultRow } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { PostgresTargetConfig } from '../../../config/config.ts';
import type { Chunk } from '../copy-lines.ts';
import { MINUTE_MS } from '../../../lib/clock.ts';
import { createTargetClient } from './connection-options.ts';

export type Session = Awaited<ReturnType<typeof openSession>>;

/**
 * Connects. After `deadlineMs` the connection is cut, whatever is under way: a frozen server never answers. Throws what pg
 * throws. The caller closes it.
 */
export async function openSession(target: PostgresTargetConfig, deadlineMs: number) {
  const { schema } = target;
  const { client, orFail, cut, end } = createClient(target, deadlineMs);
  try {
    await orFail(client.connect());
  } catch (error) {
    cut(error as Error);
    throw error;
  }

  const query = async <Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []) =>
    orFail(client.query<Row>(sql, [...values]));

  return {
    schema,
    /** The quoted name of a table in the schema. */
    name: (table: string) => `${quoteName(schema)}.${quoteName(table)}`,
    query,
    /** The first row; null if there is none. */
    queryOne: async <Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []) =>
      (await query<Row>(sql, values)).rows[0] ?? null,
    /** Changes settings until the end of the transaction. */
    setLocal: async (settings: Readonly<Record<string, string | number>>): Promise<void> => {
      const calls = Object.keys(settings).map((name, index) => `set_config('${name}', $${index + 1}, true)`);
      await query(`SELECT ${calls.join(', ')}`, Object.values(settings).map(String));
    },
    /** Runs a statement. Returns the number of rows that it changed. */
    execute: async (sql: string, values: readonly unknown[] = []) => (await query(sql, values)).rowCount ?? 0,
    /** Sends chunks to a COPY; `onNul` is called for texts with NUL. Returns the number of rows that the server took. */
    copy: (sql: string, chunks: Iterable<Chunk>, onNul: (count: number) => void) =>
      orFail(copyChunks(client, sql, chunks, onNul)),
    /** Cuts the connection at once: the server rolls back. */
    destroy: () => cut(new Error('the connection was cut')),
    /** Says goodbye, if the connection still stands. */
    close: end,
  };
}

/** How long the server may take to close a connection that is no longer needed, in milliseconds. */
const GOODBYE_MS = 1_000;

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
    /** What was to be done is done: a server that does not answer the goodbye delays nobody. */
    end: async (): Promise<void> => {
      clearTimeout(timer);
      if (failure !== null) return;
      const goodbye = setTimeout(() => cut(new DeadlineError(GOODBYE_MS)), GOODBYE_MS);
      await Promise.race([client.end(), failed]).catch(() => undefined);
      clearTimeout(goodbye);
    },
  };
}

/** The connection was cut by its own deadline. */
export class DeadlineError extends Error {
  readonly code = 'ETIMEDOUT';

  constructor(readonly deadlineMs: number) {
    super('the server did not answer in time');
  }
}

/** pg has no other way to end a connection whose server is frozen. */
function getSocket(client: Client): { destroy: () => void } {
  return (client as unknown as { connection: { stream: { destroy: () => void } } }).connection.stream;
}

/** Sends what the socket takes, and lets timers and signals of the process have their turn after each chunk. */
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

/** PostgreSQL has no NUL in texts. */
function replaceNul(lines: Buffer, onNul: (count: number) => void): Buffer | string {
  if (!lines.includes(0)) return lines;
  const parts = lines.toString('utf8').split('\0');
  onNul(parts.length - 1);
  return parts.join('\uFFFD');
}

/** A name in double quotes. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export const quoteNames = (names: readonly string[]): string => names.map(quoteName).join(', ');

/** Works on a connection of its own. After an error it is cut: the server rolls back. */
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

/** A process that was stopped in the middle of a load keeps others from the account no longer than this. */
const MAX_IDLE_MS = 5 * MINUTE_MS;

/** Of the transaction of a load. A machine that lost its power or its network keeps no lock for longer than a minute or two. */
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

/** Begins the transaction of a load. */
export async function begin(
  session: Session,
  { lockTimeoutMs, loadTimeoutMs }: Pick<PostgresTargetConfig, 'lockTimeoutMs' | 'loadTimeoutMs'>,
): Promise<void> {
  await session.execute('BEGIN');
  await session.setLocal({
    ...SETTINGS,
    lock_timeout: lockTimeoutMs,
    statement_timeout: loadTimeoutMs,
    idle_in_transaction_session_timeout: Math.min(loadTimeoutMs, MAX_IDLE_MS),
  });
}
