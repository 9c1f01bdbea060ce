/** Storage days, readings, discrepancies and gaps. */
import { and, count, desc, eq, gte, isNull } from 'drizzle-orm';
import type { Tx } from '../../database/connection.ts';
import {
  storageCorrection,
  storageDay,
  storageDiscrepancy,
  storageGap,
  storageReading,
  storageUnconfirmed,
  type GapReason,
} from '../../database/schema/storage.ts';
import { quarantine } from '../../database/schema/videos.ts';
type OwnColumns = 'account' | 'state' | 'observed_at';
/** A day as received: its date and the ten figures of docs/service.md 2.3. */
export type DayRow = Omit<typeof storageDay.$inferSelect, OwnColumns>;

/** The stored days of an account, booked and live, oldest first. */
export function findDays(tx: Tx, account: string) {
  return tx.select().from(storageDay).where(eq(storageDay.account, account)).orderBy(storageDay.date).all();
}

/** How many days are booked, of all accounts? */
export function countBooked(tx: Tx): number {
  const row = tx.select({ days: count() }).from(storageDay).where(eq(storageDay.state, 'booked')).get();
  return row?.days ?? 0;
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

/** The day of the first live reading of the account, or null. */
export function findFirstReadingDay(tx: Tx, account: string): string | null {
  const row = tx
    .select({ date: storageReading.date })
    .from(storageReading)
    .where(eq(storageReading.account, account))
    .orderBy(storageReading.reading_id)
    .limit(1)
    .get();
  return row?.date ?? null;
}

type Discrepancy = Omit<typeof storageDiscrepancy.$inferInsert, 'discrepancy_id' | 'resolved_at'>;
type DiscrepancyKey = Pick<Discrepancy, 'account' | 'date' | 'field'>;

const isOpen = ({ account, date, field }: DiscrepancyKey) =>
  and(
    eq(storageDiscrepancy.account, account),
    eq(storageDiscrepancy.date, date),
    eq(storageDiscrepancy.field, field),
    isNull(storageDiscrepancy.resolved_at),
  );

/** Adds a discrepancy, unless the newest open one of the field has the same figure. */
export function addDiscrepancy(tx: Tx, row: Discrepancy): void {
  const last = tx
    .select({ observed: storageDiscrepancy.observed })
    .from(storageDiscrepancy)
    .where(isOpen(row))
    .orderBy(desc(storageDiscrepancy.discrepancy_id))
    .limit(1)
    .get();
  if (!last || last.observed !== row.observed) tx.insert(storageDiscrepancy).values(row).run();
}

/** Resolves the open discrepancies of a field: the service returned the figure that readers see. */
export function resolveDiscrepancy(tx: Tx, key: DiscrepancyKey, at: string): void {
  tx.update(storageDiscrepancy).set({ resolved_at: at }).where(isOpen(key)).run();
}

/** Resolves all open discrepancies of a day: its figures were corrected. */
export function resolveDiscrepancies(tx: Tx, account: string, date: string, at: string): void {
  const { account: ofAccount, date: ofDate, resolved_at } = storageDiscrepancy;
  tx.update(storageDiscrepancy)
    .set({ resolved_at: at })
    .where(and(eq(ofAccount, account), eq(ofDate, date), isNull(resolved_at)))
    .run();
}

/** The newest correction of a day, or undefined. */
export function findNewestCorrection(tx: Tx, account: string, date: string) {
  return tx
    .select()
    .from(storageCorrection)
    .where(and(eq(storageCorrection.account, account), eq(storageCorrection.date, date)))
    .orderBy(desc(storageCorrection.accepted_at))
    .limit(1)
    .get();
}

/** Appends a correction. The triggers of the file refuse it where the day is not booked. */
export function addCorrection(tx: Tx, row: typeof storageCorrection.$inferInsert): void {
  tx.insert(storageCorrection).values(row).run();
}

/** The figures of an account that wait for a second reading. */
export function findUnconfirmedDays(tx: Tx, account: string) {
  return tx.select().from(storageUnconfirmed).where(eq(storageUnconfirmed.account, account)).all();
}

/** Keeps figures that wait for a second reading, in place of those before. */
export function upsertUnconfirmed(tx: Tx, row: typeof storageUnconfirmed.$inferInsert): void {
  tx.insert(storageUnconfirmed)
    .values(row)
    .onConflictDoUpdate({ target: [storageUnconfirmed.account, storageUnconfirmed.date], set: row })
    .run();
}

/** Deletes what waits for a second reading of a day. */
export function deleteUnconfirmed(tx: Tx, account: string, date: string): void {
  tx.delete(storageUnconfirmed)
    .where(and(eq(storageUnconfirmed.account, account), eq(storageUnconfirmed.date, date)))
    .run();
}

/** The gaps of an account. */
export function findGaps(tx: Tx, account: string) {
  return tx.select().from(storageGap).where(eq(storageGap.account, account)).all();
}

/** A day that was requested and is not booked. */
export interface MissedDay {
  date: string;
  reason: GapReason;
  /** Separate days on which it was requested, this one included. */
  requestedDays: number;
}

/** Records that the day was requested and is not booked. */
export function upsertGap(
  tx: Tx,
  account: string,
  { date, reason, requestedDays }: MissedDay,
  at: string,
): void {
  const values = { last_asked_at: at, reason, asked_days: requestedDays };
  tx.insert(storageGap)
    .values({ account, date, first_missed_at: at, ...values })
    .onConflictDoUpdate({ target: [storageGap.account, storageGap.date], set: values })
    .run();
}

/** Deletes the gaps of days that are not over: a clock that was ahead made them. */
export function deleteGapsFrom(tx: Tx, account: string, today: string): void {
  tx.delete(storageGap)
    .where(and(eq(storageGap.account, account), gte(storageGap.date, today)))
    .run();
}

/** Gives a gap up: it is requested once a month from now on. */
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

/** The days of open discrepancies, and of records of the storage in quarantine. */
export function findDisputedDays(tx: Tx, account: string): string[] {
  const { resolved_at, account: ofAccount, date } = storageDiscrepancy;
  const discrepancies = tx
    .selectDistinct({ date })
    .from(storageDiscrepancy)
    .where(and(eq(ofAccount, account), isNull(resolved_at)))
    .all();
  const quarantined = tx
    .selectDistinct({ date: quarantine.record_id })
    .from(quarantine)
    .where(
      and(eq(quarantine.account, account), eq(quarantine.stream, 'storage'), isNull(quarantine.resolved_at)),
    )
    .all();
  return [...discrepancies, ...quarantined].flatMap((row) => row.date ?? []);
}
