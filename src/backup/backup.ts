/** A consistent copy of the live file, also while others write to it. */
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Database } from '../database/sqlite.ts';
import { runInChild } from '../lib/child-process.ts';
import { errorCode, ConfigError, WarehouseError } from '../lib/errors.ts';
import { openForCopy, type Db } from '../database/connection.ts';
import { SCHEMA_VERSION } from '../database/migrate.ts';
import { draftPath, removeDraft, removeStaleDrafts } from '../database/draft-files.ts';
import { fsyncPath, readHeader } from '../database/fsync.ts';
import { assertIntegrity, toWarehouseError } from '../database/integrity.ts';
import { createPrivateFolder } from '../database/private-files.ts';

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
 * Like `backUp`, in a child process: SQLite blocks the process that copies, and a signal must be noticed. Throws
 * InterruptedError if the signal aborts; no file is left then.
 */
export function backUpInChild(path: string, file: string, signal: AbortSignal): Promise<CopyResult> {
  const request: BackupRequest = { path, file };
  return runInChild('backup/backup-child.js', { ...request }, signal, (reason) => {
    removeStaleDrafts(file);
    return new WarehouseError(`the process that copies ended with ${reason}; no backup was made`);
  });
}

/**
 * Copies the live file at `path` to `file`. Throws ConfigError if `file` exists, and WarehouseError if the live file is
 * missing, damaged, or no vodhouse file, or the copy cannot be written. No file is left then.
 */
export function backUp(path: string, file: string): CopyResult {
  const source = openForCopy(path);
  try {
    if (existsSync(file)) throw alreadyExists(file);
    assertIntegrity(source.$client, path);
    const draft = draftPath(file);
    try {
      createFolder(dirname(file));
      removeStaleDrafts(file);
      const copied = copyInto(source, draft, statSync(path).mode);
      moveIntoPlace(draft, file);
      return copied;
    } catch (error) {
      throw withoutDraft(error, draft, file);
    } finally {
      removeDraft(draft);
    }
  } finally {
    source.$client.close();
  }
}

/** Messages name the file that was asked for, once, not the draft. */
function withoutDraft(error: unknown, draft: string, file: string): unknown {
  if (!(error instanceof WarehouseError) || !error.message.includes(draft)) return error;
  const message = error.message.replace(`, open '${draft}'`, '').replaceAll(draft, file);
  return new WarehouseError(message, { hint: error.hint?.replaceAll(draft, file), cause: error });
}

/** Copies one snapshot of a warehouse into `draft`, and checks the copy. Writers are not blocked. Throws WarehouseError. */
function copyInto(source: Db, draft: string, mode: number): CopyResult {
  removeDraft(draft);
  createEmpty(draft, mode);
  try {
    source.$client.prepare('vacuum into ?').run(draft);
  } catch (error) {
    throw toWarehouseError(error, draft); // damage of the source is reported by its connection
  }
  const copied = verifyCopy(draft, source.$client.name);
  fsyncPath(draft);
  return copied;
}

/**
 * Checks a backup, and copies it into `draft` like `copyInto`. Throws WarehouseError if it is no sound warehouse. A backup
 * in WAL mode that no process has open is read from a copy, because SQLite would create files next to it.
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
  try {
    const source = openForCopy(readableCopy);
    try {
      assertIntegrity(source.$client, file);
      return source;
    } catch (error) {
      source.$client.close();
      throw error;
    }
  } catch (error) {
    const { message, hint } = toWarehouseError(error, file);
    const isNewer = (readHeader(file)?.userVersion ?? 0) > SCHEMA_VERSION;
    throw new WarehouseError(message.replaceAll(readableCopy, file), {
      hint: isNewer ? hint : 'name another backup; the live file is as it was',
      cause: error,
    });
  }
}

/** With the permissions of the live file: SQLite would create a file that all users may read. */
function createEmpty(draft: string, mode: number): void {
  try {
    closeSync(openSync(draft, 'wx', (mode & 0o777) | 0o600));
  } catch (error) {
    throw toWarehouseError(error, draft);
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

function alreadyExists(file: string): ConfigError {
  const today = new Date().toISOString().slice(0, 10);
  return new ConfigError(`${file} is there already; nothing was written`, {
    hint: `name a file that is not there, such as ${file.replace(/(\.\w+)?$/, (ending) => `-${today}${ending}`)}`,
  });
}

function createFolder(folder: string): void {
  try {
    createPrivateFolder(folder);
  } catch (error) {
    throw toWarehouseError(error, folder);
  }
}

/** Links the complete draft, which never replaces a file that another process created. */
function moveIntoPlace(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw alreadyExists(file);
    copyIntoPlace(draft, file);
  }
  fsyncPath(dirname(file));
}

/** For file systems without hard links. */
function copyIntoPlace(draft: string, file: string): void {
  try {
    copyFileSync(draft, file, constants.COPYFILE_EXCL);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw alreadyExists(file);
    rmSync(file, { force: true });
    throw toWarehouseError(error, file);
  }
  fsyncPath(file);
}
