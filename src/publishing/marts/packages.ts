/** Published: packages. */
import type { Table, TableColumn } from '../mart.ts';
import { column, GIB, GIB_UNIT, nonEmpty, packageColumns, sourceColumn, toSeconds } from './mart-columns.ts';

const SIZE = 'File size of the videos in the package now.';

function sum(name: string, type: 'BIGINT' | 'REAL', unit: string, description: string, value: string) {
  return column(name, type, description, `coalesce(${value}, 0)`, { unit, additivity: 'additive' });
}

function timestamp(name: string, description: string): TableColumn {
  return sourceColumn(name, 'TIMESTAMP', description, `v.${name}`);
}

/** One row per package. */
export function packages(durationUnit: 'ms' | 's'): Table {
  return {
    kind: 'table',
    name: 'packages',
    description: 'One row per distribution package, including those that are no longer in the config.',
    key: ['package_key'],
    foreignKeys: [],
    columns: [
      ...packageColumns('p'),
      column(
        'package_name',
        'VARCHAR(255)',
        'Name of the package in the config; its id if it has no name.',
        `coalesce(${nonEmpty('name')}, cast(v.package_id as text))`,
        { source: 'name' },
      ),
      sum('videos', 'BIGINT', 'videos', 'Videos in the package now.', 's.videos'),
      sum(
        'videos_removed',
        'BIGINT',
        'videos',
        'Videos that were in the package and are no longer.',
        `(select count(*) from videos k where k.package_key = p.package_key) - coalesce(s.videos, 0)`,
      ),
      sum(
        'duration_seconds',
        'REAL',
        'seconds',
        'Playback length of the videos in the package now.',
        toSeconds('s.duration', durationUnit),
      ),
      sum('size_bytes', 'BIGINT', 'bytes', SIZE, 's.bytes'),
      sum('size_gib', 'REAL', GIB_UNIT, SIZE, `s.bytes / ${GIB}`),
      sourceColumn(
        'service_count',
        'BIGINT',
        'How many videos the package had by the last answer of the service.',
        'v.totalcount',
        { unit: 'videos', additivity: 'additive' },
      ),
      column(
        'is_order_trusted',
        'BOOLEAN',
        '0 if the service does not list the package by id: removals then need another proof. NULL before the first walk.',
        `v."order" = 'trusted'`,
      ),
      timestamp('first_walked_at', 'End of the first walk over all its pages.'),
      timestamp('walked_at', 'End of the last walk over all its pages.'),
      timestamp('looked_at', 'End of the last full walk, or of the last quick walk that checked it.'),
      column('is_retired', 'BOOLEAN', '1 if it is no longer in the config.', 'v.retired_at is not null'),
      timestamp('retired_at', 'When the package was first missing from the config.'),
    ],
    from: `from package_keys p
cross join live.package v on v.account = p.account and v.package_id = p.package_id
left join package_total s on s.account = p.account and s.package_id = p.package_id`,
    count: 'select count(*) from live.package',
    invalid: [{ what: 'a negative count', where: 'min(videos, videos_removed) < 0' }],
  };
}
