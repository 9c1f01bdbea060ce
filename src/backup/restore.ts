/**
 * Replaces the live file by a backup, and keeps the previous file. If it is interrupted, the live file is the
 * old one, or the new one, or rejected by every command until another restore has finished.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { Database } from '../database/sqlite.ts';
import { DAY_MS, toTimestamp } from '../lib/clock.ts';
import { ConfigError, LockedError } from '../lib/errors.ts';
import { copyBackup, type CopyResult } from './backup.ts';
import { toWarehouseError } from '../database/integrity.ts';
import { fsyncPath, restoreMarkerPath, resolveLink } from '../database/files.ts';
import { draftPath, removeDraft, removeStaleDrafts } from '../database/draft-files.ts';
import { openDatabase } from '../database/connection.ts';
import { createLockedError, tryLock, type Lock, type LockName } from '../database/lock.ts';
import { warehouseState } from '../database/schema/runs.ts';
import { targetLoad } from '../database/schema/targets.ts';
import { query } from '../database/query.ts';
import { transact } from '../database/transaction.ts';

/** What a restore did. */
export interface Restored extends CopyResult {
  /** Path of the file that was there before; null if there was none. */
  kept: string | null;
  /** The first moment at which its accounts may send a request again, `YYYY-MM-DD HH:MM:SS`. */
  pausedUntil: string;
  /** The id of the new warehouse; null where the restored file is the warehouse of the backup. */
  newWarehouseId: string | null;
}

/**
 * Makes a copy of `file` the live file at `path`; with `asNew`, as another warehouse, of which no target
 * knows anything. Throws ConfigError if `file` is missing, is the live file, or is a backup of another
 * warehouse than the live file, LockedError if any other process runs, and WarehouseError if `file` is no
 * sound warehouse that this version knows; then nothing is changed.
 */
export function restore(path: string, file: string, now: number, { asNew } = { asNew: false }): Restored {
  assertBackup(path, file);
  const live = resolveLink(path);
  const locks: Lock[] = [];
  try {
    for (const name of ['worker', 'run', 'publish', 'load'] as const) locks.push(takeLock(live, name, now));
    return restoreLocked(live, file, now, asNew);
  } finally {
    for (const lock of locks.reverse()) lock.release();
  }
}

function restoreLocked(live: string, file: string, now: number, asNew: boolean): Restored {
  const draft = draftPath(live);
  try {
    removeStaleDrafts(live);
    const copied = copyBackup(file, draft, statSync(existsSync(live) ? live : file).mode);
    assertSameWarehouse(live, draft, file);
    const old = findOldFile(live);
    const prepared = prepareDraft(draft, now, asNew);
    const previousFile = freePreviousName(live, now);
    for (const step of swapSteps(live, draft, previousFile)) step();
    return { ...copied, kept: old === null || old === live ? findPrevious(previousFile) : old, ...prepared };
  } catch (error) {
    throw error instanceof ConfigError ? error : toWarehouseError(error, live);
  } finally {
    removeDraft(draft);
  }
}

function assertBackup(path: string, file: string): void {
  const hint = 'name a file that vodhouse backup made';
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) throw new ConfigError(`there is no backup at ${file}`, { hint });
  const live = statSync(path, { throwIfNoEntry: false });
  if (live?.ino === stat.ino && live.dev === stat.dev)
    throw new ConfigError(`${file} is the live file itself`, { hint });
}

/** `draft` is the copy of `file`. A live file that cannot be read may be any warehouse. */
function assertSameWarehouse(live: string, draft: string, file: string): void {
  const ours = existsSync(live) ? readId(live) : null;
  if (ours === null || ours === readId(draft)) return;
  throw new ConfigError(`${file} is a backup of another warehouse than ${live}; nothing was changed`, {
    hint: `to use it all the same, move ${live} away first, and its -wal if there is one`,
  });
}

function takeLock(live: string, name: LockName, now: number): Lock {
  const lock = tryLock(live, name, 'restore', now);
  if (lock) return lock;
  const hint = 'stop it first: a restore needs the warehouse for itself';
  throw new LockedError(createLockedError(live, name).message, { hint });
}

/** The longest window of the limits. */
const WINDOW_MS = DAY_MS;

const pauseAll = query<never, { at: string; until: string }>(
  `insert into pause (account, until, reason, since, full_rate_at, consecutive_restrictions)
    select
      account,
      :until,
      'the warehouse was restored: the requests since its backup are not known',
      :at,
      :until,
      0
    from (
      select account from package
      union select account from storage_day
      union select account from request
    )
    where true
    on conflict (account) do update
      set until = :until, reason = excluded.reason, since = :at, full_rate_at = :until`,
).run;

/**
 * Migrates the draft, gives it a new id where it becomes another warehouse, and records the restore. Its
 * ledger lacks the requests since the backup, so every window of the limits counts as full until those have
 * left it.
 */
function prepareDraft(
  draft: string,
  now: number,
  asNew: boolean,
): Pick<Restored, 'pausedUntil' | 'newWarehouseId'> {
  const db = openDatabase(draft, now);
  try {
    const newWarehouseId = asNew ? randomUUID() : null;
    const [at, pausedUntil] = [toTimestamp(now), toTimestamp(now + WINDOW_MS)];
    transact(db, (tx) => {
      tx.update(warehouseState)
        .set({ restored_at: at, ...(asNew && { warehouse_id: newWarehouseId }) })
        .run();
      if (asNew) tx.delete(targetLoad).run();
      pauseAll(tx, { at, until: pausedUntil });
    });
    // The log does not move with the file, so it must be empty. Closing would ignore a failure of this.
    db.$client.pragma('wal_checkpoint(TRUNCATE)');
    return { pausedUntil, newWarehouseId };
  } finally {
    db.$client.close();
    fsyncPath(draft);
  }
}

/**
 * The id of the warehouse in a file; null for a file that cannot be read. Opened read-only where a log is
 * there, so that it stays as it is, and for writing where there is none: a read-only connection would leave
 * one.
 */
function readId(file: string): string | null {
  try {
    const readonly = LOGS.some((log) => existsSync(file + log));
    const client = new Database(file, { readonly, fileMustExist: true });
    try {
      return client.prepare('select warehouse_id from warehouse_state').pluck().get() as string | null;
    } finally {
      client.close();
    }
  } catch {
    return null;
  }
}

/** Log files that SQLite keeps next to a file: without them data is lost. */
const LOGS = ['-wal', '-journal'];

/**
 * The steps that put `draft` in the place of `live`, and move the old file and its logs to `previousFile`.
 * Between the first and the last one, the marker of a restore keeps every command from opening the live file.
 */
export function swapSteps(live: string, draft: string, previousFile: string): readonly (() => void)[] {
  const marker = restoreMarkerPath(live);
  const move = (part: string) => () => {
    const size = statSync(live + part, { throwIfNoEntry: false })?.size;
    const isLeftByReader = part !== '' && size === 0;
    if (isLeftByReader) rmSync(live + part);
    else if (size !== undefined) renameDurably(live + part, previousFile + part);
  };
  return [
    () => renameDurably(draft, marker),
    ...LOGS.map(move),
    move(''), // the file comes last: see findOldFile
    () => rmSync(`${live}-shm`, { force: true }),
    () => renameDurably(marker, live),
  ];
}

function renameDurably(from: string, to: string): void {
  renameSync(from, to);
  fsyncPath(dirname(to));
}

/**
 * The file to replace: the live one, or the one that an interrupted restore has moved. If that restore had
 * moved only the logs of a file, the file is moved too, so that both stay together.
 */
function findOldFile(live: string): string | null {
  const moved = existsSync(restoreMarkerPath(live)) ? listPreviousFiles(live).at(-1) : undefined;
  if (moved !== undefined && existsSync(live) && !existsSync(moved)) renameDurably(live, moved);
  return [live, moved].find((file) => file !== undefined && existsSync(file)) ?? null;
}

/** The files that restores have moved, the oldest first, also those of which only the logs were moved. */
function listPreviousFiles(live: string): string[] {
  const prefix = `${basename(live)}.before-restore-`;
  const names = readdirSync(dirname(live)).filter((name) => name.startsWith(prefix));
  const files = names.map((name) => join(dirname(live), name.replace(/-(wal|journal|shm)$/, '')));
  return [...new Set(files)].sort();
}

/** A name that no file has yet. */
function freePreviousName(live: string, now: number): string {
  const stamp = toTimestamp(now).replaceAll(/[-:]/g, '').replace(' ', '-');
  const taken = listPreviousFiles(live);
  for (let number = 1; ; number++) {
    const name = `${live}.before-restore-${stamp}${number === 1 ? '' : `.${number}`}`;
    if (!taken.includes(name)) return name;
  }
}

/** The file that was moved, or the log of a missing one; null if there was none. */
function findPrevious(previousFile: string): string | null {
  return ['', ...LOGS].map((part) => previousFile + part).find((file) => existsSync(file)) ?? null;
}
