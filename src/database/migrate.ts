/** The schema of the live file: its version, and how a file of an older one is brought up to date. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { toTimestamp } from '../lib/clock.ts';
import { WarehouseError } from '../lib/errors.ts';
import { PACKAGE_ROOT } from '../lib/package-root.ts';
import type { Database } from './sqlite.ts';
import { createVersionTrigger } from './version-trigger.ts';

/** `vodh` in ASCII: marks a SQLite file as a vodhouse warehouse. */
export const APPLICATION_ID = 0x766f6468;

const MIGRATIONS = fileURLToPath(new URL('drizzle', PACKAGE_ROOT));
/**
 * The format of a file is this number plus the number of its migrations. A file with a lower one was made by
 * a checkout before the first version.
 */
export const FORMAT_BASE = 100;
/** The format of this version; a file with a higher one is from a newer version. */
export const SCHEMA_VERSION = formatOf(MIGRATIONS);
const TRIGGERS = [
  'storage_day_booked_insert',
  'storage_day_booked_update',
  'storage_day_booked_delete',
  'storage_correction_insert',
  'storage_correction_update',
  'storage_correction_delete',
];

/**
 * Runs the missing migrations. Foreign keys are off: a table rebuild would delete the children of its rows.
 */
export function migrateFile(client: Database, path: string, now: number, folder = MIGRATIONS): void {
  client.pragma('foreign_keys = OFF');
  migrate(drizzle(client), { migrationsFolder: folder });
  createStateRow(client, now);
  createVersionTrigger(client);
  assertMigrated(client, path);
  client.pragma(`user_version = ${formatOf(folder)}`);
  client.pragma('foreign_keys = ON');
}

/**
 * Adds the row to a new file. Copies and backups of a file have the same `warehouse_id`, by which targets
 * recognize it.
 */
function createStateRow(client: Database, now: number): void {
  const columns = 'singleton, created_at, change_seq, warehouse_id';
  const insert = client.prepare(`insert or ignore into warehouse_state (${columns}) values (1, ?, 0, ?)`);
  insert.run(toTimestamp(now), randomUUID());
}

function assertMigrated(client: Database, path: string): void {
  const violations = client.pragma('foreign_key_check') as unknown[];
  if (violations.length > 0)
    throw new WarehouseError(`${path}: the migration left rows without their parent`);
  const names = client.prepare("select name from sqlite_schema where type = 'trigger'").pluck().all();
  const missing = TRIGGERS.filter((trigger) => !names.includes(trigger));
  if (missing.length > 0)
    throw new WarehouseError(`${path}: the migration lost the triggers ${missing.join(', ')}`);
}

function formatOf(folder: string): number {
  const journal = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')) as {
    entries: unknown[];
  };
  return FORMAT_BASE + journal.entries.length;
}
