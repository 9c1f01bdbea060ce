import { isNull } from 'drizzle-orm';
import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { bigint, rowKey, timestamp } from './columns.ts';

/**
 * A problem that is reported to people: when it begins, as a reminder while it lasts, and when it is over.
 */
export const incident = sqliteTable(
  'incident',
  {
    incident_id: rowKey(),
    kind: text().notNull(),
    account: text(),
    package_id: bigint(),
    part: text(),
    text: text().notNull(),
    advice: text(),
    details: text().notNull(),
    since: timestamp().notNull(),
    opened_at: timestamp().notNull(),
    notified_at: timestamp(),
    closed_at: timestamp(),
    closed_notified_at: timestamp(),
    attempts: bigint().notNull().default(0),
    next_at: timestamp().notNull(),
    last_error: text(),
  },
  (table) => [index('incident_unfinished').on(table.incident_id).where(isNull(table.closed_notified_at))],
);
