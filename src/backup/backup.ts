/** A consistent copy of the live file, also while others write. */
import {
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { ConfigError, WarehouseError } from '../lib/errors.ts';
import { toWarehouseError, assertIntegrity } from '../database/integrity.ts';
import { readHeader, fsyncPath } from '../database/fsync.ts';
import { draftPath, removeDraft, sweepDrafts } from '../database/draft-files.ts';
import { openForCopy, type Db } from '../database/connection.ts';

/** What a copy of a warehouse holds. */
export interface CopyResult {
  /** Videos that are not removed. */
  videos: number;
  sizeBytes: number;
  /** The end of its newest run that has ended, `YYYY-MM-DD HH:MM:SS`; null before the first. */
  lastRunAt: string | null;
}

/** Whose access a copy takes over. */
type Model = Pick<Stats, 'mode' | 'uid' | 'gid'>;

/**
 * Copies the live file at `path` to `file`, where nothing may be yet. Throws ConfigError where something is, and
 * WarehouseError where the live file is not there, not ours, or damaged, or the copy cannot be written; it leaves no
 * file then.
 */
export function backUp(path: string, file: string): CopyResult {
  const source = openForCopy(path);
  try {
    refuseThere(file);
    assertIntegrity(source.$client, path);
    const draft = draftPath(file);
    try {
      makeFolder(file);
      sweepDrafts(file);
      const copied = copyInto(source, draft, statSync(path));
      putInPlace(draft, file);
      return copied;
    } finally {
      removeDraft(draft);
    }
  } finally {
    source.$client.close();
  }
}

/**
 * Copies a warehouse as it is at this moment into `draft`, and checks the copy; `model` says who may read it. Of one
 * snapshot: writers neither wait for it nor make it start anew. Throws WarehouseError.
 */
export function copyInto(source: Db, draft: string, model: Model): CopyResult {
  removeDraft(draft);
  makeEmpty(draft, model);
  try {
    source.$client.prepare('vacuum into ?').run(draft);
  } catch (error) {
    throw toWarehouseError(error, draft); // damage of the source is told by its connection
  }
  const copied = lookInto(draft, source.$client.name);
  fsyncPath(draft);
  return copied;
}

/**
 * Copies a backup into `draft` like `copyInto`, after it was checked itself. Throws WarehouseError where it is no sound
 * warehouse. One in WAL mode that nobody has open is read from a twin: SQLite would make files beside it.
 */
export function copyBackup(file: string, draft: string, model: Model): CopyResult {
  const isQuiet = isInWalMode(file) && !existsSync(`${file}-wal`);
  if (!isQuiet) return copyChecked(file, file, draft, model);
  const twin = `${draft}.twin`;
  try {
    copyFileSync(file, twin);
    return copyChecked(file, twin, draft, model);
  } finally {
    removeDraft(twin);
  }
}

function copyChecked(file: string, readable: string, draft: string, model: Model): CopyResult {
  const source = openChecked(file, readable);
  try {
    return copyInto(source, draft, model);
  } finally {
    source.$client.close();
  }
}

function openChecked(file: string, readable: string) {
  try {
    const source = openForCopy(readable);
    try {
      assertIntegrity(source.$client, file);
      return source;
    } catch (error) {
      source.$client.close();
      throw error;
    }
  } catch (error) {
    const { message, hint = '' } = toWarehouseError(error, file);
    const isNewer = hint.startsWith('update vodhouse');
    throw new WarehouseError(message.replaceAll(readable, file), {
      hint: isNewer ? hint : 'name another backup; the live file is as it was',
      cause: error,
    });
  }
}

/** Byte 18 of a SQLite file says how it is written: 2 with a write-ahead log. */
function isInWalMode(file: string): boolean {
  return readHeader(file)[18] === 2;
}

/** SQLite would let everybody read it; and root would make it a file that nobody else can write. */
function makeEmpty(draft: string, model: Model): void {
  try {
    closeSync(openSync(draft, 'wx', (model.mode & 0o777) | 0o600));
    if (process.getuid?.() === 0) chownSync(draft, model.uid, model.gid);
  } catch (error) {
    throw toWarehouseError(error, draft);
  }
}

/** Checks a copy; what is wrong with it is wrong with its source. */
function lookInto(draft: string, source: string): CopyResult {
  const client = new Database(draft, { readonly: true });
  try {
    assertIntegrity(client, source);
    const valueOf = (query: string) => client.prepare<[]>(query).pluck().get();
    return {
      videos: valueOf('select count(*) from video where removed_at is null') as number,
      sizeBytes: statSync(draft).size,
      lastRunAt: valueOf('select max(finished_at) from run') as string | null,
    };
  } catch (error) {
    throw toWarehouseError(error, source);
  } finally {
    client.close();
  }
}

function refuseThere(file: string): void {
  if (existsSync(file)) throw thereAlready(file);
}

function thereAlready(file: string): ConfigError {
  const today = new Date().toISOString().slice(0, 10);
  return new ConfigError(`${file} is there already; nothing was written`, {
    hint: `name a file that is not there, such as ${file.replace(/(\.\w+)?$/, (ending) => `-${today}${ending}`)}`,
  });
}

function makeFolder(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
  } catch (error) {
    throw toWarehouseError(error, dirname(file));
  }
}

/** Linked in whole: whatever another process put there meanwhile stays. */
function putInPlace(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw thereAlready(file);
    copyInPlace(draft, file);
  }
  fsyncPath(dirname(file));
}

/** For file systems without hard links. */
function copyInPlace(draft: string, file: string): void {
  try {
    copyFileSync(draft, file, constants.COPYFILE_EXCL);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw thereAlready(file);
    rmSync(file, { force: true });
    throw toWarehouseError(error, file);
  }
  fsyncPath(file);
}
