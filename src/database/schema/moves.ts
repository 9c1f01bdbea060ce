import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { timestamp } from './columns.ts';

/** `here`: it came from another live file. `leaving`: its move into another one has begun. `left`: that has ended. */
export const MOVE_STATES = ['here', 'leaving', 'left'] as const;
export type MoveState = (typeof MOVE_STATES)[number];

/** An account that `vodhouse move` brought into this live file, or takes out of it. */
export const accountMove = sqliteTable('account_move', {
  account: text('account').primaryKey(),
  state: text('state', { enum: MOVE_STATES }).notNull(),
  arrival_id: text('arrival_id'),
  origins: text('origins').notNull().default('[]'),
  move_id: text('move_id'),
  other_file: text('other_file').notNull(),
  other_warehouse_id: text('other_warehouse_id').notNull(),
  at: timestamp('at').notNull(),
});
