/** Published: the size of each package by day. A range of days without a change has one working row. */
import { CHANGES } from '../../database/schema/values.ts';
import type { Table, TableColumn, WorkingTable } from './mart.ts';
import { column, DAY, monthEndColumn, packageColumns, size, toSeconds } from './mart-columns.ts';

/** The key and the unique name of each package, in the order in which tables are filled: by key. */
export const packageKeys: WorkingTable = {
  kind: 'working',
  name: 'package_keys',
  definition: '(package_key primary key, account, package_id, package_name) without rowid',
  select: `select package_key, account, package_id,
  case when name is null then package_key when count(*) over (partition by name) = 1 then name
    else name || ' (' || package_key || ')' end
from (
  select account || '/' || package_id as package_key, account, package_id,
    nullif(without_nul(name), '') as name
  from live.package
) order by package_key`,
};

/** `YYYY-MM-DD HH:MM` of a time. */
const toMinute = (time: string) => `substr(${time}, 1, 16)`;
/** The names of the columns that count changes, and a 0 for each. */
const CHANGE_NAMES = CHANGES.join(', ');
const NO_CHANGES = CHANGES.map(() => '0').join(', ');
const COUNTS = CHANGES.map((change) => `sum(change = '${change}')`).join(', ');
const MEASURES = `count(*) filter (where removed_at is null),
  sum(case when removed_at is null then duration end),
  sum(case when removed_at is null then filesize end)`;

/**
 * The states of a package's videos by the minutes in which they began and ended: the changes that led to
 * them, and number, duration and size of those that are not removed. A walk stores many changes in a minute,
 * so there are far fewer rows than states. Each table is grouped by itself, so that SQLite sorts within a
 * package only.
 */
export const stateSpan: WorkingTable = {
  kind: 'working',
  name: 'state_span',
  definition: `(account, package_id, since, till, ${CHANGE_NAMES}, videos, duration, bytes)`,
  select: `select account, package_id, ${toMinute('changed_at')} as since, null as till,
  ${COUNTS}, ${MEASURES}
from live.video group by account, package_id, since
union all
select account, package_id, ${toMinute('changed_at')} as since, ${toMinute('valid_to')} as till,
  ${COUNTS}, ${MEASURES}
from live.video_version group by account, package_id, since, till`,
};

const SUMS = [...CHANGES, 'videos', 'duration', 'bytes'].map((name) => `sum(${name})`).join(', ');

/** A state that is not removed adds its video when it begins, and subtracts it when it ends. */
export const movementByDay: WorkingTable = {
  kind: 'working',
  name: 'movement_by_day',
  definition: `(account, package_id, day, ${CHANGE_NAMES}, videos, duration, bytes,
    primary key (account, package_id, day)) without rowid`,
  select: `select account, package_id, day, ${SUMS}
from (
  select account, package_id, service_day(since || ':00') as day, ${CHANGE_NAMES}, videos, duration, bytes
  from state_span
  union all
  select account, package_id, service_day(till || ':00'), ${NO_CHANGES}, -videos, -duration, -bytes
  from state_span where till is not null and videos > 0
)
group by account, package_id, day`,
};

/**
 * The present size of each package, and its days, from the first day it was seen to today: `changed_day` is
 * that of its first change, `end_day` is the day after today.
 */
export const packageSpan: WorkingTable = {
  kind: 'working',
  name: 'package_span',
  definition: `(package_key primary key, account, package_id, package_name, videos, duration, bytes,
    first_day, changed_day, end_day) without rowid`,
  select: `select package_key, account, package_id, package_name, videos, duration, bytes,
  min(coalesce(changed_day, walked_day), coalesce(walked_day, changed_day)), changed_day,
  date(:today, '+1 day')
from (
  select k.*, t.videos, t.duration, t.bytes, t.changed_day, service_day(p.first_walked_at) as walked_day
  from package_keys k
  cross join live.package p on p.account = k.account and p.package_id = k.package_id
  left join (
    select account, package_id, min(day) as changed_day, sum(videos) as videos, sum(duration) as duration,
      sum(bytes) as bytes
    from movement_by_day group by account, package_id
  ) t on t.account = k.account and t.package_id = k.package_id
)`,
};

const runningSum = (figure: string) => `sum(coalesce(${figure}, 0)) over days`;

/** The size of a package from one day until another, and the changes on the first of these days. */
export const packageState: WorkingTable = {
  kind: 'working',
  name: 'package_state',
  definition: `(package_key, from_day, until_day, videos, duration, bytes, ${CHANGE_NAMES},
    primary key (package_key, from_day)) without rowid`,
  select: `select s.package_key, m.day, min(lead(m.day, 1, s.end_day) over days, s.end_day),
  ${runningSum('m.videos')}, ${runningSum('m.duration')}, ${runningSum('m.bytes')}, ${CHANGE_NAMES}
from package_span s
cross join movement_by_day m on m.account = s.account and m.package_id = s.package_id
window days as (partition by s.package_key order by m.day)
union all
select package_key, first_day, min(coalesce(changed_day, end_day), end_day), 0, 0, 0, ${NO_CHANGES}
from package_span
where first_day < coalesce(changed_day, end_day)`,
};

const level = (unit: string) => ({ unit, additivity: 'semi-additive' }) as const;

/** A change counts on the first day of the state that it led to. */
function count(change: string, description: string): TableColumn {
  const value = `case when d.day = s.from_day then s.${change} else 0 end`;
  return column(`${change}_count`, 'BIGINT', description, value, { unit: 'videos', additivity: 'additive' });
}

function figures(durationUnit: 'ms' | 's'): TableColumn[] {
  const videos = 'Videos at the end of the day.';
  const length = 'Their playback length.';
  const bytes = 'Their file size';
  return [
    column('video_count', 'BIGINT', videos, 's.videos', level('videos')),
    column('duration_seconds', 'REAL', length, toSeconds('s.duration', durationUnit), level('seconds')),
    ...size('size', bytes, 's.bytes', level('bytes')),
    count('imported', 'Videos first seen before the first full walk ended.'),
    count('added', 'New videos.'),
    count('edited', 'Edits.'),
    count('removed', 'Removed videos.'),
    count('restored', 'Removed videos that were listed again.'),
    count('retired', 'Videos that left with the package.'),
    count('returned', 'Videos that were listed again after it came back.'),
  ];
}

/** One row per day of a package. */
export function packageDaily(durationUnit: 'ms' | 's'): Table {
  return {
    kind: 'table',
    name: 'package_daily',
    description:
      'One row per day of a package, from its first sync to today: what the warehouse knew of it at the end of the day. A change counts on the day it was stored. video_count is that of the day before + imported + added + restored + returned - removed - retired.',
    role: 'fact',
    key: ['package_key', 'day'],
    foreignKeys: ['package_key', 'day'],
    columns: [
      ...packageColumns('f'),
      DAY,
      column('is_live', 'BOOLEAN', '1 for the day that is not over yet.', 'd.day = :today'),
      column(
        'is_walked',
        'BOOLEAN',
        '1 if a walk over the package ended on the day; 0: nothing is known of the day, what changed on it counts later.',
        'w.date is not null',
      ),
      monthEndColumn('day', `date(d.day, '+1 day') in (d.month_end, f.end_day)`),
      ...figures(durationUnit),
    ],
    from: `from package_state s
cross join package_span f on f.package_key = s.package_key
cross join (select day, date(month_start, '+1 month') as month_end from dates) d
  on d.day >= s.from_day and d.day < s.until_day
left join live.package_day w on w.account = f.account and w.package_id = f.package_id and w.date = d.day`,
    count: `select cast(coalesce(sum(julianday(end_day) - julianday(first_day)), 0) as integer)
from package_span where first_day < end_day`,
    invalid: [
      {
        what: 'a negative count',
        where: `min(video_count, ${CHANGES.map((change) => `${change}_count`).join(', ')}) < 0`,
      },
    ],
  };
}
