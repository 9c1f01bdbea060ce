/** How the states of all videos change their packages, by day of the service's calendar. */
import { CHANGES } from '../../database/schema/videos.ts';
import type { WorkingTable } from '../mart.ts';

const COUNTS = CHANGES.map((change) => `sum(change = '${change}')`).join(', ');
const MEASURES =
  'count(*) filter (where removed_at is null), sum(case when removed_at is null then duration end), sum(case when removed_at is null then filesize end)';

/**
 * The states of a package's videos by the minutes in which they began and ended: the changes that led to them, and number, duration
 * and size of those that are not removed. A walk stores many changes in a minute, so there are far fewer rows than states.
 * Each table is grouped by itself, so that SQLite sorts within a package only.
 */
export const stateSpan: WorkingTable = {
  kind: 'working',
  name: 'state_span',
  definition: `(account, package_id, since, till, ${CHANGES.join(', ')}, videos, duration, bytes)`,
  select: `select account, package_id, substr(coalesce(removed_at, changed_at), 1, 16) as since, null as till, ${COUNTS}, ${MEASURES}
from live.video group by account, package_id, since
union all
select account, package_id, substr(valid_from, 1, 16) as since, substr(valid_to, 1, 16) as till, ${COUNTS}, ${MEASURES}
from live.video_version group by account, package_id, since, till`,
};

const SUMS = [...CHANGES, 'videos', 'duration', 'bytes'].map((name) => `sum(${name})`).join(', ');

/** A state that is not removed adds its video when it begins, and subtracts it when it ends. */
export const movementByDay: WorkingTable = {
  kind: 'working',
  name: 'movement_by_day',
  definition: `(account, package_id, day, ${CHANGES.join(', ')}, videos, duration, bytes,
    primary key (account, package_id, day)) without rowid`,
  select: `select account, package_id, day, ${SUMS}
from (
  select account, package_id, service_day(since || ':00') as day, ${CHANGES.join(', ')}, videos, duration, bytes from state_span
  union all
  select account, package_id, service_day(till || ':00'), ${CHANGES.map(() => '0').join(', ')}, -videos, -duration, -bytes
  from state_span where till is not null and videos > 0
)
group by account, package_id, day`,
};
