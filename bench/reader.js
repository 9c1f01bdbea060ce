/** A reader that scans a published file in a loop until it is killed: `node bench/reader.js FILE`. */
import { Database } from '../dist/database/sqlite.js';

const file = process.argv[2];
for (let scans = 0; ; scans++) {
  const db = new Database(file, { readonly: true });
  db.prepare(
    'select count(*), sum(length(title) + length(description)), sum(size_gib) from video_versions',
  ).get();
  db.close();
  if (scans === 0) process.send('reading');
}
