/**
 * Compares the load of a PostgreSQL with its floor, `psql \copy` of the same rows: `node bench/target.js [--million]`. It also
 * measures a load of 1 % of changes, a replay, a check, and how long loads block the event loop of the worker.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeLiveFile } from './live-file.js';
import { findPostgres, startPostgres } from './postgres-server.js';
import { requestFor, watchMemory } from './publish.js';
import { edit, load, openLoader, publish } from './target-loads.js';

const LEAST_RATIO = 0.6;
const TABLES = ['videos', 'video_history', 'video_tags'];
const here = dirname(fileURLToPath(import.meta.url));
const show = (number) => Math.round(number).toLocaleString('en-US');

/** Milliseconds of `psql \copy` of the large tables into new ones with the same keys. */
function copyByPsql(server, folder) {
  const file = (table) => join(folder, `${table}.csv`);
  server.psql('create schema floor');
  for (const table of TABLES) {
    server.psql(`\\copy vodhouse.${table} to '${file(table)}' csv`);
    server.psql(`create table floor.${table} (like vodhouse.${table} including indexes)`);
  }
  server.psql('checkpoint');
  const startedAt = performance.now();
  for (const table of TABLES) server.psql(`\\copy floor.${table} from '${file(table)}' csv`);
  return performance.now() - startedAt;
}

async function compare(server, videos) {
  const folder = mkdtempSync(join(here, '../data/bench-'));
  try {
    server.psql('drop schema if exists vodhouse cascade; drop schema if exists floor cascade');
    makeLiveFile(join(folder, 'live.db'), videos);
    await publish(folder);
    const loader = openLoader(folder, {
      ...{ kind: 'postgres', postgres: server.url, schema: 'vodhouse', ssl: 'off', ca: null, readers: [] },
      ...{ lockTimeoutMs: 10_000, loadTimeoutMs: 1_800_000 },
    });
    const stopWatching = watchMemory();
    const first = await load(loader);
    const rssMb = stopWatching();
    const floorMs = copyByPsql(server, folder);
    const replay = await load(loader);
    const verified = await load(loader, true);
    const edited = edit(join(folder, 'live.db'));
    await publish(folder);
    const changed = await load(loader);
    const ratio = floorMs / first.durationMs;
    const millions = videos / 1e6;
    console.log(
      `loading ${show(videos)} videos, each edited once (${show(first.rows)} rows, ${show(statSync(requestFor(folder).file).size / 1e6)} MB) into PostgreSQL: ` +
        `${show(first.durationMs)} ms, ${show((first.rows / first.durationMs) * 1000)} rows/s; psql \\copy of the same rows ${show(floorMs)} ms; ` +
        `ratio ${ratio.toFixed(2)} (at least ${LEAST_RATIO}); peak RSS ${show(rssMb)} MB (at most 200); ` +
        `event loop of the worker still for at most ${show(Math.max(first.stallMs, changed.stallMs))} ms (at most 50); ` +
        `${show(edited)} edited videos ${show(changed.durationMs)} ms, ${(changed.durationMs / 1000 / millions).toFixed(2)} s a million (at most 1); ` +
        `replay ${replay.rows} rows in ${show(replay.durationMs)} ms; ` +
        `check ${show(verified.durationMs - replay.durationMs)} ms, ${((verified.durationMs - replay.durationMs) / 1000 / (2 * millions)).toFixed(2)} s a million states (at most 1.5)`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const bin = findPostgres();
if (bin === null) console.log("loading PostgreSQL: left out, Debian's package postgresql is not installed");
else {
  const server = await startPostgres(bin);
  try {
    await compare(server, 100_000);
    if (process.argv.includes('--million')) await compare(server, 1_000_000);
  } finally {
    await server.stop();
  }
}
