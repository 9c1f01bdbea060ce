/** The backups of the worker: which file each one is, and whether it was made. */
import { eq, isNotNull } from 'drizzle-orm';
import type { Tx } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import { backup } from '../../database/schema/runs.ts';

export type Backup = typeof backup.$inferSelect;

const NEWEST_FIRST = 'order by backup_id desc';
const findAttempt = query<Backup>(`select * from backup ${NEWEST_FIRST} limit 1`).get;
const findSuccess = query<Backup>(
  `select * from backup where finished_at is not null ${NEWEST_FIRST} limit 1`,
).get;

/** The newest attempt, and the newest one that succeeded: null where there is none. */
export const findLastBackups = (tx: Tx): { attempt: Backup | null; success: Backup | null } => ({
  attempt: findAttempt(tx) ?? null,
  success: findSuccess(tx) ?? null,
});

/** Backups that were made, the newest first: by their number, because the clock may have been wrong. */
export const listBackups = query<Backup>(
  `select * from backup where finished_at is not null ${NEWEST_FIRST}`,
).all;

/**
 * Deletes the rows of backups that a process did not finish. Only the worker may call it, while it makes
 * none.
 */
export const deleteUnfinishedBackups = query<never>(
  'delete from backup where finished_at is null and error is null',
).run;

/** Adds a backup that begins, and returns its number. */
export const beginBackup = (tx: Tx, row: Pick<Backup, 'file' | 'started_at'>): number =>
  tx.insert(backup).values(row).returning({ id: backup.backup_id }).get().id;

/** Records that a backup was made, and deletes the failures before it. */
export function finishBackup(tx: Tx, id: number, end: { finished_at: string; size_bytes: number }): void {
  tx.update(backup).set(end).where(eq(backup.backup_id, id)).run();
  tx.delete(backup).where(isNotNull(backup.error)).run();
}

/** Records why a backup was not made. */
export function failBackup(tx: Tx, id: number, error: string): void {
  tx.update(backup).set({ error }).where(eq(backup.backup_id, id)).run();
}

/** Deletes the row of a backup whose file no longer exists. */
export function deleteBackup(tx: Tx, id: number): void {
  tx.delete(backup).where(eq(backup.backup_id, id)).run();
}
