/** Published: videos and their states. */
import { VIDEO_FIELDS } from '../../lib/service-fields.ts';
import type { Table, TableColumn, View } from '../mart.ts';
import {
  column,
  GIB,
  GIB_UNIT,
  nonEmpty,
  packageColumns,
  sourceColumn,
  TO_PACKAGES,
  toSeconds,
  videoNumber,
  videoText,
} from './mart-columns.ts';

/** What the marts of videos depend on. */
export interface VideoOptions {
  /** Unit of `video.duration`. */
  durationUnit: 'ms' | 's';
  /** Columns that are left out, under the service's name or the published one. */
  exclude: readonly string[];
}

/**
 * `yyyy-mm-dd hh:mm:ss.f` (docs/service.md 2.1) without its fraction; NULL if that is no valid time, or one that some tool cannot
 * hold, which then reads no row of the table: ClickHouse begins with 1900, pandas ends with 2261.
 */
const CREATED_AT = `case datetime(v.cdate, '+0 days') when substr(v.cdate, 1, 19) then
  case when v.cdate >= '1900' and v.cdate < '2262' then substr(v.cdate, 1, 19) end end`;

/** Numbers and times first, because SQLite reads a row from its start. */
function stateColumns(durationUnit: 'ms' | 's'): TableColumn[] {
  return [
    column('is_removed', 'BOOLEAN', '1 if the removal of the video is proved.', 'v.removed_at is not null'),
    timestamp('first_seen_at', 'When vodhouse first saw the video in this package.'),
    timestamp('changed_at', 'When this state was stored; a removal and a return are changes too.'),
    timestamp('removed_at', 'When its removal was proved; NULL while the video is in the package.'),
    column('created_at', 'TIMESTAMP', `${VIDEO_FIELDS.cdate.description}.`, CREATED_AT, {
      ...{ source: 'cdate', unit: "the service's clock" },
    }),
    column('created_day', 'DATE', 'Day of created_at.', `substr(${CREATED_AT}, 1, 10)`, {
      ...{ source: 'cdate', unit: "the service's clock" },
    }),
    videoNumber('duration_seconds', 'REAL', 'duration', {
      ...{ unit: 'seconds', additivity: 'additive', value: toSeconds('v.duration', durationUnit) },
    }),
    videoNumber('duration_minutes', 'REAL', 'duration', {
      ...{ unit: 'minutes', additivity: 'additive', value: `${toSeconds('v.duration', durationUnit)} / 60` },
    }),
    videoNumber('size_bytes', 'BIGINT', 'filesize', { unit: 'bytes', additivity: 'additive' }),
    videoNumber('size_gib', 'REAL', 'filesize', {
      ...{ unit: GIB_UNIT, additivity: 'additive', value: `v.filesize / ${GIB}` },
      note: '; its sum is right even if a driver truncates integers to 32 bits',
    }),
    videoNumber('width_pixels', 'BIGINT', 'v_width', { unit: 'pixels' }),
    videoNumber('height_pixels', 'BIGINT', 'v_height', { unit: 'pixels' }),
    videoNumber('frames_per_second', 'REAL', 'v_framerate', { unit: VIDEO_FIELDS.v_framerate.unit }),
    videoText('title', 'title', 'VARCHAR(2000)'),
    videoText('series', 'series', 'VARCHAR(2000)'),
    videoText('author', 'author', 'VARCHAR(2000)'),
    videoText('copyright', 'copyright', 'VARCHAR(2000)'),
    videoText('content_id', 'cid'),
    videoText('rate', 'rate'),
    videoText('encoding_success', 'encoding_success'),
    videoText('options', 'opt'),
    videoText('drm_content_id', 'drm_cid'),
    videoText('preloading', 'preloading'),
    videoText('access_key', 'access_key'),
    videoText('original_access_key', 'org_access_key'),
    videoText('tags', 'tag', 'TEXT'),
    videoText('description', 'content', 'TEXT'),
    videoText('miscellaneous', 'etc', 'TEXT'),
    videoText('thumbnail_url', 'thumbnail_url', 'TEXT'),
    videoText('thumbnail_sheet_url', 'thumbnail_sheet_url', 'TEXT'),
    column(
      'extra_json',
      'TEXT',
      'Fields that the service sends and does not document, as JSON.',
      nonEmpty('extra'),
      { source: 'extra' },
    ),
  ];
}

function timestamp(name: string, description: string): TableColumn {
  return sourceColumn(name, 'TIMESTAMP', description, `v.${name}`);
}

function createColumns(
  { durationUnit, exclude }: VideoOptions,
  state: { validFrom: string; validTo: string; isCurrent: 0 | 1 },
): TableColumn[] {
  return [
    ...packageColumns('p'),
    sourceColumn(
      'video_id',
      'BIGINT',
      "The service's number of the video; a video in two packages has a row in each.",
      'v.id',
    ),
    sourceColumn(
      'change_seq',
      'BIGINT',
      'Number of the change that led to this state, increasing over all packages: continue from the last one you read. After a backup was restored, numbers are used again.',
      'v.change_seq',
    ),
    column('valid_from', 'TIMESTAMP', 'Start of this state.', state.validFrom),
    column('valid_to', 'TIMESTAMP', 'End of this state, exclusive; NULL if present.', state.validTo),
    column('is_current', 'BOOLEAN', '1 for the present state of a video.', String(state.isCurrent)),
    ...stateColumns(durationUnit),
  ].filter(({ name, source }) => !exclude.includes(name) && !(source && exclude.includes(source)));
}

/** One row per video of a package, in its present state. */
export function videos(options: VideoOptions): Table {
  return {
    kind: 'table',
    name: 'videos',
    description: 'One row per video of a package, in its present state, including removed ones (is_removed).',
    key: ['package_key', 'video_id'],
    foreignKeys: [TO_PACKAGES],
    columns: createColumns(options, {
      ...{ validFrom: 'coalesce(v.removed_at, v.changed_at)', validTo: 'null', isCurrent: 1 },
    }),
    from: 'from package_keys p cross join live.video v on v.account = p.account and v.package_id = p.package_id',
    count: 'select count(*) from live.video',
    invalid: [
      { what: 'a state that is not the present one', where: 'valid_to is not null or is_current <> 1' },
    ],
  };
}

/** A text as a JSON array of its parts between commas and semicolons. */
const splitText = (text: string) =>
  `'[' || replace(json_quote(replace(${text}, ';', ',')), ',', '","') || ']'`;

/** Without spaces, tabs, line breaks and wide spaces around it. */
const TAG = 'trim(t.value, char(32, 9, 10, 13, 12288))';

/** One row per tag of a video. */
export const videoTags: Table = {
  kind: 'table',
  name: 'video_tags',
  description:
    'One row per tag of a video, removed ones included. The service does not document how tags are separated: they are split at commas and semicolons, and blanks around them are dropped.',
  key: ['package_key', 'video_id', 'tag'],
  foreignKeys: [
    TO_PACKAGES,
    { columns: ['package_key', 'video_id'], table: 'videos', references: ['package_key', 'video_id'] },
  ],
  columns: [
    ...packageColumns('p'),
    sourceColumn('video_id', 'BIGINT', "The service's number of the video.", 'v.id'),
    column('tag', 'VARCHAR(255)', 'One tag.', TAG, { source: 'tag' }),
    column('is_removed', 'BOOLEAN', '1 if the video is removed.', 'v.removed_at is not null'),
  ],
  from: `from package_keys p
cross join live.video v on v.account = p.account and v.package_id = p.package_id
cross join json_each(${splitText('v.tag')}) t
where v.tag <> '' and ${TAG} <> ''`,
  mayRepeat: true,
  count: '',
};

/** One row per state that another one superseded. */
export function videoHistory(options: VideoOptions): Table {
  return {
    kind: 'table',
    name: 'video_history',
    description:
      'One row per former state of a video; video_versions has these and the present states together.',
    key: ['package_key', 'video_id', 'change_seq'],
    foreignKeys: [
      { columns: ['package_key', 'video_id'], table: 'videos', references: ['package_key', 'video_id'] },
    ],
    columns: createColumns(options, { validFrom: 'v.valid_from', validTo: 'v.valid_to', isCurrent: 0 }),
    from: 'from package_keys p cross join live.video_version v on v.account = p.account and v.package_id = p.package_id',
    count: 'select count(*) from live.video_version',
    invalid: [
      { what: 'a second present state of its video', where: 'valid_to is null or is_current <> 0' },
      { what: 'an end before its beginning', where: 'valid_to < valid_from' },
    ],
    contradictions: `select case when v.valid_from is null then 'a state of no video: ' else 'a second present state of its video: ' end
  || h.package_key || ', ' || h.video_id || ', ' || h.valid_from || ' to ' || h.valid_to
from video_history h
left join videos v on v.package_key = h.package_key and v.video_id = h.video_id
where v.valid_from is null or h.valid_to > v.valid_from
limit 1`,
  };
}

/** Every state of every video. Drivers may take the types from either half: both have declared types. */
export function videoVersions({ columns }: Table): View {
  const names = columns.map(({ name }) => name).join(', ');
  return {
    kind: 'view',
    name: 'video_versions',
    description: 'One row per state of a video, former and present: the complete history.',
    columns,
    select: `select ${names} from video_history\nunion all\nselect ${names} from videos`,
  };
}
