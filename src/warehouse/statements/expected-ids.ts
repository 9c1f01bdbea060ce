/** How many records of a package the service is expected to list: live rows, not proved removed, and quarantined records. */
import type { Tx } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import { findOpenVideoIds } from './quarantine.ts';
import type { IdRange } from '../../lib/id-range.ts';
import type { PackageKey } from '../../lib/package-key.ts';

/** Ids from `low` to `high`, and the pages from `fromPage` to `toPage` that hold them, all included. */
export interface PagedIdRange extends IdRange {
  fromPage: number;
  toPage: number;
}

type Count = { count: number };
const IN_RANGE = 'account = :account and package_id = :packageId and id between :low and :high';

/** Rows are counted by their key alone, and removed ones by their own index: no row is read. */
const COUNT_LIVE_BY_INDEX = query<Count, PackageKey & IdRange>(
  `select (select count(*) from video where ${IN_RANGE})
    - (select count(*) from video where ${IN_RANGE} and removed_at is not null) as count`,
);
const COUNT_CANDIDATES = query<Count, PackageKey & IdRange>(
  `select count(*) as count from removal_candidate where ${IN_RANGE}`,
);
const LIVE_COUNT = query<Count, PackageKey>(
  'select live_count as count from package where account = :account and package_id = :packageId',
);
/** In quarantine without a live row; one without a readable id counts where its page was. */
const COUNT_QUARANTINED = query<Count, PackageKey & PagedIdRange>(
  `select count(distinct q.record_id) + count(*) filter (where q.record_id is null) as count
    from quarantine q
    where q.resolved_at is null and q.account = :account and q.stream = 'videos' and q.package_id = :packageId
      and case when q.record_id is null then q.page between :fromPage and :toPage
        else cast(q.record_id as integer) between :low and :high
          and not exists (select 1 from video v where v.account = q.account and v.package_id = q.package_id
            and v.id = cast(q.record_id as integer) and v.removed_at is null) end`,
);
const HIGHEST_ID = query<{ id: number | null }, PackageKey>(
  'select max(id) as id from video where account = :account and package_id = :packageId',
);

const count = <Params extends object>(
  tx: Tx,
  counter: { get(tx: Tx, params: Params): Count | undefined },
  params: Params,
): number => counter.get(tx, params)?.count ?? 0;

/** Counts the live rows in the range, of indexes alone. */
export const countLiveByIndex = (tx: Tx, key: PackageKey, range: IdRange): number =>
  range.low > range.high ? 0 : count(tx, COUNT_LIVE_BY_INDEX, { ...key, ...range });

export const countCandidates = (tx: Tx, key: PackageKey, range: IdRange): number =>
  count(tx, COUNT_CANDIDATES, { ...key, ...range });

/** Counts the records that the service is expected to list in the range; from id 1 on, by what is above the range. */
export function countExpected(tx: Tx, key: PackageKey, range: PagedIdRange): number {
  const above = { low: range.high + 1, high: Number.MAX_SAFE_INTEGER };
  const live =
    range.low <= 1
      ? count(tx, LIVE_COUNT, key) - countLiveByIndex(tx, key, above)
      : countLiveByIndex(tx, key, range);
  return live - countCandidates(tx, key, range) + count(tx, COUNT_QUARANTINED, { ...key, ...range });
}

/** The highest id that the package ever had, in a row or in quarantine; 0 for none. */
export function findHighestId(tx: Tx, key: PackageKey): number {
  const quarantined = findOpenVideoIds(tx, key).map(Number).filter(Number.isSafeInteger);
  return Math.max(HIGHEST_ID.get(tx, key)?.id ?? 0, ...quarantined);
}
