/** The statements on storage days that both the write path and readers need. */
import { desc, eq, and, between, or } from 'drizzle-orm';
import type { Tx } from './connection.ts';
import { storageReading, storageCorrection, storageDay } from './schema/storage.ts';
import { pickFigures } from '../lib/service-fields.ts';

/** The newest live reading of the account, or undefined. */
export function findNewestReading(tx: Tx, account: string) {
  return tx
    .select({ date: storageReading.date, observed_at: storageReading.observed_at })
    .from(storageReading)
    .where(eq(storageReading.account, account))
    .orderBy(desc(storageReading.reading_id))
    .limit(1)
    .get();
}

/** The figures of the newest correction of each day of the account that has one. */
export function readCorrectedDays(tx: Tx, account: string) {
  const rows = tx
    .select()
    .from(storageCorrection)
    .where(eq(storageCorrection.account, account))
    .orderBy(storageCorrection.accepted_at)
    .all();
  return new Map(rows.map(({ date, ...row }) => [date, pickFigures(row)]));
}

/**
 * The days from `from` to `to` that a reader may rely on: the booked ones, with the figures of their newest correction
 * where there is one, and `today` as it was last read.
 */
export function readServedDays(tx: Tx, account: string, range: { from: string; to: string }, today: string) {
  const isKnown = or(eq(storageDay.state, 'booked'), eq(storageDay.date, today));
  const rows = tx
    .select()
    .from(storageDay)
    .where(and(eq(storageDay.account, account), between(storageDay.date, range.from, range.to), isKnown))
    .orderBy(storageDay.date)
    .all();
  const corrected = readCorrectedDays(tx, account);
  return rows.map((row) => ({ ...row, ...corrected.get(row.date) }));
}
