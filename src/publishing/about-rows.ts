/** Facts about a published file: `about` has those for readers, `internals` those for vodhouse. */
import { Database } from '../database/sqlite.ts';
import { toTimestamp } from '../lib/clock.ts';
import type { AboutRow, InternalsRow } from './marts/about.ts';
import { createMarts } from './marts/marts.ts';
import type { PublishRequest } from './publish-request.ts';

/** A fact of a published file of any version; null if it has none of that key, or cannot be read. */
export const publishedFact = (file: string, key: string): string | null =>
  readText(file, 'select value from about where key = ?', key) ??
  readText(file, 'select value from internals where key = ?', key);

/** The first value of a query over a SQLite file; null if there is none, or no file that it can read. */
export function readText(file: string, sql: string, ...parameters: string[]): string | null {
  try {
    const db = new Database(file, { readonly: true, fileMustExist: true });
    try {
      return (db.prepare(sql).pluck().get(parameters) as string | undefined) ?? null;
    } finally {
      db.close();
    }
  } catch {
    return null; // another kind of file, or an old shape: the next publication reports it, or replaces it
  }
}

/** The rows of both tables for a new file. `live` as for `createFingerprint`. */
export function createFacts(
  live: Database,
  request: PublishRequest,
  fingerprint: string,
): { about: AboutRow[]; internals: InternalsRow[] } {
  const values = readFacts(live, request);
  return {
    about: Object.entries(FACTS).map(([key, description]) => ({
      key,
      value: values[key as Fact] ?? null, // entries() loses the names
      description,
    })),
    internals: [
      // the same for two files with the same tables and columns
      { key: 'shape', value: createMarts(request).shape },
      { key: 'fingerprint', value: fingerprint },
      { key: 'publication_id', value: readPublicationId(live) },
      { key: 'tag_separators', value: JSON.stringify(request.tagSeparators) },
      // the last change of a video of each: targets are loaded by it
      { key: 'accounts', value: readAccounts(live) },
    ],
  };
}

/** The facts of `about`, in their order: what each of them means. */
const FACTS = {
  version: 'Version of vodhouse that made this file.',
  published_at: 'When this file was made, in UTC: after a run that changed something.',
  timezone: "Time zone of the service's calendar: the days in this file are days of it.",
  today: 'The day that was not over when this file was made.',
  duration_unit: "The unit in which the service's duration was read.",
  excluded: 'Fields of the service that are left out.',
  freshness:
    'Since this time (UTC), every package was walked completely and the storage of every account was read; NULL if one never was.',
  videos_as_of:
    'Since this time (UTC), a walk has read all pages of every package in the config; NULL if one was never read.',
  videos_newest: 'When the last walk over all pages of a package ended, in UTC.',
  storage_as_of: "Since this time (UTC), today's storage of every account was read.",
  storage_booked_through: 'The newest day of storage that never changes again.',
  warehouse_since: 'When the warehouse behind this file was created, in UTC.',
  warehouse_id: 'The warehouse behind this file; its copies and backups have the same one.',
  change_seq: 'The last change of a video that is in this file.',
} as const;

type Fact = keyof typeof FACTS;

function readFacts(live: Database, request: PublishRequest): Partial<Record<Fact, string | null>> {
  const accounts = JSON.stringify(request.storageAccounts);
  return {
    version: request.version,
    published_at: toTimestamp(request.now),
    timezone: request.timezone,
    today: request.today,
    duration_unit: request.durationUnit,
    excluded: request.exclude.length === 0 ? null : request.exclude.join(', '),
    ...(live.prepare(FACTS_OF_LIVE).get(accounts) as Partial<Record<Fact, string | null>>),
  };
}

/** Every account with rows, also one that left the config. */
function readAccounts(live: Database): string {
  return live
    .prepare(
      `select json_group_array(json_object('account', account, 'change_seq', change_seq, 'forgotten',
  (select count(*) from forgotten f where f.account_name = account)) order by account)
from (
  select account, max(change_seq) as change_seq from (
    select account, changed_seq as change_seq from package
    union all select distinct account, 0 from storage_day
    union all select distinct account, 0 from storage_gap
  ) group by account
)`,
    )
    .pluck()
    .get() as string;
}

const readPublicationId = (live: Database): string =>
  live.prepare('select publication_id from publication order by number desc limit 1').pluck().get() as string;

/**
 * The facts that the live file has, by key of `about`. A stream is a package, or the storage of an account;
 * the parameter is a JSON array of the accounts whose storage is read. Freshness is that of the oldest
 * stream; NULL if one was never read.
 */
const FACTS_OF_LIVE = `with v as (
  select count(*) as packages, max(walked_at) as newest,
    case when count(*) = count(walked_at) then min(walked_at) end as oldest
  from package where retired_at is null
), s as (
  select count(*) as accounts, case when count(*) = count(read_at) then min(read_at) end as oldest
  from (
    select (select max(observed_at) from storage_reading where account = a.value) as read_at
    from json_each(?) a
  )
)
select v.oldest as videos_as_of, v.newest as videos_newest, s.oldest as storage_as_of,
  (select max(date) from storage_day where state = 'booked') as storage_booked_through,
  case when (packages = 0 or v.oldest is not null) and (accounts = 0 or s.oldest is not null)
    then min(ifnull(v.oldest, s.oldest), ifnull(s.oldest, v.oldest)) end as freshness,
  created_at as warehouse_since, warehouse_id, cast(change_seq as text) as change_seq
from v, s, warehouse_state`;
