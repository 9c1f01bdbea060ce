/** Imports the ledger of a file that a restore replaces: the budget counts across a restore. */
import { gt } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { findPauses, upsertPause } from '../budget/statements/pause.ts';
import type { Db, Tx } from '../database/connection.ts';
import { assertOwnWal } from '../database/file-identity.ts';
import { request } from '../database/schema/runs.ts';
import { Database } from '../database/sqlite.ts';
import { transact } from '../database/transaction.ts';
import { DAY_MS } from '../lib/clock.ts';
import { errorMessage, WarehouseError } from '../lib/errors.ts';

/** What was imported: requests of the last day and pauses that the backup lacks; or why the old file cannot be read. */
export type ImportedLedger = { requests: number; pauses: number } | { error: string };

/** Imports the requests of the last day, and the pauses that end later than those of the backup. All or nothing. */
export function importLedger(old: string, db: Db, now: number): ImportedLedger {
  const toKey = ({ account, at_ms, purpose, package_id, page }: typeof request.$inferSelect) =>
    JSON.stringify([account, at_ms, purpose, package_id, page]);
  try {
    const ledger = readLedger(old, now - DAY_MS);
    return transact(db, (tx) => {
      const known = new Set(findRequestsSince(tx, now - DAY_MS).map(toKey));
      const requests = ledger.requests.filter((row) => !known.has(toKey(row)));
      // without its run: the backup numbers its own
      for (const row of requests)
        tx.insert(request)
          .values({ ...row, request_id: undefined, run_id: null })
          .run();
      const ends = new Map(findPauses(tx, {}).map((row) => [row.account, row.full_rate_at]));
      const pauses = ledger.pauses.filter((row) => row.full_rate_at > (ends.get(row.account) ?? ''));
      for (const row of pauses) upsertPause(tx, row);
      return { requests: requests.length, pauses: pauses.length };
    });
  } catch (error) {
    return { error: error instanceof WarehouseError ? error.message : `${old}: ${errorMessage(error)}` };
  }
}

function readLedger(old: string, sinceMs: number) {
  assertOwnWal(old);
  const client = new Database(old, { readonly: true });
  try {
    const db = drizzle(client);
    return { requests: findRequestsSince(db, sinceMs), pauses: findPauses(db, {}) };
  } finally {
    client.close();
  }
}

function findRequestsSince(tx: Tx, ms: number) {
  return tx.select().from(request).where(gt(request.spent_until_ms, ms)).orderBy(request.request_id).all();
}
