/** Decides whether a publication now would differ from the last one. */
import { createHash } from 'node:crypto';
import type { Database } from '../database/sqlite.ts';
import { addDays } from '../lib/days.ts';
import { FIGURES } from '../service/service-fields.ts';
import { createMarts } from './marts/marts.ts';
import type { PublishRequest } from './publish-request.ts';

/**
 * Hash of everything that affects the published file: rows, day, and options. Times at which nothing new was
 * seen are not part of it, so a run that changed nothing publishes nothing. `live` is the live file, or a
 * connection that has it attached: no published table has the name of a live one.
 */
export function createFingerprint(live: Database, request: PublishRequest): string {
  const { version, timezone, today, storageAccounts } = request;
  const rows = [
    ...QUERIES.map((query) => live.prepare(query).raw().all()),
    live.prepare(RECENT_READINGS).raw().all(addDays(today, -3)),
    live.prepare(WALKED_PACKAGES).raw().all(today),
    ...storageAccounts.map((account) => live.prepare(QUARANTINED_DAYS).raw().all(account)),
  ];
  const options = [createMarts(request).shape, version, timezone, storageAccounts, today];
  return createHash('sha256')
    .update(JSON.stringify([options, rows]))
    .digest('hex');
}

/** Each reads few rows. `restored_at` is read because a restored file uses numbers of changes again. */
const QUERIES = [
  'select change_seq, created_at, restored_at from warehouse_state',
  `select account, package_id, name, totalcount, "order", first_walked_at, retired_at
   from package order by account, package_id`,
  `select account, count(*), min(date), max(date), max(observed_at) from storage_day
   where state = 'booked' group by account order by account`,
  `select account, date, ${FIGURES.join(', ')} from storage_day where state = 'live' order by account, date`,
  'select account, date, given_up_at, reason from storage_gap order by account, date',
  'select account, date, reason from storage_unconfirmed order by account, date',
  'select count(*), max(discrepancy_id), count(resolved_at) from storage_discrepancy',
  'select account, count(*), max(accepted_at) from storage_correction group by account order by account',
];

/**
 * How many different sets of figures each day has had: a reading that repeats an earlier one changes nothing.
 * Only the newest rows are read, because the table has no index on the date.
 */
const RECENT_READINGS = `select account, date, count(distinct json_array(${FIGURES.join(', ')}))
  from storage_reading
  where reading_id > (select max(reading_id) from storage_reading) - 20000 and date >= ?
  group by account, date order by account, date`;

/** Those over which a walk has ended today. */
const WALKED_PACKAGES = `select account, package_id from package p where exists (
  select 1 from package_day w where w.account = p.account and w.package_id = p.package_id and w.date = ?)`;

const QUARANTINED_DAYS = `select record_id, reason from quarantine
  where account = ? and stream = 'storage' and package_id is null and resolved_at is null
  order by quarantine_id`;
