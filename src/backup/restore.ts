/**
 * Puts a backup in the place of the live file, and keeps what was there beside it. It may be cut off anywhere: then
 * the live file is the old one, or the new one, or refused to all until another restore has finished what this began.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { gt } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { toTimestamp, DAY_MS } from '../lib/clock.ts';
import { ConfigError, LockedError } from '../lib/errors.ts';
import { copyBackup, type CopyResult } from './backup.ts';
import { toWarehouseError } from '../database/integrity.ts';
import { fsyncPath } from '../database/fsync.ts';
import { draftPath, removeDraft, sweepDrafts } from '../database/draft-files.ts';
import { APPLICATION_ID, openDatabase } from '../database/connection.ts';
import { restoreMarkerPath, resolveLink } from '../database/paths.ts';
import { hasForeignWal, ownerNotePath, assertOwnWal } from '../database/wal-owner.ts';
import type { Db, Tx } from '../database/connection.ts';
import { lockedError, tryLock, type Lock, type LockName } from '../database/lock.ts';
import { request, warehouseState } from '../database/schema/runs.ts';
import { upsertPause, pausesUntil, type PauseRow } from '../budget/statements/pause.ts';
import { transact } from '../database/transaction.ts';

type RequestRow = typeof request.$inferSelect;

/** Of the ledger of the old file: requests of the last day and pauses that the backup lacks; or why there are none. */
export type ImportedLedger = { requests: number; pauses: number } | { error: string };

/** What was put in place. */
export interface Restored extends CopyResult {
  /** Where that is kept which was there before; null where nothing was. */
  kept: string | null;
  /** What was taken over of the ledger of the file that was there; null where none was. */
  carried: ImportedLedger | null;
}

/**
 * Makes `file` the live file at `path`; `file` itself is only read. Throws ConfigError where `file` is not there or is
 * the live file, LockedError where anybody runs, and WarehouseError where `file` is no sound warehouse that this
 * version knows: nothing is changed then.
 */
export function restore(path: string, file: string, now: number): Restored {
  refuseArgument(path, file);
  const live = resolveLink(path);
  const worker = takeLock(live, 'worker', now);
  try {
    const run = takeLock(live, 'run', now);
    try {
      const publish = takeLock(live, 'publish', now);
      try {
        return restoreLocked(live, file, now);
      } finally {
        publish.release();
      }
    } finally {
      run.release();
    }
  } finally {
    worker.release();
  }
}

function restoreLocked(live: string, file: string, now: number): Restored {
  const draft = draftPath(live);
  try {
    sweepDrafts(live);
    const copied = copyBackup(file, draft, statOf(live) ?? statSync(file));
    const old = findOld(live);
    const carried = prepareDraft(draft, old, now);
    const aside = freePreviousName(live, now);
    for (const step of swapSteps(live, draft, aside)) step();
    return { ...copied, kept: old === null || old === live ? keptAs(aside) : old, carried };
  } catch (error) {
    throw toWarehouseError(error, live);
  } finally {
    removeDraft(draft);
  }
}

function refuseArgument(path: string, file: string): void {
  const stat = statOf(file);
  if (!stat?.isFile()) {
    throw new ConfigError(`there is no backup at ${file}`, { hint: 'name a file that vodhouse backup made' });
  }
  const live = statOf(path);
  if (live?.ino !== stat.ino || live.dev !== stat.dev) return;
  throw new ConfigError(`${file} is the live file itself`, { hint: 'name a file that vodhouse backup made' });
}

function statOf(path: string): Stats | undefined {
  return existsSync(path) ? statSync(path) : undefined;
}

function takeLock(live: string, name: LockName, now: number): Lock {
  const lock = tryLock(live, name, 'restore', now);
  if (lock) return lock;
  const hint = 'stop it first: a restore needs the warehouse for itself';
  throw new LockedError(lockedError(live, name).message, { hint });
}

/** Brings the draft up to date, with the ledger of the file that it replaces, and a note that it was restored. */
function prepareDraft(draft: string, old: string | null, now: number): ImportedLedger | null {
  const db = openDatabase(draft, now);
  try {
    db.update(warehouseState)
      .set({ restored_at: toTimestamp(now) })
      .run();
    return old === null ? null : importLedger(old, db, now);
  } finally {
    db.$client.close();
    fsyncPath(draft);
  }
}

/** What SQLite keeps beside a file, and what is lost of it without. */
const LOGS = ['-wal', '-journal'];

/**
 * The steps that put `draft` in the place of `live`. From the first to the last one nobody opens the live file: see
 * `markerOf`. What was there is kept at `aside`.
 */
export function swapSteps(live: string, draft: string, aside: string): readonly (() => void)[] {
  const marker = restoreMarkerPath(live);
  return [
    () => renameForGood(draft, marker),
    ...[...LOGS, ''].map((part) => () => moveAside(live, aside, part)), // the file last: see findOld
    () => moveOrphanLogs(live, aside),
    () => renameForGood(marker, live),
  ];
}

function renameForGood(from: string, to: string): void {
  renameSync(from, to);
  fsyncPath(dirname(to));
}

function moveAside(live: string, aside: string, part: string): void {
  const stat = statOf(live + part);
  if (!stat || !existsSync(live)) return;
  if (part === '-wal' && hasForeignWal(live)) return; // no part of the file: see clearBeside
  const isLeftByReader = part !== '' && stat.size === 0;
  if (isLeftByReader) rmSync(live + part);
  else renameForGood(live + part, aside + part);
}

/** SQLite would take a log beside the new file for part of it; one that belongs to no file is kept under its own name. */
function moveOrphanLogs(live: string, aside: string): void {
  rmSync(`${live}-shm`, { force: true });
  rmSync(ownerNotePath(live), { force: true });
  for (const part of LOGS) {
    if (existsSync(live + part)) renameForGood(live + part, `${aside}.lone${part}`);
  }
}

/**
 * The file that is to be replaced: the live one, or what a restore that was broken off has moved aside. Where it had
 * moved no more than the log of a file, the file follows, so that the two stay together.
 */
function findOld(live: string): string | null {
  const isLive = existsSync(live);
  if (!existsSync(restoreMarkerPath(live))) return isLive ? live : null;
  const asides = asidesOf(live);
  const files = asides.filter((name) => !LOGS.some((log) => name.endsWith(log)));
  if (!isLive) return files.at(-1) ?? null;
  const torn = asides
    .map((name) => name.replace(/-(wal|journal)$/, ''))
    .find((name) => !files.includes(name));
  if (torn === undefined) return live;
  renameForGood(live, torn);
  return torn;
}

/** Files that restores have moved aside, and their logs, the oldest first. */
function asidesOf(live: string): string[] {
  const beginning = `${basename(live)}.before-restore-`;
  return readdirSync(dirname(live))
    .filter((name) => name.startsWith(beginning) && !name.includes('.lone-') && !name.endsWith('-shm'))
    .sort()
    .map((name) => join(dirname(live), name));
}

/** A name that nothing bears yet. */
function freePreviousName(live: string, now: number): string {
  const stamp = toTimestamp(now).replaceAll(/[-:]/g, '').replace(' ', '-');
  const names = readdirSync(dirname(live));
  for (let number = 1; ; number++) {
    const aside = `${live}.before-restore-${stamp}${number === 1 ? '' : `.${number}`}`;
    if (!names.some((name) => name.startsWith(basename(aside)))) return aside;
  }
}

/** The file that was moved aside, or what was left of one; null where nothing was. */
function keptAs(aside: string): string | null {
  const names = ['', ...LOGS, ...LOGS.map((log) => `.lone${log}`)].map((ending) => aside + ending);
  return names.find((name) => existsSync(name)) ?? null;
}

/**
 * Takes what was sent in the last day, and the pauses, over from the old file: requests are counted across restarts.
 * Where that cannot be read, nothing is taken over.
 */
function importLedger(old: string, db: Db, now: number): ImportedLedger {
  try {
    const ledger = readLedger(old, now);
    return transact(db, (tx) => ({
      requests: addRequests(tx, ledger.requests, now),
      pauses: addPauses(tx, ledger.pauses),
    }));
  } catch (error) {
    const [words = ''] = toWarehouseError(error, old).message.split(';'); // "nothing was changed" is not said of a restore
    return { error: words };
  }
}

interface Ledger {
  requests: RequestRow[];
  pauses: PauseRow[];
}

function readLedger(old: string, now: number): Ledger {
  assertOwnWal(old);
  const client = new Database(old, { readonly: true });
  try {
    if (client.pragma('application_id', { simple: true }) !== APPLICATION_ID)
      throw new Error('it is no warehouse');
    const db = drizzle(client);
    return {
      requests: requestsSince(db, now - DAY_MS),
      pauses: pausesUntil(db, toTimestamp(0)),
    };
  } finally {
    client.close();
  }
}

function requestsSince(tx: Tx, ms: number): RequestRow[] {
  return tx.select().from(request).where(gt(request.spent_until_ms, ms)).orderBy(request.request_id).all();
}

/** Adds the requests that the backup lacks, and gives their number. Their runs are unknown to it: it numbers its own. */
function addRequests(tx: Tx, rows: readonly RequestRow[], now: number): number {
  const keyOf = ({ account, at_ms, purpose, package_id, page }: RequestRow) =>
    JSON.stringify([account, at_ms, purpose, package_id, page]);
  const known = new Map<string, number>();
  for (const row of requestsSince(tx, now - DAY_MS)) known.set(keyOf(row), (known.get(keyOf(row)) ?? 0) + 1);
  let added = 0;
  for (const row of rows) {
    const left = known.get(keyOf(row)) ?? 0;
    known.set(keyOf(row), left - 1);
    if (left > 0) continue;
    const values = { ...row, request_id: undefined, run_id: null };
    tx.insert(request).values(values).run();
    added++;
  }
  return added;
}

/** Keeps the pauses that are over later than those of the backup, and gives their number. */
function addPauses(tx: Tx, rows: readonly PauseRow[]): number {
  const known = new Map(pausesUntil(tx, toTimestamp(0)).map((row) => [row.account, row.full_rate_at]));
  const later = rows.filter(({ account, full_rate_at }) => full_rate_at > (known.get(account) ?? ''));
  for (const row of later) upsertPause(tx, row);
  return later.length;
}
