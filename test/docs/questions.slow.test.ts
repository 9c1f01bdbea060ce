import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadTarget } from '../../src/publishing/load-target.ts';
import { openHardAccount } from '../drivers/hard-account.ts';
import { openExportsInDuckDb } from '../support/fixtures/duckdb.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { QUESTIONS_PATH, readQuestions } from '../support/fixtures/questions-page.ts';
import { createTargetConfig } from '../support/fixtures/target-config.ts';
import { makeSandboxHistory } from '../support/models/sandbox-history.ts';
import { findPostgres, startPostgres } from '../support/servers/postgres.ts';

type Value = { toString: () => string } | null;

/** Answers a query with its rows. */
type Engine = (sql: string) => Promise<readonly (readonly Value[])[]>;

/** Sorts texts as people do, so that only columns of keys have the order that they have in SQLite. */
const LOCALE = `ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'`;

/** What else has the tables of a published file. */
const ENGINES: Record<string, (file: string) => Promise<Engine>> = {
  'DuckDB, over an export of all tables to Parquet': async (file) => {
    const db = await openExportsInDuckDb(file);
    return async (sql) => (await db.runAndReadAll(sql)).getRows();
  },
  'PostgreSQL, as a reader of the target': async (file) => {
    const server = await startPostgres();
    onTestFinished(() => server.remove());
    await server.query('CREATE ROLE bi_reader LOGIN');
    const url = await server.createDatabase(LOCALE);
    const target = createTargetConfig(url, { readers: ['bi_reader'] });
    const accounts = [{ name: 'main', was: null }];
    const options = { worker: 'eu-1', isVerified: false, force: null };
    const loads = await loadTarget({ target, live: file, file, accounts, ...options });
    expect(loads.map(({ outcome }) => outcome)).toEqual(['loaded', 'loaded']);
    const types = { getTypeParser: () => (text: string) => text };
    const reader = new Client({ connectionString: url.replace('postgres@', 'bi_reader@'), types });
    await reader.connect();
    onTestFinished(() => reader.end());
    await reader.query("SET search_path TO vodhouse; SET timezone TO 'UTC'");
    return async (sql) => (await reader.query<Value[]>({ text: sql, rowMode: 'array' })).rows;
  },
};

/** Opens the published file of an account, and says how to remove it. */
const ACCOUNTS = {
  'the sandbox': async () => {
    const { published, close } = await makeSandboxHistory();
    return { file: published, close };
  },
  'an account with difficult values': openHardAccount,
};

/** In one form: a time to the second, a number as SQLite has it. */
const toCell = (value: Value) => {
  if (value === null) return null;
  return Number.isNaN(Number(value)) ? value.toString().replace(/\.0+$|\+00$/, '') : Number(value);
};

const FOUND = Object.entries(ENGINES).filter(
  ([name]) => !name.startsWith('PostgreSQL') || findPostgres() !== null,
);

describe.each(FOUND)(`${QUESTIONS_PATH} has the same answers in %s`, (_engine, openEngine) => {
  it.each(Object.entries(ACCOUNTS))('of %s', async (account, open) => {
    const { file, close } = await open();
    onTestFinished(() => close());
    const query = await openEngine(file);
    for (const [heading, sql] of readQuestions()) {
      const rows = (await query(sql)).map((row) => row.map(toCell));
      const expected = readRows(file, sql).map((row) =>
        Object.values(row).map((value) => toCell(value as Value)),
      );
      expect(rows, heading).toEqual(expected);
      if (account === 'the sandbox') expect(rows, heading).not.toEqual([]);
    }
  });
});
