/** The published file as the source of loads: a snapshot that never changes, also while a newer one replaces it. */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { Database } from '../../database/sqlite.ts';
import { WarehouseError } from '../../lib/errors.ts';
import { SHAPE } from '../fingerprint.ts';
import { createMarts, type Marts } from '../marts/marts.ts';

export type Source = ReturnType<typeof openSource>;

/**
 * Opens the published file. Throws WarehouseError if there is none, or one of another version of vodhouse. The caller closes
 * it.
 */
export function openSource(file: string) {
  const inode = statSync(file, { throwIfNoEntry: false })?.ino; // before it is opened: a newer one is never missed
  const db = openFile(file);
  try {
    const facts = new Map(
      db.prepare('select key, value from about').raw().all() as [string, string | null][],
    );
    const getFact = (key: string): string => {
      const value = facts.get(key);
      if (value == null) throw new WarehouseError(`${file} does not say its ${key}`, { hint: PUBLISH });
      return value;
    };
    if (getFact('shape') !== String(SHAPE))
      throw new WarehouseError(`${file} was made by another version of vodhouse`, { hint: PUBLISH });
    const durationUnit = getFact('duration_unit') as 'ms' | 's';
    const exclude = (facts.get('excluded') ?? '').split(', ').filter(Boolean);
    const marts: Marts = createMarts({ durationUnit, exclude });
    const timezone = getFact('timezone');
    const warehouseId = getFact('warehouse_id');
    return {
      file,
      db,
      marts,
      timezone,
      version: getFact('version'),
      warehouseId,
      timeline: warehouseId,
      /** UTC, `YYYY-MM-DD HH:MM:SS`. */
      publishedAt: getFact('published_at'),
      /** The last change of a video in the file. */
      changeSeq: Number(getFact('change_seq')),
      /** Another one: the same rows have other values or columns. */
      shape: hashShape([SHAPE, durationUnit, [...exclude].sort(), timezone]),
      /** Has a newer file the name of this one? */
      isReplaced: () => statSync(file, { throwIfNoEntry: false })?.ino !== inode,
      close: () => void db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

const PUBLISH = 'vodhouse publish makes a new one';

function openFile(file: string): Database {
  try {
    const db = new Database(file, { readonly: true, fileMustExist: true });
    db.pragma('temp_store = memory');
    return db;
  } catch (cause) {
    throw new WarehouseError(`the published file ${file} cannot be opened`, { hint: PUBLISH, cause });
  }
}

const hashShape = (facts: unknown[]): string =>
  createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);

/** The accounts that the file has rows of, also those that are no longer in the config. */
export function listSourceAccounts({ db }: Source): string[] {
  return db
    .prepare('select account from packages union select account from storage_daily order by 1')
    .pluck()
    .all() as string[];
}
