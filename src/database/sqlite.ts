/**
 * SQLite in this process; no other file imports it. That is better-sqlite3 13. On Node 20, where 13 ends with
 * a segmentation fault, it is 12, which in turn aborts on Node 24.19 and later (nodejs/node issue 65446).
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type BetterSqlite3 from 'better-sqlite3';
import { ConfigError } from '../lib/errors.ts';
import { PACKAGE_ROOT } from '../lib/package-root.ts';

export type Database = BetterSqlite3.Database;
export type DatabaseOptions = BetterSqlite3.Options;
export type Statement<Parameters extends unknown[] = unknown[], Row = unknown> = BetterSqlite3.Statement<
  Parameters,
  Row
>;

/** The first major version of Node on which better-sqlite3 13 works. */
const FIRST_NODE_OF_13 = 22;

/**
 * Opens a file: `new Database(path, options)`. Loading this module throws ConfigError on a Node without
 * SQLite.
 */
export const Database = loadSqlite();

function loadSqlite(): typeof BetterSqlite3 {
  // a require returns any; both packages have the types of better-sqlite3
  const load = createRequire(import.meta.url) as (name: string) => typeof BetterSqlite3;
  if (Number.parseInt(process.versions.node, 10) >= FIRST_NODE_OF_13) return load('better-sqlite3');
  try {
    // packaging/install-for-node20.js installs it in a checkout
    return load(fileURLToPath(new URL('node_modules/.node20/node_modules/better-sqlite3', PACKAGE_ROOT)));
  } catch (cause) {
    throw new ConfigError(`Node 22 or later is needed; this is Node ${process.versions.node}`, {
      hint: 'on Node 20 it runs from a checkout only, after npm install with python3, make and g++',
      cause,
    });
  }
}
