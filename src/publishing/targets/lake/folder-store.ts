/** A lake on a folder: of this machine, or one that a file server shares. */
import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DAY_MS } from '../../../lib/clock.ts';
import { toFolderError } from './folder-errors.ts';
import type { Body, ListedObject, Store, StoredObject } from './store.ts';

/** Files that are not finished begin with this: no list has them. */
const TEMPORARY = '.';

/** A process that was killed left them; younger ones may be in use. */
const LEFTOVER_MS = DAY_MS;

/**
 * The folder must be there: without its disk, a new lake would begin in its place. A file gets its name once it is on the disk,
 * by `link()` where there must be none of that name, else by `rename()`. A list deletes the leftovers that it finds.
 */
export function openFolderStore(root: string): Store {
  let aheadMs = 0; // of the clock of the file system
  let learned: Promise<void> | null = null;
  const toPath = (key: string) => join(root, ...key.split('/'));
  /** By a file without content; where none can be written, the clock of this machine has to do. */
  const learnClock = () =>
    (learned ??= measureAhead(root).then(
      (ms) => void (aheadMs = ms),
      () => undefined,
    ));
  const guard = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw toFolderError(error, toPath(key));
    }
  };

  /** Writes a file without a name, and has `name` name it. */
  async function write<T>(
    key: string,
    body: Body,
    name: (from: string, to: string) => Promise<T>,
  ): Promise<T> {
    const path = toPath(key);
    const folder = dirname(path);
    await assertFolder(root);
    await mkdir(folder, { recursive: true });
    const from = join(folder, `${TEMPORARY}${randomBytes(8).toString('hex')}`);
    try {
      const { mtimeMs } = await writeDurably(from, body);
      aheadMs = mtimeMs - Date.now();
      const named = await name(from, path);
      await syncFolder(folder);
      return named;
    } finally {
      await rm(from, { force: true });
    }
  }

  return {
    name: root,
    get: (key) => guard(key, () => learnClock().then(() => read(toPath(key)))),
    put: (key, body) => guard(key, () => write(key, body, rename).then(() => toEtag(body))),
    putIfAbsent: (key, body) =>
      guard(key, () =>
        write(key, body, async (from, to) => ((await linkNew(from, to)) ? toEtag(body) : null)),
      ),
    replace: (key, body, etag) =>
      guard(key, () =>
        write(key, body, async (from, to) => {
          const present = await read(to); // whoever writes here holds the account: another one is a matter of a frozen process
          if (present?.etag !== etag) return null;
          await rename(from, to);
          return toEtag(body);
        }),
      ),
    list: (prefix, after) => list(root, prefix, after),
    remove: async (keys) => {
      for (const key of keys) await guard(key, () => rm(toPath(key), { force: true }));
    },
    now: () => Date.now() + aheadMs,
    toUri: toPath,
    close: () => Promise.resolve(),
  };
}

async function assertFolder(root: string): Promise<void> {
  try {
    if ((await stat(root)).isDirectory()) return;
  } catch (error) {
    throw toFolderError(error, root);
  }
  throw toFolderError(Object.assign(new Error('no folder'), { code: 'ENOTDIR' }), root);
}

/** How far the clock of the file system is ahead of that of this machine, in milliseconds. */
async function measureAhead(root: string): Promise<number> {
  const path = join(root, `${TEMPORARY}${randomBytes(8).toString('hex')}`);
  try {
    await (await open(path, 'wx')).close();
    return (await stat(path)).mtimeMs - Date.now();
  } finally {
    await rm(path, { force: true });
  }
}

/** False if there is a file of that name. */
async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    ignore('EEXIST')(error);
    return false;
  }
}

function toEtag(body: Body): string {
  const hash = createHash('sha256');
  for (const piece of body) hash.update(piece);
  return hash.digest('hex');
}

async function read(path: string): Promise<StoredObject | null> {
  const body = await readFile(path).catch(ignore('ENOENT', 'ENOTDIR'));
  return body ? { body, etag: toEtag([body]) } : null;
}

async function writeDurably(path: string, body: Body) {
  const file = await open(path, 'wx');
  try {
    for (const piece of body) await file.writeFile(piece);
    await file.sync();
    return await file.stat();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function* list(root: string, prefix: string, after = ''): AsyncGenerator<ListedObject> {
  const folder = join(root, ...prefix.split('/'));
  try {
    const entries = await readdir(folder, { withFileTypes: true }).catch(ignore('ENOENT', 'ENOTDIR'));
    const names = (entries ?? []).map((entry) => `${entry.name}${entry.isDirectory() ? '/' : ''}`).sort();
    for (const name of names) {
      const key = `${prefix}${name}`;
      if (name.startsWith(TEMPORARY)) await removeLeftover(join(folder, name));
      else if (name.endsWith('/')) yield* list(root, key, after);
      else if (key > after) {
        const found = await stat(join(folder, name)).catch(ignore('ENOENT'));
        if (found) yield { key, bytes: found.size, etag: null, modifiedAtMs: found.mtimeMs };
      }
    }
  } catch (error) {
    throw toFolderError(error, folder);
  }
}

async function removeLeftover(path: string): Promise<void> {
  const found = await stat(path).catch(ignore('ENOENT'));
  if (found?.isFile() === true && found.mtimeMs + LEFTOVER_MS < Date.now()) await rm(path, { force: true });
}

/** Undefined for an error with one of these codes; throws any other one. */
const ignore =
  (...codes: string[]) =>
  (error: unknown): undefined => {
    if (!codes.includes(String((error as NodeJS.ErrnoException).code))) throw error;
  };
