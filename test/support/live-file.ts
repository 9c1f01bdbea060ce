/** Looks into a live file past our own code, and changes it where a test wants it damaged. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';

export type Row = Record<string, string | number | null>;

/** The rows that the query gives, over a connection of its own. */
export function rowsOf(path: string, query: string, ...parameters: unknown[]): Row[] {
  return withFile(path, (client) => client.prepare(query).all(...parameters) as Row[], true);
}

/** The first column of the first row. */
export function valueOf(path: string, query: string, ...parameters: unknown[]): string | number | null {
  const [row] = rowsOf(path, query, ...parameters);
  return Object.values(row ?? {})[0] ?? null;
}

/** Runs statements on the file, as anybody with a SQL shell could. */
export function execute(path: string, statements: string): void {
  withFile(path, (client) => client.exec(statements), false);
}

/** A hash of the bytes of the file. */
export function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function withFile<T>(path: string, use: (client: Database.Database) => T, readonly: boolean): T {
  const client = new Database(path, { readonly });
  try {
    return use(client);
  } finally {
    client.close();
  }
}
