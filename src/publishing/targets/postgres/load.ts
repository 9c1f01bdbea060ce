/** One load: brings one account of a target up to the published file, in one transaction. */
import type { PostgresTargetConfig } from '../../../config/config.ts';
import { listAccountTables, listVideoTables, ofAccount } from '../changes.ts';
import { assertOurs, compareOwner, type AccountState } from '../ownership.ts';
import type { Source } from '../source.ts';
import type { Loaded, LoadOptions } from '../target.ts';
import { loadChanges } from './load-changes.ts';
import { copyInto, type LoadContext } from './rows.ts';
import { begin, type Session } from './session.ts';
import { ACCOUNT_TABLES } from './tables.ts';

/** What every operation of a target has. */
export interface Place {
  config: PostgresTargetConfig;
  source: Source;
  /** Shown to others. */
  worker: string;
}

/** Of an account that was loaded: `loadedAt` is not null. */
export interface LoadedState extends AccountState {
  /** When the file that was loaded last was published: UTC, `YYYY-MM-DD HH:MM:SS`. */
  publishedAt: string;
}

/** As `Target.load`. Throws what pg throws; then nothing was changed. */
export async function loadAccount(
  session: Session,
  place: Place,
  account: string,
  { force, formerName }: LoadOptions,
): Promise<Loaded> {
  const { config, source } = place;
  const startedAt = performance.now();
  await begin(session, config);
  const state = await lockAccount(session, account, place);
  assertOurs(account, state, source, force);
  const isSameShape = state?.shape === source.shapeOf(account);
  if (isSameShape && state.publicationId === source.publicationId && force === null) {
    await session.execute('ROLLBACK');
    return { kind: 'nothing', rows: 0, notes: [] };
  }
  let nulCharacters = 0;
  const context: LoadContext = { session, source, onNul: (count) => (nulCharacters += count) };
  const since = isSameShape && force === null ? state : null;
  const removed = formerName === null ? 0 : await removeFormer(session, source, formerName);
  const written =
    since === null ? await loadAll(context, account) : await loadChanges(context, account, since);
  const rows = removed + written;
  const kind = since === null ? 'all' : rows > 0 ? 'changes' : 'nothing';
  await recordAccount(session, place, account, rows);
  if (kind !== 'nothing')
    await recordLoad(session, place, { account, kind, since: since?.changeSeq ?? null, rows, startedAt });
  await session.execute('COMMIT');
  if (kind === 'all') await analyze(session, source);
  return { kind, rows, notes: describeNul(nulCharacters) };
}

const describeNul = (count: number): string[] =>
  count === 0 ? [] : [`${count} characters NUL in texts were replaced by U+FFFD: PostgreSQL has none`];

/** Deletes the rows of the account, and copies all. Returns the number of rows copied. */
async function loadAll(context: LoadContext, account: string): Promise<number> {
  const { marts } = context.source;
  await deleteRows(context.session, account);
  let rows = 0;
  for (const table of [...listVideoTables(marts), ...listAccountTables(marts)])
    rows += await copyInto(context, table, ofAccount(table, account));
  return rows;
}

/** Deletes the account from all published tables. Returns the number of rows. */
async function deleteRows(session: Session, account: string): Promise<number> {
  let rows = 0;
  for (const table of ACCOUNT_TABLES)
    rows += await session.execute(`DELETE FROM ${session.name(table)} WHERE account = $1`, [account]);
  return rows;
}

/** Deletes an account under the name that the source no longer has: readers never see both. Returns the number of rows. */
async function removeFormer(session: Session, source: Source, name: string): Promise<number> {
  if (source.accounts.includes(name)) return 0;
  const isOurs = compareOwner(await readState(session, name, true), source) === 'ours';
  return isOurs ? deleteAccount(session, name) : 0;
}

async function deleteAccount(session: Session, account: string): Promise<number> {
  const rows = await deleteRows(session, account);
  await session.execute(`DELETE FROM ${session.name('vodhouse_account')} WHERE account = $1`, [account]);
  return rows;
}

/** As `Target.remove`. */
export async function removeAccount(session: Session, place: Place, account: string): Promise<Loaded> {
  const { config, source } = place;
  const startedAt = performance.now();
  await begin(session, config);
  const state = await readState(session, account, true);
  if (compareOwner(state, source) !== 'ours') {
    await session.execute('ROLLBACK');
    return { kind: 'nothing', rows: 0, notes: [] };
  }
  const rows = await deleteAccount(session, account);
  await recordLoad(session, place, { account, kind: 'removed', since: null, rows, startedAt });
  await session.execute('COMMIT');
  return { kind: 'changes', rows, notes: [] };
}

/** Analyzes the tables of videos: until the server does so by itself, readers get slow plans. */
async function analyze(session: Session, { marts }: Source): Promise<void> {
  try {
    await session.execute(`SET lock_timeout = '2s'`);
    for (const { name } of listVideoTables(marts)) await session.execute(`ANALYZE ${session.name(name)}`);
  } catch {
    // the load is committed; the server analyzes them later
  }
}

const TEXT = (time: string) => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')`;

/** The columns of `vodhouse_account` as an `AccountState`. */
export const SELECT_STATE = `SELECT account, warehouse_id AS "warehouseId", publication_id AS "publicationId",
  change_seq::float8 AS "changeSeq", shape, worker, ${TEXT('loaded_at')} AS "loadedAt", ${TEXT('published_at')} AS "publishedAt"`;

/** What the target has of an account; null if it was never loaded. */
export function readState(session: Session, account: string, isLocked: boolean): Promise<LoadedState | null> {
  return session.queryOne<LoadedState & Record<string, unknown>>(
    `${SELECT_STATE} FROM ${session.name('vodhouse_account')} WHERE account = $1 AND publication_id IS NOT NULL${isLocked ? ' FOR UPDATE' : ''}`,
    [account],
  );
}

/** Locks the row of the account until the end of the transaction. A row that is made for it is seen by nobody else. */
async function lockAccount(session: Session, account: string, { source, worker }: Place) {
  const state = await readState(session, account, true);
  if (state !== null) return state;
  await session.execute(
    `INSERT INTO ${session.name('vodhouse_account')} (account, warehouse_id, worker) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
    [account, source.warehouseId, worker],
  );
  return readState(session, account, true); // another load may have been first
}

async function recordAccount(
  session: Session,
  { source, worker }: Place,
  account: string,
  rows: number,
): Promise<void> {
  await session.execute(
    `UPDATE ${session.name('vodhouse_account')} SET warehouse_id = $2, publication_id = $3, change_seq = $4, shape = $5, worker = $6,
  version = $7, published_at = ($8 || ' UTC')::timestamptz, rows = $9, loaded_at = clock_timestamp() WHERE account = $1`,
    [
      ...[
        account,
        source.warehouseId,
        source.publicationId,
        source.changeSeqOf(account),
        source.shapeOf(account),
      ],
      ...[worker, source.version, source.publishedAt, rows],
    ],
  );
}

interface LoadRecord {
  /** Null: the tables that belong to no account. */
  account: string | null;
  kind: 'all' | 'changes' | 'removed';
  since: number | null;
  rows: number;
  /** By `performance.now()`. */
  startedAt: number;
}

/** Adds a row to `vodhouse_load`. */
export async function recordLoad(
  session: Session,
  { source, worker }: Place,
  { account, kind, since, rows, startedAt }: LoadRecord,
): Promise<void> {
  const to = account === null || kind === 'removed' ? null : source.changeSeqOf(account);
  await session.execute(
    `INSERT INTO ${session.name('vodhouse_load')} (account, warehouse_id, worker, kind, from_change_seq, to_change_seq, rows, duration_ms, loaded_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp())`,
    [account, source.warehouseId, worker, kind, since, to, rows, Math.round(performance.now() - startedAt)],
  );
}
