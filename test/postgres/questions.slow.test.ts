import { Client, types, type CustomTypesConfig } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTarget } from '../../src/publishing/load-target.ts';
import { openHardAccount, type HardAccount } from '../drivers/hard-account.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { readQuestions } from '../support/fixtures/questions-page.ts';
import { createTargetConfig } from '../support/fixtures/target-config.ts';
import { makeSandboxHistory, type SandboxHistory } from '../support/models/sandbox-history.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

const { INT8, NUMERIC, FLOAT8, TIMESTAMPTZ } = types.builtins;

/** Values as SQLite has them: numbers, and texts for the rest. Times are asked for in UTC. */
const asInSqlite: CustomTypesConfig = {
  getTypeParser: (id) => (text: string) => {
    if (id === INT8 || id === NUMERIC || id === FLOAT8) return Number(text);
    return id === TIMESTAMPTZ ? text.replace(/\+00$/, '') : text;
  },
};

/** Sorts texts as people do, so that only columns of keys have the order that they have in SQLite. */
const LOCALE = `ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'`;

/** Loads the published file into a database of its own. Returns a session of a reader. */
async function openReader(server: PostgresServer, file: string): Promise<Client> {
  const url = await server.createDatabase(LOCALE);
  const target = createTargetConfig(url, { readers: ['bi_reader'] });
  const accounts = [{ name: 'main', was: null }];
  const options = { worker: 'eu-1', isVerified: false, force: null };
  const results = await loadTarget({ target, live: file, file, accounts, ...options });
  expect(results.map(({ outcome, error }) => [outcome, error])).toEqual([
    ['loaded', null],
    ['loaded', null],
  ]);
  const readerUrl = url.replace('postgres@', 'bi_reader@');
  const reader = new Client({ connectionString: readerUrl, types: asInSqlite });
  await reader.connect();
  await reader.query("SET search_path TO vodhouse; SET timezone TO 'UTC'");
  return reader;
}

describe.skipIf(findPostgres() === null)('a published file and PostgreSQL', () => {
  let history: SandboxHistory;
  let hard: HardAccount;
  let server: PostgresServer;
  let readers: Client[];
  beforeAll(async () => {
    [history, hard, server] = await Promise.all([makeSandboxHistory(), openHardAccount(), startPostgres()]);
    await server.query('CREATE ROLE bi_reader LOGIN');
    readers = [await openReader(server, history.published), await openReader(server, hard.file)];
  });
  afterAll(async () => {
    for (const reader of readers) await reader.end();
    await server.remove();
    await hard.close();
    history.close();
  });

  it.each([...readQuestions()])('give the same answer: %s', async (_, sql) => {
    const files = [history.published, hard.file];
    expect(readRows(history.published, sql)).not.toEqual([]);
    for (const [index, file] of files.entries())
      expect((await readers[index]?.query(sql))?.rows, file).toEqual(readRows(file, sql));
  });
});
