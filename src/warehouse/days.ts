/** Storing one storage answer: today live, past days booked, booked days compared, gaps noted; one transaction. */
import { toTimestamp } from '../lib/clock.ts';
import type { Db, Tx } from './file.ts';
import { noteDrift, type FieldDrift } from './statements/drift.ts';
import { quarantineOnce, resolve, resolveEarlier } from './statements/quarantine.ts';
import * as statements from './statements/storage.ts';
import type { DayRow } from './statements/storage.ts';
import { transact } from './transact.ts';

/** What is known of the days of an account. */
export interface KnownDays {
  booked: ReadonlySet<string>;
  gaps: ReadonlyMap<string, { firstMissedAt: string; lastAskedAt: string; givenUp: boolean }>;
  /** The days of the first and the newest live reading; null before the first. */
  firstReading: string | null;
  lastReading: string | null;
}

/** One answer, sorted by what is to be done with each day. */
export interface DaysToStore {
  account: string;
  /** When the answer was there, in milliseconds since 1970. */
  answeredAt: number;
  /** Today's figures: they replace the live row, and are kept as a reading. */
  live: DayRow | null;
  /** Past days that are over and settled: booked, or compared where they are booked already. */
  past: readonly DayRow[];
  /** Days that were asked for, are settled, and were not returned. */
  missed: readonly string[];
  /** Of those, days that will not be asked for again. */
  givenUp: readonly string[];
  refused: readonly { date: string | null; reason: string; raw: string }[];
  /** Where its records departed from service.md 2.3, each field and kind once. */
  drift: readonly FieldDrift[];
}

/** What storing the answer did. */
export interface DayCounts {
  booked: number;
  discrepancies: number;
  missed: number;
  quarantined: number;
}

/** What is known of the days of the account, from `since` on. */
export function knownDays(db: Db, account: string, since: string): KnownDays {
  const gaps = statements.gapsOf(db, account).map((gap) => {
    const known = {
      firstMissedAt: gap.first_missed_at,
      lastAskedAt: gap.last_asked_at,
      givenUp: gap.given_up_at !== null,
    };
    return [gap.date, known] as const;
  });
  return {
    booked: new Set(statements.bookedDays(db, account, since)),
    gaps: new Map(gaps),
    firstReading: statements.firstReadingDay(db, account),
    lastReading: statements.newestReading(db, account)?.date ?? null,
  };
}

/** Stores one answer of the storage operation. */
export function storeDays(db: Db, days: DaysToStore): DayCounts {
  return transact(db, (tx) => {
    const at = toTimestamp(days.answeredAt);
    const counts = {
      booked: 0,
      discrepancies: 0,
      missed: days.missed.length,
      quarantined: days.refused.length,
    };
    if (days.live) storeLive(tx, days.account, days.live, at);
    for (const row of days.past) {
      const booked = statements.findBooked(tx, days.account, row.date);
      if (booked) counts.discrepancies += compare(tx, days.account, booked, row, at);
      else counts.booked += book(tx, days.account, row, at);
    }
    const well = [...(days.live ? [days.live] : []), ...days.past].map((row) => row.date);
    resolve(tx, days.account, 'storage', null, well, at);
    for (const date of days.missed) statements.noteGap(tx, days.account, date, at);
    for (const date of days.givenUp) statements.giveUpGap(tx, days.account, date, at);
    storeRefused(tx, days, at);
    noteDrift(tx, days.account, 'storage', days.drift, at);
    return counts;
  });
}

/** A day that is booked already, by another clock or time zone, stays so. */
function storeLive(tx: Tx, account: string, row: DayRow, at: string): void {
  if (!statements.findBooked(tx, account, row.date)) statements.writeDay(tx, account, row, 'live', at);
  statements.appendReading(tx, account, row, at);
}

function book(tx: Tx, account: string, row: DayRow, at: string): number {
  statements.writeDay(tx, account, row, 'booked', at);
  statements.closeGap(tx, account, row.date);
  return 1;
}

function compare(tx: Tx, account: string, booked: DayRow, observed: DayRow, at: string): number {
  let differing = 0;
  for (const field of Object.keys(observed) as (keyof DayRow)[]) {
    if (field === 'date' || booked[field] === observed[field]) continue;
    differing++;
    statements.noteDiscrepancy(tx, {
      account,
      date: observed.date,
      field,
      booked: booked[field],
      observed: observed[field],
      observed_at: at,
    });
  }
  return differing;
}

function storeRefused(tx: Tx, days: DaysToStore, at: string): void {
  for (const { date, reason, raw } of days.refused) {
    quarantineOnce(tx, {
      account: days.account,
      stream: 'storage',
      package_id: null,
      record_id: date,
      page: null,
      reason,
      raw,
      seen_at: at,
    });
  }
  for (const { date } of days.refused) if (date !== null) resolveEarlier(tx, days.account, date, at);
}
