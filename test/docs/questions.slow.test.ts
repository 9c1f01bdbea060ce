import { expect, it } from 'vitest';
import { openExportsInDuckDb, type DuckDbValue } from '../support/fixtures/duckdb.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { QUESTIONS_PATH, readQuestions } from '../support/fixtures/questions-page.ts';
import { makeSandboxHistory } from '../support/models/sandbox-history.ts';

/** In one form: a time to the second, a number as SQLite has it. */
const toCell = (value: DuckDbValue) => {
  if (value === null) return null;
  return Number.isNaN(Number(value)) ? value.toString().replace(/\.0+$|\+00$/, '') : Number(value);
};

it(`${QUESTIONS_PATH} has the same answers in DuckDB, over an export of all tables to Parquet`, async () => {
  const history = await makeSandboxHistory();
  const db = await openExportsInDuckDb(history.published);
  for (const [heading, sql] of readQuestions()) {
    const rows = (await db.runAndReadAll(sql)).getRows().map((row) => row.map(toCell));
    const expected = readRows(history.published, sql).map((row) =>
      Object.values(row).map((value) => toCell(value as DuckDbValue)),
    );
    expect(rows, heading).toEqual(expected);
  }
  history.close();
});
