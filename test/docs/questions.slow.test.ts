import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openExports } from '../../src/publishing/export.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { QUESTIONS_PATH, readQuestions } from '../support/fixtures/questions-page.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { makeSandboxHistory } from '../support/models/sandbox-history.ts';

/** A value of DuckDB has its text. */
type Value = { toString: () => string } | null;

/** What is used of @duckdb/node-api, which test/support/install-readers.ts installs. */
interface DuckDb {
  DuckDBInstance: { create: () => Promise<{ connect: () => Promise<Connection> }> };
}

interface Connection {
  run: (sql: string) => Promise<unknown>;
  runAndReadAll: (sql: string) => Promise<{ getRows: () => Value[][] }>;
}

/** Exports every table and view to Parquet, and opens a DuckDB in which they have their names. */
async function openInDuckDb(file: string): Promise<Connection> {
  const folder = temporaryFolder();
  const load = createRequire(join(import.meta.dirname, '../duckdb/package.json')) as (name: string) => DuckDb;
  const { DuckDBInstance } = load('@duckdb/node-api');
  const db = await (await DuckDBInstance.create()).connect();
  await db.run(`set timezone = 'UTC'`);
  const exports = openExports(file);
  for (const name of exports.tables) {
    const path = join(folder, `${name}.parquet`);
    await writeFile(path, exports.open(name).parquet());
    await db.run(`create view "${name}" as select * from '${path}'`);
  }
  exports.close();
  return db;
}

/** In one form: a time to the second, a number as SQLite has it. */
const toCell = (value: Value) => {
  if (value === null) return null;
  return Number.isNaN(Number(value)) ? value.toString().replace(/\.0+$|\+00$/, '') : Number(value);
};

it(`${QUESTIONS_PATH} has the same answers in DuckDB, over an export of all tables to Parquet`, async () => {
  const history = await makeSandboxHistory();
  const db = await openInDuckDb(history.published);
  for (const [heading, sql] of readQuestions()) {
    const rows = (await db.runAndReadAll(sql)).getRows().map((row) => row.map(toCell));
    const expected = readRows(history.published, sql).map((row) =>
      Object.values(row).map((value) => toCell(value as Value)),
    );
    expect(rows, heading).toEqual(expected);
  }
  history.close();
});
