/**
 * The invariants of every walk, for any behaviour of the service: checked in the file over a reader's
 * connection, and compared with the known past of the simulated service. Each function returns violations as
 * texts.
 */
import { fromTimestamp } from '../../../src/lib/clock.ts';
import type { RunSummary } from '../../../src/sync/run.ts';
import type { WalkRow } from '../../../src/warehouse/statements/walk.ts';
import type { ListedPackage } from './listed-package.ts';
import { readStored, findDifferences } from './walk-equality.ts';
import { findRequestViolations } from './walk-requests.ts';
import type { WalkCase } from './walk-case.ts';

/** When each removed row was marked removed, by package and id. */
export type Removed = ReadonlyMap<string, string>;

export function removedRows({ pipeline }: WalkCase): Removed {
  const rows = pipeline().query<{ package_id: number; id: number; removed_at: string }>(
    'select package_id, id, removed_at from video where removed_at is not null',
  );
  return new Map(rows.map((row) => [`${row.package_id}/${row.id}`, row.removed_at]));
}

/** The violations of the last run; `before` is what was removed before it. */
export function findViolations(one: WalkCase, before: Removed, summary: RunSummary | null): string[] {
  const walks = one
    .pipeline()
    .query<WalkRow>('select * from walk where run_id = (select max(run_id) from run) order by walk_id');
  const removed = [...removedRows(one)].filter(([key, at]) => before.get(key) !== at);
  const failures = summary?.failures.map(({ message }) => `a walk failed: ${message}`) ?? [];
  return [
    ...failures,
    ...removed.flatMap(([key, at]) => findRemovalViolations(one, walks, key, at)),
    ...walks.flatMap((walk) => [
      ...lost(one, walk),
      ...findRequestViolations(one, walk),
      ...candidatesLeft(one, walk),
    ]),
    ...findFileViolations(one),
  ];
}

function listedIn({ account }: WalkCase, packageId: number): ListedPackage {
  const listed = account.packages.get(packageId);
  if (!listed) throw new Error(`there is no package ${packageId}`);
  return listed;
}

/**
 * A. No video that was listed throughout is removed. B. A removed video was missing at `removed_at`, if the
 * list was sorted then: in a list that only seemed sorted, a proof may be early.
 */
function findRemovalViolations(one: WalkCase, walks: readonly WalkRow[], key: string, at: string): string[] {
  const [packageId = 0, id = 0] = key.split('/').map(Number);
  const listed = listedIn(one, packageId);
  const walk = walks.find((each) => each.package_id === packageId);
  if (!walk) return [`A: ${key} is marked removed without a walk`];
  const broken: string[] = [];
  if (listed.isListedSince(id, fromTimestamp(walk.origin_started_at))) {
    broken.push(`A: ${key} was there since ${walk.origin_started_at}, and is marked removed at ${at}`);
  }
  const isSorted = (one.sortedSince.get(packageId) ?? Infinity) <= fromTimestamp(at);
  if (isSorted && listed.wasListedAt(id, fromTimestamp(at))) {
    broken.push(`B: ${key} was listed at ${at}, when it was marked removed`);
  }
  return broken;
}

/**
 * C. Where the list is sorted by id with the right count, and no old id returns during the walk, a completed
 * walk has stored every video that was listed throughout as it was throughout, also where it was stopped and
 * resumed. A record that cannot be stored is in quarantine instead.
 */
function lost(one: WalkCase, walk: WalkRow): string[] {
  const { package_id: packageId, status } = walk;
  const since = fromTimestamp(walk.origin_started_at);
  const listed = listedIn(one, packageId);
  const isEnded = walk.mode === 'full' && (status === 'succeeded' || status === 'partial');
  const isHonest = (one.honestSince.get(packageId) ?? Infinity) <= since;
  const isPushed = listed.insertions.some(({ at }) => at >= since && !one.quietMoments.has(at));
  if (!isEnded || !isHonest || isPushed) return [];
  const stored = readStored(one, listed);
  return listed
    .ids()
    .filter((id) => listed.isListedSince(id, since) && listed.isAsItIsSince(id) <= since)
    .flatMap((id) => findDifferences(stored, listed, id))
    .map((text) => `C: package ${packageId}, walk since ${walk.origin_started_at}: ${text}`);
}

/** E. A completed walk leaves no candidates except those that are held back. */
function candidatesLeft(one: WalkCase, { package_id: packageId, status, walk_id, mode }: WalkRow): string[] {
  if (status !== 'succeeded' && status !== 'partial') return [];
  return one
    .pipeline()
    .query<{ id: number }>(
      'select id from removal_candidate where package_id = ? and not held_back and (walk_id = ? or ?)',
      packageId,
      walk_id,
      mode === 'full' ? 1 : 0,
    )
    .map(({ id }) => `E: ${packageId}/${id} is left as a candidate`);
}

const LIVE_COUNTS = `
  select package_id, live_count, (
    select count(*) from video where video.package_id = package.package_id and removed_at is null
  ) as live
  from package`;

/** A version is valid until the next one is, and the last one until the present row. */
const BROKEN_VERSIONS = `
  select package_id, id, valid_from, valid_to, next_from from (
    select *, lead(valid_from) over (partition by package_id, id order by change_seq) as next_from from (
      select package_id, id, change_seq, valid_from, valid_to from video_version
      union all
      select package_id, id, change_seq, coalesce(removed_at, changed_at), null from video
    )
  )
  where valid_to is not null and (next_from is not valid_to or valid_from > valid_to)`;

const ORPHANED = `
  select package_id, id from removal_candidate
  where (package_id, id) not in (select package_id, id from video where removed_at is null)`;

/** E. Counts, versions and candidates match the rows. */
function findFileViolations(one: WalkCase): string[] {
  const file = one.pipeline();
  const counts = file
    .query<{ package_id: number; live_count: number; live: number }>(LIVE_COUNTS)
    .filter((row) => row.live_count !== row.live)
    .map((row) => `E: live_count of ${row.package_id} is ${row.live_count}, live rows are ${row.live}`);
  const versions = file
    .query(BROKEN_VERSIONS)
    .map((row) => `E: versions do not join up: ${JSON.stringify(row)}`);
  const orphaned = file.query(ORPHANED).map((row) => `E: a candidate is no live row: ${JSON.stringify(row)}`);
  return [...counts, ...versions, ...orphaned];
}
