/** What the published file says of itself, and by which the next publication knows whether anything changed. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { toTimestamp } from '../lib/clock.ts';
import { addDays } from '../lib/days.ts';
import type { PublishRequest } from './publish-request.ts';

/** Number of this shape of the published file; a file of another shape is made anew. */
export const SHAPE = 2;

/**
 * What a reader of the published file would see otherwise, in one short text: of the rows, of the day, and of how it is
 * made. The moments at which nothing new was seen are not part of it: a run that changed nothing publishes nothing.
 * `live` is a connection to the live file, or one that has it attached: no published table has the name of a live one.
 */
export function fingerprint(live: Database.Database, order: PublishRequest): string {
  const { version, timezone, durationUnit, exclude, today, storageAccounts } = order;
  const rows = [
    ...FINGERPRINTED.map((query) => live.prepare(query).raw().all()),
    live.prepare(READ_LATELY).raw().all(addDays(today, -3)),
    ...storageAccounts.map((account) => live.prepare(REFUSED_DAYS).raw().all(account)),
  ];
  const made = [SHAPE, version, timezone, durationUnit, [...exclude].sort(), storageAccounts, today];
  return createHash('sha256')
    .update(JSON.stringify([made, rows]))
    .digest('hex');
}

/** Each reads a handful of rows, or a small table. A restored file counts anew from an earlier `change_seq`. */
const FINGERPRINTED = [
  'select change_seq, created_at, restored_at from warehouse_state',
  `select account, package_id, name, totalcount, "order", first_walked_at, retired_at
   from package order by account, package_id`,
  `select account, count(*), min(date), max(date), max(observed_at) from storage_day
   where state = 'booked' group by account order by account`,
  `select account, date, mov_org_cnt, mov_org_size, encoder_cnt, encoder_size, ad_org_cnt, ad_org_size,
     ad_encoder_cnt, ad_encoder_size, image_count, image_size
   from storage_day where state = 'live' order by account, date`,
  'select account, date, given_up_at, reason from storage_gap order by account, date',
  'select account, date, reason from storage_unconfirmed order by account, date',
  'select count(*), max(discrepancy_id), count(resolved_at) from storage_discrepancy',
  'select account, count(*), max(accepted_at) from storage_correction group by account order by account',
];

function changeSeq(db: Database.Database): number {
  return db.prepare('select change_seq from warehouse_state').pluck().get() as number;
}

/**
 * How many different figures a day has shown: a reading that repeats the one before is no news. Only the newest rows are
 * read, for the table has no index but its key.
 */
const READ_LATELY = `select account, date, count(distinct json_array(mov_org_cnt, mov_org_size, encoder_cnt, encoder_size,
    ad_org_cnt, ad_org_size, ad_encoder_cnt, ad_encoder_size, image_count, image_size))
  from storage_reading
  where reading_id > (select max(reading_id) from storage_reading) - 20000 and date >= ?
  group by account, date order by account, date`;

const REFUSED_DAYS = `select record_id, reason from quarantine
  where account = ? and stream = 'storage' and package_id is null and resolved_at is null order by quarantine_id`;

/** The rows of `about`: name, value, what it means. `print` is the fingerprint of the live file. */
export function aboutRows(live: Database.Database, order: PublishRequest, print: string): Fact[] {
  return [
    ['version', order.version, 'Version of the vodhouse that made this file.'],
    ['shape', String(SHAPE), 'Number of the shape of this file; it rises when columns change.'],
    [
      'published_at',
      toTimestamp(order.now),
      'When this file was made, in UTC: after a run that changed something.',
    ],
    ['timezone', order.timezone, "Time zone of the service's calendar: its days are the days here."],
    ['today', order.today, 'The day that was not over when this file was made.'],
    ['duration_unit', order.durationUnit, "What the service's duration was read as."],
    ['excluded', order.exclude.join(', ') || null, 'Fields of the service that are left out.'],
    ...freshness(live, order.storageAccounts),
    [
      'warehouse_since',
      live.prepare('select created_at from warehouse_state').pluck().get() as string,
      'When the warehouse was begun that this file is made from, in UTC.',
    ],
    ['change_seq', String(changeSeq(live)), 'The last change of a video that is in this file.'],
    ['fingerprint', print, 'Equal in two files: nothing changed between them.'],
  ];
}

type Fact = [key: string, value: string | null, description: string];

/** As old as the oldest of what is still read. */
function freshness(live: Database.Database, accounts: readonly string[]): Fact[] {
  const one = (query: string) => live.prepare(query).pluck().get() as string | null;
  const packages = live.prepare('select 1 from package where retired_at is null').get() !== undefined;
  const videos = one(OLDEST_WALK);
  const storage = oldestReading(live, accounts);
  const streams = [...(packages ? [videos] : []), ...(accounts.length > 0 ? [storage] : [])].sort();
  const oldest = streams.includes(null) ? null : (streams[0] ?? null);
  return [
    [
      'freshness',
      oldest,
      'Every package was last walked whole, and the storage of every account last read, at this moment (UTC) or later; NULL where one never was.',
    ],
    [
      'videos_as_of',
      videos,
      'The last walk over all pages of every package in the config ended at this moment (UTC) or later; NULL where there was none.',
    ],
    ['videos_newest', one(NEWEST_WALK), 'When the last walk over all pages of a package ended, in UTC.'],
    ['storage_as_of', storage, "Today's storage of every account was read at this moment (UTC) or later."],
    ['storage_booked_through', one(NEWEST_BOOKED), 'The newest day of storage that never changes again.'],
  ];
}

/** The newest reading of the account whose newest is the oldest, of those that are still read. */
function oldestReading(live: Database.Database, accounts: readonly string[]): string | null {
  const newest = live.prepare('select max(observed_at) from storage_reading where account = ?').pluck();
  const moments = accounts.map((account) => newest.get(account) as string | null);
  return moments.includes(null) ? null : (moments.sort()[0] ?? null);
}

const OLDEST_WALK = `select case when count(*) = count(walked_at) then min(walked_at) end
  from package where retired_at is null`;
const NEWEST_WALK = 'select max(walked_at) from package where retired_at is null';
const NEWEST_BOOKED = "select max(date) from storage_day where state = 'booked'";

/** A fact of `about` in the published file; null where there is none, or no file that can be read. */
export function publishedFact(file: string, key: string): string | null {
  if (!existsSync(file)) return null;
  try {
    const db = new Database(file, { readonly: true, fileMustExist: true });
    try {
      return db.prepare('select value from about where key = ?').pluck().get(key) as string | null;
    } finally {
      db.close();
    }
  } catch {
    return null; // something else, or an old shape: the next publication tells, or replaces it
  }
}
