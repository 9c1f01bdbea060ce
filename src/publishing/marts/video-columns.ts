/** The columns of videos and of their states. */
import { CHANGES } from '../../database/schema/values.ts';
import { VIDEO_FIELDS, type VideoField } from '../../service/service-fields.ts';
import type { TableColumn } from './mart.ts';
import {
  column,
  instant,
  moment,
  packageColumns,
  RUN_KEY,
  size,
  sourceColumn,
  toSeconds,
  VIDEO_KEY,
  videoText,
  withoutNul,
  type Details,
} from './mart-columns.ts';

/** What the marts of videos depend on. */
export interface VideoOptions {
  /** Unit of `video.duration`. */
  durationUnit: 'ms' | 's';
  /** Columns that are left out, under the service's name or the published one. */
  exclude: readonly string[];
  /** What separates tags: marks, symbols and blanks other than `"` and `\`; by default `TAG_SEPARATORS`. */
  tagSeparators?: readonly string[];
}

/** The separators of tags for a config that names none. */
export const TAG_SEPARATORS = [',', ';'] as const;

/** The SQL expression of the day of `cdate`. */
export const DAY_OF_CREATION = 'date(read_time(v.cdate))';

/** What identifies a state, and what led to it. */
export const changeColumns = (): TableColumn[] => [...ofState(), ...ofChange()];

function ofState(): TableColumn[] {
  const sequence =
    'Number of the change, increasing in an account: continue after the last one that you read of it. A restored backup uses numbers again.';
  const key = 'Video and number of this state as one key, such as main/101/7/1.';
  return [
    VIDEO_KEY,
    ...packageColumns('p'),
    sourceColumn('video_id', 'BIGINT', "The service's number of the video.", 'v.id'),
    column(
      'is_removed',
      'BOOLEAN',
      '1 if it is not in the catalogue: removed, or its package left the config.',
      'v.removed_at is not null',
    ),
    sourceColumn('change_seq', 'BIGINT', sequence, 'v.change_seq'),
    sourceColumn('version_number', 'BIGINT', 'Number of this state, from 1.', 'v.version_number'),
    column('version_key', 'VARCHAR(255)', key, `${VIDEO_KEY.value} || '/' || v.version_number`),
  ];
}

const KINDS =
  'The change that led to this state. imported: first seen before the first full walk of its package ended. added: since then. edited: a field changed. removed: no longer listed. restored: listed again. retired: its package left the config. returned: listed again after that.';

/**
 * Stands for `encoding_success` in the fields of a change from one value other than Y to another:
 * `is_encoded` is the same, `other_fields` differs.
 */
const OTHER_ENCODING = 'other_encoding';

const hasOtherEncoding = (state: string) => `${state}.encoding_success not in ('Y', '')`;
const CHANGED_FIELDS = `iif(
  instr(v.changed_fields, 'encoding_success ') and ${hasOtherEncoding('v')} and exists (
    select 1 from live.video_version o
    where o.account = v.account and o.package_id = v.package_id and o.id = v.id
      and o.version_number = v.version_number - 1 and ${hasOtherEncoding('o')}),
  replace(v.changed_fields, 'encoding_success ', '${OTHER_ENCODING} '), v.changed_fields)`;

function ofChange(): TableColumn[] {
  const stored = 'When this state began: when its change was stored.';
  const missing = 'Of a removal, when the video was first proved missing: it may have been held back since.';
  const fields =
    "Columns that differ from the state before, separated by spaces; an unpublished field by the service's name. An edit has at least one.";
  const names = `case when v.changed_fields is not null then published_names(${CHANGED_FIELDS}) end`;
  return [
    sourceColumn('change', 'VARCHAR(20)', KINDS, 'v.change', { values: CHANGES }),
    ...moment('changed', stored, 'v.changed_at'),
    instant('first_missing', missing, 'v.first_missing_at'),
    RUN_KEY,
    column('changed_fields', 'VARCHAR(2000)', fields, names, { source: 'changed_fields' }),
  ];
}

const IS_ENCODED = column(
  'is_encoded',
  'BOOLEAN',
  '1 for Y, 0 for any other value (which is in other_fields, except N); NULL if the service sent none.',
  `case when v.encoding_success <> '' then v.encoding_success = 'Y' end`,
  { source: 'encoding_success' },
);

/**
 * The columns with the fields of a video. Numbers and times come first, because SQLite reads a row from its
 * start, and would read the long texts before them.
 */
export function fieldColumns({ durationUnit, exclude }: VideoOptions): TableColumn[] {
  const created = { source: 'cdate', unit: "the service's clock" };
  const [seconds, pixels] = [{ unit: 'seconds', additivity: 'additive' } as const, { unit: 'pixels' }];
  return [
    column('created_at', 'TIMESTAMP', `${VIDEO_FIELDS.cdate.description}.`, 'read_time(v.cdate)', created),
    column('created_day', 'DATE', 'Day of created_at.', DAY_OF_CREATION, created),
    number('duration_seconds', 'REAL', 'duration', seconds, toSeconds('v.duration', durationUnit)),
    ...size('size', 'File size', 'v.filesize', { source: 'filesize', additivity: 'additive' }),
    number('width_pixels', 'BIGINT', 'v_width', pixels),
    number('height_pixels', 'BIGINT', 'v_height', pixels),
    number('frames_per_second', 'REAL', 'v_framerate', { unit: VIDEO_FIELDS.v_framerate.unit }),
    IS_ENCODED,
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

/**
 * The SQL of a JSON object with the unexplained and unknown fields that are not empty; NULL without any.
 * `NONE` counts as empty in `opt`, because all videos have it.
 */
function otherFields(exclude: readonly string[]): string {
  const part = (name: string, condition: string) =>
    `case when ${condition} then '"${name}":' || json_quote(${withoutNul(`v.${name}`)}) end`;
  const extra = `iif(instr(v.extra, '\\u0000'), without_nul_escape(v.extra), v.extra)`;
  const parts: [name: string, sql: string][] = [
    ...UNEXPLAINED.map((name): [string, string] => [
      name,
      part(name, name === 'opt' ? `v.opt not in ('', 'NONE')` : `v.${name} <> ''`),
    ]),
    ['encoding_success', part('encoding_success', `v.encoding_success not in ('Y', 'N', '')`)],
    ['extra', `nullif(substr(${extra}, 2, length(${extra}) - 2), '')`],
  ];
  const kept = parts.flatMap(([name, sql]) => (exclude.includes(name) ? [] : [sql]));
  return `'{' || nullif(concat_ws(',', ${kept.join(', ')}), '') || '}'`;
}

/** The columns that `exclude` does not name. */
export const keep = (columns: readonly TableColumn[], { exclude }: VideoOptions) =>
  columns.filter(
    ({ name, source }) => !exclude.includes(name) && !(source !== null && exclude.includes(source)),
  );

/** Columns that cannot be left out. */
export const NEEDED = [
  ...changeColumns().flatMap(({ name, source }) => [name, ...(source === null ? [] : [source])]),
  'valid_to',
  'is_current',
];

/** The published name of each field that an edit may change: its column, or else the service's name. */
export function nameFields(options: VideoOptions): Map<string, string> {
  const columns = keep(fieldColumns(options), options);
  const nameOf = (field: string, isInOthers = UNEXPLAINED.includes(field)) => {
    const source = isInOthers && !options.exclude.includes(field) ? 'extra' : field;
    return (
      columns.find((each) => each.source === source)?.name ?? (field === 'extra' ? 'other_fields' : field)
    );
  };
  const names = new Map([...Object.keys(VIDEO_FIELDS), 'extra'].map((field) => [field, nameOf(field)]));
  return names.set(OTHER_ENCODING, nameOf('encoding_success', true));
}
