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
    target: text().notNull(),
    account: text().notNull(),
    outcome: text({ enum: LOAD_OUTCOMES }).notNull(),
    change_seq: bigint(),
    attempted_at: timestamp().notNull(),
    loaded_at: timestamp(),
    failing_since: timestamp(),
    error: text(),
    hint: text(),
    code: text(),
    loads: bigint().notNull(),
    failures: bigint().notNull(),
    rows: bigint().notNull(),
    duration_ms: bigint().notNull(),
    verified_at: timestamp(),
    differences: text(), // JSON: a list of sentences; NULL: never compared
  },
  (table) => [primaryKey({ columns: [table.target, table.account] })],
);

/**
 * Every publication. A target remembers the one that it was loaded from, and a live file without that row is
 * an older copy, or belongs to another warehouse. No row is ever deleted, because a target may come back
 * after years; a row takes about 70 bytes.
 */
export const publication = sqliteTable('publication', {
  number: rowKey(),
  publication_id: text().notNull(),
  published_at: timestamp().notNull(),
});

/**
 * What `vodhouse forget` deleted, which no `change_seq` shows. The column is not named `account`, because the
 * rows are kept when all rows of the account are deleted.
 */
export const forgotten = sqliteTable('forgotten', {
  forgotten_id: rowKey(),
  account_name: text().notNull(),
  package_id: bigint(),
  at: timestamp().notNull(),
});
