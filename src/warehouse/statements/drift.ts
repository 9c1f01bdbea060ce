/**
 * Where the service's responses stopped matching docs/service.md: one row per account, stream, field and
 * kind.
 */
import type { Tx } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import { drift } from '../../database/schema/videos.ts';
import type { DriftKind, FieldDrift } from '../../service/service-fields.ts';
import type { AccountStream, Stream, StreamName } from '../../sync/streams.ts';

/** Whole walks, or days with a reading of storage, without drift after which it is resolved. */
const RESOLVED_AFTER = 3;

/**
 * Sets `last_seen_at`, but never to an earlier time, because responses may be stored out of order. Drift that
 * was resolved starts again.
 */
const updateSeenAt = query<never, Stream & { field: string; kind: DriftKind; at: string }>(
  `update drift set last_seen_at = max(last_seen_at, :at), package_id = :packageId,
    absent_walks = 0, absent_at = null,
      first_seen_at = case when resolved_at is null then first_seen_at else :at end,
      acknowledged_at = case when resolved_at is null then acknowledged_at end, resolved_at = null
    where account = :account and stream = :stream and field = :field and kind = :kind`,
).run;

/**
 * Records the drift of a response, and returns how many kinds were new. Known drift only gets a later
 * `last_seen_at`.
 */
export function recordDrift(tx: Tx, source: Stream, found: readonly FieldDrift[], at: string): number {
  const { account, stream, packageId } = source;
  const added = found.filter(({ field, kind }) => updateSeenAt(tx, { ...source, field, kind, at }) === 0);
  for (const departure of added) {
    const row = { account, stream, package_id: packageId, ...departure, first_seen_at: at, last_seen_at: at };
    tx.insert(drift).values(row).run();
  }
  return added.length;
}

export type DriftKey = readonly [field: string, kind: DriftKind];

/** Records that known drift occurred again, in records that were not read again. */
export function touchDrift(tx: Tx, source: Stream, keys: readonly DriftKey[], at: string): void {
  for (const [field, kind] of keys) updateSeenAt(tx, { ...source, field, kind, at });
}

const ABSENT = `absent_walks = absent_walks + 1, absent_at = :at,
      resolved_at = case when absent_walks + 1 >= ${RESOLVED_AFTER} then :at end`;

/**
 * Counts the run as one without a drift of videos, for each drift that it did not see although it read the
 * package where that was last seen completely. If that package is retired or unknown, any package of the
 * account counts.
 */
export const countWalksWithoutDrift = query<never, { runId: number; at: string }>(
  `update drift set ${ABSENT}
    where stream = 'videos' and resolved_at is null and exists (
      select 1 from walk
      where walk.run_id = :runId and walk.account = drift.account and mode = 'full'
        and status in ('succeeded', 'partial') and unread_reason is null
        and origin_started_at > drift.last_seen_at
        and (walk.package_id = drift.package_id or not exists (
          select 1 from package
          where package.account = drift.account and package.package_id = drift.package_id
            and retired_at is null)))`,
).run;

/** Counts the day (UTC) of `at`, once, as one without each drift of a stream that the account has once. */
export const countDayWithoutDrift = query<never, { account: string; stream: AccountStream; at: string }>(
  `update drift set ${ABSENT}
    where account = :account and stream = :stream and resolved_at is null
      and substr(:at, 1, 10) > substr(coalesce(absent_at, last_seen_at), 1, 10)`,
).run;

/** Drift that lasts, as a person names it. */
export interface OpenDrift {
  account: string;
  stream: StreamName;
  field: string;
  kind: DriftKind;
  acknowledged_at: string | null;
}

/** The drift that is not resolved. */
export const listOpenDrift = query<OpenDrift>(
  `select account, stream, field, kind, acknowledged_at from drift where resolved_at is null
    order by account, stream, field, kind`,
).all;

/** Accepts drift: it needs no attention any more. */
export const acknowledgeDrift = query<never, Omit<OpenDrift, 'acknowledged_at'> & { at: string }>(
  `update drift set acknowledged_at = :at
    where account = :account and stream = :stream and field = :field and kind = :kind
      and resolved_at is null and acknowledged_at is null`,
).run;
