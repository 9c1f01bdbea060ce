import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';
import { AUTHORITY, SIGNED } from '../support/fixtures/self-signed.ts';

describe.skipIf(findPostgres() === null)('a PostgreSQL server for tests', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  const one = () => server.query<{ one: number }>('SELECT 1 AS one');

  it('answers, also after it was stopped or has crashed', async () => {
    expect(await one()).toEqual([{ one: 1 }]);
    for (const mode of ['fast', 'immediate'] as const) {
      await server.stop(mode);
      await expect(one()).rejects.toThrow('ECONNREFUSED');
      await server.start();
      expect(await one()).toEqual([{ one: 1 }]);
    }
  });

  it('creates empty databases', async () => {
    const [first, second] = [await server.createDatabase(), await server.createDatabase()];
    await server.query('CREATE TABLE t (a int)', first);
    const tables = "SELECT table_name FROM information_schema.tables WHERE table_name = 't'";
    expect(await server.query(tables, first)).toHaveLength(1);
    expect(await server.query(tables, second)).toEqual([]);
    expect(await server.createDatabase('named')).toMatch(/\/named$/);
  });

  it('keeps what it logs', async () => {
    await expect(server.query('SELECT nothing')).rejects.toThrow('"nothing" does not exist');
    expect(server.log()).toContain('column "nothing" does not exist');
  });

  it('is frozen and continues, with the sessions that it has', async () => {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    server.signal('SIGSTOP');
    let isAnswered = false;
    const answer = client.query('SELECT 1').then(() => (isAnswered = true));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isAnswered).toBe(false);
    server.signal('SIGCONT');
    await answer;
    await client.end();
  });
});

it.skipIf(findPostgres() === null)('asks for passwords and TLS, and leaves no files behind', async () => {
  const hba = ['hostssl all reader 127.0.0.1/32 scram-sha-256'];
  const server = await startPostgres({}, { ssl: SIGNED, hba });
  await server.query("CREATE ROLE reader LOGIN PASSWORD 'word'");
  const reader = server.url.replace('postgres@', 'reader:word@');
  const client = new Client({ connectionString: reader, ssl: { ca: AUTHORITY } });
  await client.connect();
  const { rows } = await client.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
  expect(rows).toEqual([{ ssl: true }]);
  await client.end();
  const [data] = await server.query<{ data_directory: string }>('SHOW data_directory');
  const folder = dirname(data?.data_directory ?? '');
  expect(existsSync(folder)).toBe(true);
  await server.remove();
  expect(existsSync(folder)).toBe(false);
});
