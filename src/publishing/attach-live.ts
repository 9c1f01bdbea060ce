/** The live file as a publication sees it: attached as `live`, and never made. */
import { existsSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { WarehouseError } from '../lib/errors.ts';
import { restoreMarkerPath } from '../database/paths.ts';

/**
 * Attaches the live file. Throws WarehouseError where it is not there, for SQLite would make an empty one, or where a
 * restore has it in hand.
 */
export function attachLive(db: Database.Database, path: string): void {
  if (!existsSync(path))
    throw new WarehouseError(`there is no warehouse at ${path}`, { hint: 'vodhouse sync makes it' });
  if (existsSync(restoreMarkerPath(path)))
    throw new WarehouseError(`${path} is being restored`, {
      hint: 'vodhouse restore FILE finishes what was broken off',
    });
  db.prepare('attach ? as live').run(path);
}
