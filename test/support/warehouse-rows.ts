import { join } from 'node:path';
import Database from 'better-sqlite3';
import { WAREHOUSE } from './config-file.ts';

/** Asks the warehouse of the folder, as anybody with SQL would. */
export function rowsOf(folder: string, sql: string, file = WAREHOUSE): Record<string, unknown>[] {
  const client = new Database(join(folder, file), { readonly: true });
  try {
    return client.prepare<[], Record<string, unknown>>(sql).all();
  } finally {
    client.close();
  }
}

/** The first column of the first row. */
export function valueOf(folder: string, sql: string): unknown {
  return Object.values(rowsOf(folder, sql)[0] ?? {})[0];
}
