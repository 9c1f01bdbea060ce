/** How the states of all videos change their packages, by day of the service's calendar. */
import type { WorkingTable } from '../mart.ts';
import { dates } from './dates.ts';

/**
 * 1 if a removal ended a stored state. A video that was removed before vodhouse stored former states has none: it was never
 * counted as added, so it is not counted as removed.
 */
const removal = (state: string) => `case when ${state}.removed_at is null then 0 else exists (
      select 1 from live.video_version b
      where b.account = ${state}.account and b.package_id = ${state}.package_id and b.id = ${state}.id
        and b.change_seq < ${state}.change_seq
    ) end`;

const STATE_SPAN_COLUMNS = `sum(is_live), sum(removal),
  sum(case when is_live then duration end), sum(case when is_live then filesize end)`;

/**
 * The states of a package's videos by the minutes in which they began and ended: how many are live, how many are removals,
 * and the duration and size of the live ones. A walk stores many changes in a minute, so there are far fewer rows than states.
 * Each table is grouped by itself, so that SQLite sorts within a package only.
 */
export const stateSpan: WorkingTable = {
  kind: 'working',
  name: 'state_span',
  definition: '(account, package_id, since, till, live, removed, duration, bytes)',
  select: `select account, package_id, substr(coalesce(removed_at, changed_at), 1, 16) as since, null as till, ${STATE_SPAN_COLUMNS}
from (select v.*, removed_at is null as is_live, ${removal('v')} as removal from live.video v)
group by account, package_id, since
union all
select account, package_id, substr(valid_from, 1, 16) as since, substr(valid_to, 1, 16) as till, ${STATE_SPAN_COLUMNS}
from (select v.*, removed_at is null as is_live, ${removal('v')} as removal from live.video_version v)
group by account, package_id, since, till`,
};

/**
 * The start of each day of the calendar, to find the day of a time. Two days start at the same time if a zone skipped one.
 * The types are those of the compared columns: SQLite does not search an index that needs a conversion.
 */
export const dayStart: WorkingTable = {
  kind: 'working',
  name: 'day_start',
  definition: '(starts_at timestamp, day date, primary key (starts_at, day)) without rowid',
  select: 'select starts_at, day from dates',
};

/** SQL for the day of a time; NULL before the calendar starts. */
export function selectDay(time: string): string {
  return `(select day from day_start where starts_at <= ${time} order by starts_at desc, day desc limit 1)`;
}

/**
 * A live state adds its video when it begins and subtracts it when it ends. If another live state follows, both happen at
 * the same time. So a state that ends without a removal is an edit, and a state that begins without an edit is an addition.
 */
export const movementByDay: WorkingTable = {
  kind: 'working',
  name: 'movement_by_day',
  definition: `(account, package_id, day, begun, ended, removed, duration, bytes,
    primary key (account, package_id, day)) without rowid`,
  select: `select account, package_id, day, sum(begun), sum(ended), sum(removed), sum(duration), sum(bytes)
from (
  select account, package_id, ${selectDay("since || ':00'")} as day, live as begun, 0 as ended, removed, duration, bytes
  from state_span
  union all
  select account, package_id, ${selectDay("till || ':00'")}, 0, live, 0, -duration, -bytes
  from state_span where till is not null and live > 0
)
group by account, package_id, day`,
};

/** In the order in which they are filled. They need no other table, so the helper process can fill them. */
export const MOVEMENT_TABLES = [stateSpan, dates, dayStart, movementByDay] as const;
