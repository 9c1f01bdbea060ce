/** Published: packages. */
import type { Table, TableColumn } from './mart.ts';
import { column, instant, packageColumns, size, sourceColumn, toSeconds } from './mart-columns.ts';

const VIDEOS = { unit: 'videos', additivity: 'additive' } as const;
const REMOVED = `(select count(*) from live.video k indexed by video_removed
  where k.account = p.account and k.package_id = p.package_id and k.removed_at is not null
    and k.change = 'removed')`;

/** One row per package. */
export function packages(durationUnit: 'ms' | 's'): Table {
  return {
    kind: 'table',
    name: 'packages',
    description:
      'One row per distribution package, including those that left the config: these have 0 videos now.',
    role: 'dimension',
    key: ['package_key'],
    columns: [
      ...packageColumns('p'),
      sourceColumn('package_id', 'BIGINT', "The service's number of the package.", 'p.package_id'),
      column('is_retired', 'BOOLEAN', '1 if it left the config.', 'v.retired_at is not null'),
      ...figures(durationUnit),
      ...moments,
    ],
    from: `from package_span p
cross join live.package v on v.account = p.account and v.package_id = p.package_id`,
    count: 'select count(*) from live.package',
    invalid: [{ what: 'a negative count', where: 'min(video_count, removed_count) < 0' }],
  };
}

function figures(durationUnit: 'ms' | 's'): TableColumn[] {
  const seconds = `coalesce(${toSeconds('p.duration', durationUnit)}, 0)`;
  const last = 'Of a package that left the config, its videos until then; else NULL.';
  const served = 'How many videos the package had by the last answer of the service.';
  const length = 'Their playback length.';
  return [
    column('video_count', 'BIGINT', 'Videos now.', 'coalesce(p.videos, 0)', VIDEOS),
    column('removed_count', 'BIGINT', 'Removed videos.', REMOVED, VIDEOS),
    sourceColumn('last_video_count', 'BIGINT', last, 'v.last_count', VIDEOS),
    sourceColumn('service_video_count', 'BIGINT', served, 'v.totalcount', VIDEOS),
    column('duration_seconds', 'REAL', length, seconds, { unit: 'seconds', additivity: 'additive' }),
    ...size('size', 'Their file size', 'coalesce(p.bytes, 0)', {
      additivity: 'additive',
    }),
  ];
}

const moments = [
  instant('first_walked', 'End of the first walk over all its pages.', 'v.first_walked_at'),
  instant('walked', 'End of the last walk over all its pages.', 'v.walked_at'),
  instant('retired', 'When it left the config; NULL if it is in it.', 'v.retired_at'),
];
