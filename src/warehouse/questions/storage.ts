/** Storage: how fresh it is, its days, and its gaps. */
import { question } from './question.ts';

export interface StorageStanding {
  read_at: string | null;
  booked_through: string | null;
  open_gaps: number;
  given_up_gaps: number;
  booked: number;
  differing: number;
}

export const STORAGE = question<StorageStanding, { account: string; since: string }>(
  'How storage stands',
  'The newest live reading, the newest booked day; and of the days from `:since` on: the gaps, how many days are booked, and on how many of these the service said otherwise later.',
  `
select
  (select observed_at from storage_reading where account = :account order by reading_id desc limit 1) as read_at,
  (select max(date) from storage_day where account = :account and state = 'booked') as booked_through,
  (select count(*) from storage_gap where account = :account and date >= :since and given_up_at is null) as open_gaps,
  (select count(given_up_at) from storage_gap where account = :account and date >= :since) as given_up_gaps,
  (select count(*) from storage_day where account = :account and state = 'booked' and date >= :since) as booked,
  (select count(distinct date) from storage_discrepancy where account = :account and date >= :since) as differing`,
);

/** The sizes (bytes) and counts of one day; NULL where the service left a figure out. */
export interface StorageDayRow {
  date: string;
  state: 'live' | 'booked';
  observed_at: string;
  mov_org_size: number | null;
  encoder_size: number | null;
  ad_org_size: number | null;
  ad_encoder_size: number | null;
  image_size: number | null;
  mov_org_cnt: number | null;
  encoder_cnt: number | null;
  ad_org_cnt: number | null;
  ad_encoder_cnt: number | null;
  image_count: number | null;
}

export const STORAGE_DAYS = question<StorageDayRow, { account: string }>(
  'Storage by day',
  'Booked days, which stand for ever, and today while it is `live`; sizes in bytes.',
  `
select date, state, observed_at, mov_org_size, encoder_size, ad_org_size, ad_encoder_size, image_size,
  mov_org_cnt, encoder_cnt, ad_org_cnt, ad_encoder_cnt, image_count
from storage_day
where account = :account
order by date`,
);

export interface GapRow {
  date: string;
  first_missed_at: string;
  last_asked_at: string;
  given_up_at: string | null;
}

export const GAPS = question<GapRow, { account: string; since: string }>(
  'Days that the service did not serve',
  'Each is asked for again once a day until `given_up_at`.',
  `
select date, first_missed_at, last_asked_at, given_up_at
from storage_gap
where account = :account and date >= :since
order by date desc`,
);
