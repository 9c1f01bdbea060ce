/** How each package stood from day to day: one row for the days on which nothing changed, so that their number costs nothing. */
import type { WorkingTable } from '../mart.ts';
import { dayOf } from './movement-sql.ts';

/** The key of each package, made once and not for each video. In the order of the keys, in which the tables are filled. */
export const packageKeys: WorkingTable = {
  name: 'keyed',
  definition: '(package_key primary key, account, package_id) without rowid',
  select: `select account || '/' || package_id as package_key, account, package_id from live.package order by package_key`,
};

/** What is in each package now, and the day of its first change. */
export const packageTotal: WorkingTable = {
  name: 'package_total',
  definition:
    '(account, package_id, first_day, videos, duration, bytes, primary key (account, package_id)) without rowid',
  select: `select account, package_id, min(day), sum(begun - ended), sum(duration), sum(bytes)
from movement_by_day
group by account, package_id`,
};

/** The days of each package: from the first that it was seen on to the last that it was followed; `end_day` is the one after. */
export const packageSpan: WorkingTable = {
  name: 'package_span',
  definition: '(package_key primary key, account, package_id, first_day, changed_day, end_day) without rowid',
  select: `select package_key, account, package_id, min(coalesce(changed_day, walked_day), coalesce(walked_day, changed_day)),
  changed_day, date(min(:today, retired_day), '+1 day')
from (
  select k.*, t.first_day as changed_day, ${dayOf('p.first_walked_at')} as walked_day,
    case when p.retired_at is null then :today else ${dayOf('p.retired_at')} end as retired_day
  from keyed k
  cross join live.package p on p.account = k.account and p.package_id = k.package_id
  left join package_total t on t.account = k.account and t.package_id = k.package_id
)`,
};

const sumTo = (figure: string) => `sum(coalesce(${figure}, 0)) over days`;

/** How a package stood from one day up to another one, and what came, went and changed on the first of these. */
export const packageState: WorkingTable = {
  name: 'package_state',
  definition: `(package_key, account, package_id, from_day, until_day, videos, duration, bytes, added, removed, edited,
    primary key (package_key, from_day)) without rowid`,
  select: `select s.package_key, s.account, s.package_id, m.day, min(lead(m.day, 1, s.end_day) over days, s.end_day),
  ${sumTo('m.begun - m.ended')}, ${sumTo('m.duration')}, ${sumTo('m.bytes')},
  m.begun - (m.ended - m.removed), m.removed, m.ended - m.removed
from package_span s
cross join movement_by_day m on m.account = s.account and m.package_id = s.package_id
window days as (partition by s.package_key order by m.day)
union all
select package_key, account, package_id, first_day, min(coalesce(changed_day, end_day), end_day), 0, 0, 0, 0, 0, 0
from package_span
where first_day < coalesce(changed_day, end_day)`,
};
