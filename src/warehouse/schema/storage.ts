import { index, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { bigint, date, rowKey, timestamp } from './columns.ts';

/** The ten figures of service.md 2.3: counts in pieces, sizes in bytes; NULL where the service left one out. */
const figures = () => ({
  mov_org_cnt: bigint('mov_org_cnt'),
  mov_org_size: bigint('mov_org_size'),
  encoder_cnt: bigint('encoder_cnt'),
  encoder_size: bigint('encoder_size'),
  ad_org_cnt: bigint('ad_org_cnt'),
  ad_org_size: bigint('ad_org_size'),
  ad_encoder_cnt: bigint('ad_encoder_cnt'),
  ad_encoder_size: bigint('ad_encoder_size'),
  image_count: bigint('image_count'),
  image_size: bigint('image_size'),
});

/** One day of an account: `live` while it lasts, `booked` once and for ever (held by triggers). */
export const storageDay = sqliteTable(
  'storage_day',
  {
    account: text('account').notNull(),
    date: date('date').notNull(),
    ...figures(),
    state: text('state', { enum: ['live', 'booked'] }).notNull(),
    observed_at: timestamp('observed_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.date] })],
);

/** Every live reading: the service never tells it again. */
export const storageReading = sqliteTable(
  'storage_reading',
  {
    reading_id: rowKey('reading_id'),
    account: text('account').notNull(),
    observed_at: timestamp('observed_at').notNull(),
    date: date('date').notNull(),
    ...figures(),
  },
  (table) => [index('storage_reading_account').on(table.account, table.reading_id)],
);

/** What the service later said otherwise about a booked day. */
export const storageDiscrepancy = sqliteTable('storage_discrepancy', {
  discrepancy_id: rowKey('discrepancy_id'),
  account: text('account').notNull(),
  date: date('date').notNull(),
  field: text('field').notNull(),
  booked: bigint('booked'),
  observed: bigint('observed'),
  observed_at: timestamp('observed_at').notNull(),
});

/** A past day that was asked for and not returned. */
export const storageGap = sqliteTable(
  'storage_gap',
  {
    account: text('account').notNull(),
    date: date('date').notNull(),
    first_missed_at: timestamp('first_missed_at').notNull(),
    last_asked_at: timestamp('last_asked_at').notNull(),
    given_up_at: timestamp('given_up_at'),
  },
  (table) => [primaryKey({ columns: [table.account, table.date] })],
);
