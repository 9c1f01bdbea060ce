/**
 * What the status shows beyond packages and runs: held-back removals, quarantine, drift, and the requests of
 * accounts.
 */
import type { Db } from '../../database/connection.ts';
import type { pause, request } from '../../database/schema/runs.ts';
import { HELD_REASONS, type drift, type HeldReason, type quarantine } from '../../database/schema/videos.ts';
import { query } from '../../database/query.ts';
import type { PackageRow } from '../../sync/package-key.ts';
import { ACCOUNT_STREAMS, STREAM_KINDS, type AccountStream, type StreamName } from '../../sync/streams.ts';

const selectLastRead = (stream: AccountStream) => {
  const { table, at } = STREAM_KINDS[stream].readings;
  return `select '${stream}' as stream, (
    select ${at} from ${table} where account = :account order by rowid desc limit 1) as at`;
};

/** When a stream that an account has once was last read completely; NULL: never. */
export const LAST_READ = query<{ at: string | null }, { account: string; stream: AccountStream }>(`
select at from (
  ${ACCOUNT_STREAMS.map(selectLastRead).join('\n  union all ')})
where stream = :stream`);

export interface HeldBackCount extends PackageRow {
  removals: number;
  /** When the first of them was held back. */
  since: string;
  /** The last walk that held some of them back. */
  held_by: number;
  /** Some of HELD_REASONS, separated by commas, in any order. */
  reasons: string;
}

/**
 * The held-back removals of each package: since when, by which walk, and why (`many`, `all`, `order`: see
 * removal_candidate in contributing/live-file.md).
 */
export const HELD_BACK_COUNTS = query<HeldBackCount>(`
select account, package_id, count(*) as removals, min(held_at) as since,
  max(held_by) as held_by, group_concat(distinct held_reason) as reasons
from removal_candidate
where held_back = 1
group by account, package_id`);

/** The reasons in `group_concat(distinct held_reason)`, in the order of HELD_REASONS. */
export function listReasons(reasons: string): HeldReason[] {
  const given = reasons.split(',');
  return HELD_REASONS.filter((reason) => given.includes(reason));
}

/** Examples of held-back removals in one package. */
export const HELD_BACK_EXAMPLES = query<
  { id: number; title: string | null },
  PackageRow & { limit: number }
>(`
select video.id, video.title
from removal_candidate
join video using (account, package_id, id)
where held_back = 1 and account = :account and package_id = :package_id
order by id
limit :limit`);

/** How many examples are read of what is held back or in quarantine. */
const EXAMPLES = 3;

/** Reads the held-back removals by package, with the first three of each as examples. */
export function readHeldBack(db: Db) {
  return HELD_BACK_COUNTS.all(db).map((row) => {
    const { account, package_id, reasons } = row;
    const examples = HELD_BACK_EXAMPLES.all(db, { account, package_id, limit: EXAMPLES });
    return { ...row, reasons: listReasons(reasons), examples };
  });
}

type QuarantineRow = typeof quarantine.$inferSelect;

/** How many records of each stream could not be stored, and were not stored since. */
export const QUARANTINE_COUNTS = query<Pick<QuarantineRow, 'account' | 'stream'> & { open: number }>(`
select account, stream, count(*) as open
from quarantine
where resolved_at is null
group by account, stream`);

/** Examples of records in quarantine, the oldest first. */
export const QUARANTINE_EXAMPLES = query<
  Pick<QuarantineRow, 'package_id' | 'record_id' | 'reason' | 'seen_at'>,
  { account: string; stream: StreamName; limit: number }
>(`
select package_id, record_id, reason, seen_at
from quarantine
where account = :account and stream = :stream and resolved_at is null
order by quarantine_id
limit :limit`);

/** Reads the records in quarantine by account and stream, with the first three of each as examples. */
export function readQuarantine(db: Db) {
  return QUARANTINE_COUNTS.all(db).map((row) => {
    const { account, stream } = row;
    return { ...row, examples: QUARANTINE_EXAMPLES.all(db, { account, stream, limit: EXAMPLES }) };
  });
}

/**
 * Drift: where the responses of the service differ from their description. Drift that three whole walks have
 * not seen is left out. What is not acknowledged needs attention.
 */
export const DRIFT = query<typeof drift.$inferSelect>(`
select account, stream, field, kind, sample, first_seen_at, last_seen_at, package_id, absent_walks, absent_at,
  acknowledged_at, resolved_at
from drift
where resolved_at is null
order by first_seen_at desc, account, stream, field, kind`);

type PauseStatus = Omit<typeof pause.$inferSelect, 'consecutive_restrictions'> & { of_restore: number };

/**
 * The restriction of an account: a row while a pause is in force (`until`), or while the rate rises again
 * (until `full_rate_at`). `of_restore`: 1 where a restore made it, and not the service.
 */
export const PAUSE = query<PauseStatus, { account: string; at: string }>(`
select account, until, reason, since, full_rate_at,
  since is (select restored_at from warehouse_state) as of_restore
from pause
where account = :account and full_rate_at > :at`);

/**
 * Requests in the windows that end now. A request counts until one window after its response, or after its
 * deadline if none came. `:now_ms`: milliseconds since 1970.
 */
export const SPENT_REQUESTS = query<
  { second: number; minute: number; day: number },
  { account: string; now_ms: number }
>(`
select count(case when spent_until_ms > :now_ms - 1000 then 1 end) as second,
  count(case when spent_until_ms > :now_ms - 60000 then 1 end) as minute,
  count(*) as day
from request
where account = :account and spent_until_ms > :now_ms - 86400000`);

/**
 * The quick walks of an account since a day, and the additional requests that full walks would have needed.
 */
export interface Savings {
  quick_walks: number;
  requests: number;
}

/** What quick walks saved from the day `:since` on. */
export const SAVINGS = query<Savings, { account: string; since: string }>(`
select coalesce(sum(quick_walks), 0) as quick_walks, coalesce(sum(requests), 0) as requests
from saved_requests
where account = :account and date >= :since`);

/** The last requests, the newest first. */
export const LAST_REQUESTS = query<typeof request.$inferSelect, { limit: number }>(`
select *
from request
order by request_id desc
limit :limit`);

export const CREATED_AT = query<{ at: string }>('select created_at as at from warehouse_state');
