/** One publication: build, check, replace. Runs in a process of its own (publish-child.ts), because SQLite blocks it. */
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { ConfigError } from '../lib/errors.ts';
import { draftPath } from '../database/draft-files.ts';
import { isDamage, toWarehouseError } from '../database/integrity.ts';
import { lockOrThrow } from '../database/lock.ts';
import { publishedFact } from './about-rows.ts';
import { assertOurFile, keepDatedCopy, replaceFile, startFsync, sweepLeftOvers } from './atomic-replace.ts';
import { build } from './build.ts';
import { checkTable, type ExpectedRows } from './check.ts';
import type { Table } from './mart.ts';
import { createMarts, type Marts } from './marts/marts.ts';
import type { PublishRequest, Publication } from './publish-request.ts';

/**
 * Builds a new published file and replaces the old one with it. Throws ConfigError if another kind of file has its name,
 * LockedError if another process publishes, WarehouseError if the live file cannot be read, the new file cannot be
 * written, or the new file fails its check. The old file then stays.
 */
export async function publish(request: PublishRequest): Promise<Publication> {
  const startedAt = performance.now();
  const { live, file, command, now } = request;
  const marts = createMarts(request);
  const lock = lockOrThrow(live, 'publish', command, now);
  try {
    prepareFolder(live, file);
    const rows = await buildAndReplace(request, marts);
    const copy = keepDatedCopy(request);
    return { file, bytes: statSync(file).size, durationMs: performance.now() - startedAt, rows, copy };
  } catch (error) {
    throw isSystemError(error) ? toWarehouseError(error, file) : error;
  } finally {
    lock.release();
  }
}

function prepareFolder(live: string, file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  assertOurFile(file);
  assertSameWarehouse(live, file);
  sweepLeftOvers(file);
}

/** Throws ConfigError if the published file was made from another warehouse: it may hold history that this one lacks. */
function assertSameWarehouse(live: string, file: string): void {
  const since = publishedFact(file, 'warehouse_since');
  const ours = since === null ? null : getWarehouseStart(live);
  if (ours === null || ours === since) return;
  throw new ConfigError(
    `publish.file: ${file} was made from another warehouse, begun ${since} UTC; it stays as it is`,
    { hint: 'it may hold history that this one has not: move it away, or name another file' },
  );
}

/** When the warehouse was created; null if that cannot be read: then the build fails with the reason. */
function getWarehouseStart(live: string): string | null {
  try {
    const db = new Database(live, { readonly: true, fileMustExist: true });
    try {
      return db.prepare('select created_at from warehouse_state').pluck().get() as string | null;
    } finally {
      db.close();
    }
  } catch {
    return null;
  }
}

/** Gives the number of rows by table. */
async function buildAndReplace(request: PublishRequest, marts: Marts): Promise<Record<string, number>> {
  const draft = draftPath(request.file);
  try {
    const expected = await buildDraft(draft, marts, request);
    chmodSync(draft, statSync(draft).mode & 0o444);
    const flushed = startFsync(draft); // the disk writes while the file is checked
    const rows = checkTables(draft, marts, expected);
    await flushed;
    await replaceFile(draft, request.file);
    return rows;
  } finally {
    sweepLeftOvers(request.file);
  }
}

/** The draft is new, so damage that is found while it is built is damage of the live file. */
async function buildDraft(draft: string, marts: Marts, request: PublishRequest): Promise<ExpectedRows> {
  try {
    return await build(draft, marts, request);
  } catch (error) {
    throw isDamage(error) ? toWarehouseError(error, request.live) : error;
  }
}

/** The history comes last: the other tables describe a wrong interval better. */
function checkTables(draft: string, marts: Marts, expected: ExpectedRows): Record<string, number> {
  const tables = marts.all.filter((mart) => mart.kind === 'table' && mart !== marts.videoHistory) as Table[];
  const checked = [...tables, marts.videoHistory];
  return Object.fromEntries(checked.map((table) => [table.name, checkTable(draft, table, expected)]));
}

/** Does the error carry a code of the file system or of SQLite? */
function isSystemError(error: unknown): boolean {
  return typeof (error as { code?: unknown } | null)?.code === 'string';
}
