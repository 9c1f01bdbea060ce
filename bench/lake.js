/**
 * Compares writing Parquet with its floor, reading the same values from the published file: `node bench/lake.js [--million]`. It
 * also compares the size of the files with what DuckDB writes of the same rows, in the same row groups.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { createPublisher } from '../dist/publishing/publisher.js';
import { makeLiveFile } from './live-file.js';
import { requestFor } from './publish.js';

const ROUNDS = 3;
const LEAST_RATIO = 0.4;
const here = dirname(fileURLToPath(import.meta.url));
const median = (values) => [...values].sort((one, other) => one - other)[values.length >> 1];
const show = (number) => Math.round(number).toLocaleString('en-US');

/** In a process of its own. */
async function run(file, folder, compression) {
  const child = fork(join(here, 'lake-parts.js'), [file, folder, compression]);
  const [figures] = await once(child, 'message');
  return figures;
}

/** Bytes of the files that DuckDB writes of the same rows. */
async function writeByDuckDb(folder, compression) {
  const db = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  const into = join(folder, `duckdb-${compression}`);
  await db.run(
    `copy (select * from '${folder}/${compression}-*.parquet') to '${into}' (format parquet, compression ${compression}, row_group_size 10000)`,
  );
  db.closeSync();
  return statSync(into).size;
}

async function compare(videos) {
  const folder = mkdtempSync(join(here, '../data/bench-'));
  try {
    makeLiveFile(join(folder, 'live.db'), videos);
    await createPublisher(requestFor(folder)).publish(Date.now(), new AbortController().signal);
    const { file } = requestFor(folder);
    const parts = join(folder, 'parts');
    mkdirSync(parts);
    const rounds = [];
    for (let count = 0; count < ROUNDS; count++)
      rounds.push({ floor: await run(file, '-', ''), snappy: await run(file, parts, 'snappy') });
    const gzip = await run(file, parts, 'gzip');
    const { snappy } = rounds[0];
    if (snappy.rows !== videos || gzip.rows !== videos) throw new Error(`${snappy.rows} rows of ${videos}`);
    const [floorMs, ms] = ['floor', 'snappy'].map((kind) => median(rounds.map((round) => round[kind].ms)));
    const cpuMs = median(rounds.map((round) => round.snappy.cpuMs));
    const rssMb = Math.max(...rounds.map((round) => round.snappy.rssMb), gzip.rssMb);
    const sizes = { snappy: await writeByDuckDb(parts, 'snappy'), gzip: await writeByDuckDb(parts, 'gzip') };
    const showSize = (kind, { bytes }) =>
      `${kind} ${(bytes / 1e6).toFixed(1)} MB, ${(bytes / sizes[kind]).toFixed(2)} times what DuckDB writes`;
    console.log(
      `writing ${show(videos)} videos as Parquet: ${show(ms)} ms, ${show((videos / ms) * 1000)} rows/s (at least 60,000), median of ${ROUNDS}, ${show((videos / cpuMs) * 1000)} a second of processor time; ` +
        `reading the same values ${show(floorMs)} ms; ratio ${(floorMs / ms).toFixed(2)} (at least ${LEAST_RATIO}); ` +
        `peak RSS ${show(rssMb)} MB (at most 300); ${showSize('snappy', snappy)}, ${showSize('gzip', gzip)} (at most 1.1); ` +
        `with gzip ${show((videos / gzip.ms) * 1000)} rows/s`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

await compare(100_000);
if (process.argv.includes('--million')) await compare(1_000_000);
