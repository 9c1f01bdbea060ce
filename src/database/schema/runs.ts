import { eq, ne, sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { FAULT_KINDS } from '../../lib/errors.ts';
import { PURPOSES } from '../../budget/request-budget.ts';
import { STREAMS } from '../../sync/streams.ts';
import { bigint, boolean, date, rowKey, timestamp } from './columns.ts';
import { MODES, STATUSES, TRIGGERS } from './values.ts';

/** `error` of a run or walk whose process was killed; the next run writes it. */
export const KILLED = 'the process ended before the run did';

/** One pass over everything due. */
export const run = sqliteTable('run', {
  run_id: rowKey(),
  trigger: text({ enum: TRIGGERS }).notNull(),
  mode: text({ enum: MODES }).notNull(),
  status: text({ enum: STATUSES }).notNull(),
  started_at: timestamp().notNull(),
  finished_at: timestamp(),
  requests: bigint().notNull().default(0),
  error: text(),
  scope: text(),
  resume_at: timestamp(),
  origin_started_at: timestamp(),
  clock_offset_ms: bigint(),
});

export const FAILURE_KINDS = [
  ...FAULT_KINDS,
  'parked',
  'preempted',
  'skipped',
  'interrupted',
  'clock',
  'defect',
  'unknown',
] as const;
/** Why something in a run was not done: the fault of a request, or what the run itself knows. */
export type FailureKind = (typeof FAILURE_KINDS)[number];

/** One thing that a run could not do. */
export const runFailure = sqliteTable(
  'run_failure',
  {
    run_id: integer()
      .notNull()
      .references(() => run.run_id, { onDelete: 'cascade' }),
    account: text().notNull(),
    package_id: bigint(),
    stream: text({ enum: STREAMS }),
    kind: text({ enum: FAILURE_KINDS }).notNull(),
    message: text().notNull(),
    /** Packages that were not asked for, where the run gave the account up or put it off; else null. */
    skipped: bigint(),
  },
  (table) => [primaryKey({ columns: [table.run_id, table.account, table.package_id, table.stream] })],
);

/** One pass over the pages of one package, inside a run, with its checkpoint. */
export const walk = sqliteTable(
  'walk',
  {
    walk_id: rowKey(),
    run_id: integer()
      .notNull()
      .references(() => run.run_id, { onDelete: 'cascade' }),
    account: text().notNull(),
    package_id: bigint().notNull(),
    mode: text({ enum: MODES }).notNull(),
    status: text({ enum: STATUSES }).notNull(),
    pages: bigint().notNull().default(0),
    totalcount: bigint(),
    added: bigint().notNull().default(0),
    edited: bigint().notNull().default(0),
    unchanged: bigint().notNull().default(0),
    recognised: bigint().notNull().default(0),
    removed: bigint().notNull().default(0),
    restored: bigint().notNull().default(0),
    quarantined: bigint().notNull().default(0),
    unsettled: bigint().notNull().default(0),
    held_back: bigint().notNull().default(0),
    requests: bigint().notNull().default(0),
    resumed: boolean().notNull().default(false),
    started_at: timestamp().notNull(),
    finished_at: timestamp(),
    error: text(),
    checkpoint_id: bigint(),
    checkpoint_page: bigint(),
    page_size: bigint(),
    order_violated: boolean().notNull().default(false),
    resumed_from_id: bigint(),
    unread_reason: text(),
    origin_started_at: timestamp().notNull(),
  },
  (table) => [
    index('walk_package').on(table.account, table.package_id),
    index('walk_run').on(table.run_id),
    index('walk_running')
      .on(table.walk_id)
      .where(eq(table.status, sql`'running'`)),
    index('walk_trouble')
      .on(table.account, table.package_id, table.started_at)
      .where(ne(table.status, sql`'succeeded'`)),
  ],
);

/** The ledger: every request, written before it is sent. */
export const request = sqliteTable(
  'request',
  {
    request_id: rowKey(),
    account: text().notNull(),
    at_ms: bigint().notNull(),
    answered_at_ms: bigint(),
    purpose: text({ enum: PURPOSES }).notNull(),
    run_id: bigint(),
    package_id: bigint(),
    page: bigint(),
    status: bigint(),
    duration_ms: bigint(),
    bytes: bigint(),
    spent_until_ms: bigint().notNull(),
  },
  (table) => [
    index('request_window').on(table.account, table.spent_until_ms),
    index('request_run').on(table.run_id, table.account, table.package_id),
  ],
);

/** A restriction of an account: when requests may be sent again, and when the full rate is back. */
export const pause = sqliteTable('pause', {
  account: text().primaryKey(),
  until: timestamp().notNull(),
  reason: text().notNull(),
  since: timestamp().notNull(),
  full_rate_at: timestamp().notNull(),
  consecutive_restrictions: bigint().notNull(),
});

/** Requests that quick walks saved against full ones, by account and day (UTC). */
export const savedRequests = sqliteTable(
  'saved_requests',
  {
    account: text().notNull(),
    date: date().notNull(),
    quick_walks: bigint().notNull(),
    requests: bigint().notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.date] })],
);

/** One row: it marks the file as a warehouse, and has the last `change_seq`. */
export const warehouseState = sqliteTable('warehouse_state', {
  singleton: integer().primaryKey(),
  created_at: timestamp().notNull(),
  change_seq: bigint().notNull(),
  restored_at: timestamp(),
  timezone: text(),
  is_demo: boolean().notNull().default(false),
  warehouse_id: text(),
});

/** A backup that the worker made, makes, or failed to make. Its row goes with its file. */
export const backup = sqliteTable('backup', {
  backup_id: rowKey(),
  file: text().notNull(),
  started_at: timestamp().notNull(),
  finished_at: timestamp(),
  size_bytes: bigint(),
  error: text(),
});
