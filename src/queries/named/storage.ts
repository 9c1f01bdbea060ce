/** Storage: its status, its days and its gaps. */
import { query } from '../../database/query.ts';
import type { storageDay, storageGap } from '../../database/schema/storage.ts';
import { FIGURES } from '../../service/service-fields.ts';

export interface StorageStatus {
  read_at: string | null;
  booked_through: string | null;
  open_gaps: number;
  given_up_gaps: number;
  booked: number;
  differing: number;
}

/** A day whose implausible figures wait for a second reading. */
export interface WaitingDay {
  date: string;
  /** Why the figures are implausible; NULL if the service has not returned a later day yet. */
  reason: string | null;
  /** When the figures were first returned. */
  since: string;
}

/**
 * The status of storage: the newest live reading and the newest booked day, and of the days from `:since` on
 * the gaps, the booked days, and the booked days for which the service now returns other figures.
 */
export const STORAGE = query<StorageStatus, { account: string; since: string }>(`
select
  (select observed_at from storage_reading
    where account = :account order by reading_id desc limit 1) as read_at,
  (select max(date) from storage_day where account = :account and state = 'booked') as booked_through,
  (select count(*) from storage_gap
    where account = :account and date >= :since and given_up_at is null
      and reason <> 'unconfirmed') as open_gaps,
  (select count(given_up_at) from storage_gap where account = :account and date >= :since) as given_up_gaps,
  (select count(*) from storage_day
    where account = :account and state = 'booked' and date >= :since) as booked,
  (select count(distinct date) from storage_discrepancy
    where account = :account and date >= :since and resolved_at is null) as differing`);

/**
 * Days whose figures are implausible, and that wait for a second reading: they are booked once the service
 * returns the same figures at least an hour later.
 */
export const WAITING_DAYS = query<WaitingDay, { account: string }>(`
select g.date, u.reason, coalesce(u.observed_at, g.first_missed_at) as since
from storage_gap g
left join storage_unconfirmed u on u.account = g.account and u.date = g.date
where g.account = :account and g.reason = 'unconfirmed' and g.given_up_at is null
order by g.date desc`);

/**
 * Booked days that the service reports differently, until it returns the booked figures again, or `vodhouse
 * correct` accepts the new ones.
 */
export const OPEN_DISCREPANCIES = query<
  { date: string; fields: number; since: string },
  { account: string }
>(`
select date, count(distinct field) as fields, min(observed_at) as since
from storage_discrepancy
where account = :account and resolved_at is null
group by date
order by date desc`);

/** The figures of one day. `is_corrected`: 1 if they are those of a correction. */
export type StorageDayRow = Omit<typeof storageDay.$inferSelect, 'account'> & { is_corrected: 0 | 1 };

const SHOWN = FIGURES.map(
  (name) => `case when c.account is null then d.${name} else c.${name} end as ${name}`,
);

/**
 * Storage by day, the newest first: booked days, which never change, with the figures of their newest
 * correction if there is one; and today, which is `live`. Sizes in bytes.
 */
export const STORAGE_DAYS = query<StorageDayRow, { account: string; limit: number }>(`
select d.date, d.state, d.observed_at, c.account is not null as is_corrected,
  ${SHOWN.join(',\n  ')}
from storage_day d
left join storage_correction c on c.account = d.account and c.date = d.date and c.accepted_at = (
  select max(accepted_at) from storage_correction where account = d.account and date = d.date)
where d.account = :account
order by d.date desc
limit :limit`);

export type GapRow = Omit<typeof storageGap.$inferSelect, 'account' | 'requested_days'>;

/**
 * Past days that are not booked. Each is requested again once a day until `given_up_at`, then once a month.
 * `reason`: not returned (`missing`), not a complete record (`incomplete`), or implausible (`unconfirmed`).
 */
export const GAPS = query<GapRow, { account: string; since: string }>(`
select date, reason, first_missed_at, last_requested_at, given_up_at
from storage_gap
where account = :account and date >= :since
order by date desc`);
