/**
 * Writes the videos of a published file as Parquet, or only reads them: `node bench/lake-parts.js FILE FOLDER|- COMPRESSION`. It
 * sends the figures to its parent.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSource } from '../dist/publishing/targets/source.js';
import { writeParts } from '../dist/publishing/parquet/parquet-parts.js';
import { toExpression } from '../dist/publishing/parquet/parquet-types.js';

const [, , file, folder, compression] = process.argv;
const source = openSource(file);
const { columns, key } = source.marts.all.find(({ name }) => name === 'videos');
const from = 'from videos t';

/** The floor of a writer in JavaScript: the same values, as rows, one after the other. */
function read() {
  let rows = 0;
  const statement = source.db.prepare(`select ${columns.map(toExpression).join(', ')} ${from}`).raw();
  for (const row of statement.iterate()) rows += row.length > 0 ? 1 : 0;
  return { rows, bytes: 0 };
}

function write() {
  const sum = { rows: 0, bytes: 0 };
  const options = { required: key, facts: {}, compression, maxRows: 250_000, maxBytes: 64e6 };
  let count = 0;
  for (const part of writeParts(source.db, { columns, from, parameters: {} }, options)) {
    sum.rows += part.rows;
    sum.bytes += part.bytes;
    writeFileSync(join(folder, `${compression}-${count++}.parquet`), Buffer.concat(part.body));
  }
  return sum;
}

const startedAt = performance.now();
const startedCpu = process.cpuUsage();
const sum = folder === '-' ? read() : write();
const ms = performance.now() - startedAt;
const { user, system } = process.cpuUsage(startedCpu);
const [, peakKib] = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'));
process.send({ ...sum, ms, cpuMs: (user + system) / 1000, rssMb: Number(peakKib) / 1024 });
