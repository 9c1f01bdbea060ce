/** The figures of the tiles of the status page. */
import { query } from '../../database/query.ts';
import { STORAGE_KINDS } from '../../lib/service-fields.ts';

export interface VideoChanges {
  inserted: number;
  restored: number;
  removed: number;
}

export const VIDEO_CHANGES = query<VideoChanges, { at: string }>(
  'How many videos came and went today',
  'Counted by the walks of the runs that began at `:at` or later: midnight of the service, in UTC.',
  `
select coalesce(sum(inserted), 0) as inserted, coalesce(sum(restored), 0) as restored, coalesce(sum(removed), 0) as removed
from walk
where run_id > coalesce((select run_id from run where started_at < :at order by run_id desc limit 1), 0)`,
);

export interface StorageTotal {
  date: string;
  state: 'live' | 'booked';
  /** The sum of the sizes that the service provided. */
  bytes: number;
  /** A digit for each size: 1 if the service provided it. */
  known: string;
}

const figure = (name: string) => `iif(c.account is null, d.${name}, c.${name})`;
const SIZES = STORAGE_KINDS.map(({ size }) => figure(size));

export const STORAGE_TOTALS = query<StorageTotal, { account: string }>(
  'The size of storage now and a week before',
  'The newest day, and the newest one that is at least seven days older. `known` has a 1 for each size that the service provided.',
  `
with newest as (select max(date) as date from storage_day where account = :account),
older as (select max(date) as date from storage_day where account = :account and date <= (select date(date, '-7 days') from newest))
select d.date, d.state,
  ${SIZES.map((size) => `coalesce(${size}, 0)`).join('\n    + ')} as bytes,
  ${SIZES.map((size) => `(${size} is not null)`).join('\n    || ')} as known
from storage_day d
left join storage_correction c on c.account = d.account and c.date = d.date and c.accepted_at = (
  select max(accepted_at) from storage_correction where account = d.account and date = d.date)
where d.account = :account and d.date in (select date from newest union all select date from older)
order by d.date desc`,
);
