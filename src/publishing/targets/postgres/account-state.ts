/** What the target knows of an account: its mark, the slices of its small tables, and the newest states of its loads. */
import type { Anchor } from '../delta.ts';
import type { Checksums } from '../slices.ts';
import { toUtcText } from './claim.ts';
import type { Session } from './session.ts';

export interface AccountState {
  epoch: number;
  warehouseId: string;
  instance: string;
  /** Null before the first load. */
  timeline: string | null;
  shape: string | null;
  changeSeq: number | null;
  /** When the published file was made that was loaded last: UTC, `YYYY-MM-DD HH:MM:SS`. */
  publishedAt: string | null;
  /** Why the account is loaded completely again: its rows are not those of the warehouse. */
  needsReload: boolean;
  /** A person took it from another warehouse for this file, and it was not loaded since. */
  isTaken: boolean;
}

/** Locks the row of an account until the end of the transaction. Null if nobody has claimed it. */
export async function lockAccountState(session: Session, account: string): Promise<AccountState | null> {
  const row = await session.queryOne<Record<string, string | null>>(
    `SELECT epoch, warehouse_id, instance, timeline, shape, change_seq, status, ${toUtcText('published_at')} AS published_at
FROM ${session.name('vodhouse_account')} WHERE account = $1 FOR UPDATE`,
    [account],
  );
  if (row === null) return null;
  return {
    epoch: Number(row.epoch),
    warehouseId: row.warehouse_id ?? '',
    instance: row.instance ?? '',
    timeline: row.timeline ?? null,
    shape: row.shape ?? null,
    changeSeq: row.change_seq == null ? null : Number(row.change_seq),
    publishedAt: row.published_at ?? null,
    needsReload: row.status !== null,
    isTaken: row.status === 'rebuild',
  };
}

/** How many states of earlier loads are looked for in the published file. */
const ANCHORS = 20;

/** The newest states that the last loads of a timeline brought, since the account was loaded completely. */
export async function listAnchors(session: Session, account: string, timeline: string): Promise<Anchor[]> {
  const { rows } = await session.query<AnchorRow>(
    `SELECT package_id, video_id, to_change_seq AS change_seq, ${toUtcText('valid_from')} AS valid_from
FROM ${session.name('vodhouse_load')}
WHERE account = $1 AND timeline = $2 AND package_id IS NOT NULL AND load_id >= coalesce(
  (SELECT max(load_id) FROM ${session.name('vodhouse_load')} WHERE account = $1 AND kind <> 'changes'), 0)
ORDER BY load_id DESC LIMIT ${ANCHORS}`,
    [account, timeline],
  );
  return rows.map(toAnchor);
}

type AnchorRow = Record<'package_id' | 'video_id' | 'change_seq' | 'valid_from', string>;

const toAnchor = (row: AnchorRow): Anchor => ({
  packageId: Number(row.package_id),
  videoId: Number(row.video_id),
  changeSeq: Number(row.change_seq),
  validFrom: row.valid_from,
});

/** One state of each package that has videos: the present one of the video with the lowest number. */
export async function listPackageAnchors(session: Session, account: string): Promise<Anchor[]> {
  const { rows } = await session.query<AnchorRow>(
    `SELECT p.package_id, v.* FROM ${session.name('packages')} p CROSS JOIN LATERAL (
  SELECT video_id, change_seq, ${toUtcText('valid_from')} AS valid_from FROM ${session.name('videos')} v
  WHERE v.account = p.account AND v.package_id = p.package_id ORDER BY v.video_id LIMIT 1) v
WHERE p.account = $1`,
    [account],
  );
  return rows.map(toAnchor);
}

/** The slices that the target has of an owner: by the name of the table. */
export async function readSlices(session: Session, owner: string): Promise<(table: string) => Checksums> {
  const { rows } = await session.query<{ table_name: string; slice: string; checksum: string }>(
    `SELECT table_name, slice, checksum FROM ${session.name('vodhouse_slice')} WHERE owner = $1`,
    [owner],
  );
  const tables = new Map<string, Map<string, string>>();
  for (const { table_name, slice, checksum } of rows) {
    const slices = tables.get(table_name) ?? new Map<string, string>();
    tables.set(table_name, slices.set(slice, checksum));
  }
  return (table) => tables.get(table) ?? new Map<string, string>();
}

/** Replaces the checksums of changed slices, and forgets those that are gone. */
export async function writeSlices(
  session: Session,
  owner: string,
  table: string,
  { changed, gone }: { changed: Checksums; gone: readonly string[] },
): Promise<void> {
  const slices = session.name('vodhouse_slice');
  if (changed.size > 0)
    await session.execute(
      `INSERT INTO ${slices} (owner, table_name, slice, checksum)
SELECT $1, $2, * FROM unnest($3::text[], $4::text[])
ON CONFLICT (owner, table_name, slice) DO UPDATE SET checksum = excluded.checksum`,
      [owner, table, [...changed.keys()], [...changed.values()]],
    );
  if (gone.length > 0)
    await session.execute(`DELETE FROM ${slices} WHERE owner = $1 AND table_name = $2 AND slice = ANY ($3)`, [
      ...[owner, table, gone],
    ]);
}

/** The rows of the account are those of the warehouse. */
export async function recordVerified(session: Session, account: string): Promise<void> {
  await session.execute(
    `UPDATE ${session.name('vodhouse_account')} SET verified_at = now(), status = NULL WHERE account = $1`,
    [account],
  );
}

/** They are not: the next load is a complete one. */
export async function recordUnverified(session: Session, account: string): Promise<void> {
  await session.execute(
    `UPDATE ${session.name('vodhouse_account')} SET status = 'unverified' WHERE account = $1`,
    [account],
  );
}
