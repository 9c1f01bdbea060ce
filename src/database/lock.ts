/** The right to run, held by one process at a time, and freed by the kernel when its owner dies. */
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { Database } from './sqlite.ts';
import { toTimestamp, type Clock } from '../lib/clock.ts';
import { LockedError, type Hint } from '../lib/errors.ts';
import { FOR_OWNER, makeFolder, resolveLink } from './files.ts';
import { isLocked, toWarehouseError } from './integrity.ts';

/**
 * `run`: for the length of a run. `worker`: for the life of `start`. `publish`: while the published file is
 * made. `load`: while a target is loaded.
 */
export type LockName = 'run' | 'worker' | 'publish' | 'load';

/** Why a worker does not take what its CSV files of packages have now. */
export interface PackagesRefusal {
  /** The time as `YYYY-MM-DD HH:MM:SS` UTC. */
  at: string;
  /** `file`: one cannot be used. `leaving`: too many packages left it at once. */
  what: 'file' | 'leaving';
  error: string;
}

export interface Holder {
  host: string;
  pid: number;
  since: string;
  command: string;
  /** A changed config that the worker refused while it runs, at this time (`YYYY-MM-DD HH:MM:SS` UTC). */
  refused?: { at: string; error: string } | null;
  packages?: PackagesRefusal | null;
  /** Since when the worker has the schedule of its backups. */
  backups?: { since: string } | null;
}

export interface Lock {
  /** Stores more about the holder, for other processes. Throws WarehouseError if that cannot be written. */
  note(more: Pick<Holder, 'refused' | 'packages' | 'backups'>): void;
  release(): void;
}

/**
 * Takes a lock of the warehouse at `path`; null if another process holds it. It is an exclusive transaction
 * on a small database next to the live file.
 */
export function tryLock(path: string, name: LockName, command: string, now: number): Lock | null {
  const live = prepareFolder(path);
  if (isHeld(path, name)) return null;
  const client = openExclusively(`${live}.${name}.lock`);
  if (!client) return null;
  const holderFile = `${live}.${name}.holder`;
  const holder: Holder = { host: hostname(), pid: process.pid, since: toTimestamp(now), command };
  try {
    writeHolder(holderFile, holder);
  } catch (error) {
    client.close();
    throw error;
  }
  return {
    note: (more) => writeHolder(holderFile, Object.assign(holder, more)),
    release: () => {
      rmSync(holderFile, { force: true });
      client.close();
    },
  };
}

/** Replaces the file at once: a reader never finds half of it. Only the holder of the lock calls it. */
function writeHolder(file: string, holder: Holder): void {
  const draft = `${file}.new`;
  try {
    rmSync(draft, { force: true });
    writeFileSync(draft, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw toWarehouseError(error, file);
  }
}

/** Like `tryLock`, but throws LockedError that names the holder. */
export function lockOrThrow(path: string, name: LockName, command: string, now: number): Lock {
  const lock = tryLock(path, name, command, now);
  if (!lock) throw createLockedError(path, name);
  return lock;
}

/** How often a lock that another process holds is tried again. */
const POLL_MS = 300;

/**
 * Calls `open` again and again while it throws LockedError; `onWait` gets the first one. Throws its other
 * errors, and the reason of the signal.
 */
export async function openWhenFree<Opened>(
  open: () => Opened | Promise<Opened>,
  clock: Clock,
  { onWait, signal }: { onWait?: (error: LockedError) => void; signal?: AbortSignal } = {},
): Promise<Opened> {
  for (let tries = 1; ; tries++) {
    signal?.throwIfAborted();
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      if (tries === 1) onWait?.(error);
    }
    await clock.sleep(POLL_MS, signal);
  }
}

/** The error if a lock is held; names its holder. */
export function createLockedError(path: string, name: LockName): LockedError {
  const who = describeHolder(readHolder(path, name));
  const { what, hint } = LOCK_MESSAGES[name];
  return new LockedError(`${what}: ${who}`, { hint });
}

function describeHolder(holder: Holder | null): string {
  if (!holder) return 'another process';
  return `vodhouse ${holder.command} on ${holder.host}, pid ${holder.pid}, since ${holder.since} UTC`;
}

/** The other process that holds the lock, as a text; null if none does. */
export function findOtherHolder(path: string, name: LockName): string | null {
  const holder = readHolder(path, name);
  if (holder?.host === hostname() && holder.pid === process.pid) return null;
  return isHeld(path, name) ? describeHolder(holder) : null;
}

const LOCK_MESSAGES: Record<LockName, { what: string; hint: Hint }> = {
  run: { what: 'a run is under way', hint: [{ command: 'sync --wait' }, ' waits for it'] },
  worker: {
    what: 'a worker is running',
    hint: ['one worker a warehouse is enough; ', { command: 'sync' }, ' can run at the same time'],
  },
  publish: {
    what: 'the published file is being made',
    hint: [{ command: 'publish' }, ' can be called again when that has ended'],
  },
  load: { what: 'a target is being loaded', hint: 'try again when that has ended' },
};

/** The process that last took the lock; null if there is none. Only meaningful while the lock is held. */
export function readHolder(path: string, name: LockName): Holder | null {
  try {
    return JSON.parse(readFileSync(`${resolveLink(path)}.${name}.holder`, 'utf8')) as Holder;
  } catch {
    return null;
  }
}

/** The process that holds the lock now; null if none does. */
export function readLiveHolder(path: string, name: LockName): Holder | null {
  return isHeld(path, name) ? readHolder(path, name) : null;
}

/**
 * True if a process holds the lock. The kernel is asked, by reading the lock file. The file of the holder
 * would not do: it stays where a process was killed, and another container cannot look for its process.
 */
export function isHeld(path: string, name: LockName): boolean {
  const file = `${resolveLink(path)}.${name}.lock`;
  if (!existsSync(file)) return false; // only `tryLock` makes the file
  let client: Database | undefined;
  try {
    client = new Database(file, { readonly: true, timeout: 0 });
    client.prepare('select 1 from sqlite_schema').get();
    return false;
  } catch (error) {
    return isLocked(error); // a file that may not be read counts as not held
  } finally {
    client?.close();
  }
}

/** Makes the folder. Returns the path without links, because a lock belongs to the file, not to a path. */
function prepareFolder(path: string): string {
  try {
    makeFolder(dirname(resolveLink(path)), FOR_OWNER, path);
    return resolveLink(path);
  } catch (error) {
    throw toWarehouseError(error, path);
  }
}

/**
 * How long to wait for a lock: another process holds it for a moment where it only asks who holds it, or
 * tries to take it, too.
 */
const TIMEOUT_MS = 1_000;

function openExclusively(path: string): Database | null {
  let client: Database | undefined;
  try {
    // 'a' does not fail where another process creates the file at the same time
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
    client = new Database(path, { timeout: TIMEOUT_MS });
    client.exec('begin exclusive');
    return client;
  } catch (error) {
    client?.close();
    if (isLocked(error)) return null;
    throw toWarehouseError(error, path);
  }
}
