/** The live file described: packages, videos, and what a walk knows of them. */
import * as schema from '../../src/database/schema/videos.ts';
import { describeTable, withUnit, enumOf } from './describe-table.ts';

/** Columns that mean the same in every table that has them. */
export const ACCOUNT = 'Name of the account in the config.';
export const PACKAGE_ID = "The service's number of the distribution package; unique within its account.";
export const VIDEO_ID = "The service's number of the video; a video in two packages has a row in each.";

const STREAM = enumOf(['videos', 'storage'], 'Operation of the service that answered with it.');
const NOT_DOCUMENTED = 'As it came; its meaning is not documented.';

const packages = describeTable(
  schema.packageTable,
  'One distribution package of an account, as far as it has been walked; also those that are no longer in the config.',
  {
    account: ACCOUNT,
    package_id: PACKAGE_ID,
    name: 'Name of the package in the config; NULL where it has none.',
    totalcount: withUnit(
      'videos',
      'How many videos the service said the package has, when it was last walked or looked at.',
    ),
    page_size: withUnit('videos a page', 'Page size that the service answered with.'),
    walked_at: 'End of the last full walk that read every page; NULL before the first.',
    first_walked_at:
      'End of the first full walk that read every page, or of the first that was still remembered when vodhouse began to note this; NULL before it.',
    order: enumOf(
      ['trusted', 'untrusted'],
      'trusted: the list was seen sorted by id. untrusted: it was not, so only an answer that holds all of it proves removals. NULL before the first full walk. A word of SQL: quote it, as in `"order"`.',
    ),
    retired_at: 'When the package was first missing from the config; NULL while it is there.',
    live_count: withUnit('videos', 'Rows of `video` that are not removed.'),
    changed_seq: 'The highest `change_seq` of its rows in `video`; 0 where there are none.',
    last_turn_walk_id:
      '`walk_id` of the full walk by which the package last had its turn; 0 before the first. The lowest is served next.',
    failed_walks: withUnit('walks', 'Full walks that failed or were killed since the last one that did not.'),
    looked_at: 'When a quick run last came to the package, or a full walk of it ended.',
    missing_records: withUnit(
      'records',
      'Records that the last quick walk missed somewhere in the list and could not find; NULL where none has searched since the last full walk.',
    ),
  },
);

const packageDays = describeTable(
  schema.packageDay,
  'How many videos a package had on a day: as the last walk of that day that read it whole, or changed it, left it.',
  {
    account: ACCOUNT,
    package_id: PACKAGE_ID,
    date: 'Day in UTC. A day without such a walk has no row.',
    videos: withUnit(
      'videos',
      'Rows of `video` that were not removed; on days before vodhouse began to note this, the `totalcount` of the walk.',
    ),
  },
);

/** What every state of a video has: its key, the fields of docs/service.md 2.1, and what vodhouse knows of it. */
const STATE = {
  account: ACCOUNT,
  package_id: PACKAGE_ID,
  id: VIDEO_ID,
  cid: 'Content identifier, as it came; its meaning is not documented.',
  access_key: 'Video key (video access key, level 2), as it came: lets the video be played.',
  org_access_key: 'Original key (video access key, level 1), as it came: lets the video be played.',
  title: 'Title, as it came.',
  series: 'Series, as it came.',
  author: 'Original creator, as it came.',
  content: 'Description, as it came.',
  tag: 'Tags, as they came; how several are separated is not documented.',
  copyright: 'Copyright, as it came.',
  rate: NOT_DOCUMENTED,
  cdate: withUnit(
    'yyyy-mm-dd hh:mm:ss.f',
    "Creation time, as it came, on the service's own clock: its time zone is not documented.",
  ),
  duration: withUnit(
    'not documented',
    'Playback length, as it came. The published file takes it for what `duration_unit` of the config says (default: milliseconds).',
  ),
  etc: 'Miscellaneous, as it came.',
  thumbnail_url: withUnit('URL', 'Address of the thumbnail image, as it came.'),
  thumbnail_sheet_url: NOT_DOCUMENTED,
  encoding_success: 'Result of encoding, as it came: Y occurs; other values are not documented.',
  v_width: withUnit(
    'not documented',
    'Width of the video, as it came. The published file takes it for pixels.',
  ),
  v_height: withUnit(
    'not documented',
    'Height of the video, as it came. The published file takes it for pixels.',
  ),
  v_framerate: withUnit('frames per second', 'Frame rate, as it came.'),
  filesize: withUnit('not documented', 'File size, as it came. The published file takes it for bytes.'),
  drm_cid: NOT_DOCUMENTED,
  opt: 'As it came: NONE occurs; other values, and its meaning, are not documented.',
  preloading: NOT_DOCUMENTED,
  extra: withUnit('JSON', 'Fields that the service sent and does not document; NULL where there are none.'),
  first_seen_at: 'When vodhouse first saw the video in this package.',
  changed_at:
    'When this state was first seen. For a removal: when it took effect, at the end of the walk that proved it or later.',
  removed_at: 'When the video was proved to be no longer in the package; NULL while it is there.',
  change_seq:
    'Number of the change that made this state, rising over the whole file: read on from the last one you saw.',
} as const;

const video = describeTable(
  schema.video,
  'One video of one package, in its present state; also those that are removed.',
  STATE,
);

const videoVersion = describeTable(
  schema.videoVersion,
  'One state of a video that another one superseded: with the present ones in `video`, the complete history.',
  {
    ...STATE,
    valid_from: 'From when on this state held: its change, or the proof where it is a removal.',
    valid_to: 'From when on the next state held: this one no longer did (exclusive).',
  },
);

const removalCandidate = describeTable(
  schema.removalCandidate,
  'One video that is proved to be gone, before that takes effect: at the end of its walk, or later where it is held back. Struck where the video is seen again.',
  {
    account: ACCOUNT,
    package_id: PACKAGE_ID,
    id: VIDEO_ID,
    proved_at: 'When the answer came that proves it: the `removed_at` that the video will have.',
    proof: enumOf(
      schema.PROOFS,
      'order: the list is sorted and the video is not where it would stand. whole: one answer held the whole list, without it.',
    ),
    walk_id: 'Last walk that proved it.',
    held_back: '1 where the removal waits for a second proof.',
    held_at: 'Start of the walk that held it back.',
    held_by: '`walk_id` of the walk that held it back.',
    held_reason: enumOf(
      schema.HELD_REASONS,
      'Why it is held back. many: more at once than the brake allows. all: no video would be left. order: the list has to earn trust first.',
    ),
  },
);

const quarantine = describeTable(
  schema.quarantine,
  'One record that could not be stored without loss, as it came, with the reason.',
  {
    quarantine_id: 'Number of the row, rising.',
    account: ACCOUNT,
    stream: STREAM,
    package_id: 'Package whose list had it; NULL for storage.',
    record_id: 'Id of the video or day of the storage record, as text; NULL where it cannot be read.',
    page: 'Page of the list that it was on; NULL for storage.',
    reason: 'Why it could not be stored, in words.',
    raw: withUnit('JSON', 'The whole record, as it came.'),
    seen_at: 'When it last came like this.',
    resolved_at:
      'When it was over: the record came well or otherwise, or was gone; NULL while it is in quarantine.',
  },
);

const drift = describeTable(
  schema.drift,
  "One way in which a field of the service departs from the service's own documents.",
  {
    account: ACCOUNT,
    stream: STREAM,
    field: 'Name of the field.',
    kind: enumOf(
      schema.DRIFT_KINDS,
      'new: not documented. missing: documented, and not there. type: of another JSON type than documented.',
    ),
    sample: withUnit('JSON', 'The first such value, shortened; NULL for a missing field.'),
    first_seen_at: 'When it was seen first.',
    last_seen_at: 'When it was seen last.',
  },
);

const pageHash = describeTable(
  schema.pageHash,
  'One page of a list that need not be read again while its bytes, and the rows that it speaks of, stay as they are.',
  {
    account: ACCOUNT,
    package_id: PACKAGE_ID,
    page: 'Number of the page, from 1.',
    page_size: withUnit('videos a page', 'Page size that the service answered with.'),
    hash: withUnit('SHA-256, base64', 'Hash of the bytes of its records.'),
    records: withUnit('records', 'How many records it has.'),
    first_id: 'Its lowest video id.',
    last_id: 'Its highest video id.',
    proof_low: 'Lowest of the ids of which it showed every live one.',
    proof_high: 'Highest of the ids of which it showed every live one.',
    change_seq: 'Last `change_seq` of the file when page and rows were last found equal.',
    drift: withUnit('JSON', 'Drift in its records, as `[[field, kind], …]`; NULL where there is none.'),
  },
);

/** What people ask for. */
export const VIDEO_TABLES = [packages, packageDays, video, videoVersion];
/** What is not settled. */
export const FINDING_TABLES = [removalCandidate, quarantine, drift];
/** What a walk remembers for the next one. */
export const MEMORY_TABLES = [pageHash];
