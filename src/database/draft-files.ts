/** Draft files, `FILE.new-PID`: they are renamed when they are complete. */
import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../lib/errors.ts';

/** What SQLite keeps next to a file. */
const SUFFIXES = ['', '-journal', '-wal', '-shm'];

/** The path of a draft, next to its file, because neither a rename nor a link crosses file systems. */
export function draftPath(file: string, pid: number | undefined = process.pid): string {
  return `${file}.new-${pid}`;
}

/** Removes a draft, and what SQLite left next to it. */
export function removeDraft(draft: string): void {
  for (const part of SUFFIXES) rmSync(`${draft}${part}`, { force: true });
}

/**
 * Removes the drafts of a file whose processes have ended, and what SQLite left next to them. Those of a live
 * process stay, also of another user; so does what cannot be removed.
 */
export function removeStaleDrafts(file: string): void {
  const draft = new RegExp(
    `^${escapeRegExp(basename(file))}\\.new-([1-9]\\d*)(?:\\.twin)?(?:-journal|-wal|-shm)?$`,
  );
  removeMatching(dirname(file), draft, (pid) => !isAlive(Number(pid)));
}

/** Removes the files in a folder whose name matches, if `isStale` is true of the first group of the match. */
export function removeMatching(folder: string, pattern: RegExp, isStale: (group: string) => boolean): void {
  for (const name of listNames(folder)) {
    const match = pattern.exec(name);
    if (match && isStale(match[1] ?? '')) removeIfPossible(join(folder, name));
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // it is missing, or may not be read
  }
}

function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // it belongs to another user, or is a folder; it takes disk space only
  }
}

/** The text as a pattern that matches nothing else. */
export function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** True if a process with this id runs on this machine, of any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH'; // EPERM: it lives, as another user
  }
}
