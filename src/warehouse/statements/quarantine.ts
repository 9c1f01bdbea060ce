/** Records that could not be stored. */
import type { Tx } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import { quarantine } from '../../database/schema/videos.ts';
import type { IdRange, PackageKey } from '../../sync/package-key.ts';

type NewQuarantine = Omit<Required<typeof quarantine.$inferInsert>, 'quarantine_id' | 'resolved_at'>;

const OPEN = 'resolved_at is null and account = :account';

const updateSeenAt = query<never, Omit<NewQuarantine, 'page' | 'reason'>>(
  `update quarantine set seen_at = :seen_at where ${OPEN} and stream = :stream
    and package_id is :package_id and record_id is :record_id and raw = :raw`,
).run;

/** Adds the record and returns true. One that is in quarantine already only gets a later `seen_at`. */
export function quarantineOnce(tx: Tx, row: NewQuarantine): boolean {
  const { account, stream, package_id, record_id, raw, seen_at } = row;
  const isNew = updateSeenAt(tx, { account, stream, package_id, record_id, raw, seen_at }) === 0;
  if (isNew) tx.insert(quarantine).values(row).run();
  return isNew;
}

/**
 * Resolves the records that a walk over every record did not see, because the service no longer lists them.
 */
export const resolveUnseen = query<never, PackageKey & { since: string; at: string }>(
  `update quarantine set resolved_at = :at
    where ${OPEN} and stream = 'videos' and package_id = :packageId and seen_at < :since`,
).run;

/** Resolves the earlier records of a day for which the service has returned another one. */
export const resolveEarlier = query<never, { account: string; date: string; at: string }>(
  `update quarantine set resolved_at = :at
    where ${OPEN} and stream = 'storage' and record_id = :date and seen_at < :at`,
).run;

const OPEN_OF_PACKAGE = `${OPEN} and stream = 'videos' and package_id = :packageId`;

const selectOpenIds = query<{ id: string }, PackageKey & { low: string; high: string; length: number }>(
  `select distinct record_id as id from quarantine
    where ${OPEN_OF_PACKAGE} and record_id between :low and :high and length(record_id) = :length`,
).all;

/** The base of the digits in which ids are written. */
const BASE = 10;

/**
 * The ids in the range that records of the package in quarantine have. They are stored as texts, which SQLite
 * sorts like numbers only among those of one length, so each length is searched by itself.
 */
export function findOpenVideoIds(tx: Tx, key: PackageKey, { low, high }: IdRange): string[] {
  const found: { id: string }[][] = [];
  for (let length = String(low).length; length <= String(high).length; length++) {
    const least = Math.max(low, length === 1 ? 0 : BASE ** (length - 1));
    const most = Math.min(high, BASE ** length - 1);
    found.push(selectOpenIds(tx, { ...key, low: String(least), high: String(most), length }));
  }
  return found.flat().map(({ id }) => id);
}

/** The highest id of the package's records that are in quarantine; null for none. */
export const findHighestOpenId = query<{ id: number | null }, PackageKey>(
  `select max(cast(record_id as integer)) as id from quarantine
    where ${OPEN_OF_PACKAGE} and cast(record_id as integer) <= ${Number.MAX_SAFE_INTEGER}`,
).get;

/** Resolves the records with these ids: a JSON array of texts. */
export const resolve = query<
  never,
  { account: string; stream: NewQuarantine['stream']; packageId: number | null; ids: string; at: string }
>(
  `update quarantine set resolved_at = :at where ${OPEN} and stream = :stream and package_id is :packageId
    and record_id in (select value from json_each(:ids))`,
).run;
