/** Published: videos, their former states, and their changes. */
import type { Column, Table, View } from '../mart.ts';
import {
  column,
  moment,
  packageColumns,
  sourceColumn,
  TO_PACKAGES,
  TO_VIDEOS,
  VIDEO_KEY,
  withoutNul,
} from './mart-columns.ts';
import { changeColumns, fieldColumns, keep, type VideoOptions } from './video-columns.ts';

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

/** Does a former state end after the present one began, or come after it? */
const OUTLASTS = `exists (select 1 from videos v where v.video_key = video_history.video_key
  and (video_history.valid_to > v.changed_at or video_history.version_number >= v.version_number))`;

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
      {
        what: 'a second present state of its video',
        where: `valid_to is null or is_current <> 0 or ${OUTLASTS}`,
      },
    ],
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
  const title = find('title').length > 0 ? ', title as title_after' : '';
  const shown = changeColumns().flatMap(({ name }) => (name === 'is_removed' ? [] : find(name)));
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
cross join json_each(${splitText(withoutNul('v.tag'))}) t
where v.tag <> '' and ${TAG} <> ''`,
  mayRepeat: true,
  count: '',
};
