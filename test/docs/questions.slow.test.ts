import { expect, it, onTestFinished } from 'vitest';
import { openHardAccount } from '../drivers/hard-account.ts';
import { openExportsInDuckDb, type DuckDbValue } from '../support/fixtures/duckdb.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { QUESTIONS_PATH, readQuestions } from '../support/fixtures/questions-page.ts';
import { makeSandboxHistory } from '../support/models/sandbox-history.ts';

/** In one form: a time to the second, a number as SQLite has it. */
const toCell = (value: DuckDbValue) => {
  if (value === null) return null;
  return Number.isNaN(Number(value)) ? value.toString().replace(/\.0+$|\+00$/, '') : Number(value);
};

/** Opens the published file of an account, and says how to remove it. */
const ACCOUNTS = {
  'the sandbox': async () => {
    const { published, close } = await makeSandboxHistory();
    return { file: published, close };
  },
  'an account with difficult values': openHardAccount,
};

it.each(Object.entries(ACCOUNTS))(
  `${QUESTIONS_PATH} has the same answers in DuckDB, over an export of all tables to Parquet: %s`,
  async (_name, open) => {
    const { file, close } = await open();
    onTestFinished(() => close());
    const db = await openExportsInDuckDb(file);
    for (const [heading, sql] of readQuestions()) {
      const rows = (await db.runAndReadAll(sql)).getRows().map((row) => row.map(toCell));
      const expected = readRows(file, sql).map((row) =>
        Object.values(row).map((value) => toCell(value as DuckDbValue)),
      );
      expect(rows, heading).toEqual(expected);
    }
  },
);
