/**
 * The invariants of every walk, for any behaviour of the service: checked in the file over a reader's
 * connection, and compared with the known past of the simulated service. Each function returns violations
 * as texts.
 */
import { fromTimestamp } from '../../../src/lib/clock.ts';
import { videoRecord as documented } from '../../../src/service/videos.ts';
import type { RunSummary } from '../../../src/sync/run.ts';
import type { WalkRow } from '../../../src/warehouse/statements/walk.ts';
import { getEffectiveSize, isListedSince, listIds, wasListedAt, type Fields } from './listed-package.ts';
import type { WalkCase } from './walk-case.ts';

/** When the removal of each removed row was first proved, by its id. */
export type Removed = ReadonlyMap<number, string>;

export function removedRows({ pipeline }: WalkCase): Removed {
  const sql = 'select id, first_missing_at as at from video where removed_at is not null';
  return new Map(pipeline.query<{ id: number; at: string }>(sql).map(({ id, at }) => [id, at]));
}

/** The violations of the last run; `before` is what was removed before it. */
export function findViolations(one: WalkCase, before: Removed, summary: RunSummary | null): string[] {
  const [walk] = one.pipeline.query<WalkRow>(
    'select * from walk where run_id = (select max(run_id) from run)',
  );
  const removed = [...removedRows(one)].filter(([id, at]) => before.get(id) !== at);
  // the package is purged and filled with other videos: a person accepts that
  const unexpected = summary?.failures.filter(({ kind }) => kind !== 'foreign') ?? [];
  return [
    ...unexpected.map(({ message }) => `a walk failed: ${message}`),
    ...removed.flatMap(([id, at]) => findRemovalViolations(one, walk, id, at)),
    ...(walk ? [...findLost(one, walk), ...findRequestViolations(one, walk), ...findLeft(one, walk)] : []),
  ];
}

/**
 * A. No video that was listed throughout is removed. B. A removed video was missing at `first_missing_at`,
 * if the list was sorted then: in a list that only seemed sorted, a proof may be early.
 */
function findRemovalViolations(one: WalkCase, walk: WalkRow | undefined, id: number, at: string): string[] {
  if (!walk) return [`A: ${id} is marked removed without a walk`];
  const isKept = isListedSince(one.listed, id, fromTimestamp(walk.origin_started_at));
  const isEarly = one.sortedSince <= fromTimestamp(at) && wasListedAt(one.listed, id, fromTimestamp(at));
  return [
    ...(isKept
      ? [`A: ${id} was there since ${walk.origin_started_at}, and is marked removed, proved at ${at}`]
      : []),
    ...(isEarly ? [`B: ${id} was listed at ${at}, when it was proved removed`] : []),
  ];
}

/**
 * C. Where the list is sorted by id with the right count, and no old id returns during the walk, a
 * completed walk has stored every video that was listed throughout as it was throughout, also where it was
 * stopped and resumed. A record that cannot be stored is in quarantine instead.
 */
function findLost(one: WalkCase, { mode, status, origin_started_at }: WalkRow): string[] {
  const { listed, honestSince, quietMoments } = one;
  const since = fromTimestamp(origin_started_at);
  const isEnded = mode === 'full' && (status === 'succeeded' || status === 'partial');
  const isPushed = listed.insertions.some(({ at }) => at >= since && !quietMoments.has(at));
  if (!isEnded || honestSince > since || isPushed) return [];
  const stored = readStored(one);
  return listIds(listed)
    .filter((id) => isListedSince(listed, id, since) && (listed.written.get(id) ?? Infinity) <= since)
    .flatMap((id) => findDifferences(stored, id, listed.records.get(id)))
    .map((text) => `C: walk since ${origin_started_at}: ${text}`);
}

/**
 * D. The ledger has every request. A walk fetches each page at most twice, and a few more where it searches
 * upward for its position over the records inserted below; boundary reads have their share.
 */
function findRequestViolations({ pipeline, seen, setup, listed }: WalkCase, walk: WalkRow): string[] {
  const ledger = pipeline.query('select * from request where run_id = ?', walk.run_id);
  const mostListed = listed.behaviour.countStopsAt === null ? 0 : listed.presences.size;
  const pages = Math.max(
    1,
    ...seen.map(({ totalpage, pagesize }) => Math.max(totalpage, Math.ceil(mostListed / pagesize))),
  );
  const boundaryReads =
    walk.mode === 'quick' ? 2 * pages : Math.max(3, Math.ceil(setup.boundaryReads * pages));
  const most = 2 * pages + 8 + boundaryReads + (walk.resumed ? listed.insertions.length : 0);
  const isRecorded = ledger.length === seen.length;
  return [
    ...(isRecorded ? [] : [`D: the ledger has ${ledger.length} requests, the service saw ${seen.length}`]),
    ...(seen.length > most ? [`D: ${seen.length} requests for ${pages} pages, at most ${most}`] : []),
  ];
}

/** E. A completed walk leaves no candidates except those that are held back. */
function findLeft({ pipeline }: WalkCase, { status, walk_id, mode }: WalkRow): string[] {
  if (status !== 'succeeded' && status !== 'partial') return [];
  const sql = 'select id from removal_candidate where not held_back and (walk_id = ? or ?)';
  const left = pipeline.query<{ id: number }>(sql, walk_id, mode === 'full' ? 1 : 0);
  return left.map(({ id }) => `E: ${id} is left as a candidate`);
}

type Row = Record<string, unknown> & { id: number; removed_at: string | null };

/** The rows of a package, and the ids in quarantine. */
function readStored({ pipeline }: WalkCase) {
  const open = pipeline.query<{ id: number }>(
    'select cast(record_id as integer) as id from quarantine where resolved_at is null',
  );
  return {
    rows: new Map(pipeline.query<Row>('select * from video').map((row) => [row.id, row])),
    inQuarantine: new Set(open.map(({ id }) => id)),
  };
}

/** F. The differences between the warehouse and the current list of a service that does not change. */
export function differences(one: WalkCase): string[] {
  const { listed } = one;
  const stored = readStored(one);
  const unseen = leftOut(one);
  const cannotSettle = unsettled(one);
  const isLeft = ({ id, removed_at }: Row) =>
    removed_at === null && !listed.records.has(id) && !cannotSettle(id);
  return [
    ...listIds(listed).flatMap((id) =>
      id === unseen ? [] : findDifferences(stored, id, listed.records.get(id)),
    ),
    ...[...stored.rows.values()].filter(isLeft).map(({ id }) => `${id} is gone, and is a live row`),
  ].map((text) => `F: ${text}`);
}

const NAMES = Object.keys(documented.shape);

/** The value with the members of each object in the order of their names. */
function sortNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortNames);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, inner]) => [name, sortNames(inner)] as const);
  return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The differences between a stored video and its listed record. */
function findDifferences(
  { rows, inQuarantine }: ReturnType<typeof readStored>,
  id: number,
  listed: Fields = {},
): string[] {
  const row = rows.get(id);
  const record = JSON.parse(JSON.stringify(listed)) as Fields;
  if (row && row.removed_at !== null) return [`${id} is listed, and is marked removed at ${row.removed_at}`];
  const isStorable = Number.isSafeInteger(record['duration']);
  if (!isStorable && !inQuarantine.has(id)) return [`${id} cannot be stored, and is not in quarantine`];
  if (!isStorable) return [];
  if (inQuarantine.has(id)) return [`${id} came well, and is in quarantine still`];
  if (!row) return [`${id} is listed, and is no row`];
  const extra = Object.entries(record).filter(([name]) => !NAMES.includes(name));
  const expected: Fields = {
    ...record,
    extra: extra.length === 0 ? null : JSON.stringify(sortNames(Object.fromEntries(extra))),
  };
  return [...NAMES, 'extra']
    .filter((name) => row[name] !== expected[name])
    .map(
      (name) => `${id}: ${name} is ${JSON.stringify(row[name])} instead of ${JSON.stringify(expected[name])}`,
    );
}

/** The record that no page shows, because the count is too small by one and omits its page. */
function leftOut({ setup, listed }: WalkCase): number | undefined {
  const ids = listIds(listed);
  const size = getEffectiveSize(listed.behaviour, setup.pageSize);
  const isAlone = listed.behaviour.count === -1 && ids.length > 1 && (ids.length - 1) % size === 0;
  return isAlone ? ids.at(-1) : undefined;
}

/**
 * Ids between two pages that no boundary read decides: where the list ends, or splits, between the same two
 * records for any page size up to the effective one, and from whichever end the service counts.
 */
function unsettled(one: WalkCase): (id: number) => boolean {
  const { listed } = one;
  const ids = listIds(listed);
  const { direction, size, count, countStopsAt } = listed.behaviour;
  const most = getEffectiveSize(listed.behaviour, one.setup.pageSize);
  const isHidden = leftOut(one) !== undefined;
  const hidden = isHidden ? 1 : 0; // pages from the top are counted without it
  // without a count, only the top shows the end; with a count that is too high by one, no page is short
  // enough
  const isEndHidden = count === 1 || isHidden;
  if (count === 1 && ids.length === 0) return () => true; // an empty list with a count of one
  const sizes = size.kind === 'fixed' ? [most] : Array.from({ length: most - 1 }, (_, less) => most - less);
  return (id) => {
    const below = ids.filter((other) => other < id).length;
    const above = ids.length - below;
    // no boundary read is made between two pages above the count
    if (below >= (countStopsAt ?? Infinity) && (!direction.honoured || above % most === 0)) return true;
    const isAtEnd = below === 0 || (above === 0 && direction.honoured);
    const isInside = (rank: number) => sizes.some((each) => rank % each !== 0);
    const isSeen = isInside(below) && !(above === 0 && isEndHidden);
    return !isAtEnd && !isSeen && !(direction.honoured && isInside(above - hidden));
  };
}
