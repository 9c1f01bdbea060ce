/** Published: the size of each package by day. */
import type { MadeColumn, Table } from '../mart.ts';
import { dayOfCalendarColumns, GIB, inSeconds, packageColumns } from './mart-columns.ts';

/** What came about on the day that a state of the package began on. */
const onFirst = (figure: string) => `case when d.day = s.from_day then s.${figure} else 0 end`;

function count(name: string, value: string, description: string): MadeColumn {
  return { name, type: 'BIGINT', unit: 'videos', description, source: null, additivity: 'additive', value };
}

/** One row a day of a package. */
export function catalogDaily(durationUnit: 'ms' | 's'): Table {
  return {
    kind: 'table',
    name: 'catalog_daily',
    description:
      'One row a day of a package, from its first sync to today (or the day it left the config): what the warehouse knew of it when the day ended. A change counts on the day it was seen, a removal on the day of its proof; a package that left the config and came back goes on as if it had stayed.',
    key: ['package_key', 'day'],
    foreignKeys: [
      { columns: ['package_key'], table: 'packages', references: ['package_key'] },
      { columns: ['day'], table: 'dates', references: ['day'] },
    ],
    columns: [
      ...packageColumns('s'),
      ...dayOfCalendarColumns('d'),
      {
        name: 'is_live',
        type: 'BOOLEAN',
        unit: '0 or 1',
        description: '1 for the day that is not over yet.',
        source: null,
        additivity: null,
        value: 'd.day = :today',
      },
      {
        ...count('videos', 's.videos', 'Videos in the package at the end of the day.'),
        additivity: 'semi-additive',
      },
      {
        name: 'duration_seconds',
        type: 'REAL',
        unit: 'seconds',
        description: 'Playback length of the videos in it at the end of the day.',
        source: null,
        additivity: 'semi-additive',
        value: inSeconds('s.duration', durationUnit),
      },
      {
        name: 'size_bytes',
        type: 'BIGINT',
        unit: 'bytes',
        description: 'File size of the videos in it at the end of the day.',
        source: null,
        additivity: 'semi-additive',
        value: 's.bytes',
      },
      {
        name: 'size_gib',
        type: 'REAL',
        unit: 'GiB (2^30 bytes)',
        description: 'File size of the videos in it at the end of the day.',
        source: null,
        additivity: 'semi-additive',
        value: `s.bytes / ${GIB}`,
      },
      count(
        'added',
        onFirst('added'),
        'Videos that were new or returned on the day; on the first day of a package, all it has.',
      ),
      count('removed', onFirst('removed'), 'Videos that were removed on the day.'),
      count('edited', onFirst('edited'), 'Changes of videos that stayed, on the day.'),
    ],
    from: `from package_state s
cross join dates d on d.day >= s.from_day and d.day < s.until_day`,
    count: `select cast(coalesce(sum(julianday(end_day) - julianday(first_day)), 0) as integer)
from package_span where first_day < end_day`,
    never: [{ what: 'a negative count', where: 'min(videos, added, removed, edited) < 0' }],
  };
}
