/**
 * Installs better-sqlite3 12 in a checkout on Node 20 (src/database/sqlite.ts), and does nothing elsewhere: npm would compile it on
 * every Node, where it takes longer than all other packages together.
 */
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../node_modules/.node20', import.meta.url)); // where npm leaves it alone

if (process.versions.node.startsWith('20.')) {
  cpSync(fileURLToPath(new URL('node20', import.meta.url)), folder, { recursive: true });
  const words = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error'];
  const env = { ...process.env, JOBS: 'max' }; // node-gyp compiles on all processors
  const { status } = spawnSync('npm', words, { stdio: 'inherit', env });
  if (status !== 0)
    console.error(
      'On Node 20, SQLite is compiled: install python3, make and g++. Node 22 and later need none.',
    );
  process.exitCode = status ?? 1;
}
