/** The size of each package over time: one row for a range of days without a change, so the number of days costs nothing. */
import type { WorkingTable } from '../mart.ts';
import { selectDay } from './movements.ts';

/** The key of each package, computed once instead of for each video. Sorted by it, because the tables are filled in this order. */
export const packageKeys: WorkingTable = {
  kind: 'working',
  name: 'package_keys',
  definition: '(package_key primary key, account, package_id) without rowid',
  select: `select account || '/' || package_id as package_key, account, package_id from live.package order by package_key`,
};

/** The present size of each package, and the day of its first change. */
export const packageTotal: WorkingTable = {
  kind: 'working',
  name: 'package_total',
  definition:
    '(account, package_id, first_day, videos, duration, bytes, primary key (account, package_id)) without rowid',
  select: `select account, package_id, min(day), sum(begun - ended), sum(duration), sum(bytes)
from movement_by_day
group by account, package_id`,
};

/** The days of each package, from the first day it was seen to the last day it was in the config; `end_day` is the day after. */
export const packageSpan: WorkingTable = {
  kind: 'working',
  name: 'package_span',
  definition:
    '(package_key primary key, account, package_id, first_day, changed_day, walked_day, end_day) without rowid',
  select: `select package_key, account, package_id, min(coalesce(changed_day, walked_day), coalesce(walked_day, changed_day)),
  changed_day, walked_day, date(min(:today, retired_day), '+1 day')
from (
  select k.*, t.first_day as changed_day, ${selectDay('p.first_walked_at')} as walked_day,
    case when p.retired_at is null then :today else ${selectDay('p.retired_at')} end as retired_day
  from package_keys k
  cross join live.package p on p.account = k.account and p.package_id = k.package_id
  left join package_total t on t.account = k.account and t.package_id = k.package_id
)`,
};

const runningSum = (figure: string) => `sum(coalesce(${figure}, 0)) over days`;

/** The size of a package from one day until another, and what was added, removed and edited on the first of these days. */
export const packageState: WorkingTable = {
  kind: 'working',
  name: 'package_state',
  definition: `(package_key, account, package_id, from_day, until_day, videos, duration, bytes, added, removed, edited,
    primary key (package_key, from_day)) without rowid`,
  select: `select s.package_key, s.account, s.package_id, m.day, min(lead(m.day, 1, s.end_day) over days, s.end_day),
  ${runningSum('m.begun - m.ended')}, ${runningSum('m.duration')}, ${runningSum('m.bytes')},
  m.begun - (m.ended - m.removed), m.removed, m.ended - m.removed
from package_span s
cross join movement_by_day m on m.account = s.account and m.package_id = s.package_id
window days as (partition by s.package_key order by m.day)
union all
select package_key, account, package_id, first_day, min(coalesce(changed_day, end_day), end_day), 0, 0, 0, 0, 0, 0
from package_span
where first_day < coalesce(changed_day, end_day)`,
};
