/** Whether a publication may replace the file that has the name of the published one. */
import { Database } from '../database/sqlite.ts';
import { ConfigError, errorMessage } from '../lib/errors.ts';
import { publishedFact } from './about-rows.ts';
import { assertOurFile } from './atomic-replace.ts';

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

/** Throws ConfigError if the file must not be replaced by one made from `live`. */
export function assertReplaceable(live: string, file: string): void {
  assertOurFile(file);
  assertSameWarehouse(live, file);
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
