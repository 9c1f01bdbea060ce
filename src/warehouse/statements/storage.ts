/** Storage days, readings, discrepancies and gaps. */
import { and, between, desc, eq, gte, isNull, or } from 'drizzle-orm';
import type { Tx } from '../file.ts';
import { storageDay, storageDiscrepancy, storageGap, storageReading } from '../schema/storage.ts';

type Kept = 'account' | 'state' | 'observed_at';
/** A day as received: its date and the ten figures of service.md 2.3. */
export type DayRow = Omit<typeof storageDay.$inferSelect, Kept>;

/** Which days are booked, from `since` on? */
export function bookedDays(tx: Tx, account: string, since: string): string[] {
  const rows = tx
    .select({ date: storageDay.date })
    .from(storageDay)
    .where(and(eq(storageDay.account, account), eq(storageDay.state, 'booked'), gte(storageDay.date, since)))
    .all();
  return rows.map((row) => row.date);
}

/** The booked row of a day, or undefined. */
export function findBooked(tx: Tx, account: string, date: string) {
  return tx
    .select()
    .from(storageDay)
    .where(and(eq(storageDay.account, account), eq(storageDay.date, date), eq(storageDay.state, 'booked')))
    .get();
}

/** Writes the row of a day over a live one. The triggers of the file refuse it where the day is booked. */
export function writeDay(
  tx: Tx,
  account: string,
  row: DayRow,
  state: 'live' | 'booked',
  observedAt: string,
): void {
  const values = { ...row, account, state, observed_at: observedAt };
  tx.insert(storageDay)
    .values(values)
    .onConflictDoUpdate({ target: [storageDay.account, storageDay.date], set: values })
    .run();
}

/** Keeps one live reading. */
export function appendReading(tx: Tx, account: string, row: DayRow, observedAt: string): void {
  tx.insert(storageReading)
    .values({ ...row, account, observed_at: observedAt })
    .run();
}

/** The newest live reading of the account, or undefined. */
export function newestReading(tx: Tx, account: string) {
  return tx
    .select({ date: storageReading.date, observed_at: storageReading.observed_at })
    .from(storageReading)
    .where(eq(storageReading.account, account))
    .orderBy(desc(storageReading.reading_id))
    .limit(1)
    .get();
}

/** The day of the first live reading of the account, or null. */
export function firstReadingDay(tx: Tx, account: string): string | null {
  const row = tx
    .select({ date: storageReading.date })
    .from(storageReading)
    .where(eq(storageReading.account, account))
    .orderBy(storageReading.reading_id)
    .limit(1)
    .get();
  return row?.date ?? null;
}

type Discrepancy = Omit<typeof storageDiscrepancy.$inferInsert, 'discrepancy_id'>;

/** Notes a discrepancy, unless the last one of the field says the same. */
export function noteDiscrepancy(tx: Tx, row: Discrepancy): void {
  const last = tx
    .select({ observed: storageDiscrepancy.observed })
    .from(storageDiscrepancy)
    .where(
      and(
        eq(storageDiscrepancy.account, row.account),
        eq(storageDiscrepancy.date, row.date),
        eq(storageDiscrepancy.field, row.field),
      ),
    )
    .orderBy(desc(storageDiscrepancy.discrepancy_id))
    .limit(1)
    .get();
  if (!last || last.observed !== row.observed) tx.insert(storageDiscrepancy).values(row).run();
}

/** The gaps of an account. */
export function gapsOf(tx: Tx, account: string) {
  return tx.select().from(storageGap).where(eq(storageGap.account, account)).all();
}

/** Notes that the day was asked for and not returned. */
export function noteGap(tx: Tx, account: string, date: string, at: string): void {
  tx.insert(storageGap)
    .values({ account, date, first_missed_at: at, last_asked_at: at })
    .onConflictDoUpdate({ target: [storageGap.account, storageGap.date], set: { last_asked_at: at } })
    .run();
}

/** Notes that the day is asked for no more. */
export function giveUpGap(tx: Tx, account: string, date: string, at: string): void {
  tx.update(storageGap)
    .set({ given_up_at: at })
    .where(and(eq(storageGap.account, account), eq(storageGap.date, date), isNull(storageGap.given_up_at)))
    .run();
}

/** The day came after all. */
export function closeGap(tx: Tx, account: string, date: string): void {
  tx.delete(storageGap)
    .where(and(eq(storageGap.account, account), eq(storageGap.date, date)))
    .run();
}

/** The days from `from` to `to` that a reader may rely on: the booked ones, and `today` as it was last read. */
export function daysToServe(tx: Tx, account: string, range: { from: string; to: string }, today: string) {
  const isKnown = or(eq(storageDay.state, 'booked'), eq(storageDay.date, today));
  return tx
    .select()
    .from(storageDay)
    .where(and(eq(storageDay.account, account), between(storageDay.date, range.from, range.to), isKnown))
    .orderBy(storageDay.date)
    .all();
}
