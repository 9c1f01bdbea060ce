/** Whether a published file may be replaced, and what killed publications left next to it. */
import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { escapeRegExp, removeMatching } from '../database/draft-files.ts';
import { assertFolderExists, readHeader } from '../database/files.ts';
import { ConfigError, errorMessage } from '../lib/errors.ts';
import { publishedFact, readText } from './about-rows.ts';

/** `vodp` in ASCII: the application id of a SQLite file that vodhouse published. */
export const PUBLISHED_ID = 0x766f6470;

/** A reason that lasts until a person changes something, and what to change. */
export interface Refusal {
  error: string;
  hint: string | null;
}

/** Why no publication from `live` may replace the file; null if one may. */
export function findRefusal(live: string, file: string): Refusal | null {
  try {
    assertReplaceable(live, file);
    return null;
  } catch (error) {
    return { error: errorMessage(error), hint: error instanceof ConfigError ? (error.hint ?? null) : null };
  }
}

/**
 * Throws ConfigError if its folder is missing, or the file is another kind of file or was made from another
 * warehouse: its content would be lost.
 */
export function assertReplaceable(live: string, file: string): void {
  assertFolderExists(dirname(file), 'publish.file');
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats || (stats.isFile() && stats.size === 0)) return;
  if (!stats.isFile() || readHeader(file)?.applicationId !== PUBLISHED_ID)
    throw new ConfigError(
      `publish.file: ${file} exists, and vodhouse did not publish it; nothing was changed`,
      { hint: 'name another file, or move this one away' },
    );
  const since = publishedFact(file, 'warehouse_since');
  const ours = readText(live, 'select created_at from warehouse_state');
  // the build reports a file that cannot be read
  if (since === null || ours === null || ours === since) return;
  throw new ConfigError(
    `publish.file: ${file} was made from another warehouse, begun ${since} UTC; it stays as it is`,
    { hint: 'it may hold history that this one has not: move it away, or name another file' },
  );
}

/** Removes what killed publications left. Only the holder of the publish lock may call it. */
export function sweepLeftOvers(file: string): void {
  const leftOver = new RegExp(`^${escapeRegExp(basename(file))}\\.new-\\d+(?:-[a-z]+)*$`);
  removeMatching(dirname(file), leftOver, () => true);
}
