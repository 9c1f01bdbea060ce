/** Published: packages. */
import type { Table } from '../mart.ts';
import { flag, GIB, inSeconds, moment, number, packageColumns, text } from './mart-columns.ts';
import type { VideoOptions } from './videos.ts';

/** One row a package. */
export function packages({ durationUnit }: VideoOptions): Table {
  const seconds = inSeconds('s.duration', durationUnit);
  const sum = (name: string, type: 'BIGINT' | 'REAL', unit: string, value: string, description: string) => ({
    ...number(name, type, unit, '', 'additive', `coalesce(${value}, 0)`, description),
    source: null,
  });
  return {
    kind: 'table',
    name: 'packages',
    description: 'One row a distribution package, also of those that are no longer in the config.',
    key: ['package_key'],
    foreignKeys: [],
    columns: [
      ...packageColumns('p'),
      {
        ...text('package_name', 'name', 'Name of the package in the config; its id where it has none.'),
        value: `coalesce(nullif(v.name, ''), cast(v.package_id as text))`,
      },
      sum('videos', 'BIGINT', 'videos', 's.videos', 'Videos in the package now.'),
      sum(
        'videos_removed',
        'BIGINT',
        'videos',
        `(select count(*) from videos k where k.package_key = p.package_key) - coalesce(s.videos, 0)`,
        'Videos that were in the package and are no longer.',
      ),
      sum('duration_seconds', 'REAL', 'seconds', seconds, 'Playback length of the videos in it now.'),
      sum('size_bytes', 'BIGINT', 'bytes', 's.bytes', 'File size of the videos in it now.'),
      sum('size_gib', 'REAL', 'GiB (2^30 bytes)', `s.bytes / ${GIB}`, 'File size of the videos in it now.'),
      {
        ...number(
          'service_count',
          'BIGINT',
          'videos',
          'totalcount',
          'additive',
          'v.totalcount',
          'How many videos the service said the package has, when it was last walked or looked at.',
        ),
      },
      flag(
        'is_order_trusted',
        '0 where the service does not list the package by id: removals wait for another proof there. NULL before the first walk.',
        `v."order" = 'trusted'`,
      ),
      moment('first_walked_at', 'first_walked_at', 'End of the first walk over all its pages.'),
      moment('walked_at', 'walked_at', 'End of the last walk over all its pages.'),
      moment(
        'looked_at',
        'looked_at',
        'When the end of its list was last looked at for what is new or gone, or was to be.',
      ),
      flag('is_retired', '1 where the package is no longer in the config.', 'v.retired_at is not null'),
      moment('retired_at', 'retired_at', 'When it was no longer in the config.'),
    ],
    from: `from keyed p
cross join live.package v on v.account = p.account and v.package_id = p.package_id
left join package_total s on s.account = p.account and s.package_id = p.package_id`,
    count: 'select count(*) from live.package',
    never: [{ what: 'a negative count', where: 'min(videos, videos_removed) < 0' }],
  };
}
