import { isNull } from 'drizzle-orm';
import { index, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { FIGURES, type Figure } from '../../service/service-fields.ts';
import { bigint, date, rowKey, timestamp } from './columns.ts';

/** Counts in pieces, sizes in bytes; NULL if the service left one out. */
const figures = () => {
  const columns = Object.fromEntries(FIGURES.map((name) => [name, bigint()]));
  return columns as Record<Figure, ReturnType<typeof bigint>>; // fromEntries() loses the names
};

/** One day of an account: `live` until it is over, `booked` permanently (enforced by triggers). */
export const storageDay = sqliteTable(
  'storage_day',
  {
    account: text().notNull(),
    date: date().notNull(),
    ...figures(),
    state: text({ enum: ['live', 'booked'] }).notNull(),
    observed_at: timestamp().notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.date] })],
);

/** Every live reading: the service does not return it again. */
export const storageReading = sqliteTable(
  'storage_reading',
  {
    reading_id: rowKey(),
    account: text().notNull(),
    observed_at: timestamp().notNull(),
    date: date().notNull(),
    ...figures(),
  },
  (table) => [index('storage_reading_account').on(table.account, table.reading_id)],
);

/** A figure of a booked day that the service later reported differently. */
export const storageDiscrepancy = sqliteTable(
  'storage_discrepancy',
  {
    discrepancy_id: rowKey(),
    account: text().notNull(),
    date: date().notNull(),
    field: text().notNull(),
    booked: bigint(),
    observed: bigint(),
    observed_at: timestamp().notNull(),
    resolved_at: timestamp(),
  },
  (table) => [
    index('storage_discrepancy_open').on(table.account, table.date).where(isNull(table.resolved_at)),
  ],
);

/**
 * Figures of a booked day that a person accepted in place of the booked ones; append-only (enforced by
 * triggers).
 */
export const storageCorrection = sqliteTable(
  'storage_correction',
  {
    account: text().notNull(),
    date: date().notNull(),
    accepted_at: timestamp().notNull(),
    ...figures(),
    reason: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.date, table.accepted_at] })],
);

export const GAP_REASONS = ['missing', 'incomplete', 'unconfirmed'] as const;
/** Why a past day is not booked: not returned, not a complete record, or waiting for a second reading. */
export type GapReason = (typeof GAP_REASONS)[number];

/** A past day that was requested and could not be booked. */
export const storageGap = sqliteTable(
  'storage_gap',
  {
    account: text().notNull(),
    date: date().notNull(),
    first_missed_at: timestamp().notNull(),
    last_requested_at: timestamp().notNull(),
    given_up_at: timestamp(),
    reason: text({ enum: GAP_REASONS }).notNull().default('missing'),
    requested_days: bigint().notNull().default(1),
  },
  (table) => [primaryKey({ columns: [table.account, table.date] })],
);

/** Implausible figures of a past day: booked when the service returns the same at least an hour later. */
export const storageUnconfirmed = sqliteTable(
  'storage_unconfirmed',
  {
    account: text().notNull(),
    date: date().notNull(),
    ...figures(),
    reason: text().notNull(),
    observed_at: timestamp().notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.date] })],
);
