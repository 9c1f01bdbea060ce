/** Published: videos and their states. */
import type { MadeColumn, Table, View } from '../mart.ts';
import { flag, GIB, inSeconds, moment, number, packageColumns, text } from './mart-columns.ts';

/** What the marts of videos depend on. */
export interface VideoOptions {
  /** What `video.duration` counts in. */
  durationUnit: 'ms' | 's';
  /** Columns left out, under the service's name or the published one. */
  exclude: readonly string[];
}

/** `yyyy-mm-dd hh:mm:ss.f` (docs/service.md 2.1) without its fraction; NULL for what is no moment of the calendar. */
const CREATED_AT = `case datetime(v.cdate, '+0 days') when substr(v.cdate, 1, 19) then substr(v.cdate, 1, 19) end`;

/** Figures and moments first: SQLite reads a row from its beginning. */
function stateColumns({ durationUnit }: VideoOptions): MadeColumn[] {
  const seconds = inSeconds('v.duration', durationUnit);
  return [
    flag(
      'is_removed',
      '1 where the video is proved to be no longer in the package.',
      'v.removed_at is not null',
    ),
    moment('first_seen_at', 'first_seen_at', 'When vodhouse saw the video in this package first.'),
    moment('changed_at', 'changed_at', 'When this state was stored; a removal and a return are changes too.'),
    moment('removed_at', 'removed_at', 'The proof of its removal; NULL while it is there.'),
    {
      ...moment(
        'created_at',
        'cdate',
        "When the video was created, on the service's own clock: its time zone is not documented.",
      ),
      unit: "the service's clock",
      value: CREATED_AT,
    },
    number('duration_seconds', 'REAL', 'seconds', 'duration', 'additive', seconds, 'Playback length.'),
    number('size_bytes', 'BIGINT', 'bytes', 'filesize', 'additive', 'v.filesize', 'File size.'),
    number(
      'size_gib',
      'REAL',
      'GiB (2^30 bytes)',
      'filesize',
      'additive',
      `v.filesize / ${GIB}`,
      'File size; sums right where a driver cuts integers to 32 bits.',
    ),
    number(
      'width_pixels',
      'BIGINT',
      'pixels',
      'v_width',
      'non-additive',
      'v.v_width',
      'Width of the picture.',
    ),
    number(
      'height_pixels',
      'BIGINT',
      'pixels',
      'v_height',
      'non-additive',
      'v.v_height',
      'Height of the picture.',
    ),
    number(
      'frames_per_second',
      'REAL',
      'frames per second',
      'v_framerate',
      'non-additive',
      'v.v_framerate',
      'Frame rate.',
    ),
    text('title', 'title', 'Title.', 'VARCHAR(2000)'),
    text('series', 'series', 'Series that it belongs to.', 'VARCHAR(2000)'),
    text('author', 'author', 'Original creator.', 'VARCHAR(2000)'),
    text('copyright', 'copyright', 'Copyright notice.', 'VARCHAR(2000)'),
    text('content_id', 'cid', 'Content identifier; its meaning is not documented.'),
    text('rate', 'rate', 'Not documented by the service.'),
    text(
      'encoding_success',
      'encoding_success',
      'Encoding result flag: Y occurs, other values are not documented.',
    ),
    text('options', 'opt', 'Not documented by the service; NONE occurs.'),
    text('drm_content_id', 'drm_cid', 'Not documented by the service.'),
    text('preloading', 'preloading', 'Not documented by the service.'),
    text('access_key', 'access_key', 'Video key (video access key, level 2).'),
    text('original_access_key', 'org_access_key', 'Original key (video access key, level 1).'),
    text('tags', 'tag', 'Tags, as the service writes them.', 'TEXT'),
    text('description', 'content', 'Description.', 'TEXT'),
    text('miscellaneous', 'etc', 'Free text.', 'TEXT'),
    text('thumbnail_url', 'thumbnail_url', 'Address of the thumbnail image.', 'TEXT'),
    text('thumbnail_sheet_url', 'thumbnail_sheet_url', 'Not documented by the service.', 'TEXT'),
    text('extra_json', 'extra', 'Fields that the service sends and does not document, as JSON.', 'TEXT'),
  ];
}

const changeSeq: MadeColumn = {
  name: 'change_seq',
  type: 'BIGINT',
  unit: null,
  description:
    'Number of the change that made this state, rising over the whole file: read on from the last one you saw. After a restored backup, numbers are given again.',
  source: 'change_seq',
  additivity: 'non-additive',
  value: 'v.change_seq',
};

const videoId: MadeColumn = {
  name: 'video_id',
  type: 'BIGINT',
  unit: null,
  description: "The service's number of the video; a video in two packages has a row in each.",
  source: 'id',
  additivity: 'non-additive',
  value: 'v.id',
};

function columnsOfState(options: VideoOptions, validFrom: string, validTo: string, isCurrent: 0 | 1) {
  const span = (name: string, value: string, description: string): MadeColumn => ({
    ...moment(name, name, description),
    source: null,
    value,
  });
  return [
    ...packageColumns('p'),
    videoId,
    changeSeq,
    span('valid_from', validFrom, 'From when on this state held.'),
    span('valid_to', validTo, 'From when on it no longer held, exclusive; NULL for the present state.'),
    flag('is_current', '1 for the present state of a video.', String(isCurrent)),
    ...stateColumns(options),
  ].filter(
    ({ name, source }) => !options.exclude.includes(name) && !(source && options.exclude.includes(source)),
  );
}

const toPackages = { columns: ['package_key'], table: 'packages', references: ['package_key'] };

/** One row a video of a package, in its present state. */
export function videos(options: VideoOptions): Table {
  return {
    kind: 'table',
    name: 'videos',
    description:
      'One row a video of a package, in its present state; also those that are removed (is_removed).',
    key: ['package_key', 'video_id'],
    foreignKeys: [toPackages],
    columns: columnsOfState(options, 'coalesce(v.removed_at, v.changed_at)', 'null', 1),
    from: 'from keyed p cross join live.video v on v.account = p.account and v.package_id = p.package_id',
    count: 'select count(*) from live.video',
    never: [
      { what: 'a state that is not the present one', where: 'valid_to is not null or is_current <> 1' },
    ],
  };
}

/** One row a state that another one superseded. */
export function videoHistory(options: VideoOptions): Table {
  return {
    kind: 'table',
    name: 'video_history',
    description:
      'One row a state of a video that another one superseded; with the present ones: video_versions.',
    key: ['package_key', 'video_id', 'change_seq'],
    foreignKeys: [
      { columns: ['package_key', 'video_id'], table: 'videos', references: ['package_key', 'video_id'] },
    ],
    columns: columnsOfState(options, 'v.valid_from', 'v.valid_to', 0),
    from: 'from keyed p cross join live.video_version v on v.account = p.account and v.package_id = p.package_id',
    count: 'select count(*) from live.video_version',
    never: [
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

/** Every state of every video. Both halves have columns of a declared type: drivers look at either. */
export function videoVersions({ columns }: Table): View {
  const names = columns.map(({ name }) => name).join(', ');
  return {
    kind: 'view',
    name: 'video_versions',
    description: 'One row a state of a video, former and present: the complete history.',
    columns,
    select: `select ${names} from video_history\nunion all\nselect ${names} from videos`,
  };
}
