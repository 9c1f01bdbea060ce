/**
 * Measures whole loads of a lake on a folder: `node bench/lake-loads.js [--million]`. A first load, one of 1 % of changes, one
 * with nothing new, a check, the files and memory of each, and how long they block the event loop of the worker.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeLiveFile } from './live-file.js';
import { watchMemory } from './publish.js';
import { edit, load, openLoader, publish } from './target-loads.js';

const here = dirname(fileURLToPath(import.meta.url));
const show = (number) => Math.round(number).toLocaleString('en-US');

async function measure(videos) {
  const folder = mkdtempSync(join(here, '../data/bench-'));
  const lake = join(folder, 'lake');
  const place = { kind: 'folder', path: lake };
  mkdirSync(lake);
  try {
    makeLiveFile(join(folder, 'live.db'), videos);
    await publish(folder);
    const times = { keepMs: 259_200_000, loadTimeoutMs: 1_800_000 };
    const loader = openLoader(folder, { kind: 'lake', place, compression: 'snappy', ...times });
    const stopWatching = watchMemory();
    const first = await load(loader);
    const rssMb = stopWatching();
    const pointer = JSON.parse(readFileSync(join(lake, 'latest/account=bench.json'), 'utf8'));
    const files = Object.values(pointer.files).flat();
    const bytes = files.reduce((sum, key) => sum + statSync(join(lake, key)).size, 0);
    const replay = await load(loader);
    const verified = await load(loader, ['bench']);
    const edited = edit(join(folder, 'live.db'));
    await publish(folder);
    const changed = await load(loader);
    const all = readdirSync(join(lake, 'data'), { recursive: true }).filter((name) =>
      name.endsWith('.parquet'),
    );
    console.log(
      `loading ${show(videos)} videos, each edited once (${show(first.rows)} rows), into a lake on a folder: ${show(first.durationMs)} ms, ` +
        `${show((first.rows / first.durationMs) * 1000)} rows/s; ${files.length} files (at most 30), ${show(bytes / 1e6)} MB; ` +
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
