/** Published: the size of each package by day. */
import type { Table } from '../mart.ts';
import {
  column,
  dayColumnsFromDates,
  GIB,
  GIB_UNIT,
  packageColumns,
  TO_DATES,
  TO_PACKAGES,
  toSeconds,
} from './mart-columns.ts';

const SIZE = 'File size of the videos in the package at the end of the day.';
const LENGTH = 'Playback length of the videos in the package at the end of the day.';
const COUNT = { unit: 'videos', additivity: 'additive' } as const;
const level = (unit: string) => ({ unit, additivity: 'semi-additive' }) as const;

/** A change counts on the first day of the state that it led to. */
const onFirstDay = (figure: string) => `case when d.day = s.from_day then s.${figure} else 0 end`;

/** One row per day of a package. */
export function catalogDaily(durationUnit: 'ms' | 's'): Table {
  return {
    kind: 'table',
    name: 'catalog_daily',
    description:
      'One row per day of a package, from its first sync to today (or to the day it left the config): what the warehouse knew of it at the end of the day. A change counts on the day it was seen, a removal on the day of its proof. A package that left the config and came back is shown as if it had stayed.',
    key: ['package_key', 'day'],
    foreignKeys: [TO_PACKAGES, TO_DATES],
    columns: [
      ...packageColumns('s'),
      ...dayColumnsFromDates('d'),
      column('is_live', 'BOOLEAN', '1 for the day that is not over yet.', 'd.day = :today'),
      column(
        'is_first_day',
        'BOOLEAN',
        '1 until the day of the first full walk of a package: the videos of a first import count as added. Leave these days out of charts of additions.',
        'd.day <= coalesce(f.walked_day, d.day)',
      ),
      column('videos', 'BIGINT', 'Videos in the package at the end of the day.', 's.videos', level('videos')),
      column('duration_seconds', 'REAL', LENGTH, toSeconds('s.duration', durationUnit), level('seconds')),
      column('size_bytes', 'BIGINT', SIZE, 's.bytes', level('bytes')),
      column('size_gib', 'REAL', SIZE, `s.bytes / ${GIB}`, level(GIB_UNIT)),
      column(
        'added',
        'BIGINT',
        'Videos that were new or returned on the day; while is_first_day is 1, all its videos.',
        onFirstDay('added'),
        COUNT,
      ),
      column('removed', 'BIGINT', 'Videos that were removed on the day.', onFirstDay('removed'), COUNT),
      column('edited', 'BIGINT', 'Changes on the day of videos that stayed.', onFirstDay('edited'), COUNT),
    ],
    from: `from package_state s
cross join package_span f on f.package_key = s.package_key
cross join dates d on d.day >= s.from_day and d.day < s.until_day`,
    count: `select cast(coalesce(sum(julianday(end_day) - julianday(first_day)), 0) as integer)
from package_span where first_day < end_day`,
    invalid: [{ what: 'a negative count', where: 'min(videos, added, removed, edited) < 0' }],
  };
}
