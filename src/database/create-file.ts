/** Creating the live file: complete under another name first, so that a crash never leaves an empty file at its path. */
import { existsSync, linkSync } from 'node:fs';
import { dirname } from 'node:path';
import { Database } from './sqlite.ts';
import { errorCode, WarehouseError } from '../lib/errors.ts';
import { draftPath, removeDraft, removeStaleDrafts } from './draft-files.ts';
import { fsyncPath } from './fsync.ts';
import { toWarehouseError } from './integrity.ts';
import { APPLICATION_ID, migrateFile } from './migrate.ts';
import { restoreMarkerPath } from './paths.ts';
import { createPrivateFile, createPrivateFolder } from './private-files.ts';

/** Creates an empty warehouse at the path. Throws WarehouseError. */
export function createFile(path: string, now: number): void {
  assertNoOrphanLog(path);
  const draft = draftPath(path);
  try {
    createPrivateFolder(dirname(path), path);
    removeStaleDrafts(path);
    removeDraft(draft);
    try {
      writeDraft(draft, path, now);
      assertNotRestoring(path); // another process may have started a restore just now
      linkIfAbsent(draft, path);
    } finally {
      removeDraft(draft);
    }
  } catch (error) {
    throw toWarehouseError(error, path);
  }
}

/** Throws WarehouseError if a restore of the file was interrupted. */
export function assertNotRestoring(path: string): void {
  if (!existsSync(restoreMarkerPath(path))) return;
  throw new WarehouseError(`a restore of ${path} was broken off: ${restoreMarkerPath(path)} is there`, {
    hint: 'vodhouse restore FILE, with the same backup or another one, finishes it; until then nothing is changed',
  });
}

/** It is on the disk at the end. Until then nothing waits for the disk: a draft that is not complete is deleted. */
function writeDraft(draft: string, path: string, now: number): void {
  createPrivateFile(draft);
  const client = new Database(draft);
  try {
    client.pragma('journal_mode = MEMORY');
    client.pragma('synchronous = OFF');
    client.pragma(`application_id = ${APPLICATION_ID}`);
    migrateFile(client, path, now);
    client.pragma('journal_mode = WAL'); // here: of two processes that switch a shared file, one fails at once
  } finally {
    client.close();
  }
  fsyncPath(draft);
}

/** SQLite would apply a log next to a missing file to the new one. */
function assertNoOrphanLog(path: string): void {
  const orphan = ['-wal', '-journal'].map((ending) => path + ending).find((file) => existsSync(file));
  if (!orphan || existsSync(path)) return; // another process may have made the file just now
  throw new WarehouseError(
    `${path} is not there, but ${orphan} is: it may hold the last changes of the missing file`,
    { hint: `put the file back next to it; or, if it is not needed, move ${orphan} away too` },
  );
}

function linkIfAbsent(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error; // else another process created it
  }
}
