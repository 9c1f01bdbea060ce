import { primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { LOAD_OUTCOMES } from '../../lib/load-report.ts';
import { bigint, boolean, timestamp } from './columns.ts';

/** What became of an account in a target of `publish.targets`: the last attempt, the last success, and running totals. */
export const targetLoad = sqliteTable(
  'target_load',
  {
    target: text('target').notNull(),
    account: text('account').notNull(),
    outcome: text('outcome', { enum: LOAD_OUTCOMES }).notNull(),
    change_seq: bigint('change_seq'),
    attempted_at: timestamp('attempted_at').notNull(),
    loaded_at: timestamp('loaded_at'),
    failing_since: timestamp('failing_since'),
    error: text('error'),
    hint: text('hint'),
    code: text('code'),
    held_by: text('held_by'),
    held_until: timestamp('held_until'),
    loads: bigint('loads').notNull(),
    failures: bigint('failures').notNull(),
    rows: bigint('rows').notNull(),
    duration_ms: bigint('duration_ms').notNull(),
    verified_at: timestamp('verified_at'),
    verified: boolean('verified'),
    findings: text('findings').notNull(),
  },
  (table) => [primaryKey({ columns: [table.target, table.account] })],
);
