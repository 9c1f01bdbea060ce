/**
 * Plain SQLite work that others are compared with, `node bench/sql-work.js WORK FILE [INTO]`. `vacuum`: copies the file with
 * VACUUM INTO. `values`: reads all values of the large tables. `scan`: scans a published file until it is killed.
 */
import { rmSync } from 'node:fs';
import { Database } from '../dist/database/sqlite.js';

const [work, file, into] = process.argv.slice(2);

function scan() {
  const db = new Database(file, { readonly: true });
  db.prepare('select count(*), sum(length(title) + length(description)) from video_versions').get();
  db.close();
}

const WORKS = {
  vacuum: (db) => {
    rmSync(into, { force: true });
    db.prepare('vacuum into ?').run(into);
  },
  values: (db) => {
    for (const table of ['videos', 'video_history', 'video_tags'])
      for (const row of db.prepare(`select * from ${table}`).raw().safeIntegers().iterate()) void row.length;
  },
  scan: () => {
    scan();
    process.send('reading');
    for (;;) scan();
  },
};

const db = new Database(file, { readonly: true });
const startedAt = performance.now();
WORKS[work](db);
console.log(JSON.stringify({ inProcess: (performance.now() - startedAt) / 1000 }));
