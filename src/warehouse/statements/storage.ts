/** Storage days, readings, discrepancies and gaps. */
import { sql } from 'drizzle-orm';
import type { Tx } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import * as schema from '../../database/schema/storage.ts';
import { upsert } from '../../database/upsert.ts';
import { FIGURES } from '../../service/service-fields.ts';

type AccountKey = { account: string };
type DayKey = { account: string; date: string };
type StoredDay = typeof schema.storageDay.$inferSelect;

/** A day as received: its date and figures (docs/service.md 2.3). */
export type DayRow = Omit<StoredDay, 'account' | 'state' | 'observed_at'>;

const OF_DAY = 'account = :account and date = :date';

/** The stored days of an account, booked and live, oldest first. */
export const findDays = query<StoredDay, AccountKey>(
  'select * from storage_day where account = :account order by date',
).all;

export const findBooked = query<StoredDay, DayKey>(
  `select * from storage_day where ${OF_DAY} and state = 'booked'`,
).get;

/** Writes the row of a day over a live one. Triggers of the file reject this if the day is booked. */
export const writeDay = upsert(schema.storageDay);

/** Adds one live reading. */
export function appendReading(tx: Tx, account: string, row: DayRow, observedAt: string): void {
  tx.insert(schema.storageReading)
    .values({ ...row, account, observed_at: observedAt })
    .run();
}

/** The day of the first live reading of the account. */
export const findFirstReading = query<{ date: string }, AccountKey>(
  'select date from storage_reading where account = :account order by reading_id limit 1',
).get;

/** The newest day with a live reading, with the figures of its first one; undefined before the first. */
export const findNewestDay = query<DayRow, AccountKey>(
  `with newest as (
     select date from storage_reading where account = :account order by reading_id desc limit 1
   ), before as (
     select reading_id from storage_reading
     where account = :account and date < (select date from newest)
     order by reading_id desc limit 1
   )
   select date, ${FIGURES.join(', ')} from storage_reading
   where account = :account and date = (select date from newest)
     and reading_id > coalesce((select reading_id from before), 0)
   order by reading_id limit 1`,
).get;

type Discrepancy = Omit<typeof schema.storageDiscrepancy.$inferInsert, 'discrepancy_id' | 'resolved_at'>;

const findOpenDiscrepancy = query<
  { observed: number | null },
  Pick<Discrepancy, 'account' | 'date' | 'field'>
>(
  `select observed from storage_discrepancy where ${OF_DAY} and field = :field and resolved_at is null
    order by discrepancy_id desc limit 1`,
).get;

/** Adds a discrepancy, unless the newest open one of the field has the same figure. */
export function addDiscrepancy(tx: Tx, row: Discrepancy): void {
  const { account, date, field } = row;
  const last = findOpenDiscrepancy(tx, { account, date, field });
  if (last?.observed !== row.observed) tx.insert(schema.storageDiscrepancy).values(row).run();
}

/** Resolves the open discrepancies of a day: of one field, or of all if `field` is null. */
export const resolveDiscrepancies = query<never, DayKey & { field: string | null; at: string }>(
  `update storage_discrepancy set resolved_at = :at
    where ${OF_DAY} and resolved_at is null and field = coalesce(:field, field)`,
).run;

export const findNewestCorrection = query<typeof schema.storageCorrection.$inferSelect, DayKey>(
  `select * from storage_correction where ${OF_DAY} order by accepted_at desc limit 1`,
).get;

/** Appends a correction. Triggers of the file reject this if the day is not booked. */
export function addCorrection(tx: Tx, row: typeof schema.storageCorrection.$inferInsert): void {
  tx.insert(schema.storageCorrection).values(row).run();
}

export type UnconfirmedDay = typeof schema.storageUnconfirmed.$inferSelect;

/** The figures of an account that wait for a second reading. */
export const findUnconfirmedDays = query<UnconfirmedDay, AccountKey>(
  'select * from storage_unconfirmed where account = :account',
).all;

/** Stores figures that wait for a second reading; they replace earlier ones. */
export const upsertUnconfirmed = upsert(schema.storageUnconfirmed);

export const deleteUnconfirmed = query<never, DayKey>(`delete from storage_unconfirmed where ${OF_DAY}`).run;

export type Gap = typeof schema.storageGap.$inferSelect;

export const findGaps = query<Gap, AccountKey>('select * from storage_gap where account = :account').all;

/**
 * Records that the day was requested and is not booked. With `given_up_at`, it is requested once a month from
 * now on.
 */
export const upsertGap = upsert(schema.storageGap, {
  set: {
    first_missed_at: sql`first_missed_at`,
    given_up_at: sql`coalesce(given_up_at, excluded.given_up_at)`,
  },
});

export const deleteGap = query<never, DayKey>(`delete from storage_gap where ${OF_DAY}`).run;

/** The days with an open discrepancy, or with a record in quarantine. */
export const findDisputedDays = query<{ date: string }, AccountKey>(
  `select date from storage_discrepancy where account = :account and resolved_at is null
    union select record_id from quarantine
      where account = :account and stream = 'storage' and resolved_at is null and record_id is not null`,
).all;
