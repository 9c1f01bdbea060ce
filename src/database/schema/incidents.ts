import { isNull } from 'drizzle-orm';
import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { bigint, rowKey, timestamp } from './columns.ts';

/**
 * A problem that is reported to people: when it begins, as a reminder while it lasts, and when it is over.
 */
export const incident = sqliteTable(
  'incident',
  {
    incident_id: rowKey('incident_id'),
    kind: text('kind').notNull(),
    account: text('account'),
    package_id: bigint('package_id'),
    part: text('part'),
    text: text('text').notNull(),
    advice: text('advice'),
    details: text('details').notNull(),
    since: timestamp('since').notNull(),
    opened_at: timestamp('opened_at').notNull(),
    notified_at: timestamp('notified_at'),
    closed_at: timestamp('closed_at'),
    closed_notified_at: timestamp('closed_notified_at'),
    attempts: bigint('attempts').notNull().default(0),
    next_at: timestamp('next_at').notNull(),
    last_error: text('last_error'),
  },
  (table) => [index('incident_unfinished').on(table.incident_id).where(isNull(table.closed_notified_at))],
);
