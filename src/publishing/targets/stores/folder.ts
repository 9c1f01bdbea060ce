/** A lake in a folder: of this machine, or one that a file server shares. */
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DAY_MS } from '../../../lib/clock.ts';
import { errorCode, errorMessage } from '../../../lib/errors.ts';
import { TargetError } from '../target.ts';
import type { Body, Store, StoredFile } from './store.ts';

/** Drafts begin with this, so no reader takes one for a file of a table. */
const DRAFT = '.draft-';
/** The age from which on a draft was left by a process that was killed. */
const LEFT_MS = DAY_MS;

/**
 * A store in a folder. The folder must exist: it is not made, because a second lake would begin where a disk
 * is not mounted. A file gets its name once it is on the disk: by `link()` where no file may have that name
 * yet, by `rename()` otherwise. After the signal aborts, no operation is begun.
 */
export function openFolder(root: string, signal?: AbortSignal): Store {
  const toPath = (key: string) => join(root, key);

  async function guard<T>(work: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      throw toTargetError(error, root);
    }
  }

  async function write<T>(key: string, body: Body, name: (from: string, to: string) => Promise<T>) {
    const path = toPath(key);
    const draft = join(dirname(path), `${DRAFT}${randomUUID()}`);
    await stat(root);
    await mkdir(dirname(path), { recursive: true });
    try {
      await sync(draft, 'wx', body);
      const named = await name(draft, path);
      await sync(dirname(path), 'r');
      return named;
    } finally {
      await rm(draft, { force: true });
    }
  }

  return {
    name: root,
    get: (key) => guard(() => readFile(toPath(key)).catch(ignore('ENOENT', null))),
    put: (key, body) => guard(() => write(key, body, rename)),
    putIfAbsent: (key, body) =>
      guard(() => write(key, body, (from, to) => link(from, to).then(() => true, ignore('EEXIST', false)))),
    list: (folder) =>
      guard(async () => {
        await stat(root);
        return list(root, folder);
      }),
    remove: (key) => guard(() => rm(toPath(key), { force: true })),
  };
}

async function list(root: string, folder: string): Promise<StoredFile[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(ignore('ENOENT', []));
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const files: StoredFile[] = [];
  for (const name of names.sort()) {
    const key = `${folder}${name}`;
    const found = await stat(join(root, key)).catch(ignore('ENOENT', null));
    if (found === null) continue;
    const ageMs = Date.now() - found.mtimeMs;
    if (!name.startsWith(DRAFT)) files.push({ key, ageMs });
    else if (ageMs > LEFT_MS) await rm(join(root, key), { force: true });
  }
  return files;
}

/** Opens a file or a folder; what was written is on the disk when it is closed. */
async function sync(path: string, flags: string, body: Body = []): Promise<void> {
  const file = await open(path, flags);
  try {
    for (const piece of body) await file.writeFile(piece);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The value for an error with this code; throws any other one. */
const ignore =
  <T>(code: string, value: T) =>
  (error: unknown): T => {
    if (errorCode(error) === code) return value;
    throw error;
  };

/** The error with the message of the system, and a hint of what to type. */
function toTargetError(error: unknown, root: string): TargetError {
  const [code, owner] = [errorCode(error), userInfo().username];
  const hints: Readonly<Record<string, string>> = {
    ENOENT: `mount its disk; for a new lake: mkdir -p ${root}`,
    EACCES: `sudo chown -R ${owner} ${root}`,
    ENOSPC: `df -h ${root}; the next load goes on from here`,
  };
  return new TargetError(`the lake ${root}: ${errorMessage(error)}`, {
    code,
    hint: hints[code],
    cause: error,
  });
}
