/** The tables of the live file: packages, videos, and what a walk knows of them. */
import * as schema from '../../src/database/schema/videos.ts';
import { DRIFT_KINDS, VIDEO_FIELDS } from '../../src/lib/service-fields.ts';
import { describeFields, describeTable, enumOf, withUnit } from './describe-table.ts';

/** Columns that mean the same in every table that has them. */
export const ACCOUNT = 'Name of the account in the config.';
export const PACKAGE_ID = "The service's number of the distribution package; unique within its account.";
export const VIDEO_ID = "The service's number of the video; a video in two packages has a row in each.";

const STREAM = enumOf(['videos', 'storage'], 'Operation of the service that returned it.');

const packages = describeTable(
  schema.packageTable,
  'One distribution package of an account, including those that are no longer in the config.',
  {
    account: ACCOUNT,
    package_id: PACKAGE_ID,
    name: 'Name of the package in the config; NULL if it has no name.',
    totalcount: withUnit('videos', 'How many videos the package had by the last answer of the service.'),
    page_size: withUnit('videos a page', 'Page size of the response.'),
    walked_at: 'End of the last full walk that read every page; NULL before the first one.',
    first_walked_at: 'End of the first full walk that read every page; NULL before it.',
    order: enumOf(
      ['trusted', 'untrusted'],
      'trusted: the list is sorted by id. untrusted: it is not, so only a response with the complete list proves removals. NULL before the first full walk. `order` is a keyword of SQL: write `"order"`.',
    ),
    retired_at: 'When the package was first missing from the config; NULL while it is in the config.',
    live_count: withUnit('videos', 'Rows of `video` that are not removed.'),
    changed_seq: 'The highest `change_seq` of its rows in `video`; 0 if there are none.',
    last_turn_walk_id:
      '`walk_id` of the full walk by which the package last had its turn; 0 before the first. The lowest is served next.',
    failed_walks: withUnit('walks', 'Full walks that failed or were killed since the last one that did not.'),
    compared_at: 'When a quick walk last checked the package, or a full walk of it ended.',
    missing_records: withUnit(
      'records',
      'Records that the last quick walk found missing in the list and could not locate; NULL if none has searched since the last full walk.',
    ),
    schedule: 'Cron expression of its own full walks; NULL for `schedule.full`.',
  },
);

const packageDays = describeTable(
  schema.packageDay,
  'How many videos a package had on a day, after the last walk of that day that read every page or changed a row.',
  {
    account: ACCOUNT,
    package_id: PACKAGE_ID,
    date: 'Day in UTC. A day without such a walk has no row.',
    videos: withUnit('videos', 'Rows of `video` that were not removed.'),
  },
);

/** The columns of every state of a video: its key, the fields of docs/service.md 2.1, and what vodhouse adds. */
const STATE = {
  account: ACCOUNT,
  package_id: PACKAGE_ID,
  ...describeFields(VIDEO_FIELDS, {
    access_key: 'It lets the video be played.',
    org_access_key: 'It lets the video be played.',
    duration: 'The published file reads it in `duration_unit` of the config (default: milliseconds).',
    v_width: 'The published file reads it in pixels.',
    v_height: 'The published file reads it in pixels.',
    filesize: 'The published file reads it in bytes.',
  }),
  id: VIDEO_ID,
  extra: withUnit('JSON', 'Fields that the service sent and does not document; NULL if there are none.'),
  first_seen_at: 'When vodhouse first saw the video in this package.',
  changed_at:
    'When this state was first seen. For a removal: when it took effect, at the end of the walk that proved it or later.',
  removed_at: 'When the video was proved to be no longer in the package; NULL while it is in it.',
  change_seq:
    'Number of the change that led to this state, increasing over the whole file: continue from the last one you read.',
  version_number: 'Number of this state of the video, from 1.',
  change: enumOf(schema.CHANGES, 'How this state came about.'),
  changed_fields:
    'Names of the fields that an edit changed, each followed by a space; NULL if none did, or if a version before it was recorded stored it.',
  title_before: 'The title of the former state, where this one has another.',
  run_id: 'The run that stored this state; NULL outside of runs.',
} as const;

const video = describeTable(
  schema.video,
  'One video of one package, in its present state, including removed ones.',
  STATE,
);

const videoVersion = describeTable(
  schema.videoVersion,
  'One former state of a video; together with the present states in `video`, this is the complete history.',
  {
    ...STATE,
    valid_from: 'Start of this state: its change, or the proof if it is a removal.',
    valid_to: 'Start of the next state, and end of this one (exclusive).',
  },
);

const removalCandidate = describeTable(
  schema.removalCandidate,
  'One proved removal that has not taken effect yet: it does at the end of its walk, or later if it is held back. Deleted if the video is seen again.',
  {
    account: ACCOUNT,
    package_id: PACKAGE_ID,
    id: VIDEO_ID,
    proved_at: 'When the response that proves it arrived: the future `removed_at` of the video.',
    proof: enumOf(
      schema.PROOFS,
      'order: the list is sorted, and the video is not at its place. whole: one response had the complete list, without the video.',
    ),
    walk_id: 'Last walk that proved it.',
    held_back: '1 if the removal waits for a second proof.',
    held_at: 'Start of the walk that held it back.',
    held_by: '`walk_id` of the walk that held it back.',
    held_reason: enumOf(
      schema.HELD_REASONS,
      'Why it is held back. many: more removals at once than `walk.removal_brake` allows. all: no video would be left. order: the order of the list is not trusted yet.',
    ),
  },
);

const quarantine = describeTable(
  schema.quarantine,
  'One record that could not be stored without loss, as received, with the reason.',
  {
    quarantine_id: 'Number of the row, increasing.',
    account: ACCOUNT,
    stream: STREAM,
    package_id: 'Package whose list had it; NULL for storage.',
    record_id: 'Id of the video or day of the storage record, as text; NULL if it cannot be read.',
    page: 'Page of the list that it was on; NULL for storage.',
    reason: 'Why it could not be stored.',
    raw: withUnit('JSON', 'The complete record, as received.'),
    seen_at: 'When it was last received like this.',
    resolved_at:
      'When the quarantine ended: the record could be stored, changed, or was gone; NULL while it is in quarantine.',
  },
);

const drift = describeTable(
  schema.drift,
  "One way in which a field differs from the service's own documents.",
  {
    account: ACCOUNT,
    stream: STREAM,
    field: 'Name of the field.',
    kind: enumOf(
      DRIFT_KINDS,
      'new: not documented. missing: documented, but not sent. type: another JSON type than documented.',
    ),
    sample: withUnit('JSON', 'The first such value, truncated; NULL for a missing field.'),
    first_seen_at: 'When it was first seen.',
    last_seen_at: 'When it was last seen.',
    package_id: 'Where it was last seen; NULL for storage.',
    absent_walks:
      'Full walks of that package that read everything without it, since it was last seen; for storage, days with a reading.',
    absent_at: 'When that number last rose.',
    acknowledged_at: 'When `vodhouse acknowledge` accepted it; NULL while it needs attention.',
    resolved_at:
      'When it was gone for three such walks or days; NULL while it lasts. If it returns, it is new.',
  },
);

const pageHash = describeTable(
  schema.pageHash,
  'One page of a list that is skipped while its bytes and its rows are unchanged.',
  {
    account: ACCOUNT,
    package_id: PACKAGE_ID,
    page: 'Number of the page, from 1.',
    page_size: withUnit('videos a page', 'Page size of the response.'),
    hash: withUnit('SHA-256, base64', 'Hash of the bytes of its records and of the known fields.'),
    records: withUnit('records', 'How many records it has.'),
    first_id: 'Its lowest video id.',
    last_id: 'Its highest video id.',
    proof_low: 'Lowest id of the range in which it showed every live video.',
    proof_high: 'Highest id of the range in which it showed every live video.',
    change_seq: '`change_seq` of the file when page and rows were last equal.',
    drift: withUnit('JSON', 'Drift in its records, as `[[field, kind], …]`; NULL if there is none.'),
  },
);

/** The tables that people query. */
export const VIDEO_TABLES = [packages, packageDays, video, videoVersion];
/** Open findings. */
export const FINDING_TABLES = [removalCandidate, quarantine, drift];
/** What a walk stores for the next one. */
export const MEMORY_TABLES = [pageHash];
