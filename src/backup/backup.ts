/** A consistent copy of the live file, also while others write to it. */
import { closeSync, copyFileSync, existsSync, lstatSync, openSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Database } from '../database/sqlite.ts';
import { runInChild } from '../lib/child-process.ts';
import { ConfigError, WarehouseError } from '../lib/errors.ts';
import { openForCopy, type Db } from '../database/connection.ts';
import { SCHEMA_VERSION } from '../database/migrate.ts';
import { draftPath, removeDraft, removeStaleDrafts } from '../database/draft-files.ts';
import { assertFolderExists, fsyncPath, readHeader } from '../database/files.ts';
import { assertIntegrity, toWarehouseError } from '../database/integrity.ts';

/** What to copy, and where to. */
export interface BackupRequest {
  path: string;
  file: string;
}

/** The content of a copy of a warehouse. */
export interface CopyResult {
  /** Videos that are not removed. */
  videos: number;
  sizeBytes: number;
  /** The end of its newest finished run, `YYYY-MM-DD HH:MM:SS`; null before the first. */
  lastRunAt: string | null;
}

/**
 * Like `backUp`, in a child process: SQLite blocks the process that copies, and a signal must be noticed.
 * Throws InterruptedError if the signal aborts; no file is left then.
 */
export function backUpInChild(path: string, file: string, signal: AbortSignal): Promise<CopyResult> {
  const request: BackupRequest = { path, file };
  return runInChild('backup/backup-child', request, signal, (reason) => {
    removeStaleDrafts(file);
    return new WarehouseError(`the process that copies ended with ${reason}; no backup was made`);
  });
}

/**
 * Copies the live file at `path` to `file`. Throws ConfigError if `file` exists, or its folder does not, and
 * WarehouseError if the live file is missing, damaged, or no vodhouse file, or the copy cannot be written. No
 * file is left then.
 */
export function backUp(path: string, file: string): CopyResult {
  const source = openForCopy(path);
  const draft = draftPath(file);
  try {
    assertIsFree(file);
    assertIntegrity(source.$client, path);
    assertFolderExists(dirname(file), file);
    removeStaleDrafts(file);
    const copied = copyInto(source, draft, statSync(path).mode);
    assertIsFree(file);
    renameSync(draft, file);
    fsyncPath(dirname(file));
    return copied;
  } catch (error) {
    throw error instanceof ConfigError ? error : toWarehouseError(error, file);
  } finally {
    removeDraft(draft);
    source.$client.close();
  }
}

/** Throws ConfigError if the name is taken, also by a link that leads nowhere. */
function assertIsFree(file: string): void {
  if (!lstatSync(file, { throwIfNoEntry: false })) return;
  throw new ConfigError(`${file} is there already; nothing was written`, {
    hint: 'name a file that is not there',
  });
}

/** Bits of the mode of a file. */
const PERMISSIONS = 0o777;
const OWNER_MAY_READ_AND_WRITE = 0o600;

/**
 * Copies one snapshot of a warehouse into `draft`, and checks the copy. Writers are not blocked. Throws
 * WarehouseError.
 */
function copyInto(source: Db, draft: string, mode: number): CopyResult {
  removeDraft(draft);
  try {
    // with the permissions of the live file, because SQLite would create a file that all users may read
    closeSync(openSync(draft, 'wx', (mode & PERMISSIONS) | OWNER_MAY_READ_AND_WRITE));
    source.$client.prepare('vacuum into ?').run(draft);
  } catch (error) {
    throw toWarehouseError(error, draft); // damage of the source is reported by its connection
  }
  const copied = verifyCopy(draft, source.$client.name);
  fsyncPath(draft);
  return copied;
}

/**
 * Checks a backup, and copies it into `draft` like `copyInto`. Throws WarehouseError if it is no sound
 * warehouse. A backup in WAL mode that no process has open is read from a copy, because SQLite would create
 * files next to it.
 */
export function copyBackup(file: string, draft: string, mode: number): CopyResult {
  const isReadable = !readHeader(file)?.isInWalMode || existsSync(`${file}-wal`);
  const readableCopy = isReadable ? file : `${draft}.twin`;
  try {
    if (!isReadable) copyFileSync(file, readableCopy);
    const source = openBackup(file, readableCopy);
    try {
      return copyInto(source, draft, mode);
    } finally {
      source.$client.close();
    }
  } finally {
    if (!isReadable) removeDraft(readableCopy);
  }
}

function openBackup(file: string, readableCopy: string): Db {
  let source: Db | null = null;
  try {
    source = openForCopy(readableCopy);
    assertIntegrity(source.$client, file);
    return source;
  } catch (error) {
    source?.$client.close();
    const { message, hint } = toWarehouseError(error, file);
    const isNewer = (readHeader(file)?.userVersion ?? 0) > SCHEMA_VERSION;
    throw new WarehouseError(message.replaceAll(readableCopy, file), {
      hint: isNewer ? hint : 'name another backup; the live file is as it was',
      cause: error,
    });
  }
}

/** Checks a copy. A problem in the copy is a problem of its source. */
function verifyCopy(draft: string, source: string): CopyResult {
  const client = new Database(draft, { readonly: true });
  try {
    assertIntegrity(client, source);
    const getValue = (query: string) => client.prepare<[]>(query).pluck().get();
    return {
      videos: getValue('select count(*) from video where removed_at is null') as number,
      sizeBytes: statSync(draft).size,
      lastRunAt: getValue('select max(finished_at) from run') as string | null,
    };
  } catch (error) {
    throw toWarehouseError(error, source);
  } finally {
    client.close();
  }
}
