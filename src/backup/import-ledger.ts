/** Imports the ledger of a file that a restore replaces. */
import { Database } from '../database/sqlite.ts';
import { gt } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { upsertPause, findPauses, type PauseRow } from '../budget/statements/pause.ts';
import type { Db, Tx } from '../database/connection.ts';
import { APPLICATION_ID } from '../database/migrate.ts';
import { request } from '../database/schema/runs.ts';
import { transact } from '../database/transaction.ts';
import { assertOwnWal } from '../database/wal-owner.ts';
import { DAY_MS } from '../lib/clock.ts';
import { errorMessage, WarehouseError } from '../lib/errors.ts';

type RequestRow = typeof request.$inferSelect;

/** What was imported from the ledger of the old file: requests of the last day and pauses that the backup lacks; or why not. */
export type ImportedLedger = { requests: number; pauses: number } | { error: string };

/** Imports the requests of the last day and the pauses, so that the budget counts across a restore. All or nothing. */
export function importLedger(old: string, db: Db, now: number): ImportedLedger {
  try {
    const ledger = readLedger(old, now);
    return transact(db, (tx) => ({
      requests: addRequests(tx, ledger.requests, now),
      pauses: addPauses(tx, ledger.pauses),
    }));
  } catch (error) {
    return { error: error instanceof WarehouseError ? error.message : `${old}: ${errorMessage(error)}` };
  }
}

function readLedger(old: string, now: number): { requests: RequestRow[]; pauses: PauseRow[] } {
  assertOwnWal(old);
  const client = new Database(old, { readonly: true });
  try {
    if (client.pragma('application_id', { simple: true }) !== APPLICATION_ID)
      throw new Error('it is no warehouse');
    const db = drizzle(client);
    return {
      requests: requestsSince(db, now - DAY_MS),
      pauses: findPauses(db, {}),
    };
  } finally {
    client.close();
  }
}

function requestsSince(tx: Tx, ms: number): RequestRow[] {
  return tx.select().from(request).where(gt(request.spent_until_ms, ms)).orderBy(request.request_id).all();
}

/** Adds the requests that the backup lacks, and gives their number. Their `run_id` is dropped: the backup numbers its own runs. */
function addRequests(tx: Tx, rows: readonly RequestRow[], now: number): number {
  const toKey = ({ account, at_ms, purpose, package_id, page }: RequestRow) =>
    JSON.stringify([account, at_ms, purpose, package_id, page]);
  const known = new Map<string, number>();
  for (const row of requestsSince(tx, now - DAY_MS)) known.set(toKey(row), (known.get(toKey(row)) ?? 0) + 1);
  let added = 0;
  for (const row of rows) {
    const count = known.get(toKey(row)) ?? 0;
    known.set(toKey(row), count - 1);
    if (count > 0) continue;
    tx.insert(request)
      .values({ ...row, request_id: undefined, run_id: null })
      .run();
    added++;
  }
  return added;
}

/** Adds the pauses that end later than those of the backup, and gives their number. */
function addPauses(tx: Tx, rows: readonly PauseRow[]): number {
  const known = new Map(findPauses(tx, {}).map((row) => [row.account, row.full_rate_at]));
  const later = rows.filter(({ account, full_rate_at }) => full_rate_at > (known.get(account) ?? ''));
  for (const row of later) upsertPause(tx, row);
  return later.length;
}
