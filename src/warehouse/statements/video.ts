/** The rows of videos. */
import { is, Param, Placeholder, sql, type SQL } from 'drizzle-orm';
import type { Tx } from '../../database/connection.ts';
import { prepareOnce, query, type SqlValue } from '../../database/query.ts';
import { receivedNames, video, type VideoRow } from '../../database/schema/videos.ts';
import { CURRENT_RUN, EDITABLE_FIELDS } from '../../database/version-trigger.ts';
import type { IdRange, PackageKey } from '../../sync/package-key.ts';

/**
 * The SQL of a time, or of that of the row's present state if that is later: a state never ends before it
 * began.
 */
const notBefore = (time: string) => `max(${time}, video.changed_at)`;

/** The columns that a walk writes of a video in addition to the fields of the service. */
const OWN = ['account', 'package_id', 'first_seen_at', 'changed_at', 'change_seq', 'change'] as const;

/**
 * The main statement of a walk, which stores a video. Drizzle makes it, but better-sqlite3 runs it, because
 * Drizzle's own `run` takes more than twice as long. It also writes an unchanged video that was removed,
 * which is live again.
 */
function buildUpsert(tx: Tx) {
  const placeholders = [...OWN, ...receivedNames, 'extra'].map((name) => [name, sql.placeholder(name)]);
  const differs = EDITABLE_FIELDS.map((name) => sql.raw(`video.${name} is not excluded.${name}`));
  const edited = EDITABLE_FIELDS.map((name) => [name, sql.raw(`excluded.${name}`)]);
  return tx
    .insert(video)
    .values({
      ...(Object.fromEntries(placeholders) as typeof video.$inferInsert),
      run_id: sql.raw(CURRENT_RUN) as SQL<number>,
    })
    .onConflictDoUpdate({
      target: [video.account, video.package_id, video.id],
      set: {
        ...(Object.fromEntries(edited) as Partial<typeof video.$inferInsert>),
        changed_at: sql.raw(notBefore('excluded.changed_at')),
        removed_at: null,
        first_missing_at: null,
        change_seq: sql.raw('excluded.change_seq'),
      },
      setWhere: sql.join([...differs, sql.raw('video.removed_at is not null')], sql.raw(' or ')),
    })
    .toSQL();
}

interface Statement {
  text: string;
  /** For each parameter, the name of what is bound to it; or the value that it always has. */
  parameters: readonly ({ name: string } | { value: SqlValue })[];
}

/** The statement, compiled once for all connections. */
let upsert: Statement | null = null;

function compileUpsert(tx: Tx): Statement {
  const { sql: text, params } = buildUpsert(tx);
  const parameters = params.map((each) =>
    is(each, Param) && is(each.value, Placeholder) ? { name: each.value.name } : { value: each as SqlValue },
  );
  return { text, parameters };
}

/**
 * Returns a function that stores a video if it is new, differs or was removed; true if it wrote. Live rows in
 * the range `known` are read and compared before: that takes half the time of an upsert that changes nothing.
 * `isImport`: no full walk of the package has ended yet.
 */
export function createVideoWriter(
  tx: Tx,
  { account, packageId }: PackageKey,
  { at, known, isImport }: { at: string; known: IdRange | null; isImport: boolean },
) {
  const { text, parameters } = (upsert ??= compileUpsert(tx));
  const statement = prepareOnce(tx, text);
  const rows = known ? readLiveRows(tx, { account, packageId, ...known }) : null;
  const own: Record<string, SqlValue> = {
    account,
    package_id: packageId,
    first_seen_at: at,
    changed_at: at,
    change: isImport ? 'imported' : 'added',
  };
  return (row: VideoRow & Readonly<Record<string, SqlValue | undefined>>, changeSeq: number): boolean => {
    const values = rows?.get(row.id);
    if (values && EDITABLE_FIELDS.every((name, index) => values[index + 1] === (row[name] ?? null)))
      return false;
    rows?.delete(row.id); // a second record of this video is compared with the first one
    own['change_seq'] = changeSeq;
    const bound = parameters.map((each) =>
      'name' in each ? (own[each.name] ?? row[each.name] ?? null) : each.value,
    );
    return statement.run(...bound).changes === 1;
  };
}

export const OF_PACKAGE = 'account = :account and package_id = :packageId';
export const IN_RANGE = `${OF_PACKAGE} and id between :low and :high`;

const LIVE_ROWS = `select id, ${EDITABLE_FIELDS.join(', ')} from video
  where ${IN_RANGE} and removed_at is null`;

/** The values of live rows by id: the id, and the editable fields. */
function readLiveRows(tx: Tx, range: PackageKey & IdRange) {
  const rows = prepareOnce(tx, LIVE_ROWS).raw().all(range) as [number, ...SqlValue[]][];
  return new Map(rows.map((values) => [values[0], values]));
}

/** Whether an id has a row, and whether that is live. */
export interface VideoState {
  id: number;
  isLive: 0 | 1;
}

export const findVideo = query<VideoState, PackageKey & { id: number }>(
  `select id, removed_at is null as isLive from video where ${OF_PACKAGE} and id = :id`,
).get;

export const findVideos = query<VideoState, PackageKey & IdRange>(
  `select id, removed_at is null as isLive from video where ${IN_RANGE}`,
).all;

export const countLive = query<never, PackageKey & IdRange>(
  `select count(*) as count from video where ${IN_RANGE} and removed_at is null`,
).count;

const selectLiveIds = query<{ id: number }, PackageKey & IdRange & { limit: number }>(
  `select id from video where ${IN_RANGE} and removed_at is null order by id limit :limit`,
).all;

/** The ids of live rows in the range, rising; at most `limit`. */
export const findLiveIds = (tx: Tx, range: PackageKey & IdRange, limit = -1): number[] =>
  selectLiveIds(tx, { ...range, limit }).map((row) => row.id);

/** Makes a removed row live again, with the fields that it had. */
export const restoreVideo = query<never, PackageKey & { id: number; at: string; changeSeq: number }>(
  `update video set removed_at = null, first_missing_at = null, changed_at = ${notBefore(':at')},
    change_seq = :changeSeq
    where ${OF_PACKAGE} and id = :id`,
).run;

/** Marks a live row as removed; `provedAt` is when that was first proved. */
export const markRemoved = query<
  never,
  PackageKey & { id: number; provedAt: string; at: string; changeSeq: number }
>(
  `update video set removed_at = ${notBefore(':at')}, changed_at = ${notBefore(':at')},
    first_missing_at = ${notBefore('min(:provedAt, :at)')}, change_seq = :changeSeq
    where ${OF_PACKAGE} and id = :id`,
).run;

/** Marks the live rows as retired, with the numbers after `changeSeq`. Returns how many. */
export const retireVideos = query<never, PackageKey & { at: string; changeSeq: number }>(
  `update video set removed_at = ${notBefore(':at')}, changed_at = ${notBefore(':at')},
    change_seq = :changeSeq + live.number, change = 'retired'
    from (
      select id, row_number() over (order by id) as number from video
        where ${OF_PACKAGE} and removed_at is null
    ) as live
    where ${OF_PACKAGE} and video.id = live.id`,
).run;
