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
  run_id: rowKey('run_id'),
  trigger: text('trigger', { enum: TRIGGERS }).notNull(),
  mode: text('mode', { enum: MODES }).notNull(),
  status: text('status', { enum: STATUSES }).notNull(),
  started_at: timestamp('started_at').notNull(),
  finished_at: timestamp('finished_at'),
  requests: bigint('requests').notNull().default(0),
  error: text('error'),
  scope: text('scope'),
  resume_at: timestamp('resume_at'),
  origin_started_at: timestamp('origin_started_at'),
  clock_offset_ms: bigint('clock_offset_ms'),
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
    run_id: integer('run_id')
      .notNull()
      .references(() => run.run_id, { onDelete: 'cascade' }),
    account: text('account').notNull(),
    package_id: bigint('package_id'),
    stream: text('stream', { enum: STREAMS }),
    kind: text('kind', { enum: FAILURE_KINDS }).notNull(),
    message: text('message').notNull(),
    /** Packages that were not asked for, where the run gave the account up or put it off; else null. */
    skipped: bigint('skipped'),
  },
  (table) => [primaryKey({ columns: [table.run_id, table.account, table.package_id, table.stream] })],
);

/** One pass over the pages of one package, inside a run, with its checkpoint. */
export const walk = sqliteTable(
  'walk',
  {
    walk_id: rowKey('walk_id'),
    run_id: integer('run_id')
      .notNull()
      .references(() => run.run_id, { onDelete: 'cascade' }),
    account: text('account').notNull(),
    package_id: bigint('package_id').notNull(),
    mode: text('mode', { enum: MODES }).notNull(),
    status: text('status', { enum: STATUSES }).notNull(),
    pages: bigint('pages').notNull().default(0),
    totalcount: bigint('totalcount'),
    added: bigint('added').notNull().default(0),
    edited: bigint('edited').notNull().default(0),
    unchanged: bigint('unchanged').notNull().default(0),
    recognised: bigint('recognised').notNull().default(0),
    removed: bigint('removed').notNull().default(0),
    restored: bigint('restored').notNull().default(0),
    quarantined: bigint('quarantined').notNull().default(0),
    unsettled: bigint('unsettled').notNull().default(0),
    held_back: bigint('held_back').notNull().default(0),
    requests: bigint('requests').notNull().default(0),
    resumed: boolean('resumed').notNull().default(false),
    started_at: timestamp('started_at').notNull(),
    finished_at: timestamp('finished_at'),
    error: text('error'),
    checkpoint_id: bigint('checkpoint_id'),
    checkpoint_page: bigint('checkpoint_page'),
    page_size: bigint('page_size'),
    order_violated: boolean('order_violated').notNull().default(false),
    resumed_from_id: bigint('resumed_from_id'),
    unread_reason: text('unread_reason'),
    origin_started_at: timestamp('origin_started_at').notNull(),
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
    request_id: rowKey('request_id'),
    account: text('account').notNull(),
    at_ms: bigint('at_ms').notNull(),
    answered_at_ms: bigint('answered_at_ms'),
    purpose: text('purpose', { enum: PURPOSES }).notNull(),
    run_id: bigint('run_id'),
    package_id: bigint('package_id'),
    page: bigint('page'),
    status: bigint('status'),
    duration_ms: bigint('duration_ms'),
    bytes: bigint('bytes'),
    spent_until_ms: bigint('spent_until_ms').notNull(),
  },
  (table) => [
    index('request_window').on(table.account, table.spent_until_ms),
    index('request_run').on(table.run_id, table.account, table.package_id),
  ],
);

/** A restriction of an account: when requests may be sent again, and when the full rate is back. */
export const pause = sqliteTable('pause', {
  account: text('account').primaryKey(),
  until: timestamp('until').notNull(),
  reason: text('reason').notNull(),
  since: timestamp('since').notNull(),
  full_rate_at: timestamp('full_rate_at').notNull(),
  consecutive_restrictions: bigint('consecutive_restrictions').notNull(),
});

/** Requests that quick walks saved against full ones, by account and day (UTC). */
export const savedRequests = sqliteTable(
  'saved_requests',
  {
    account: text('account').notNull(),
    date: date('date').notNull(),
    quick_walks: bigint('quick_walks').notNull(),
    requests: bigint('requests').notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.date] })],
);

/** One row: it marks the file as a warehouse, and has the last `change_seq`. */
export const warehouseState = sqliteTable('warehouse_state', {
  singleton: integer('singleton').primaryKey(),
  created_at: timestamp('created_at').notNull(),
  change_seq: bigint('change_seq').notNull(),
  restored_at: timestamp('restored_at'),
  timezone: text('timezone'),
  is_demo: boolean('is_demo').notNull().default(false),
  warehouse_id: text('warehouse_id'),
});

/** A backup that the worker made, makes, or failed to make. Its row goes with its file. */
export const backup = sqliteTable('backup', {
  backup_id: rowKey('backup_id'),
  file: text('file').notNull(),
  started_at: timestamp('started_at').notNull(),
  finished_at: timestamp('finished_at'),
  size_bytes: bigint('size_bytes'),
  error: text('error'),
});
