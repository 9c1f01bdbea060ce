import { isNull, sql } from 'drizzle-orm';
import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { INCIDENT_EVENTS } from '../../lib/incident-events.ts';
import { bigint, rowKey, timestamp } from './columns.ts';

export const MESSAGE_STATES = ['begun', 'reminder', 'over'] as const;
/** What a message reports about its incidents. */
export type MessageState = (typeof MESSAGE_STATES)[number];

/** A problem that is reported, once when it begins and once when it is over. */
export const incident = sqliteTable(
  'incident',
  {
    incident_id: rowKey('incident_id'),
    event: text('event', { enum: INCIDENT_EVENTS }).notNull(),
    account: text('account'),
    package_id: bigint('package_id'),
    text: text('text').notNull(),
    details: text('details').notNull(),
    since: timestamp('since').notNull(),
    noticed_at: timestamp('noticed_at').notNull(),
    over_at: timestamp('over_at'),
    message_id: bigint('message_id').notNull(),
  },
  (table) => [index('incident_open').on(table.incident_id).where(isNull(table.over_at))],
);

/** One POST to the webhook: written in the transaction that stores its incidents, sent after that. */
export const incidentMessage = sqliteTable(
  'incident_message',
  {
    message_id: rowKey('message_id'),
    event: text('event', { enum: INCIDENT_EVENTS }).notNull(),
    account: text('account'),
    state: text('state', { enum: MESSAGE_STATES }).notNull(),
    body: text('body').notNull(),
    created_at: timestamp('created_at').notNull(),
    attempts: bigint('attempts').notNull().default(0),
    next_at: timestamp('next_at').notNull(),
    claimed_until: timestamp('claimed_until'),
    last_error: text('last_error'),
    delivered_at: timestamp('delivered_at'),
    given_up_at: timestamp('given_up_at'),
  },
  (table) => [
    index('incident_message_waiting')
      .on(table.message_id)
      .where(sql`${table.delivered_at} is null and ${table.given_up_at} is null`),
  ],
);
