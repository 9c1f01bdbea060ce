/** Published: videos, their former states, and their changes. */
import { CHANGES } from '../../database/schema/videos.ts';
import { VIDEO_FIELDS, type VideoField } from '../../lib/service-fields.ts';
import type { Column, Table, TableColumn, View } from '../mart.ts';
import {
  column,
  moment,
  nonEmpty,
  packageColumns,
  size,
  sourceColumn,
  TO_PACKAGES,
  TO_VIDEOS,
  toSeconds,
  VIDEO_KEY,
  videoText,
  type Details,
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

/** What identifies a state, and what led to it; `start` is its beginning. */
function changeColumns(start = 'coalesce(v.removed_at, v.changed_at)'): TableColumn[] {
  const began = 'When this state began: first seen, edited, or the proof of a removal.';
  return [
    VIDEO_KEY,
    ...packageColumns('p'),
    sourceColumn('video_id', 'BIGINT', "The service's number of the video.", 'v.id'),
    column('is_removed', 'BOOLEAN', '1 if the removal of the video is proved.', 'v.removed_at is not null'),
    sourceColumn(
      'change_seq',
      'BIGINT',
      'Number of the change, increasing over all videos: continue after the last one that you read. A restored backup uses numbers again.',
      'v.change_seq',
    ),
    sourceColumn(
      'version_number',
      'BIGINT',
      'Number of this state of the video, from 1.',
      'v.version_number',
    ),
    sourceColumn('change', 'VARCHAR(20)', 'The change that led to this state.', 'v.change', {
      values: CHANGES,
    }),
    ...moment('changed', began, start, 'changed_at'),
    sourceColumn('run_id', 'BIGINT', 'The run that stored the change; runs are deleted by age.', 'v.run_id'),
    column(
      'changed_fields',
      'VARCHAR(2000)',
      'For an edit, the names of the columns that it changed, separated by spaces.',
      'published_names(v.changed_fields)',
      { source: 'changed_fields' },
    ),
    column(
      'title_before',
      'VARCHAR(2000)',
      'The former title, if the change edited it.',
      nonEmpty('title_before'),
      { source: 'title' },
    ),
  ];
}

/** Numbers and times first, because SQLite reads a row from its start. */
function fieldColumns({ durationUnit, exclude }: VideoOptions): TableColumn[] {
  const created = { source: 'cdate', unit: "the service's clock" };
  const [seconds, pixels] = [{ unit: 'seconds', additivity: 'additive' } as const, { unit: 'pixels' }];
  return [
    column('created_at', 'TIMESTAMP', `${VIDEO_FIELDS.cdate.description}.`, CREATED_AT, created),
    column('created_day', 'DATE', 'Day of created_at.', `substr(${CREATED_AT}, 1, 10)`, created),
    number('duration_seconds', 'REAL', 'duration', seconds, toSeconds('v.duration', durationUnit)),
    ...size('size', 'File size', 'v.filesize', { source: 'filesize', additivity: 'additive' }),
    number('width_pixels', 'BIGINT', 'v_width', pixels),
    number('height_pixels', 'BIGINT', 'v_height', pixels),
    number('frames_per_second', 'REAL', 'v_framerate', { unit: VIDEO_FIELDS.v_framerate.unit }),
    column(
      'is_encoded',
      'BOOLEAN',
      '1 for Y, 0 for N; NULL for any other value, which is in other_fields.',
      `case v.encoding_success when 'Y' then 1 when 'N' then 0 end`,
      { source: 'encoding_success' },
    ),
    videoText('title', 'title'),
    videoText('series', 'series'),
    videoText('author', 'author'),
    videoText('copyright', 'copyright'),
    videoText('access_key', 'access_key'),
    videoText('original_access_key', 'org_access_key'),
    videoText('tags', 'tag', 'TEXT'),
    videoText('description', 'content', 'TEXT'),
    videoText('miscellaneous', 'etc', 'TEXT'),
    videoText('thumbnail_url', 'thumbnail_url', 'TEXT'),
    videoText('thumbnail_sheet_url', 'thumbnail_sheet_url', 'TEXT'),
    column(
      'other_fields',
      'TEXT',
      'Fields that the service does not explain, or does not document at all, as JSON under its own names.',
      otherFields(exclude),
      { source: 'extra' },
    ),
  ];
}

function number(
  name: string,
  type: 'BIGINT' | 'REAL',
  field: VideoField,
  details: Details,
  value = `v.${field}`,
): TableColumn {
  return column(name, type, `${VIDEO_FIELDS[field].description}.`, value, { source: field, ...details });
}

/** Fields whose meaning the service does not document. */
export const UNEXPLAINED = ['cid', 'rate', 'drm_cid', 'opt', 'preloading'];

/** The SQL of a JSON object of those that are not empty; NULL without any. */
function otherFields(exclude: readonly string[]): string {
  const part = (name: string, condition: string) =>
    `case when ${condition} then '"${name}":' || json_quote(v.${name}) || ',' else '' end`;
  const parts: [name: string, sql: string][] = [
    ...UNEXPLAINED.map((name): [string, string] => [name, part(name, `v.${name} <> ''`)]),
    ['encoding_success', part('encoding_success', `v.encoding_success not in ('Y', 'N', '')`)],
    ['extra', `coalesce(substr(v.extra, 2, length(v.extra) - 2), '')`],
  ];
  const kept = parts.flatMap(([name, sql]) => (exclude.includes(name) ? [] : [sql]));
  return `'{' || rtrim(nullif(${kept.join('\n    || ')}, ''), ',') || '}'`;
}

/** The columns that `exclude` does not name. */
const keep = (columns: readonly TableColumn[], { exclude }: VideoOptions) =>
  columns.filter(
    ({ name, source }) => !exclude.includes(name) && !(source !== null && exclude.includes(source)),
  );

const selectFrom = (table: string) =>
  `from package_keys p cross join live.${table} v on v.account = p.account and v.package_id = p.package_id`;

/** One row per video of a package, in its present state. */
export function videos(options: VideoOptions): Table {
  const seen = 'When vodhouse first saw the video in this package.';
  const removed = 'When its removal was proved; NULL while the video is in the package.';
  return {
    kind: 'table',
    name: 'videos',
    description: 'One row per video of a package, in its present state, including removed ones (is_removed).',
    role: 'dimension',
    key: ['video_key'],
    foreignKeys: [TO_PACKAGES],
    columns: keep(
      [
        ...changeColumns(),
        ...moment('first_seen', seen, 'v.first_seen_at', 'first_seen_at'),
        ...moment('removed', removed, 'v.removed_at', 'removed_at'),
        ...fieldColumns(options),
      ],
      options,
    ),
    from: selectFrom('video'),
    count: 'select count(*) from live.video',
    invalid: [{ what: 'a version below 1', where: 'version_number < 1' }],
  };
}

/** One row per state that another one superseded. */
export function videoHistory(options: VideoOptions): Table {
  return {
    kind: 'table',
    name: 'video_history',
    description:
      'One row per former state of a video; video_versions has these and the present states together.',
    role: 'dimension',
    key: ['video_key', 'version_number'],
    foreignKeys: [TO_VIDEOS],
    columns: keep(
      [
        ...changeColumns('v.valid_from'), // changed_at is too early where a clock ran backward
        sourceColumn('valid_to', 'TIMESTAMP', 'End of this state, exclusive; NULL if present.', 'v.valid_to'),
        column('is_current', 'BOOLEAN', '1 for the present state of a video.', '0'),
        ...fieldColumns(options),
      ],
      options,
    ),
    from: selectFrom('video_version'),
    count: 'select count(*) from live.video_version',
    invalid: [
      { what: 'an end before its beginning', where: 'valid_to < changed_at' },
      { what: 'a second present state of its video', where: 'valid_to is null or is_current <> 0' },
    ],
    contradictions: `select case when v.video_key is null then 'a state of no video: ' else 'a second present state of its video: ' end
  || h.video_key || ', ' || h.changed_at || ' to ' || h.valid_to
from video_history h
left join videos v on v.video_key = h.video_key
where v.video_key is null or h.valid_to > v.changed_at or h.version_number >= v.version_number
limit 1`,
  };
}

/** Every state of every video. */
export function videoVersions({ columns }: Table): View {
  const names = columns.map(({ name }) => name);
  const begin = columns.find(({ name }) => name === 'changed_at');
  const present = names.map(
    (name) => ({ valid_to: 'null as valid_to', is_current: 'true as is_current' })[name] ?? name,
  );
  const former = `select changed_at as valid_from, ${names.join(', ')} from video_history`;
  return {
    kind: 'view',
    name: 'video_versions',
    description: 'One row per state of a video, former and present: the complete history.',
    role: 'dimension',
    columns: [
      ...(begin
        ? [{ ...begin, name: 'valid_from', description: 'Start of this state; the same as changed_at.' }]
        : []),
      ...columns,
    ],
    select: `${former} where false
union all
select changed_at as valid_from, ${present.join(', ')} from videos
union all
${former}`,
  };
}

/** Every change of every video. */
export function videoChanges({ columns }: Table): View {
  const find = (name: string, as = name): Column[] =>
    columns.flatMap((each) => (each.name === name ? [{ ...each, name: as }] : []));
  const own = [
    ...changeColumns()
      .map(({ name }) => name)
      .filter((name) => name !== 'is_removed'),
  ];
  const title = find('title').length > 0 ? ', title as title_after' : '';
  const shown = own.flatMap((name) => find(name));
  const select = (table: string) =>
    `select ${shown.map(({ name }) => name).join(', ')}${title} from ${table}`;
  return {
    kind: 'view',
    name: 'video_changes',
    description: 'One row per change of a video: added, edited, removed or restored.',
    role: 'fact',
    columns: [...shown, ...find('title', 'title_after')],
    select: `${select('videos')}\nunion all\n${select('video_history')}`,
  };
}

/** The videos that are in a configured package now. */
export function videosNow({ columns }: Table): View {
  return {
    kind: 'view',
    name: 'videos_now',
    description: 'The videos that are in a configured package now: neither removed nor of a retired package.',
    role: 'dimension',
    columns,
    select: `select ${columns.map(({ name }) => `v.${name}`).join(', ')}\nfrom videos v join packages p on p.package_key = v.package_key`,
    whereFalse: ['v.is_removed', 'p.is_retired'],
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
  role: 'dimension',
  key: ['video_key', 'tag'],
  foreignKeys: [TO_PACKAGES, TO_VIDEOS],
  columns: [
    VIDEO_KEY,
    ...packageColumns('p'),
    column('tag', 'VARCHAR(255)', 'One tag.', TAG, { source: 'tag' }),
    column('is_removed', 'BOOLEAN', '1 if the video is removed.', 'v.removed_at is not null'),
  ],
  from: `${selectFrom('video')}
cross join json_each(${splitText('v.tag')}) t
where v.tag <> '' and ${TAG} <> ''`,
  mayRepeat: true,
  count: '',
};

/** Columns that cannot be left out. */
export const NEEDED = [
  ...changeColumns().flatMap(({ name, source }) => [name, ...(source === null ? [] : [source])]),
  ...['valid_to', 'is_current', 'is_removed'],
].filter((name) => name !== 'title' && name !== 'title_before');

/** The published column of each field that an edit may change; without those that are left out. */
export function nameFields(options: VideoOptions): Map<string, string> {
  const columns = keep(fieldColumns(options), options);
  const nameOf = (field: string) => {
    const source = UNEXPLAINED.includes(field) && !options.exclude.includes(field) ? 'extra' : field;
    return columns.find((each) => each.source === source)?.name;
  };
  return new Map(
    [...Object.keys(VIDEO_FIELDS), 'extra'].flatMap((field) => {
      const name = nameOf(field);
      return name === undefined ? [] : [[field, name]];
    }),
  );
}
