/**
 * One publication: build, check, replace. Runs in a process of its own (publish-child.ts), because SQLite
 * blocks it.
 */
import { randomUUID } from 'node:crypto';
import { chmodSync, renameSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openDatabase, openReadOnly } from '../database/connection.ts';
import { publication } from '../database/schema/targets.ts';
import { transact } from '../database/transaction.ts';
import { toTimestamp } from '../lib/clock.ts';
import { errorCode } from '../lib/errors.ts';
import { draftPath } from '../database/draft-files.ts';
import { fsyncPath } from '../database/files.ts';
import { toWarehouseError } from '../database/integrity.ts';
import { lockOrThrow } from '../database/lock.ts';
import { assertReplaceable, sweepLeftOvers } from './replace-file.ts';
import { build } from './build.ts';
import { readText } from './about-rows.ts';
import { checkFile, type ExpectedRows } from './check.ts';
import type { Table } from './marts/mart.ts';
import { createMarts } from './marts/marts.ts';
import type { PublishRequest, Publication } from './publish-request.ts';

/**
 * Builds a new published file and replaces the old one with it. Throws ConfigError if its folder is missing
 * or another kind of file has its name, LockedError if another process publishes, WarehouseError if the live
 * file cannot be read, the new file cannot be written, or the new file fails its check. The old file then
 * stays.
 */
export async function publish(request: PublishRequest): Promise<Publication> {
  const startedAt = performance.now();
  const { live, file, command, now } = request;
  const lock = lockOrThrow(live, 'publish', command, now);
  try {
    assertReplaceable(live, file);
    sweepLeftOvers(file);
    recordPublication(live, now);
    const rows = await buildAndReplace(request);
    return { file, bytes: statSync(file).size, durationMs: Math.round(performance.now() - startedAt), rows };
  } catch (error) {
    // an error with a code comes from the file system or from SQLite
    throw errorCode(error) === '' ? error : toWarehouseError(error, file);
  } finally {
    lock.release();
  }
}

/**
 * Records the publication in the live file before the new file is built from it. So a target that was loaded
 * from the new file is recognised later, also if the load ends after a crash of this process.
 */
function recordPublication(live: string, now: number): void {
  openReadOnly(live).$client.close(); // throws where there is none, which openDatabase would make
  const db = openDatabase(live, now);
  try {
    transact(db, (tx) => {
      tx.insert(publication)
        .values({ publication_id: randomUUID(), published_at: toTimestamp(now) })
        .run();
    });
  } finally {
    db.$client.close();
  }
}

/** Returns the number of rows by table, and of the view `videos`. */
async function buildAndReplace(request: PublishRequest): Promise<Record<string, number>> {
  const draft = draftPath(request.file);
  const marts = createMarts(request);
  try {
    const expected = build(draft, marts, request);
    chmodSync(draft, 0o444);
    const rows = await checkDraft(draft, marts.tables, expected);
    const videos = Number(readText(draft, 'select cast(sum(video_count) as text) from packages'));
    renameSync(draft, request.file); // readers find the old file or the new one
    fsyncPath(dirname(request.file));
    return { ...rows, videos };
  } finally {
    sweepLeftOvers(request.file);
  }
}

/** Checks the draft while the disk writes it. Returns the number of rows by table. */
async function checkDraft(draft: string, tables: readonly Table[], expected: ExpectedRows) {
  const file = await open(draft);
  try {
    const flushed = file.sync();
    const rows = checkFile(draft, tables, expected);
    await flushed;
    return rows;
  } finally {
    await file.close();
  }
}
