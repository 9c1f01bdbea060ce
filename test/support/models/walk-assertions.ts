/**
 * The invariants of every walk, for any behaviour of the service: checked in the file over a reader's
 * connection, and compared with the known past of the simulated service. Each function returns violations as
 * texts.
 */
import { fromTimestamp } from '../../../src/lib/clock.ts';
import type { RunSummary } from '../../../src/sync/run.ts';
import type { WalkRow } from '../../../src/warehouse/statements/walk.ts';
import type { WalkCase } from './walk-case.ts';
import { findDifferences, readStored } from './walk-equality.ts';

/** When each removed row was marked removed, by its id. */
export type Removed = ReadonlyMap<number, string>;

export function removedRows({ pipeline }: WalkCase): Removed {
  const rows = pipeline.query<{ id: number; removed_at: string }>(
    'select id, removed_at from video where removed_at is not null',
  );
  return new Map(rows.map((row) => [row.id, row.removed_at]));
}

/** The violations of the last run; `before` is what was removed before it. */
export function findViolations(one: WalkCase, before: Removed, summary: RunSummary | null): string[] {
  const [walk] = one.pipeline.query<WalkRow>(
    'select * from walk where run_id = (select max(run_id) from run)',
  );
  const removed = [...removedRows(one)].filter(([id, at]) => before.get(id) !== at);
  // the package is purged and filled with other videos: a person accepts that
  const unexpected = summary?.failures.filter(({ kind }) => kind !== 'foreign') ?? [];
  const failures = unexpected.map(({ message }) => `a walk failed: ${message}`);
  return [
    ...failures,
    ...removed.flatMap(([id, at]) => findRemovalViolations(one, walk, id, at)),
    ...(walk ? [...findLost(one, walk), ...findRequestViolations(one, walk), ...findLeft(one, walk)] : []),
    ...findFileViolations(one),
  ];
}

/**
 * A. No video that was listed throughout is removed. B. A removed video was missing at `removed_at`, if the
 * list was sorted then: in a list that only seemed sorted, a proof may be early.
 */
function findRemovalViolations(one: WalkCase, walk: WalkRow | undefined, id: number, at: string): string[] {
  if (!walk) return [`A: ${id} is marked removed without a walk`];
  const { listed, sortedSince } = one;
  const broken: string[] = [];
  if (listed.isListedSince(id, fromTimestamp(walk.origin_started_at)))
    broken.push(`A: ${id} was there since ${walk.origin_started_at}, and is marked removed at ${at}`);
  if (sortedSince <= fromTimestamp(at) && listed.wasListedAt(id, fromTimestamp(at)))
    broken.push(`B: ${id} was listed at ${at}, when it was marked removed`);
  return broken;
}

/**
 * C. Where the list is sorted by id with the right count, and no old id returns during the walk, a completed
 * walk has stored every video that was listed throughout as it was throughout, also where it was stopped and
 * resumed. A record that cannot be stored is in quarantine instead.
 */
function findLost(one: WalkCase, { mode, status, origin_started_at }: WalkRow): string[] {
  const { listed, honestSince, quietMoments } = one;
  const since = fromTimestamp(origin_started_at);
  const isEnded = mode === 'full' && (status === 'succeeded' || status === 'partial');
  const isPushed = listed.insertions.some(({ at }) => at >= since && !quietMoments.has(at));
  if (!isEnded || honestSince > since || isPushed) return [];
  const stored = readStored(one);
  return listed
    .ids()
    .filter((id) => listed.isListedSince(id, since) && listed.isAsItIsSince(id) <= since)
    .flatMap((id) => findDifferences(stored, listed, id))
    .map((text) => `C: walk since ${origin_started_at}: ${text}`);
}

/**
 * D. The ledger has every request. A walk fetches each page at most twice, and a few more where it searches
 * upward for its position over the records inserted below; boundary reads have their share.
 */
function findRequestViolations({ pipeline, seen, setup, listed }: WalkCase, walk: WalkRow): string[] {
  const ledger = pipeline.query('select * from request where run_id = ?', walk.run_id);
  const pages = Math.max(1, ...seen.map(({ totalpage }) => totalpage));
  const boundaryReads =
    walk.mode === 'quick' ? 2 * pages : Math.max(3, Math.ceil(setup.boundaryReads * pages));
  const most = 2 * pages + 8 + boundaryReads + (walk.resumed ? listed.insertions.length : 0);
  const broken: string[] = [];
  if (ledger.length !== seen.length)
    broken.push(`D: the ledger has ${ledger.length} requests, the service saw ${seen.length}`);
  if (seen.length > most) broken.push(`D: ${seen.length} requests for ${pages} pages, at most ${most}`);
  return broken;
}

/** E. A completed walk leaves no candidates except those that are held back. */
function findLeft({ pipeline }: WalkCase, { status, walk_id, mode }: WalkRow): string[] {
  if (status !== 'succeeded' && status !== 'partial') return [];
  const sql = 'select id from removal_candidate where not held_back and (walk_id = ? or ?)';
  return pipeline
    .query<{ id: number }>(sql, walk_id, mode === 'full' ? 1 : 0)
    .map(({ id }) => `E: ${id} is left as a candidate`);
}

/** E. Counts, versions and candidates match the rows. A version is valid until the next one is, and the last one until the row. */
const BROKEN = {
  'live_count is not the number of live rows': `
    select live_count from package
    where live_count <> (select count(*) from video where video.package_id = package.package_id and removed_at is null)`,
  'versions do not join up': `
    select id, valid_from, valid_to, next_from from (
      select *, lead(valid_from) over (partition by id order by change_seq) as next_from from (
        select id, change_seq, valid_from, valid_to from video_version
        union all select id, change_seq, coalesce(removed_at, changed_at), null from video))
    where valid_to is not null and (next_from is not valid_to or valid_from > valid_to)`,
  'a candidate is no live row': `
    select id from removal_candidate where id not in (select id from video where removed_at is null)`,
};

function findFileViolations({ pipeline }: WalkCase): string[] {
  return Object.entries(BROKEN).flatMap(([text, sql]) =>
    pipeline.query(sql).map((row) => `E: ${text}: ${JSON.stringify(row)}`),
  );
}
