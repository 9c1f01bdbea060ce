/** What a target remembers: a row of `vodhouse_account` for each account, one of `vodhouse_load` for each load. */
import type { PostgresTargetConfig } from '../../../config/config.ts';
import type { AccountState } from '../ownership.ts';
import type { Source } from '../source.ts';
import { quoteNames, type Session } from './session.ts';

/** What every operation of a target has. */
export interface Context {
  session: Session;
  config: PostgresTargetConfig;
  source: Source;
  /** Shown to others. */
  worker: string;
}

/** What a target remembers of an account. */
export interface LoadedState extends AccountState {
  /** When the file that was loaded last was published: UTC, `YYYY-MM-DD HH:MM:SS`. */
  publishedAt: string;
}

const TEXT = (time: string) => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')`;

/** The columns of `vodhouse_account` as a `LoadedState`. */
export const SELECT_STATE = `SELECT account, warehouse_id AS "warehouseId", publication_id AS "publicationId",
  change_seq::float8 AS "changeSeq", shape, worker, ${TEXT('loaded_at')} AS "loadedAt", ${TEXT('published_at')} AS "publishedAt"`;

/** What the target has of an account; null if it was never loaded. */
export async function readState(session: Session, account: string): Promise<LoadedState | null> {
  const sql = `${SELECT_STATE} FROM ${session.name('vodhouse_account')} WHERE account = $1`;
  return (await session.query<LoadedState & { account: string }>(sql, [account]))[0] ?? null;
}

/** As `readState`. Until the end of the transaction, no other load works on the account. */
export async function lockAccount(session: Session, account: string): Promise<LoadedState | null> {
  await session.lock(`account ${account}`);
  return readState(session, account);
}

type Row = Readonly<Record<string, string | number | null>>;

/** Remembers that an account has the rows of the published file now. */
export async function recordAccount(context: Context, account: string, rows: number): Promise<void> {
  const { session, source } = context;
  await session.execute(`DELETE FROM ${session.name('vodhouse_account')} WHERE account = $1`, [account]);
  await insert(context, 'vodhouse_account', {
    ...{ account, rows, publication_id: source.publicationId, change_seq: source.changeSeqOf(account) },
    ...{ shape: source.shapeOf(account), version: source.version, published_at: source.publishedAt },
  });
}

/** Adds a row to `vodhouse_load`. */
export const recordLoad = (context: Context, row: Row) => insert(context, 'vodhouse_load', row);

async function insert({ session, source, worker }: Context, table: string, values: Row): Promise<void> {
  const row = { ...values, warehouse_id: source.warehouseId, worker };
  const places = Object.keys(row).map((_, index) => `$${index + 1}`);
  await session.execute(
    `INSERT INTO ${session.name(table)} (${quoteNames(Object.keys(row))}) VALUES (${places.join(', ')})`,
    Object.values(row),
  );
}
