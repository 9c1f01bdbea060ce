/** The statements on storage days that both the write path and readers need. */
import type { Tx } from './connection.ts';
import { query } from './query.ts';
import type { storageCorrection, storageDay } from './schema/storage.ts';
import { pickFigures } from '../service/service-fields.ts';

type AccountKey = { account: string };

/** The newest live reading of the account, or undefined. */
export const findNewestReading = query<{ date: string; observed_at: string }, AccountKey>(
  'select date, observed_at from storage_reading where account = :account order by reading_id desc limit 1',
).get;

const listCorrections = query<typeof storageCorrection.$inferSelect, AccountKey>(
  'select * from storage_correction where account = :account order by accepted_at',
).all;

/** The figures of the newest correction of each day of the account that has one. */
export const readCorrectedDays = (tx: Tx, account: string) =>
  new Map(listCorrections(tx, { account }).map(({ date, ...row }) => [date, pickFigures(row)]));

const listDays = query<
  typeof storageDay.$inferSelect,
  AccountKey & { from: string; to: string; today: string }
>(
  `select * from storage_day where account = :account and date between :from and :to
      and (state = 'booked' or date = :today)
    order by date`,
).all;

/**
 * The days from `from` to `to` that a reader may rely on: the booked ones, with the figures of their newest
 * correction where there is one, and `today` as it was last read.
 */
export function readServedDays(tx: Tx, account: string, range: { from: string; to: string }, today: string) {
  const corrected = readCorrectedDays(tx, account);
  return listDays(tx, { account, ...range, today }).map((row) => ({ ...row, ...corrected.get(row.date) }));
}
