/** Published: the size of each package by day. */
import type { MadeColumn, Table } from '../mart.ts';
import { dayColumns, GIB, inSeconds, packageColumns } from './columns.ts';

/**
 * Makes the table `movement`: what the states of all videos add to and take from their package, by minute. A live state
 * adds its video where it begins and takes it where it ends; where a live state follows another one, both fall on the same
 * moment. So what ends and is not removed was edited, and what begins and was no edit was added.
 */
export const createMovement = (schema: 'temp' | 'main') => `create table ${schema}.movement as
select account, package_id, substr(moment, 1, 16) as minute,
  sum(begun) as begun, sum(ended) as ended, sum(removed) as removed, sum(duration) as duration, sum(bytes) as bytes
from (
  select account, package_id, coalesce(removed_at, changed_at) as moment,
    removed_at is null as begun, 0 as ended, removed_at is not null as removed,
    case when removed_at is null then duration end as duration, case when removed_at is null then filesize end as bytes
  from video
  union all
  select account, package_id, valid_from, removed_at is null, 0, removed_at is not null,
    case when removed_at is null then duration end, case when removed_at is null then filesize end
  from video_version
  union all
  select account, package_id, valid_to, 0, 1, 0, -duration, -filesize
  from video_version where removed_at is null
)
group by account, package_id, minute`;

/** The same by day of the service's calendar, which `dates` knows. */
export const CREATE_MOVEMENT_BY_DAY = `create temp table movement_by_day as
select account, package_id, day, sum(begun) as begun, sum(ended) as ended, sum(removed) as removed,
  sum(duration) as duration, sum(bytes) as bytes
from (
  select *, (select day from dates where starts_at <= minute || ':00' order by starts_at desc limit 1) as day
  from movement
)
group by account, package_id, day`;

/** `package_day`: every day of each package, from the first that it was seen on to the last that it was followed. */
export const CREATE_PACKAGE_DAY = `create temp table package_day as
select f.account, f.package_id, f.package_key, d.day
from (
  select p.account, p.package_id, k.package_key, p.retired_at, min(
    coalesce((select min(m.minute) from movement m where m.account = p.account and m.package_id = p.package_id) || ':00', p.first_walked_at),
    coalesce(p.first_walked_at, '9999')
  ) as first_at
  from live.package p join keyed k using (account, package_id)
) f
join dates d on d.ends_at > f.first_at and d.day <= :today
  and (f.retired_at is null or d.starts_at <= f.retired_at)`;

const sumTo = (figure: string) =>
  `sum(coalesce(m.${figure}, 0)) over (partition by d.account, d.package_id order by d.day)`;

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
      ...packageColumns('d'),
      ...dayColumns('d.day'),
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
        ...count(
          'videos',
          `${sumTo('begun')} - ${sumTo('ended')}`,
          'Videos in the package at the end of the day.',
        ),
        additivity: 'semi-additive',
      },
      {
        name: 'duration_seconds',
        type: 'REAL',
        unit: 'seconds',
        description: 'Playback length of the videos in it at the end of the day.',
        source: null,
        additivity: 'semi-additive',
        value: inSeconds(sumTo('duration'), durationUnit),
      },
      {
        name: 'size_bytes',
        type: 'BIGINT',
        unit: 'bytes',
        description: 'File size of the videos in it at the end of the day.',
        source: null,
        additivity: 'semi-additive',
        value: sumTo('bytes'),
      },
      {
        name: 'size_gib',
        type: 'REAL',
        unit: 'GiB (2^30 bytes)',
        description: 'File size of the videos in it at the end of the day.',
        source: null,
        additivity: 'semi-additive',
        value: `${sumTo('bytes')} / ${GIB}`,
      },
      count(
        'added',
        'coalesce(m.begun - (m.ended - m.removed), 0)',
        'Videos that were new or returned on the day; on the first day of a package, all it has.',
      ),
      count('removed', 'coalesce(m.removed, 0)', 'Videos that were removed on the day.'),
      count('edited', 'coalesce(m.ended - m.removed, 0)', 'Changes of videos that stayed, on the day.'),
    ],
    from: `from package_day d
left join movement_by_day m on m.account = d.account and m.package_id = d.package_id and m.day = d.day
order by d.account, d.package_id, d.day`,
    count: 'select count(*) from package_day',
  };
}
