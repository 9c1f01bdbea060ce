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
    account: text().notNull(),
    package_id: bigint().notNull(),
    name: text(),
    totalcount: bigint(),
    page_size: bigint(),
    walked_at: timestamp(),
    first_walked_at: timestamp(),
    order: text({ enum: ['trusted', 'untrusted'] }),
    retired_at: timestamp(),
    last_count: bigint(), // live rows when it left the config
    live_count: bigint().notNull().default(0),
    changed_seq: bigint().notNull().default(0),
    last_turn_walk_id: bigint().notNull().default(0),
    failed_walks: bigint().notNull().default(0),
    compared_at: timestamp(),
    missing_records: bigint(),
    schedule: text(),
  },
  (table) => [primaryKey({ columns: [table.account, table.package_id] })],
);

/** Number of videos of a package by day of the service, from the last walk of the day that counted them. */
export const packageDay = sqliteTable(
  'package_day',
  {
    account: text().notNull(),
    package_id: bigint().notNull(),
    date: date().notNull(),
    videos: bigint().notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.package_id, table.date] })],
);

/**
 * The columns of a video: its key, the fields of docs/service.md 2.1 as received, and those that vodhouse
 * adds.
 */
const videoColumns = () => ({
  account: text().notNull(),
  package_id: bigint().notNull(),
  id: bigint().notNull(),
  cid: text(),
  access_key: text(),
  org_access_key: text(),
  title: text(),
  series: text(),
  author: text(),
  content: text(),
  tag: text(),
  copyright: text(),
  rate: text(),
  cdate: text(),
  duration: bigint(),
  etc: text(),
  thumbnail_url: text(),
  thumbnail_sheet_url: text(),
  encoding_success: text(),
  v_width: bigint(),
  v_height: bigint(),
  v_framerate: real(),
  filesize: bigint(),
  drm_cid: text(),
  opt: text(),
  preloading: text(),
  extra: text(),
  first_seen_at: timestamp().notNull(),
  changed_at: timestamp().notNull(),
  removed_at: timestamp(), // also set when its package left the config
  first_missing_at: timestamp(), // when its removal was first proved
  change_seq: bigint().notNull(),
  version_number: bigint().notNull().default(1),
  change: text({ enum: CHANGES }).notNull().default('added'),
  // names of the fields that an edit changed, each followed by a space
  changed_fields: text(),
  run_id: bigint(), // the run of the change; null outside of runs
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
    valid_from: timestamp().notNull(), // its changed_at
    valid_to: timestamp().notNull(),
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
    account: text().notNull(),
    package_id: bigint().notNull(),
    id: bigint().notNull(),
    proved_at: timestamp().notNull(),
    proof: text({ enum: PROOFS }).notNull().default('order'),
    walk_id: bigint().notNull(),
    held_back: boolean().notNull().default(false),
    held_at: timestamp(),
    held_by: bigint(),
    held_reason: text({ enum: HELD_REASONS }),
  },
  (table) => [primaryKey({ columns: [table.account, table.package_id, table.id] })],
);

/** A record that could not be stored, as received, with the reason. */
export const quarantine = sqliteTable(
  'quarantine',
  {
    quarantine_id: rowKey(),
    account: text().notNull(),
    stream: text({ enum: STREAMS }).notNull(),
    package_id: bigint(),
    record_id: text(),
    page: bigint(),
    reason: text().notNull(),
    raw: text().notNull(),
    seen_at: timestamp().notNull(),
    resolved_at: timestamp(),
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
    account: text().notNull(),
    stream: text({ enum: STREAMS }).notNull(),
    field: text().notNull(),
    kind: text({ enum: DRIFT_KINDS }).notNull(),
    sample: text(),
    first_seen_at: timestamp().notNull(),
    last_seen_at: timestamp().notNull(),
    package_id: bigint(),
    absent_walks: bigint().notNull().default(0),
    absent_at: timestamp(),
    acknowledged_at: timestamp(),
    resolved_at: timestamp(),
  },
  (table) => [primaryKey({ columns: [table.account, table.stream, table.field, table.kind] })],
);

/**
 * A page whose records need not be read again while its bytes, and the rows that it describes, do not change.
 */
export const pageHash = sqliteTable(
  'page_hash',
  {
    account: text().notNull(),
    package_id: bigint().notNull(),
    page: bigint().notNull(),
    page_size: bigint().notNull(),
    hash: text().notNull(),
    records: bigint().notNull(),
    first_id: bigint().notNull(),
    last_id: bigint().notNull(),
    proof_low: bigint().notNull(),
    proof_high: bigint().notNull(),
    drift: text(),
  },
  (table) => [
    primaryKey({ columns: [table.account, table.package_id, table.page, table.page_size] }),
    index('page_hash_proof').on(table.account, table.package_id, table.proof_low, table.proof_high),
  ],
);
