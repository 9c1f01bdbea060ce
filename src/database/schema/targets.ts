import { primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { LOAD_OUTCOMES } from '../../publishing/targets/load-report.ts';
import { bigint, rowKey, timestamp } from './columns.ts';

/**
 * What became of an account in a target of `publish.targets`: the last attempt, the last success, and running
 * totals.
 */
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
    loads: bigint('loads').notNull(),
    failures: bigint('failures').notNull(),
    rows: bigint('rows').notNull(),
    duration_ms: bigint('duration_ms').notNull(),
    verified_at: timestamp('verified_at'),
    differences: text('differences'), // JSON: a list of sentences; NULL: never compared
  },
  (table) => [primaryKey({ columns: [table.target, table.account] })],
);

/**
 * Every publication. A target remembers the one that it was loaded from, and a live file without that row is
 * an older copy, or belongs to another warehouse. No row is ever deleted, because a target may come back
 * after years; a row takes about 70 bytes.
 */
export const publication = sqliteTable('publication', {
  number: rowKey('number'),
  publication_id: text('publication_id').notNull(),
  published_at: timestamp('published_at').notNull(),
});

/**
 * What `vodhouse forget` deleted, which no `change_seq` shows. The column is not named `account`, because the
 * rows are kept when all rows of the account are deleted.
 */
export const forgotten = sqliteTable('forgotten', {
  forgotten_id: rowKey('forgotten_id'),
  account_name: text('account_name').notNull(),
  package_id: bigint('package_id'),
  at: timestamp('at').notNull(),
});
