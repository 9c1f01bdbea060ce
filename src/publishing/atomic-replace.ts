/** Replaces a published file, so that a reader finds the old file or the complete new one; and keeps dated copies. */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  fsync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { addDays } from '../lib/days.ts';
import { errorCode, ConfigError } from '../lib/errors.ts';
import { draftPath, escapeRegExp, removeMatching } from '../database/draft-files.ts';
import { fsyncPath, readHeader } from '../database/fsync.ts';
import type { PublishRequest } from './publish-request.ts';

/** `vodp` in ASCII: the application id of a SQLite file that vodhouse published. */
export const PUBLISHED_ID = 0x766f6470;

/** Throws ConfigError if another kind of file has the name of the published file: it would be lost. */
export function assertOurFile(file: string): void {
  const id = readApplicationId(file);
  if (id === null || id === PUBLISHED_ID) return;
  throw new ConfigError(
    `publish.file: ${file} exists, and vodhouse did not publish it; nothing was changed`,
    { hint: 'name another file, or move this one away' },
  );
}

/** The application id in the header of a SQLite file; 0 for any other file, null for none or an empty one. */
function readApplicationId(file: string): number | null {
  try {
    const stats = statSync(file);
    if (stats.isFile() && stats.size === 0) return null;
    return readHeader(file)?.applicationId ?? 0;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    if (errorCode(error) === 'EISDIR') return 0;
    throw error;
  }
}

/** Removes what killed publications left, also of a dated copy. Only the holder of the publish lock may call it. */
export function sweepLeftOvers(file: string): void {
  const { name, ext } = parse(file);
  const dated = `(?:\\.\\d{4}-\\d{2}-\\d{2})?`;
  const leftOver = new RegExp(`^${escapeRegExp(name)}${dated}${escapeRegExp(ext)}\\.new-\\d+(?:-[a-z]+)*$`);
  removeMatching(dirname(file), leftOver, () => true);
}

/** Starts an fsync of all that is written so far; it continues while SQLite blocks this process. Rejects as `fsync` fails. */
export function startFsync(draft: string): Promise<void> {
  const handle = openSync(draft, 'r');
  const done = new Promise<void>((resolve, reject) => {
    fsync(handle, (error) => {
      closeSync(handle);
      if (error) reject(error);
      else resolve();
    });
  });
  done.catch(() => undefined); // the caller awaits it later, or fails before
  return done;
}

/** Renames the draft, which is on the disk, over the file. */
export async function replaceFile(draft: string, file: string): Promise<void> {
  const old = await open(file, 'r').catch(() => null);
  renameSync(draft, file);
  fsyncPath(dirname(file));
  void old?.close(); // not awaited: the blocks of a large file take time to free
}

/**
 * Keeps a copy of the published file under the name of the day, such as `vodhouse.bi.2026-03-01.db`; it replaces an earlier
 * one of that day. Removes expired copies. Returns the path; null if no copies are kept.
 */
export function keepDatedCopy({ file, keepDays, pruneCopies, today }: PublishRequest): string | null {
  if (keepDays === 0) return null;
  const { dir, name, ext } = parse(file);
  const copy = join(dir, `${name}.${today}${ext}`);
  const draft = draftPath(copy);
  rmSync(draft, { force: true });
  linkOrCopy(file, draft);
  renameSync(draft, copy);
  fsyncPath(dir);
  if (pruneCopies) removeCopiesUntil(file, addDays(today, -keepDays));
  return copy;
}

function removeCopiesUntil(file: string, lastDay: string): void {
  const { dir, name, ext } = parse(file);
  const dated = new RegExp(`^${escapeRegExp(name)}\\.(\\d{4}-\\d{2}-\\d{2})${escapeRegExp(ext)}$`);
  for (const each of readdirSync(dir)) {
    const day = dated.exec(each)?.[1];
    const path = join(dir, each);
    if (day !== undefined && day <= lastDay && readApplicationId(path) === PUBLISHED_ID)
      rmSync(path, { force: true });
  }
  fsyncPath(dir);
}

/** The published file never changes, so a hard link is a copy without cost. */
function linkOrCopy(file: string, copy: string): void {
  try {
    linkSync(file, copy);
  } catch {
    copyFileSync(file, copy); // a file system without hard links
    chmodSync(copy, statSync(file).mode);
    fsyncPath(copy);
  }
}
