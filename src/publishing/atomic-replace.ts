/** Putting a file in the place of another one, so that whoever looks finds the old one or the new one, whole. */
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
import { ConfigError } from '../lib/errors.ts';
import { readHeader, fsyncPath } from '../database/fsync.ts';
import { draftPath, escaped, sweep } from '../database/draft-files.ts';

/** `vodp` in ASCII: says that a SQLite file is one that vodhouse published. */
export const PUBLISHED_ID = 0x766f6470;

/** Removes what a publication left that was killed, also of a dated copy; only for whoever holds the lock. */
export function sweepLeftOvers(file: string): void {
  const { name, ext } = parse(file);
  const dated = `(?:\\.\\d{4}-\\d{2}-\\d{2})?`;
  const leftOver = new RegExp(`^${escaped(name)}${dated}${escaped(ext)}\\.new-\\d+(?:-[a-z]+)*$`);
  sweep(dirname(file), leftOver, () => true);
}

/** Removes what that process left, which has ended before its time. */
export function sweepAfter(file: string, pid: number | undefined): void {
  for (const ending of ['', '-journal', '-tally', '-tally-journal'])
    rmSync(`${file}.new-${pid}${ending}`, { force: true });
}

/** Throws ConfigError where something else stands in the place of the published file: it would be lost. */
export function assertOurFile(file: string): void {
  const id = applicationId(file);
  if (id === null || id === PUBLISHED_ID) return;
  throw new ConfigError(
    `publish.file: ${file} is there, and is no file that vodhouse published; nothing was changed`,
    {
      hint: 'name another file, or move this one away',
    },
  );
}

/** The application id in the header of a SQLite file; 0 for any other file, null where there is none, or nothing in it. */
function applicationId(file: string): number | null {
  try {
    const stats = statSync(file);
    if (stats.isFile() && stats.size === 0) return null;
    const header = readHeader(file);
    return header.toString('latin1', 0, 15) === 'SQLite format 3' ? header.readUInt32BE(68) : 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    if ((error as NodeJS.ErrnoException).code === 'EISDIR') return 0;
    throw error;
  }
}

/** Waits until the disk has the file, and makes it one that nobody writes to. */
export async function flush(draft: string): Promise<void> {
  const handle = await open(draft, 'r');
  try {
    const { mode } = await handle.stat();
    await handle.chmod(mode & 0o444);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Puts the draft, which is on the disk, in the place of the file. */
export async function swapIn(draft: string, file: string): Promise<void> {
  const old = await open(file, 'r').catch(() => null);
  renameSync(draft, file);
  fsyncPath(dirname(file));
  void old?.close(); // to free the blocks of a large file takes a while, and nobody needs to wait
}

/** Has the disk begin with what is written so far, beside what this process does. Throws what `fsync` throws. */
export function beginFlush(draft: string): Promise<void> {
  const handle = openSync(draft, 'r');
  return new Promise((resolve, reject) => {
    fsync(handle, (error) => {
      closeSync(handle);
      if (error) reject(error);
      else resolve();
    });
  });
}

/**
 * Keeps a copy of the published file under the name of the day, such as `vodhouse.bi.2026-03-01.db`, in place of an
 * earlier one of that day. Gives its path.
 */
export function keepCopy(file: string, today: string): string {
  const copy = datedCopy(file, today);
  const draft = draftPath(copy);
  rmSync(draft, { force: true });
  linkOrCopy(file, draft);
  renameSync(draft, copy);
  fsyncPath(dirname(file));
  return copy;
}

/** Removes the dated copies of that day and of those before it. */
export function removeCopies(file: string, lastDay: string): void {
  for (const { day, path } of copiesOf(file)) {
    if (day <= lastDay) rmSync(path, { force: true });
  }
  fsyncPath(dirname(file));
}

function datedCopy(file: string, day: string): string {
  const { dir, name, ext } = parse(file);
  return join(dir, `${name}.${day}${ext}`);
}

function copiesOf(file: string): { day: string; path: string }[] {
  const { dir, name, ext } = parse(file);
  const dated = new RegExp(`^${escaped(name)}\\.(\\d{4}-\\d{2}-\\d{2})${escaped(ext)}$`);
  return readdirSync(dir).flatMap((each) => {
    const day = dated.exec(each)?.[1];
    const path = join(dir, each);
    return day !== undefined && applicationId(path) === PUBLISHED_ID ? [{ day, path }] : [];
  });
}

/** The published file never changes: a second name for it is a copy that costs nothing. */
function linkOrCopy(file: string, copy: string): void {
  try {
    linkSync(file, copy);
  } catch {
    copyFileSync(file, copy); // a file system without hard links
    chmodSync(copy, statSync(file).mode);
    fsyncPath(copy);
  }
}
