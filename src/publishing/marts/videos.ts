/** Published: videos, their former states, and their changes. */
import type { Column, Table, TableColumn, View } from './mart.ts';
import { column, moment, sourceColumn, VIDEO_KEY, withoutNul } from './mart-columns.ts';
import { changeColumns, fieldColumns, keep, TAG_SEPARATORS, type VideoOptions } from './video-columns.ts';

const selectFrom = (table: string) =>
  `from package_keys p cross join live.${table} v on v.account = p.account and v.package_id = p.package_id`;

/** One row per video that ever was in a package, in its last state. */
export function allVideos(options: VideoOptions): Table {
  const seen = 'When vodhouse first saw the video in this package.';
  const removed = 'When it left the catalogue: by itself, or with its package. NULL while it is in it.';
  return {
    kind: 'table',
    name: 'all_videos',
    description:
      'One row per video that ever was in a package, in its last state. The view videos has those in it now.',
    role: 'dimension',
    key: ['video_key'],
    foreignKeys: ['package_key'],
    columns: keep(
      [
        ...changeColumns(),
        ...moment('first_seen', seen, 'v.first_seen_at'),
        ...moment('removed', removed, 'v.removed_at'),
        ...fieldColumns(options),
      ],
      options,
    ),
    from: selectFrom('video'),
    count: 'select count(*) from live.video',
    invalid: [{ what: 'a version below 1', where: 'version_number < 1' }],
  };
}

/** Columns that only the history of a video needs; the view `videos` leaves them out. */
const OF_HISTORY = [
  'is_removed',
  'version_key',
  'version_number',
  'change_seq',
  'change',
  'run_key',
  'changed_fields',
];

/** The videos that are in a package of the config now. */
export function videos({ columns }: Table): View {
  const left = [...OF_HISTORY, 'first_missing_at', 'removed_at', 'removed_day'];
  const shown = columns.filter(({ name }) => !left.includes(name));
  return {
    kind: 'view',
    name: 'videos',
    description:
      'One row per video of the catalogue now: in a package that is in the config, and not removed.',
    role: 'dimension',
    key: ['video_key'],
    columns: shown,
    selects: (nameTable) => [
      `select ${listNames(shown)} from ${nameTable('all_videos')} where not is_removed`,
    ],
  };
}

const listNames = (columns: readonly Column[]) => columns.map(({ name }) => name).join(', ');

/** The condition that is true for a former state that ends after the present one began, or comes after it. */
const OUTLASTS = `exists (select 1 from all_videos v where v.video_key = video_history.video_key
  and (video_history.valid_to > v.changed_at or video_history.version_number >= v.version_number))`;

/** One row per state that another one superseded. */
export function videoHistory(options: VideoOptions): Table {
  return {
    kind: 'table',
    name: 'video_history',
    isInternal: true,
    description: 'One row per former state of a video.',
    role: 'dimension',
    key: ['video_key', 'version_number'],
    foreignKeys: ['video_key'],
    columns: keep(
      [
        ...changeColumns(),
        sourceColumn(
          'valid_to',
          'TIMESTAMP',
          'End of this state, exclusive; NULL if it goes on.',
          'v.valid_to',
        ),
        column('is_current', 'BOOLEAN', '1 for the last state of a video.', '0'),
        ...fieldColumns(options),
      ],
      options,
    ),
    from: selectFrom('video_version'),
    count: 'select count(*) from live.video_version',
    invalid: [
      { what: 'an end before its beginning', where: 'valid_to < changed_at' },
      {
        what: 'a second present state of its video',
        where: `valid_to is null or is_current <> 0 or ${OUTLASTS}`,
      },
    ],
  };
}

/** Every state of every video. */
export function videoVersions({ columns }: Table): View {
  const shown = columns.map((each) =>
    each.name === 'changed_at' ? { ...each, name: 'valid_from', description: 'Start of this state.' } : each,
  );
  const inHistory = columns.map(({ name }) => (name === 'changed_at' ? 'changed_at as valid_from' : name));
  const present = inHistory.map(
    (name) => ({ valid_to: 'null as valid_to', is_current: 'true as is_current' })[name] ?? name,
  );
  return {
    kind: 'view',
    name: 'video_versions',
    description:
      'One row per state of a video, from the first to the last: what was true when. Count its rows by change to count changes.',
    role: 'dimension',
    key: ['version_key'],
    columns: shown,
    selects: (nameTable) => {
      const former = `select ${inHistory.join(', ')} from ${nameTable('video_history')}`;
      return [
        `${former} where false`,
        `select ${present.join(', ')} from ${nameTable('all_videos')}`,
        former,
      ];
    },
  };
}

/** What a row of `video_changes` has of the state that the change led to. */
const OF_CHANGE = [
  'video_key',
  'package_key',
  'account',
  'package_name',
  'video_id',
  'version_key',
  'change_seq',
  'change',
  'changed_at',
  'changed_day',
  'run_key',
  'title',
];

/** One row per field that an edit changed. The values are those of the columns of both states. */
export function videoEdits({ columns }: Table): Table {
  const shown = OF_CHANGE.flatMap((name) => columns.filter((each) => each.name === name));
  const fields = columns.slice(columns.findIndex(({ name }) => name === 'created_at'));
  const valueOf = (state: string) => {
    const cases = fields.map(({ name }) => `when '${name}' then cast(${state}."${name}" as text)`);
    return `case f.value ${cases.join(' ')} end`;
  };
  const inBoth = columns.filter(({ name }) => name !== 'valid_to' && name !== 'is_current');
  const edited = (table: string) => `select ${listNames(inBoth)} from ${table} where change = 'edited'`;
  return {
    kind: 'table',
    name: 'video_edits',
    isInternal: true,
    description: 'One row per field that an edit changed.',
    role: 'fact',
    key: ['version_key', 'field'],
    foreignKeys: ['video_key'],
    columns: [
      ...shown.map((each): TableColumn => ({ ...each, value: `n."${each.name}"` })),
      column(
        'field',
        'VARCHAR(255)',
        "For an edit, the field that it changed: its column, or the service's name of a field that is not published. NULL for any other change.",
        'f.value',
      ),
      column(
        'value_before',
        'TEXT',
        'Its value before; NULL if it had none, or is not published.',
        valueOf('o'),
      ),
      column('value_after', 'TEXT', 'Its value after; NULL as before.', valueOf('n')),
    ],
    from: `from (${edited('all_videos')} union all ${edited('video_history')}) n
join video_history o on o.video_key = n.video_key and o.version_number = n.version_number - 1
cross join json_each('["' || replace(n.changed_fields, ' ', '","') || '"]') f`,
  };
}

/** Every change of every video. */
export function videoChanges({ columns }: Table): View {
  const shown = columns.map(({ name }) =>
    ['field', 'value_before', 'value_after'].includes(name) ? `null as ${name}` : name,
  );
  return {
    kind: 'view',
    name: 'video_changes',
    description:
      'One row per field that an edit changed, and one per other change. An edit of two fields has two rows: to count changes, count video_versions.',
    role: 'fact',
    key: ['version_key', 'field'],
    columns,
    selects: (nameTable) => {
      const edits = `select ${listNames(columns)} from ${nameTable('video_edits')}`;
      const others = ['all_videos', 'video_history'].map(
        (table) => `select ${shown.join(', ')} from ${nameTable(table)} where change <> 'edited'`,
      );
      return [edits, ...others, `${edits} where false`];
    },
  };
}

/** A text as a JSON array of its parts. The separators are characters that JSON has as they are. */
function splitText(text: string, separators: readonly string[]): string {
  const [first, ...others] = separators.map((separator) => `'${separator.replaceAll("'", "''")}'`);
  if (first === undefined) return `json_array(${text})`;
  const unified = others.reduce((sql, other) => `replace(${sql}, ${other}, ${first})`, text);
  return `'[' || replace(json_quote(${unified}), ${first}, '","') || ']'`;
}

/** One tag without blanks around it, and no longer than an index of PostgreSQL allows. */
const TAG = 'substr(trim(t.value, char(32, 9, 10, 13, 12288)), 1, 255)';

/** One row per tag of a video. */
export const videoTags = ({ tagSeparators = TAG_SEPARATORS }: VideoOptions): Table => ({
  kind: 'table',
  name: 'video_tags',
  description:
    'One row per tag of a video of the catalogue now. The service does not document how tags are separated: they are split at the characters of publish.tag_separators, blanks around them are dropped, and 255 characters are kept.',
  role: 'dimension',
  key: ['tag', 'video_key'],
  isWithoutRowid: true,
  foreignKeys: ['video_key'],
  columns: [column('tag', 'VARCHAR(255)', 'One tag.', TAG, { source: 'tag' }), VIDEO_KEY],
  from: `${selectFrom('video')}
cross join json_each(${splitText(withoutNul('v.tag'), tagSeparators)}) t
where v.removed_at is null and v.tag <> '' and ${TAG} <> ''
order by 1, 2`,
  mayRepeat: true,
});
