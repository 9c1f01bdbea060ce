import { Client, types, type CustomTypesConfig } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTarget } from '../../src/publishing/targets/load-target.ts';
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

describe.skipIf(findPostgres() === null)('a published file and PostgreSQL', () => {
  let history: SandboxHistory;
  let server: PostgresServer;
  let reader: Client;
  beforeAll(async () => {
    [history, server] = await Promise.all([makeSandboxHistory(), startPostgres()]);
    await server.query('CREATE ROLE bi_reader LOGIN');
    const url = await server.createDatabase();
    const target = createTargetConfig(url, { readers: ['bi_reader'] });
    const accounts = [{ name: 'main', was: null }];
    const options = { worker: 'eu-1', isVerified: false, force: null };
    const results = await loadTarget({
      target,
      live: history.published,
      file: history.published,
      accounts,
      ...options,
    });
    expect(results.map(({ outcome, error }) => [outcome, error])).toEqual([
      ['loaded', null],
      ['loaded', null],
    ]);
    const readerUrl = url.replace('postgres@', 'bi_reader@');
    reader = new Client({ connectionString: readerUrl, types: asInSqlite });
    await reader.connect();
    await reader.query("SET search_path TO vodhouse; SET timezone TO 'UTC'");
  });
  afterAll(async () => {
    await reader.end();
    await server.remove();
    history.close();
  });

  it.each([...readQuestions()])('give the same answer: %s', async (_, sql) => {
    const expected = readRows(history.published, sql);
    expect(expected).not.toEqual([]);
    const { rows } = await reader.query(sql);
    expect(rows).toEqual(expected);
  });
});
