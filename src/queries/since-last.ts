/** What came to its end since it was last asked: runs, walks and requests, whichever process made them. */
import { and, eq, gt, isNull, max, min, or, sql, type SQL } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Tx } from '../database/connection.ts';
import { request, run, walk } from '../database/schema/runs.ts';

/** How far the rows of a table were seen. */
export interface Seen {
  /** The highest id that there was. */
  through: number;
  /** Those up to there that had not come to their end. */
  open: readonly number[];
}

const isRunning = { run: eq(run.status, 'running'), walk: eq(walk.status, 'running') };
/** Its answer may still come. */
const isAwaited = (now: number) => sql`${request.status} is null and ${request.spent_until_ms} > ${now}`;

/** How far do the runs go, and which are under way? */
export function seenRuns(tx: Tx): Seen {
  const row = tx
    .select({ through: max(run.run_id), open: idsWhere(run.run_id, isRunning.run) })
    .from(run)
    .get();
  return { through: row?.through ?? 0, open: toIds(row?.open) };
}

/** How far do the walks go, and which are under way? */
export function seenWalks(tx: Tx): Seen {
  const last = tx
    .select({ id: max(walk.walk_id) })
    .from(walk)
    .get();
  const open = tx.select({ id: walk.walk_id }).from(walk).where(isRunning.walk).all();
  return { through: last?.id ?? 0, open: open.map(({ id }) => id) };
}

/** How far does the ledger go, and which requests may still be answered at `now` (ms)? */
export function seenRequests(tx: Tx, now: number): Seen {
  const last = tx
    .select({ id: max(request.request_id) })
    .from(request)
    .get();
  const open = accountsOfLedger(tx).flatMap((account) =>
    tx
      .select({ id: request.request_id })
      .from(request)
      .where(and(eq(request.account, account), gt(request.spent_until_ms, now), isNull(request.status)))
      .all(),
  );
  return { through: last?.id ?? 0, open: open.map(({ id }) => id) };
}

/** Whose requests does the ledger hold? One look into the index an account: it may hold a million of them. */
function accountsOfLedger(tx: Tx): string[] {
  const accounts: string[] = [];
  for (;;) {
    const last = accounts.at(-1);
    const next = tx
      .select({ account: min(request.account) })
      .from(request)
      .where(last === undefined ? undefined : gt(request.account, last))
      .get()?.account;
    if (next == null) return accounts;
    accounts.push(next);
  }
}

/** Which runs ended since, by mode and status? Those under way are a group of their own. */
export function runsSince(tx: Tx, seen: Seen) {
  return tx
    .select({ mode: run.mode, status: run.status, ...group(run.run_id, isRunning.run) })
    .from(run)
    .where(isUnseen(run.run_id, seen))
    .groupBy(run.mode, run.status)
    .all();
}

/** What did the walks do that ended since, by account? Those under way are a group of their own. */
export function walksSince(tx: Tx, seen: Seen) {
  const sum = (column: SQLiteColumn) => sql<number>`sum(${column})`;
  return tx
    .select({
      account: walk.account,
      inserted: sum(walk.inserted),
      updated: sum(walk.updated),
      unchanged: sum(walk.unchanged),
      removed: sum(walk.removed),
      restored: sum(walk.restored),
      quarantined: sum(walk.quarantined),
      ...group(walk.walk_id, isRunning.walk),
    })
    .from(walk)
    .where(isUnseen(walk.walk_id, seen))
    .groupBy(walk.account, isRunning.walk)
    .all();
}

/** Which requests were answered since, or can be no more at `now` (ms), by account and HTTP status? */
export function requestsSince(tx: Tx, seen: Seen, now: number) {
  const id = request.request_id;
  return tx
    .select({ account: request.account, status: request.status, ...group(id, isAwaited(now)) })
    .from(request)
    .where(isUnseen(id, seen))
    .groupBy(request.account, request.status, isAwaited(now))
    .all();
}

/** Of a group: how many rows, the last of them, and which are open. */
function group(id: SQLiteColumn, isOpen: SQL) {
  return { count: sql<number>`count(*)`, last: sql<number>`max(${id})`, open: idsWhere(id, isOpen) };
}

/** Ids with commas between them; null where there is none. */
function idsWhere(id: SQLiteColumn, condition: SQL) {
  return sql<string | null>`group_concat(${id}) filter (where ${condition})`;
}

/** As one parameter: there is a bound to how many a statement may have. */
function isUnseen(id: SQLiteColumn, { through, open }: Seen): SQL | undefined {
  return or(gt(id, through), sql`${id} in (select value from json_each(${JSON.stringify(open)}))`);
}

/** The ids of a group. */
export function toIds(list: string | null | undefined): number[] {
  return list ? list.split(',').map(Number) : [];
}
