/**
 * Measures whole loads of a lake on a folder: `node bench/lake-loads.js [--million]`. A first load, one of 1 % of changes, one
 * with nothing new, a check, the files and memory of each, and how long they block the event loop of the worker.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Database } from '../dist/database/sqlite.js';
import { makeLiveFile } from './live-file.js';
import { requestFor, watchMemory } from './publish.js';
import { edit, load, openLoader, publish } from './target-loads.js';

const here = dirname(fileURLToPath(import.meta.url));
const show = (number) => Math.round(number).toLocaleString('en-US');

/** Milliseconds that reading all values of the large tables takes: the floor of a writer in JavaScript. */
function readValues(file) {
  const db = new Database(file, { readonly: true });
  const startedAt = performance.now();
  let values = 0;
  for (const table of ['videos', 'video_history', 'video_tags'])
    for (const row of db.prepare(`select * from ${table}`).raw().safeIntegers().iterate())
      values += row.length;
  db.close();
  return values > 0 ? performance.now() - startedAt : 0;
}

async function measure(videos) {
  const folder = mkdtempSync(join(here, '../data/bench-'));
  const lake = join(folder, 'lake');
  const place = { kind: 'folder', path: lake };
  mkdirSync(lake);
  try {
    makeLiveFile(join(folder, 'live.db'), videos);
    await publish(folder);
    const times = { keepMs: 604_800_000, loadTimeoutMs: 1_800_000 };
    const loader = openLoader(folder, { kind: 'lake', place, ...times });
    const stopWatching = watchMemory();
    const first = await load(loader);
    const rssMb = stopWatching();
    const listFiles = () =>
      readdirSync(lake, { recursive: true }).filter((name) => name.endsWith('.parquet'));
    const files = listFiles();
    const bytes = files.reduce((sum, key) => sum + statSync(join(lake, key)).size, 0);
    const floorMs = readValues(requestFor(folder).file);
    const replay = await load(loader);
    const verified = await load(loader, true);
    const edited = edit(join(folder, 'live.db'));
    await publish(folder);
    const changed = await load(loader);
    const all = listFiles();
    console.log(
      `loading ${show(videos)} videos, each edited once (${show(first.rows)} rows), into a lake on a folder: ${show(first.durationMs)} ms, ` +
        `${show((first.rows / first.durationMs) * 1000)} rows/s; reading the same values ${show(floorMs)} ms, ratio ${(floorMs / first.durationMs).toFixed(2)}; ${files.length} files, ${show(bytes / 1e6)} MB; ` +
        `peak RSS ${show(rssMb)} MB (at most 300); event loop of the worker still for at most ${show(Math.max(first.stallMs, changed.stallMs))} ms (at most 50); ` +
        `${show(edited)} edited videos ${show(changed.durationMs)} ms, ${show(changed.rows)} rows, ${all.length} files with those before; ` +
        `nothing new: ${replay.rows} rows in ${show(replay.durationMs)} ms; check ${show(verified.durationMs - replay.durationMs)} ms`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

await measure(100_000);
if (process.argv.includes('--million')) await measure(1_000_000);
