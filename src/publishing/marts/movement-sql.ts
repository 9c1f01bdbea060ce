/** What the states of all videos add to and take from their packages, by day of the service's calendar. */
import type { WorkingTable } from '../mart.ts';

/**
 * 1 where a removal ended a state that is kept. A video that was removed before former states were kept has none: it was never
 * counted as there, and does not go.
 */
const removal = (state: string) => `case when ${state}.removed_at is null then 0 else exists (
      select 1 from live.video_version b
      where b.account = ${state}.account and b.package_id = ${state}.package_id and b.id = ${state}.id
        and b.change_seq < ${state}.change_seq
    ) end`;

/**
 * How many live states of a package's videos held from one minute to another one, what they weigh, and how many removals held.
 * A walk stores many changes in a minute, so these rows are few: a fraction of the states.
 */
export const stateSpan: WorkingTable = {
  name: 'state_span',
  definition: '(account, package_id, since, till, live, removed, duration, bytes)',
  select: `select account, package_id, substr(since, 1, 16), substr(till, 1, 16), sum(is_live), sum(removal),
  sum(case when is_live then duration end), sum(case when is_live then filesize end)
from (
  select account, package_id, coalesce(removed_at, changed_at) as since, null as till, removed_at is null as is_live,
    ${removal('v')} as removal, duration, filesize
  from live.video v
  union all
  select account, package_id, valid_from, valid_to, removed_at is null, ${removal('v')}, duration, filesize
  from live.video_version v
)
group by 1, 2, 3, 4`,
};

/**
 * Where each day of the calendar begins, to be found by a moment. Two days begin at one moment where a zone left one out.
 * With the types of what it is compared to: SQLite does not search an index whose type it has to convert.
 */
export const dayStart: WorkingTable = {
  name: 'day_start',
  definition: '(starts_at timestamp, day date, primary key (starts_at, day)) without rowid',
  select: 'select starts_at, day from dates',
};

/** The day that a moment (an SQL expression) falls on; NULL before the calendar begins. */
export function dayOf(moment: string): string {
  return `(select day from day_start where starts_at <= ${moment} order by starts_at desc, day desc limit 1)`;
}

/**
 * A live state adds its video where it begins and takes it where it ends; where a live state follows another one, both fall
 * on the same moment. So what ends and is not removed was edited, and what begins and was no edit was added.
 */
export const movementByDay: WorkingTable = {
  name: 'movement_by_day',
  definition: `(account, package_id, day, begun, ended, removed, duration, bytes,
    primary key (account, package_id, day)) without rowid`,
  select: `select account, package_id, day, sum(begun), sum(ended), sum(removed), sum(duration), sum(bytes)
from (
  select account, package_id, ${dayOf("since || ':00'")} as day, live as begun, 0 as ended, removed, duration, bytes
  from state_span
  union all
  select account, package_id, ${dayOf("till || ':00'")}, 0, live, 0, -duration, -bytes
  from state_span where till is not null and live > 0
)
group by account, package_id, day`,
};
