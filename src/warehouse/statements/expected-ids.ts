/**
 * How many records of a package the service is expected to list: live rows, not proved removed, and
 * quarantined records.
 */
import type { Tx } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import { findHighestOpenId } from './quarantine.ts';
import type { IdRange, PackageKey } from '../../sync/package-key.ts';
import { findPackage } from './package.ts';
import { findVideo, IN_RANGE, OF_PACKAGE } from './video.ts';

/** Pages from one to another, both included. */
interface PageRange {
  fromPage: number;
  toPage: number;
}

const countAnyLive = query<never, PackageKey>(
  `select live_count as count from package where ${OF_PACKAGE}`,
).count;

/** Counts the live rows by their key, and removed ones by their own index: no row is read. */
const countLiveByIndex = query<never, PackageKey & IdRange>(
  `select (select count(*) from video where ${IN_RANGE})
    - (select count(*) from video where ${IN_RANGE} and removed_at is not null) as count`,
).count;

const countCandidates = query<never, PackageKey & IdRange>(
  `select count(*) as count from removal_candidate where ${IN_RANGE}`,
).count;

/**
 * Counts the records in quarantine that have no live row. One without a readable id counts if its page is in
 * the range of pages.
 */
const countQuarantined = query<never, PackageKey & IdRange & PageRange>(
  `select count(distinct q.record_id) + count(*) filter (where q.record_id is null) as count
    from quarantine q
    where q.resolved_at is null and q.account = :account and q.stream = 'videos' and q.package_id = :packageId
      and case when q.record_id is null then q.page between :fromPage and :toPage
        else cast(q.record_id as integer) between :low and :high
          and not exists (select 1 from video v where v.account = q.account and v.package_id = q.package_id
            and v.id = cast(q.record_id as integer) and v.removed_at is null) end`,
).count;

/**
 * Counts the records that the service is expected to list in the range of ids, which those pages hold. The
 * live rows of a range that begins with the lowest id are all rows of the package minus those above it,
 * which are fewer to count.
 */
export function countExpected(tx: Tx, key: PackageKey, ids: IdRange, pages: PageRange): number {
  const range = { ...key, ...ids };
  const above = { ...key, low: ids.high + 1, high: Number.MAX_SAFE_INTEGER };
  const live =
    ids.low <= 1 ? countAnyLive(tx, key) - countLiveByIndex(tx, above) : countLiveByIndex(tx, range);
  return live - countCandidates(tx, range) + countQuarantined(tx, { ...range, ...pages });
}

const findHighestRow = query<{ id: number | null }, PackageKey>(
  `select max(id) as id from video where ${OF_PACKAGE}`,
).get;

/** The highest id that the package ever had, in a row or in quarantine; 0 for none. */
export function findHighestId(tx: Tx, key: PackageKey): number {
  return Math.max(findHighestRow(tx, key)?.id ?? 0, findHighestOpenId(tx, key)?.id ?? 0);
}

/** Whether one of the ids has a live row. */
export const hasLiveId = (tx: Tx, key: PackageKey, ids: readonly number[]): boolean =>
  ids.some((id) => findVideo(tx, { ...key, id })?.isLive === 1);

/**
 * Counts the live rows in the range of a page that holds no live id; candidates do not count. `isAll`: they
 * are all rows of the package. Null if the page holds one, or has no range: in a list not known to be sorted,
 * only the whole list has one (`isWhole`).
 */
export function countReplaced(
  tx: Tx,
  key: PackageKey,
  { ids, range, isWhole }: { ids: readonly number[]; range: IdRange; isWhole: boolean },
): { rows: number; isAll: boolean } | null {
  const row = findPackage(tx, key);
  if (!row?.live_count || !(isWhole || row.order === 'trusted') || hasLiveId(tx, key, ids)) return null;
  const rows = countLiveByIndex(tx, { ...key, ...range }) - countCandidates(tx, { ...key, ...range });
  return { rows, isAll: rows >= row.live_count };
}
