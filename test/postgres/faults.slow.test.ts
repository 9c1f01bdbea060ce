import { execFileSync } from 'node:child_process';
import { mkdirSync, chownSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PostgresTargetConfig } from '../../src/config/config.ts';
import { loadTarget } from '../../src/publishing/targets/load-target.ts';
import { claimAccounts } from '../../src/publishing/targets/postgres/leases.ts';
import { openSource } from '../../src/publishing/targets/source.ts';
import type { LoadResult } from '../../src/publishing/targets/target-request.ts';
import { createTargetConfig } from '../support/fixtures/target-config.ts';
import { findTargetDifferences } from '../support/fixtures/target-rows.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createTwoAccounts } from '../support/models/two-accounts.ts';
import {
  createLoadRequest,
  HOLDER,
  loadInProcess,
  startLoadProcesses,
} from '../support/processes/load-process.ts';
import { eventually } from '../support/processes/vodhouse-command.ts';
import { POSTGRES_USER } from '../support/servers/postgres-cluster.ts';
import { startPostgresProxy } from '../support/servers/postgres-proxy.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

vi.setConfig({ testTimeout: 120_000 });

/** What is told of each account. */
const tell = (results: readonly LoadResult[] | null) =>
  results?.map(({ account, outcome, code, retry }) => `${account} ${outcome} ${code ?? '-'} ${retry ?? '-'}`);

const LOADED = ['eu loaded - -', 'us loaded - -', '(runs) loaded - -'];

describe.skipIf(findPostgres() === null)('a load into PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ max_connections: '16', deadlock_timeout: '2s' });
  });
  afterAll(() => server.remove());

  /** A database that has the first of two states, and the file of the second. */
  async function createLoaded() {
    const url = await server.createDatabase();
    const accounts = createTwoAccounts();
    await accounts.change();
    const first = await accounts.publish();
    expect(tell(await loadTarget(createLoadRequest(url, first)))).toEqual(LOADED);
    await accounts.change();
    const file = await accounts.publish();
    const load = (changes: Partial<PostgresTargetConfig> = {}) =>
      loadTarget(createLoadRequest(url, file, { target: createTargetConfig(url, changes) }));
    const expectEqual = async () => {
      expect(await findTargetDifferences(file, { server, schema: 'vodhouse', url })).toEqual([]);
    };
    return { url, first, file, load, expectEqual, accounts };
  }

  /** A session that goes on until the end of the test. */
  async function openSession(url: string, ...statements: string[]): Promise<Client> {
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    onTestFinished(() => client.end().catch(() => undefined));
    for (const statement of statements) await client.query(statement);
    return client;
  }

  /** Waits until a load waits for a lock, and calls a function with its process number. */
  async function atLock(url: string, call: (pid: string) => Promise<unknown>): Promise<void> {
    const waiting = `SELECT pid FROM pg_stat_activity WHERE application_name = 'vodhouse' AND wait_event_type = 'Lock'
  AND datname = current_database()`;
    let pid = '';
    await expect
      .poll(async () => (pid = (await server.query<{ pid: string }>(waiting, url))[0]?.pid ?? ''), {
        timeout: 20_000,
      })
      .not.toBe('');
    await call(pid);
  }

  const LOCK = 'LOCK TABLE vodhouse.video_history IN ACCESS EXCLUSIVE MODE';

  it.each([
    ['pg_cancel_backend', ['eu failed 57014 backoff', 'us loaded - -', '(runs) loaded - -']],
    ['pg_terminate_backend', ['eu failed 57P01 backoff', 'us failed 57P01 backoff']],
  ])('is rolled back by %s, and the next one brings everything', async (end, told) => {
    const { url, load, expectEqual } = await createLoaded();
    const other = await openSession(url, 'BEGIN', LOCK);
    const loading = load();
    await atLock(url, async (pid) => {
      await server.query(`SELECT ${end}(${pid})`, url);
      await other.query('ROLLBACK');
    });
    expect(tell(await loading)).toEqual(told);
    await load();
    await expectEqual();
  });

  it('tells that the server crashed, and that it is down, and goes on when it is back', async () => {
    const { url, load, expectEqual } = await createLoaded();
    await openSession(url, 'BEGIN', LOCK);
    const loading = load();
    await atLock(url, () => server.stop('immediate'));
    const [crashed] = (await loading) as [LoadResult];
    expect(crashed).toMatchObject({ account: 'eu', outcome: 'failed', retry: 'backoff' });
    const [down, us] = (await load()) as [LoadResult, LoadResult];
    expect(down.error).toBe(`nothing listens at 127.0.0.1:${server.port}`);
    expect(tell([down, us])).toEqual(['eu failed ECONNREFUSED backoff', 'us failed ECONNREFUSED backoff']);
    await server.start();
    expect(tell(await load())).toEqual(LOADED);
    await expectEqual();
  });

  it('into a frozen server is given up at load_timeout, and its process ends', async () => {
    const { url, file, load, expectEqual } = await createLoaded();
    const other = await openSession(url, 'BEGIN', LOCK);
    const child = startLoadProcesses(1).take();
    const target = createTargetConfig(url, { loadTimeoutMs: 3000 });
    const loading = loadInProcess(child, createLoadRequest(url, file, { target }));
    await atLock(url, async () => server.signal('SIGSTOP'));
    const results = await loading;
    expect(tell(results)).toEqual(['eu failed ETIMEDOUT backoff', 'us failed ETIMEDOUT backoff']);
    expect(results?.[0]?.hint).toContain('load_timeout');
    await eventually(() => child.exitCode).toBe(0);
    server.signal('SIGCONT');
    await other.query('ROLLBACK');
    expect(tell(await load())).toEqual(LOADED);
    await expectEqual();
  });

  it('that finds the server frozen while it claims is given up at load_timeout, too', async () => {
    const { url, load, expectEqual } = await createLoaded();
    const proxy = await startPostgresProxy(server.port);
    const postgres = url.replace(`:${server.port}/`, `:${proxy.port}/`);
    proxy.arm({ step: 2, passed: 'all', onReached: () => server.signal('SIGSTOP') });
    const results = await load({ postgres, loadTimeoutMs: 3000 });
    server.signal('SIGCONT');
    expect(tell(results)).toEqual(['eu failed ETIMEDOUT backoff', 'us failed ETIMEDOUT backoff']);
    expect(results[0]?.error).toContain('did not answer within 3 s');
    expect(tell(await load())).toEqual(LOADED);
    await expectEqual();
  });

  it('of an account that needs longer than load_timeout does not keep the others from theirs', async () => {
    const { url, load } = await createLoaded();
    await openSession(url, 'BEGIN', `SELECT FROM vodhouse.packages WHERE account = 'eu' FOR UPDATE`);
    expect(tell(await load({ loadTimeoutMs: 2000, lockTimeoutMs: 60_000 }))?.[1]).toBe('us loaded - -');
  });

  it('by another process keeps no lease from being renewed', async () => {
    const { url, first } = await createLoaded();
    await server.query(
      `UPDATE vodhouse.vodhouse_account SET lease_until = now(), renewed_at = now() - interval '1 h'`,
      url,
    );
    const source = openSource(first);
    onTestFinished(source.close);
    await openSession(url, 'BEGIN', `SELECT FROM vodhouse.vodhouse_account WHERE account = 'eu' FOR UPDATE`);
    const claim = async (instance: string) => {
      const request = { target: createTargetConfig(url), holder: { ...HOLDER, instance }, deadlineMs: 5000 };
      return (await claimAccounts(request, source, ['eu', 'us'])).map(
        ({ account, result }) => `${account} ${result}`,
      );
    };
    expect(await claim('one')).toEqual(['eu claimed', 'us claimed']);
    expect(await claim('two')).toEqual(['eu held', 'us held']);
  });

  it('tells that the server is out of connections', async () => {
    const { url, load, expectEqual } = await createLoaded();
    await server.query(
      `CREATE ROLE loader LOGIN; GRANT ALL ON SCHEMA vodhouse TO loader;
GRANT ALL ON ALL TABLES IN SCHEMA vodhouse TO loader`,
      url,
    );
    const postgres = url.replace('postgres@', 'loader@');
    const others = await Promise.all(Array.from({ length: 13 }, () => openSession(url)));
    const results = await load({ postgres });
    expect(tell(results)).toEqual(['eu failed 53300 backoff', 'us failed 53300 backoff']);
    expect(results[0]?.hint).toContain('max_connections');
    for (const other of others) await other.end();
    expect(tell(await load({ postgres }))).toEqual(LOADED);
    await expectEqual();
  });

  it('tells that the disk is full, and is tried again hourly', async ({ skip }) => {
    const place = mountSmallDisk();
    if (place === null) return skip('only root may mount a small disk');
    const { url, load, expectEqual } = await createLoaded();
    await server.query(`CREATE TABLESPACE small LOCATION '${place}'`);
    await server.query(
      `ALTER TABLE vodhouse.videos SET TABLESPACE small; ALTER TABLE vodhouse.video_history SET TABLESPACE small;
CREATE TABLE filler (bytes text) TABLESPACE small; ALTER TABLE filler ALTER bytes SET STORAGE PLAIN`,
      url,
    );
    const fill = `INSERT INTO filler SELECT repeat('x', 7000) FROM generate_series(1, 10)`;
    await expect(
      (async () => {
        for (;;) await server.query(fill, url);
      })(),
    ).rejects.toThrow('No space left');
    const results = await load();
    expect(tell(results)).toEqual(['eu failed 53100 hourly', 'us failed 53100 hourly']);
    expect(results[0]).toMatchObject({ hint: "free space on the server's disk" });
    await server.query('DROP TABLE filler', url);
    expect(tell(await load())).toEqual(LOADED);
    await expectEqual();
    await server.query('DROP SCHEMA vodhouse CASCADE', url);
    await server.query('DROP TABLESPACE small');
  });

  /** A disk of a megabyte, for the server; null where it cannot be mounted. */
  function mountSmallDisk(): string | null {
    const mount = join(temporaryFolder(), 'disk');
    mkdirSync(mount);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', mount], { stdio: 'ignore' });
    } catch {
      return null;
    }
    onTestFinished(() => void execFileSync('umount', ['-l', mount]));
    const place = join(mount, 'space');
    mkdirSync(place);
    execFileSync('chmod', ['-R', 'a+rx', join(mount, '..')]);
    if (POSTGRES_USER.uid !== undefined) chownSync(place, POSTGRES_USER.uid, POSTGRES_USER.gid);
    return place;
  }

  it('that meets a lock is tried five times, then tells it', async () => {
    const { url, load, expectEqual } = await createLoaded();
    const other = await openSession(url, 'BEGIN', 'LOCK TABLE vodhouse.videos IN ACCESS EXCLUSIVE MODE');
    const isTimeout = /canceling statement due to lock timeout/g;
    const before = server.log().match(isTimeout)?.length ?? 0;
    const results = await load({ lockTimeoutMs: 100 });
    expect(tell(results)).toEqual(['eu failed 55P03 backoff', 'us failed 55P03 backoff']);
    expect(server.log().match(isTimeout)).toHaveLength(before + 10);
    await other.query('ROLLBACK');
    expect(tell(await load())).toEqual(LOADED);
    await expectEqual();
  });

  it('that meets a deadlock is made again at once', async () => {
    const { url, load, expectEqual } = await createLoaded();
    const other = await openSession(url, `SET deadlock_timeout = '1h'`, 'BEGIN', LOCK);
    const loading = load();
    await atLock(url, () => other.query('LOCK TABLE vodhouse.videos IN ACCESS EXCLUSIVE MODE'));
    await other.query('ROLLBACK');
    expect(tell(await loading)).toEqual(LOADED);
    expect(server.log()).toContain('deadlock detected');
    await expectEqual();
  });

  it('waits for no reader, and changes nothing for one in a transaction', async () => {
    const { url, load, expectEqual } = await createLoaded();
    const reader = await openSession(url, 'BEGIN ISOLATION LEVEL REPEATABLE READ');
    const count = async () =>
      (await reader.query('SELECT md5(string_agg(v::text, $1 ORDER BY v)) FROM vodhouse.videos v', [',']))
        .rows as unknown[];
    const before = await count();
    expect(tell(await load({ lockTimeoutMs: 1000 }))).toEqual(LOADED);
    expect(await count()).toEqual(before);
    await expectEqual();
  });

  it('leaves out a new column while a long reader holds the table, and brings it later', async () => {
    const { url, load, expectEqual } = await createLoaded();
    await server.query('ALTER TABLE vodhouse.videos DROP COLUMN copyright CASCADE', url);
    const reader = await openSession(url, 'BEGIN', 'SELECT FROM vodhouse.videos');
    const results = await load();
    expect(tell(results)).toEqual(LOADED);
    expect(results[2]?.findings).toEqual([
      {
        kind: 'columns_missing',
        message: 'a long query holds the tables: these columns are added by a later load: videos.copyright',
      },
    ]);
    await reader.query('ROLLBACK');
    expect((await load()).flatMap(({ findings }) => findings.map(({ kind }) => kind))).toEqual([
      'reloaded',
      'reloaded',
      'reloaded', // because of which column
    ]);
    await expectEqual();
  });

  it('tells which rights its role lacks, and is tried again hourly', async () => {
    const { url, first, load, expectEqual } = await createLoaded();
    await server.query('CREATE ROLE guest LOGIN; CREATE ROLE analyst', url);
    const postgres = url.replace('postgres@', 'guest@');
    const other = { target: createTargetConfig(postgres, { schema: 'other' }) };
    const results = await loadTarget(createLoadRequest(postgres, first, other));
    expect(tell(results)).toEqual(['eu failed 42501 hourly', 'us failed 42501 hourly']);
    expect(results[0]?.hint).toContain('vodhouse check');
    expect(tell(await load({ postgres }))).toEqual(['eu failed 42501 hourly', 'us failed 42501 hourly']);
    await server.query(
      'GRANT USAGE ON SCHEMA vodhouse TO guest; GRANT SELECT ON ALL TABLES IN SCHEMA vodhouse TO guest',
      url,
    );
    expect(tell(await load({ postgres }))).toEqual(['eu failed 42501 hourly', 'us failed 42501 hourly']);
    await server.query('GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA vodhouse TO guest', url);
    const readers = await load({ postgres, readers: ['analyst'] });
    expect(tell(readers)).toEqual(['eu failed - hourly', 'us failed - hourly']);
    expect(readers[0]).toMatchObject({
      error: 'analyst of `readers:` may not read the schema vodhouse, which another role owns',
      hint: expect.stringContaining(
        'as its owner: GRANT USAGE ON SCHEMA "vodhouse" TO "analyst"; GRANT',
      ) as string,
    });
    expect(tell(await load({ postgres }))).toEqual(LOADED);
    await expectEqual();
  });
});
