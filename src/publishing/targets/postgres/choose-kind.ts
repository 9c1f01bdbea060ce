/** How an account is loaded: its changes, or everything; or not at all, because the target has what the warehouse never had. */
import { getLastRun, hasAnchor, hasStatesUntil, isFetched, listPackageIds } from '../delta.ts';
import { NotFetchedError } from '../load-errors.ts';
import { oldTimeline, otherStates } from '../old-copies.ts';
import { listVideoTables } from '../shipped-tables.ts';
import type { Source } from '../source.ts';
import { listAnchors, listPackageAnchors, type AccountState } from './account-state.ts';
import type { TargetColumns } from './ensure-schema.ts';
import type { Session } from './session.ts';

export interface ChosenKind {
  kind: 'first' | 'changes' | 'reload';
  /** Whose states are set aside: of the other timeline, null where none is known. Null: no states are lost. */
  lost: { timeline: string | null } | null;
}

/** What is loaded, and where to. */
interface Options {
  source: Source;
  account: string;
  targetColumns: TargetColumns;
  /** Load everything again, whatever the target has. */
  isRebuild: boolean;
}

/** Throws CopyError, NotFetchedError. */
export async function chooseKind(
  session: Session,
  state: AccountState,
  options: Options,
): Promise<ChosenKind> {
  const { source, account, isRebuild, targetColumns } = options;
  const { timeline } = state;
  if (timeline !== source.timeline) {
    if (timeline === null && !(await hasRows(session, options))) return { kind: 'first', lost: null };
    if (!isRebuild) await assertNotSuperseded(session, state, options);
    if (!isFetched(source, account)) throw new NotFetchedError(account);
    return { kind: 'reload', lost: { timeline } };
  }
  if (isRebuild) return { kind: 'reload', lost: { timeline } };
  await assertOurs(session, state, options);
  const isComplete =
    !state.needsReload &&
    state.shape === getLoadedShape(source, targetColumns) &&
    (await hasSamePackages(session, source, account, state.changeSeq ?? 0));
  return { kind: isComplete ? 'changes' : 'reload', lost: null };
}

/**
 * A file whose timeline the target had, and gave up for another one, is an old copy: from before a restore. Throws CopyError.
 */
async function assertNotSuperseded(
  session: Session,
  { isTaken }: AccountState,
  { source, account }: Options,
): Promise<void> {
  if (isTaken) return; // a person took the account for this file
  const loads = session.name('vodhouse_load');
  const earlier = await session.queryOne(
    `SELECT 1 AS one FROM (SELECT timeline FROM ${loads} WHERE account = $1 ORDER BY load_id DESC LIMIT 1) AS last
WHERE last.timeline <> $2 AND EXISTS (SELECT FROM ${loads} WHERE account = $1 AND timeline = $2)`,
    [account, source.timeline],
  );
  if (earlier === null) return;
  throw oldTimeline(account);
}

/** Throws CopyError if the last loads brought what this warehouse never had, or a newer file of it was loaded. */
async function assertOurs(
  session: Session,
  { timeline, publishedAt }: AccountState,
  { source, account }: Options,
): Promise<void> {
  const anchors = await listAnchors(session, account, timeline ?? '');
  const isOther = anchors.some((anchor) => hasAnchor(source, account, anchor) === false);
  // a clock may be set back, so the time alone says nothing
  const isOlder =
    publishedAt !== null && source.publishedAt < publishedAt && (await hasLaterRuns(session, source));
  if (isOther || isOlder) throw otherStates(account);
}

async function hasLaterRuns(session: Session, source: Source): Promise<boolean> {
  const row = await session.queryOne<{ last: string | null }>(
    `SELECT max(run_id) AS last FROM ${session.name('runs')} WHERE warehouse_id = $1`,
    [source.warehouseId],
  );
  return Number(row?.last ?? 0) > getLastRun(source);
}

/**
 * Are the packages of both sides the same ones? A package that was forgotten and came back, or an account that took the name
 * of another one, has former states that no mark tells of.
 */
async function hasSamePackages(
  session: Session,
  source: Source,
  account: string,
  mark: number,
): Promise<boolean> {
  const anchors = await listPackageAnchors(session, account);
  const known = new Set(anchors.map(({ packageId }) => packageId));
  const ours = listPackageIds(source, account);
  return (
    anchors.every((anchor) => !ours.includes(anchor.packageId) || hasAnchor(source, account, anchor)) &&
    ours.every((id) => known.has(id) || !hasStatesUntil(source, account, id, mark))
  );
}

/** Are there rows whose state was lost? */
async function hasRows(session: Session, { account, targetColumns }: Options): Promise<boolean> {
  const found = ['videos', 'video_history', 'video_tags']
    .filter((table) => targetColumns.has(table))
    .map((table) => `EXISTS (SELECT FROM ${session.name(table)} WHERE account = $1)`);
  const row = await session.queryOne<{ found: boolean }>(`SELECT ${found.join(' OR ')} AS found`, [account]);
  return row?.found === true;
}

/** The shape of the rows that a target can take: another one once it has columns that it lacks now. */
export function getLoadedShape({ shape, marts }: Source, targetColumns: TargetColumns): string {
  const missing = listVideoTables(marts).flatMap(({ name: table, columns }) =>
    columns.flatMap(({ name }) => (targetColumns.get(table)?.includes(name) ? [] : [`${table}.${name}`])),
  );
  return missing.length === 0 ? shape : `${shape} without ${missing.join(', ')}`;
}
