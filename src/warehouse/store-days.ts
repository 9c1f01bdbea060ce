/**
 * Storing one storage response: today live, past days booked, booked days compared, gaps recorded; one
 * transaction.
 */
import { fromTimestamp, SECOND_MS, toTimestamp } from '../lib/clock.ts';
import { FIGURES, hasSameFigures, type FieldDrift } from '../service/service-fields.ts';
import type { Tx } from '../database/connection.ts';
import { countDayWithoutDrift, recordDrift } from './statements/drift.ts';
import { quarantineOnce, resolve, resolveEarlier } from './statements/quarantine.ts';
import { readCorrectedDays } from '../database/storage-days.ts';
import type { GapReason } from '../database/schema/storage.ts';
import * as statements from './statements/storage.ts';
import type { DayRow, Gap, UnconfirmedDay } from './statements/storage.ts';

/** A day that was requested and is not booked. */
export interface MissedDay {
  date: string;
  reason: GapReason;
  /** Separate days on which it was requested, this one included. */
  requestedDays: number;
  isGivenUp: boolean;
}

/** What is known of the days of an account. */
export interface DayHistory {
  booked: ReadonlySet<string>;
  /**
   * Every stored day, booked or live, by its date, with the figures that readers see: of its newest
   * correction.
   */
  rows: ReadonlyMap<string, DayRow & { state: 'live' | 'booked'; observed_at: string }>;
  gaps: ReadonlyMap<string, Gap>;
  /** Figures that wait for a second reading; `observed_at` is when they were first returned. */
  unconfirmed: ReadonlyMap<string, UnconfirmedDay>;
  /** Booked days that the service reported differently, or not completely, when they were last requested. */
  disputed: ReadonlySet<string>;
  /** The day of the first live reading; null before it. */
  firstReading: string | null;
  /** The day of the newest live reading, with the figures of the first one of that day; null before it. */
  newestDay: DayRow | null;
}

/** One response, classified by what to do with each day. */
export interface DaysToStore {
  account: string;
  /** When the response was received, in milliseconds since 1970. */
  answeredAt: number;
  /** Today's figures: they replace the live row, and are stored as a reading. */
  live: DayRow | null;
  /** Past days that are over and settled: to book, or to compare if they are booked already. */
  past: readonly DayRow[];
  /** Implausible figures of past days, with the reason: they wait for a second reading. */
  unconfirmed: readonly { row: DayRow; reason: string }[];
  /** Days that were requested, are settled, and cannot be booked. */
  missed: readonly MissedDay[];
  refused: readonly { date: string | null; reason: string; raw: string }[];
  /** Where its records differ from docs/service.md 2.3, each field and kind once. */
  drift: readonly FieldDrift[];
}

/** What storing the response did. */
export interface DayCounts {
  booked: number;
  discrepancies: number;
  /** Days that were not returned, or not as complete records. */
  missed: number;
  /** Days that wait for a second reading. */
  unconfirmed: number;
  quarantined: number;
}

export function readDayHistory(tx: Tx, account: string): DayHistory {
  const corrected = readCorrectedDays(tx, account);
  const stored = statements.findDays(tx, { account }).map((row) => ({ ...row, ...corrected.get(row.date) }));
  const booked = new Set(stored.flatMap(({ state, date }) => (state === 'booked' ? date : [])));
  const disputed = statements.findDisputedDays(tx, { account }).filter(({ date }) => booked.has(date));
  return {
    booked,
    disputed: new Set(disputed.map(({ date }) => date)),
    rows: mapByDate(stored),
    gaps: mapByDate(statements.findGaps(tx, { account })),
    unconfirmed: mapByDate(statements.findUnconfirmedDays(tx, { account })),
    firstReading: statements.findFirstReading(tx, { account })?.date ?? null,
    newestDay: statements.findNewestDay(tx, { account }) ?? null,
  };
}

const mapByDate = <Row extends { date: string }>(rows: readonly Row[]): Map<string, Row> =>
  new Map(rows.map((row) => [row.date, row]));

/** Stores one response of the storage operation. */
export function storeDays(tx: Tx, days: DaysToStore): DayCounts {
  const { account } = days;
  const at = toTimestamp(days.answeredAt);
  const counts = {
    booked: 0,
    discrepancies: 0,
    missed: days.missed.filter(({ reason }) => reason !== 'unconfirmed').length,
    unconfirmed: days.unconfirmed.length,
    quarantined: days.refused.length,
  };
  if (days.live) storeLive(tx, account, days.live, at);
  for (const row of days.past) {
    const booked = statements.findBooked(tx, { account, date: row.date });
    if (booked) counts.discrepancies += compareDay(tx, account, booked, row, at);
    else {
      bookDay(tx, account, row, at);
      counts.booked++;
    }
  }
  storeUnconfirmed(tx, days, at);
  const complete = [days.live ?? [], days.past, days.unconfirmed.map(({ row }) => row)].flat();
  const dates = complete.map(({ date }) => date);
  resolve(tx, { account, stream: 'storage', packageId: null, ids: JSON.stringify(dates), at });
  for (const { date, reason, requestedDays, isGivenUp } of days.missed) {
    const times = { first_missed_at: at, last_requested_at: at, given_up_at: isGivenUp ? at : null };
    statements.upsertGap(tx, { account, date, reason, requested_days: requestedDays, ...times });
  }
  storeRefused(tx, days, at);
  recordDrift(tx, { account, stream: 'storage', packageId: null }, days.drift, at);
  if (days.live) countDayWithoutDrift(tx, { account, stream: 'storage', at });
  return counts;
}

/** Stores today's figures. A day that is booked, as by the calendar of another time zone, stays booked. */
function storeLive(tx: Tx, account: string, row: DayRow, at: string): void {
  if (!statements.findBooked(tx, { account, date: row.date }))
    statements.writeDay(tx, { ...row, account, state: 'live', observed_at: at });
  statements.appendReading(tx, account, row, at);
}

function bookDay(tx: Tx, account: string, row: DayRow, at: string): void {
  statements.writeDay(tx, { ...row, account, state: 'booked', observed_at: at });
  statements.deleteGap(tx, { account, date: row.date });
  statements.deleteUnconfirmed(tx, { account, date: row.date });
}

/**
 * Stores figures that wait for a second reading. The same figures keep the time of their first reading,
 * unless a clock that was ahead wrote it.
 */
function storeUnconfirmed(tx: Tx, { account, answeredAt, unconfirmed }: DaysToStore, at: string): void {
  const before = mapByDate(statements.findUnconfirmedDays(tx, { account }));
  for (const { row, reason } of unconfirmed) {
    const known = before.get(row.date);
    const isSame = known !== undefined && hasSameFigures(known, row);
    const observed_at = isSame && fromTimestamp(known.observed_at) <= answeredAt ? known.observed_at : at;
    statements.upsertUnconfirmed(tx, { ...row, account, reason, observed_at });
  }
}

/**
 * Compares the figures of a booked day with what readers see: the booked figures, or those of the newest
 * correction. Returns how many differ.
 */
function compareDay(tx: Tx, account: string, booked: DayRow, observed: DayRow, at: string): number {
  const { date } = observed;
  const shown = statements.findNewestCorrection(tx, { account, date }) ?? booked;
  let differing = 0;
  for (const field of FIGURES) {
    if (shown[field] === observed[field]) {
      statements.resolveDiscrepancies(tx, { account, date, field, at });
      continue;
    }
    differing++;
    const figures = { booked: shown[field], observed: observed[field] };
    statements.addDiscrepancy(tx, { account, date, field, ...figures, observed_at: at });
  }
  return differing;
}

/** A booked day: the figures as booked, and those of its newest correction. */
export interface BookedDay {
  booked: DayRow;
  corrected: (DayRow & { accepted_at: string }) | null;
}

export function findBookedDay(tx: Tx, account: string, date: string): BookedDay | null {
  const booked = statements.findBooked(tx, { account, date });
  if (!booked) return null;
  return { booked, corrected: statements.findNewestCorrection(tx, { account, date }) ?? null };
}

/** Figures that a person accepted instead of the booked ones. */
export interface Correction {
  account: string;
  row: DayRow;
  /** When, in milliseconds since 1970. */
  acceptedAt: number;
  /** As that person gave it. */
  reason: string;
}

/**
 * Appends a correction, later than those before it. The booked row does not change; open discrepancies of the
 * day end.
 */
export function correctDay(tx: Tx, { account, row, acceptedAt, reason }: Correction): void {
  const before = statements.findNewestCorrection(tx, { account, date: row.date });
  const least = before ? fromTimestamp(before.accepted_at) + SECOND_MS : 0;
  const accepted_at = toTimestamp(Math.max(acceptedAt, least));
  statements.addCorrection(tx, { ...row, account, accepted_at, reason });
  statements.resolveDiscrepancies(tx, { account, date: row.date, field: null, at: accepted_at });
}

function storeRefused(tx: Tx, { account, refused }: DaysToStore, at: string): void {
  const place = { account, stream: 'storage' as const, package_id: null, page: null, seen_at: at };
  for (const { date, reason, raw } of refused) {
    quarantineOnce(tx, { ...place, record_id: date, reason, raw });
  }
  for (const { date } of refused) if (date !== null) resolveEarlier(tx, { account, date, at });
}
