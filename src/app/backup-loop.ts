/** Makes the backups of the config in the worker, in parallel to the runs, and deletes the oldest. */
import { rmSync } from 'node:fs';
import { basename, dirname, extname, resolve } from 'node:path';
import { backUpInChild } from '../backup/backup.ts';
import type { BackupConfig, Config } from '../config/config.ts';
import { transact } from '../database/transaction.ts';
import { fromTimestamp, HOUR_MS, toTimestamp, type Clock } from '../lib/clock.ts';
import { coalesce } from '../lib/coalesce.ts';
import { errorLine, hintLine, InterruptedError, withHint } from '../lib/errors.ts';
import { formatBytes, formatDuration } from '../lib/format.ts';
import type { Logger } from '../lib/logger.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import {
  deleteUnfinishedBackups,
  findLastBackups,
  beginBackup,
  finishBackup,
  deleteBackup,
  failBackup,
  listBackups,
} from '../warehouse/statements/backup.ts';
import { findLastRun } from '../warehouse/statements/run.ts';
import { dueTrigger } from './due.ts';

interface BackupLoopOptions {
  config: Pick<Config, 'warehouse' | 'schedule'> & { backup: BackupConfig };
  warehouse: Warehouse;
  clock: Clock;
  logger: Logger;
}

/** A backup that failed is made again after this time, or at the next tick of its schedule. */
const RETRY_MS = HOUR_MS;

/**
 * Starts idle; `check` makes a backup if one is due. The rows of backups that an earlier process did not
 * finish are deleted.
 */
export function createBackupLoop(options: BackupLoopOptions) {
  transact(options.warehouse.db, (tx) => deleteUnfinishedBackups(tx));
  const { request, close } = coalesce(async (signal) => {
    try {
      if (isDue(options)) await makeBackup(options, signal);
    } catch (thrown) {
      logFailure(options.logger, null, thrown);
    }
  });
  return {
    check: () => void request(),
    /** Aborts a backup under way: no file of it stays. */
    close,
  };
}

/** True if a backup is due. None is before the first full run, because there is nothing to copy. */
function isDue({ config, warehouse, clock }: BackupLoopOptions): boolean {
  const now = clock.now();
  const { attempt, success } = findLastBackups(warehouse.db);
  const isDueSince = (last: { started_at: string } | null) =>
    dueTrigger(config.backup.schedule, now, last?.started_at ?? null, config.schedule.timezone) !== null;
  const isAfterFailure = attempt !== null && attempt.backup_id !== success?.backup_id;
  const mayRetry =
    !isAfterFailure || isDueSince(attempt) || now - fromTimestamp(attempt.started_at) >= RETRY_MS;
  return isDueSince(success) && mayRetry && findLastRun(warehouse.db, 'full') !== null;
}

async function makeBackup(options: BackupLoopOptions, signal: AbortSignal): Promise<void> {
  const { config, warehouse, clock, logger } = options;
  const startedAt = clock.now();
  const file = resolve(config.backup.folder, backupName(config.warehouse, startedAt));
  const id = transact(warehouse.db, (tx) => beginBackup(tx, { file, started_at: toTimestamp(startedAt) }));
  try {
    const { sizeBytes: bytes } = await backUpInChild(config.warehouse, file, signal);
    const end = { finished_at: toTimestamp(clock.now()), size_bytes: bytes };
    transact(warehouse.db, (tx) => finishBackup(tx, id, end));
    const durationMs = clock.now() - startedAt;
    const message = `backup ${file}: ${formatBytes(bytes)}, ${formatDuration(durationMs)}`;
    logger.info({ event: 'backup_made', file, bytes, duration_ms: durationMs }, message);
    deleteOldest(options);
  } catch (thrown) {
    if (thrown instanceof InterruptedError) {
      transact(warehouse.db, (tx) => deleteBackup(tx, id));
      return;
    }
    logFailure(logger, file, thrown);
    transact(warehouse.db, (tx) => failBackup(tx, id, errorLine(thrown)));
  }
}

function logFailure(logger: Logger, file: string | null, thrown: unknown): void {
  const [error, hint] = [errorLine(thrown), hintLine(thrown)];
  logger.error({ event: 'backup_failed', file, error, hint }, withHint(`the backup failed: ${error}`, hint));
}

/** The name of a backup, such as `vodhouse-2026-11-22T023000Z.db` for the warehouse `vodhouse.db`. */
function backupName(warehouse: string, startedAt: number): string {
  const ending = extname(warehouse);
  const time = toTimestamp(startedAt).replace(' ', 'T').replaceAll(':', '');
  return `${basename(warehouse, ending)}-${time}Z${ending}`;
}

/**
 * Deletes all but the last `keep` backups. They are ordered by their number, because a wrong clock could make
 * a new one look like the oldest. Only those in the folder of the config are deleted: a copy of the live file
 * also lists the backups of its original, which belong to that one.
 */
function deleteOldest({ config, warehouse, logger }: BackupLoopOptions): void {
  const { folder, keep } = config.backup;
  const own = listBackups(warehouse.db).filter(({ file }) => dirname(file) === resolve(folder));
  for (const { backup_id: id, file } of own.slice(keep)) {
    try {
      rmSync(file, { force: true });
      transact(warehouse.db, (tx) => deleteBackup(tx, id));
    } catch (thrown) {
      const error = errorLine(thrown);
      logger.warn({ event: 'backup_not_deleted', file, error }, `an old backup cannot be deleted: ${error}`);
    }
  }
}
