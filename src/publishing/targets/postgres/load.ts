/** One load: brings one account of a target up to the published file, in one transaction. */
import { findDelta, listPackageIds, selectAll, type Delta } from '../delta.ts';
import { describeBooked } from '../findings.ts';
import { LostLeaseError, StaleSourceError } from '../load-errors.ts';
import type { Source } from '../source.ts';
import type { Finding, Holder, Loaded } from '../target.ts';
import { lockAccountState, readSlices, type AccountState } from './account-state.ts';
import { chooseKind, getLoadedShape, type ChosenKind } from './choose-kind.ts';
import { LEASE_MINUTES } from './claim.ts';
import type { TargetColumns } from './ensure-schema.ts';
import { deletePackages, loadChanges, loadFirst, reload } from './load-videos.ts';
import { loadSlices } from './load-slices.ts';
import { removeFormerNames } from './remove-account.ts';
import { begin, type Session } from './session.ts';
import type { LoadContext } from './stage.ts';

export interface LoadOptions {
  source: Source;
  account: string;
  holder: Holder;
  /** The epoch of the claim: another one means that another worker has the account now. */
  epoch: number;
  targetColumns: TargetColumns;
  /** Load everything again, whatever the target has. */
  isRebuild: boolean;
  lockTimeoutMs: number;
  loadTimeoutMs: number;
}

/** Loads the account. Throws the errors of load-errors.ts, and what pg throws; then nothing was changed. */
export async function loadAccount(session: Session, options: LoadOptions): Promise<Loaded> {
  await begin(session, options);
  const state = await lockState(session, options);
  if (options.source.isReplaced()) throw new StaleSourceError(); // who had the lock may have loaded the newer file
  const { kind, lost } = await chooseKind(session, state, options);
  // a few rows of large tables: where rows are cheap to find, the planner still prefers to read everything
  if (kind === 'changes') await session.execute('SET LOCAL enable_seqscan = off');
  let nulTexts = 0;
  const context: LoadContext = {
    session,
    db: options.source.db,
    targetColumns: options.targetColumns,
    onNul: (count) => (nulTexts += count),
  };
  if (kind !== 'changes') await removeFormerNames(session, options);
  const written = await write(context, kind, state, lost, options);
  const findings = [...written.findings, ...describeNul(nulTexts)];
  if (kind === 'changes' && written.rows === 0) {
    await session.execute('ROLLBACK');
    await recordPublication(session, options);
    return { kind: 'nothing', rows: 0, findings };
  }
  await recordLoad(session, kind, state, written, options);
  await session.execute('COMMIT');
  if (kind !== 'changes') await analyze(session, written.delta);
  return { kind, rows: written.rows, findings };
}

/** Tells the planner of the rows at once: until the server does so by itself, readers get slow plans. */
async function analyze(session: Session, { videos, history, tags }: Delta): Promise<void> {
  try {
    await session.execute(`SET lock_timeout = '2s'`);
    for (const each of [videos, history, tags])
      if (each) await session.execute(`ANALYZE ${session.name(each.table.name)}`);
  } catch {
    // the load is committed; the server does it later
  }
}

async function lockState(session: Session, { account, epoch, holder }: LoadOptions): Promise<AccountState> {
  const state = await lockAccountState(session, account);
  if (state?.epoch !== epoch || state.instance !== holder.instance)
    throw new LostLeaseError(`another worker has account ${account} now`);
  return state;
}

interface Written {
  rows: number;
  delta: Delta;
  findings: Finding[];
}

async function write(
  context: LoadContext,
  kind: ChosenKind['kind'],
  { changeSeq }: AccountState,
  lost: ChosenKind['lost'],
  { source, account, isRebuild }: LoadOptions,
): Promise<Written> {
  const { session } = context;
  const findings: Finding[] = [];
  let rows = 0;
  if (kind !== 'changes')
    await session.execute(`DELETE FROM ${session.name('vodhouse_slice')} WHERE owner = $1`, [account]);
  const delta =
    kind === 'changes'
      ? findDelta(source, account, changeSeq ?? 0, await readSlices(session, account))
      : selectAll(source, account);
  if (kind === 'first') rows += await loadFirst(context, delta);
  else if (kind === 'changes') {
    rows += await deletePackages(context, account, await findForgotten(session, source, account), delta);
    rows += await loadChanges(context, delta);
  } else {
    const done = await reload(context, account, delta, lost);
    rows += done.rows;
    findings.push(...describeReload(account, done.setAside));
  }
  const bookedDays: string[] = [];
  for (const changes of delta.slices) {
    const options = { isWhole: kind !== 'changes', mayReplaceBooked: isRebuild };
    const done = await loadSlices(context, { account }, changes, options);
    rows += done.rows;
    bookedDays.push(...done.bookedDays);
  }
  return { rows, delta, findings: [...findings, ...describeBooked(account, bookedDays)] };
}

/** Packages that the target has and the warehouse does not: `vodhouse forget` deleted them. */
async function findForgotten(session: Session, source: Source, account: string): Promise<number[]> {
  const { rows } = await session.query<{ package_id: string }>(
    `SELECT package_id FROM ${session.name('packages')} WHERE account = $1 AND NOT package_id = ANY ($2)`,
    [account, listPackageIds(source, account)],
  );
  return rows.map((row) => Number(row.package_id));
}

async function recordLoad(
  session: Session,
  kind: string,
  state: AccountState,
  { rows, delta }: Written,
  { source, account, epoch, holder, targetColumns }: LoadOptions,
): Promise<void> {
  const { newest } = delta;
  const shape = getLoadedShape(source, targetColumns);
  const since = kind === 'changes' ? state.changeSeq : null;
  const mark = newest?.changeSeq ?? since ?? 0;
  const load = await session.queryOne<{ load_id: string }>(
    `INSERT INTO ${session.name('vodhouse_load')} (account, warehouse_id, timeline, epoch, worker, kind, from_change_seq,
  to_change_seq, package_id, video_id, valid_from, rows, loaded_at, published_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, ($11 || ' UTC')::timestamptz, $12, clock_timestamp(), ($13 || ' UTC')::timestamptz)
RETURNING load_id`,
    [
      ...[account, source.warehouseId, source.timeline, epoch, holder.worker, kind, since, mark],
      ...[
        newest?.packageId ?? null,
        newest?.videoId ?? null,
        newest?.validFrom ?? null,
        rows,
        source.publishedAt,
      ],
    ],
  );
  await session.execute(
    `UPDATE ${session.name('vodhouse_account')} SET timeline = $2, shape = $3, change_seq = $4, load_id = $5,
  loaded_at = clock_timestamp(), published_at = ($6 || ' UTC')::timestamptz, status = NULL,
  lease_until = clock_timestamp() + interval '${LEASE_MINUTES} minutes', renewed_at = clock_timestamp() WHERE account = $1`,
    [account, source.timeline, shape, mark, load?.load_id, source.publishedAt],
  );
}

/** The target has everything that is in the file: that alone is news. */
async function recordPublication(session: Session, { source, account, epoch }: LoadOptions): Promise<void> {
  await session.execute(
    `UPDATE ${session.name('vodhouse_account')} SET published_at = ($3 || ' UTC')::timestamptz
WHERE account = $1 AND epoch = $2 AND published_at IS DISTINCT FROM ($3 || ' UTC')::timestamptz`,
    [account, epoch, source.publishedAt],
  );
}

function describeNul(count: number): Finding[] {
  if (count === 0) return [];
  return [
    {
      kind: 'nul_replaced',
      message: `${count} characters NUL in texts were replaced by U+FFFD: PostgreSQL has none`,
    },
  ];
}

function describeReload(account: string, setAside: number): Finding[] {
  const reloaded = { kind: 'reloaded', message: `account ${account} was loaded completely again` } as const;
  if (setAside === 0) return [reloaded];
  const message = `${setAside} states that only the target had are in vodhouse_lost_history`;
  return [reloaded, { kind: 'history_set_aside', message: `account ${account}: ${message}` }];
}
