import { isNotNull, isNull } from 'drizzle-orm';
import { index, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { DRIFT_KINDS, VIDEO_FIELDS, type VideoField } from '../../service/service-fields.ts';
import { STREAMS } from '../../sync/streams.ts';
import { bigint, boolean, date, rowKey, timestamp } from './columns.ts';
import { CHANGES } from './values.ts';

/** One distribution package of an account, as far as it has been walked. */
export const packageTable = sqliteTable(
  'package',
  {
    account: text('account').notNull(),
    package_id: bigint('package_id').notNull(),
    name: text('name'),
    totalcount: bigint('totalcount'),
    page_size: bigint('page_size'),
    walked_at: timestamp('walked_at'),
    first_walked_at: timestamp('first_walked_at'),
    order: text('order', { enum: ['trusted', 'untrusted'] }),
    retired_at: timestamp('retired_at'),
    last_count: bigint('last_count'), // live rows when it left the config
    live_count: bigint('live_count').notNull().default(0),
    changed_seq: bigint('changed_seq').notNull().default(0),
    last_turn_walk_id: bigint('last_turn_walk_id').notNull().default(0),
    failed_walks: bigint('failed_walks').notNull().default(0),
    compared_at: timestamp('compared_at'),
    missing_records: bigint('missing_records'),
    schedule: text('schedule'),
  },
  (table) => [primaryKey({ columns: [table.account, table.package_id] })],
);

/** Number of videos of a package by day of the service, from the last walk of the day that counted them. */
export const packageDay = sqliteTable(
  'package_day',
  {
    account: text('account').notNull(),
    package_id: bigint('package_id').notNull(),
    date: date('date').notNull(),
    videos: bigint('videos').notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.package_id, table.date] })],
);

/**
 * The columns of a video: its key, the fields of docs/service.md 2.1 as received, and those that vodhouse
 * adds.
 */
const videoColumns = () => ({
  account: text('account').notNull(),
  package_id: bigint('package_id').notNull(),
  id: bigint('id').notNull(),
  cid: text('cid'),
  access_key: text('access_key'),
  org_access_key: text('org_access_key'),
  title: text('title'),
  series: text('series'),
  author: text('author'),
  content: text('content'),
  tag: text('tag'),
  copyright: text('copyright'),
  rate: text('rate'),
  cdate: text('cdate'),
  duration: bigint('duration'),
  etc: text('etc'),
  thumbnail_url: text('thumbnail_url'),
  thumbnail_sheet_url: text('thumbnail_sheet_url'),
  encoding_success: text('encoding_success'),
  v_width: bigint('v_width'),
  v_height: bigint('v_height'),
  v_framerate: real('v_framerate'),
  filesize: bigint('filesize'),
  drm_cid: text('drm_cid'),
  opt: text('opt'),
  preloading: text('preloading'),
  extra: text('extra'),
  first_seen_at: timestamp('first_seen_at').notNull(),
  changed_at: timestamp('changed_at').notNull(),
  removed_at: timestamp('removed_at'), // also set when its package left the config
  first_missing_at: timestamp('first_missing_at'), // when its removal was first proved
  change_seq: bigint('change_seq').notNull(),
  version_number: bigint('version_number').notNull().default(1),
  change: text('change', { enum: CHANGES }).notNull().default('added'),
  // names of the fields that an edit changed, each followed by a space
  changed_fields: text('changed_fields'),
  run_id: bigint('run_id'), // the run of the change; null outside of runs
});

/** One video of one package, in its present state. */
export const video = sqliteTable('video', videoColumns(), (table) => [
  primaryKey({ columns: [table.account, table.package_id, table.id] }),
  index('video_removed').on(table.account, table.package_id, table.id).where(isNotNull(table.removed_at)),
  index('video_removed_at').on(table.removed_at).where(isNotNull(table.removed_at)),
]);

/** A video as received: the 24 fields of docs/service.md 2.1; `extra` is absent if there is none. */
export type VideoRow = Pick<typeof video.$inferSelect, VideoField> & { extra?: string };

/** The names of the columns that come from the service, in its order. */
export const receivedNames = Object.keys(VIDEO_FIELDS) as VideoField[];

/** An earlier state of a video, written by triggers in the transaction of the change. */
export const videoVersion = sqliteTable(
  'video_version',
  {
    ...videoColumns(),
    valid_from: timestamp('valid_from').notNull(), // its changed_at
    valid_to: timestamp('valid_to').notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.package_id, table.id, table.change_seq] })],
);

/**
 * Why a walk holds removals back: it would remove too many at once, or all videos, or the list was out of
 * order before.
 */
export const HELD_REASONS = ['many', 'all', 'order'] as const;
export type HeldReason = (typeof HELD_REASONS)[number];

export const PROOFS = ['order', 'whole'] as const;
export type Proof = (typeof PROOFS)[number];

/** A proved removal; it has no effect before the end of its walk. */
export const removalCandidate = sqliteTable(
  'removal_candidate',
  {
    account: text('account').notNull(),
    package_id: bigint('package_id').notNull(),
    id: bigint('id').notNull(),
    proved_at: timestamp('proved_at').notNull(),
    proof: text('proof', { enum: PROOFS }).notNull().default('order'),
    walk_id: bigint('walk_id').notNull(),
    held_back: boolean('held_back').notNull().default(false),
    held_at: timestamp('held_at'),
    held_by: bigint('held_by'),
    held_reason: text('held_reason', { enum: HELD_REASONS }),
  },
  (table) => [primaryKey({ columns: [table.account, table.package_id, table.id] })],
);

/** A record that could not be stored, as received, with the reason. */
export const quarantine = sqliteTable(
  'quarantine',
  {
    quarantine_id: rowKey('quarantine_id'),
    account: text('account').notNull(),
    stream: text('stream', { enum: STREAMS }).notNull(),
    package_id: bigint('package_id'),
    record_id: text('record_id'),
    page: bigint('page'),
    reason: text('reason').notNull(),
    raw: text('raw').notNull(),
    seen_at: timestamp('seen_at').notNull(),
    resolved_at: timestamp('resolved_at'),
  },
  (table) => [
    index('quarantine_record').on(table.account, table.stream, table.package_id, table.record_id),
    index('quarantine_open').on(table.account, table.stream).where(isNull(table.resolved_at)),
  ],
);

/** Where the records of a stream stopped matching docs/service.md. */
export const drift = sqliteTable(
  'drift',
  {
    account: text('account').notNull(),
    stream: text('stream', { enum: STREAMS }).notNull(),
    field: text('field').notNull(),
    kind: text('kind', { enum: DRIFT_KINDS }).notNull(),
    sample: text('sample'),
    first_seen_at: timestamp('first_seen_at').notNull(),
    last_seen_at: timestamp('last_seen_at').notNull(),
    package_id: bigint('package_id'),
    absent_walks: bigint('absent_walks').notNull().default(0),
    absent_at: timestamp('absent_at'),
    acknowledged_at: timestamp('acknowledged_at'),
    resolved_at: timestamp('resolved_at'),
  },
  (table) => [primaryKey({ columns: [table.account, table.stream, table.field, table.kind] })],
);

/**
 * A page whose records need not be read again while its bytes, and the rows that it describes, do not change.
 */
export const pageHash = sqliteTable(
  'page_hash',
  {
    account: text('account').notNull(),
    package_id: bigint('package_id').notNull(),
    page: bigint('page').notNull(),
    page_size: bigint('page_size').notNull(),
    hash: text('hash').notNull(),
    records: bigint('records').notNull(),
    first_id: bigint('first_id').notNull(),
    last_id: bigint('last_id').notNull(),
    proof_low: bigint('proof_low').notNull(),
    proof_high: bigint('proof_high').notNull(),
    drift: text('drift'),
  },
  (table) => [
    primaryKey({ columns: [table.account, table.package_id, table.page, table.page_size] }),
    index('page_hash_proof').on(table.account, table.package_id, table.proof_low, table.proof_high),
  ],
);
