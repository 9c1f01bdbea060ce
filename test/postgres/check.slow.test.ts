import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { judgeClock } from '../../src/publishing/targets/common-checks.ts';
import { checkTarget } from '../../src/publishing/targets/postgres/check.ts';
import { claimAccounts } from '../../src/publishing/targets/postgres/leases.ts';
import { CONFIG, configText } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { createTargetConfig, VERIFIED } from '../support/fixtures/target-config.ts';
import { SIGNED } from '../support/fixtures/self-signed.ts';
import { vodhouse } from '../support/processes/vodhouse-command.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';
import { startSandbox } from '../support/servers/sandbox-account.ts';

vi.setConfig({ testTimeout: 60_000 });

const WAREHOUSE_ID = '3d5ed779-0708-48bc-b6c3-383af014896a';
const OTHER_ID = '7a51478a-c88c-4e91-8227-69706408172a';
const marts = createMarts({ durationUnit: 'ms', exclude: [] });
const timezone = 'Asia/Seoul';
const eu1 = { worker: 'eu-1', instance: 'one' };
const eu2 = { worker: 'eu-2', instance: 'two' };

type TargetChanges = NonNullable<Parameters<typeof createTargetConfig>[1]>;

/** What a worker eu-1 with the account main is told, by what was checked. */
async function check(url: string, changes: TargetChanges = {}, zone = timezone) {
  const target = createTargetConfig(url, changes);
  const request = {
    target,
    holder: eu1,
    warehouseId: WAREHOUSE_ID,
    accounts: ['main'],
    marts,
    timezone: zone,
  };
  const checks = await checkTarget(request);
  return Object.fromEntries(
    checks.map(({ asked, state, result, hint }) => [
      asked,
      `${state}: ${result}${hint === null ? '' : ` -> ${hint}`}`,
    ]),
  );
}

/** Makes the schema as `url` says, and claims main. */
const claim = (url: string, holder = eu1, warehouseId = WAREHOUSE_ID) =>
  claimAccounts(
    { target: createTargetConfig(url), holder, deadlineMs: 30_000 },
    { warehouseId, timezone, marts },
    ['main'],
  );

describe.skipIf(findPostgres() === null)('the check of a target', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({}, { ssl: SIGNED, hba: ['host all guarded 127.0.0.1/32 scram-sha-256'] });
    await server.query(
      `CREATE ROLE guarded LOGIN PASSWORD 'right'; CREATE ROLE guest LOGIN; CREATE ROLE bi_reader`,
    );
  });
  afterAll(() => server.remove());

  const asUser = (url: string, user: string) => url.replace('postgres@', `${user}@`);
  /** An empty database in which nobody but the superuser may do anything. */
  async function createClosedDatabase(): Promise<string> {
    const url = await server.createDatabase();
    await server.query(`REVOKE ALL ON DATABASE ${new URL(url).pathname.slice(1)} FROM PUBLIC`);
    await server.query(`GRANT CONNECT ON DATABASE ${new URL(url).pathname.slice(1)} TO PUBLIC`);
    return url;
  }
  const schemas = (url: string) => server.query(`SELECT FROM pg_namespace WHERE nspname = 'vodhouse'`, url);

  it('is passed by an empty database, in which it makes nothing', async () => {
    const url = await server.createDatabase();
    expect(await check(url, { readers: ['bi_reader', 'public'] })).toEqual({
      connection: expect.stringMatching(/^ok: PostgreSQL \d+\.\d+, no TLS$/) as string,
      clock: 'ok: as that of this machine',
      readers: 'ok: bi_reader, public: known',
      rights: 'ok: schema vodhouse will be made',
      'account main': 'ok: not loaded yet',
    });
    expect(await schemas(url)).toEqual([]);
  });

  it('says whether the connection has TLS', async () => {
    const url = server.url.replace('127.0.0.1', 'localhost');
    expect((await check(url, VERIFIED)).connection).toMatch(/^ok: PostgreSQL \S+, TLSv1\.\d$/);
  });

  it('says why it cannot connect, and nothing else', async () => {
    const url = server.url.replace('postgres@', 'guarded:sesame@');
    const checks = await check(url);
    expect(Object.keys(checks)).toEqual(['connection']);
    expect(checks.connection).toMatch(/^failed: the password of guarded is wrong \(28P01\) -> correct/);
    expect((await check(url.replace('sesame', 'right'))).connection).toMatch(/^ok/);
  });

  it('fails for another encoding, and for readers that do not exist', async () => {
    await server.query(
      `CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
    );
    const checks = await check(server.url.replace(/[^/]*$/, 'latin'), { readers: ['bi_reader', 'nobody'] });
    expect(checks.encoding).toMatch(/^failed: database latin has the encoding LATIN1, not UTF8 -> /);
    expect(checks.readers).toMatch(/^failed: the server has no role nobody -> CREATE ROLE "nobody"/);
  });

  it.each([
    ['', ['TEMPORARY on the database', 'CREATE on the database']],
    ['CREATE SCHEMA vodhouse', ['TEMPORARY on the database', 'USAGE on schema', 'CREATE on schema vodhouse']],
  ])('names all rights that are missing to make the tables, after %j', async (made, lacking) => {
    const url = await createClosedDatabase();
    const rights = async () => (await check(asUser(url, 'guest'))).rights ?? '';
    await server.query(made, url);
    const text = await rights();
    for (const each of lacking) expect(text).toContain(each);
    expect(text.includes('GRANT CREATE ON DATABASE')).toBe(made === '');
    await obey(text, url);
    expect(await rights()).toMatch(/^ok: .* will be made$/);
    await claim(asUser(url, 'guest'));
    expect(await rights()).toBe('ok: all tables of schema vodhouse can be loaded');
  });

  /** Types the statements of a hint, as the superuser. */
  const obey = (text: string, url: string) =>
    server.query(/-> (.*); or vodhouse publish/.exec(text)?.[1] ?? '', url);

  it('names rights on tables that somebody else made', async () => {
    const url = await createClosedDatabase();
    await claim(url);
    const { rights: text = '' } = await check(asUser(url, 'guest'));
    expect(text).toMatch(
      /^failed: guest lacks TEMPORARY on the database; USAGE on schema vodhouse; SELECT, INSERT, UPDATE, DELETE on/,
    );
    await obey(text, url);
    expect((await check(asUser(url, 'guest'))).rights).toBe(
      'ok: all tables of schema vodhouse can be loaded',
    );
    await server.query('ALTER TABLE vodhouse.videos DROP COLUMN title CASCADE', url);
    await server.query('GRANT CREATE ON SCHEMA vodhouse TO guest', url);
    expect((await check(asUser(url, 'guest'))).rights).toMatch(
      /^failed: guest lacks the ownership of vodhouse\.\w+/,
    );
  });

  it('fails for a schema of somebody else, and for one of another calendar', async () => {
    const url = await server.createDatabase();
    await server.query('CREATE SCHEMA vodhouse; CREATE TABLE vodhouse.videos (a int)', url);
    expect((await check(url)).rights).toMatch(
      /^failed: schema vodhouse has a table videos that vodhouse did not make/,
    );
    const other = await server.createDatabase();
    await claim(other);
    expect((await check(other, {}, 'Europe/Oslo')).rights).toMatch(
      /^failed: schema vodhouse has the days of Asia\/Seoul, this warehouse those of Europe\/Oslo/,
    );
  });

  it('says who has an account, and leaves it there', async () => {
    const url = await server.createDatabase();
    const asked = async () => (await check(url))['account main'];
    await claim(url);
    expect(await asked()).toBe('ok: not loaded yet by this worker');
    await server.query(`UPDATE vodhouse.vodhouse_account SET lease_until = now() - interval '1 s'`, url);
    await claim(url, eu2);
    expect(await asked()).toMatch(
      /^failed: held by eu-2 until \d{4}-\d\d-\d\d [\d:]{8} UTC -> stop that worker/,
    );
    await server.query(`UPDATE vodhouse.vodhouse_account SET lease_until = now() - interval '1 s'`, url);
    expect(await asked()).toBe('ok: not loaded yet by eu-2, whose lease has ended');
    await server.query(
      `UPDATE vodhouse.vodhouse_account SET warehouse_id = '${OTHER_ID}', loaded_at = '2026-03-01T12:00Z'`,
      url,
    );
    expect(await asked()).toBe(
      `failed: belongs to another warehouse (${OTHER_ID}), loaded 2026-03-01 12:00:00 UTC by eu-2 -> if this warehouse is the right one: vodhouse publish --target warehouse --rebuild main`,
    );
    expect(await server.query('SELECT worker FROM vodhouse.vodhouse_account', url)).toEqual([
      { worker: 'eu-2' },
    ]);
  });

  it('is part of `vodhouse check`, whose exit code it has', async () => {
    const { url: service } = await startSandbox();
    const url = await server.createDatabase();
    const top = (postgres: string) => `publish: { targets: [{ name: warehouse, postgres: "${postgres}" }] }`;
    const cwd = createFolder({
      [CONFIG]: configText({ url: service, top: top(url) }),
      'wrong.yaml': configText({
        url: service,
        top: top(server.url.replace('postgres@', 'guarded:sesame@')),
      }),
    });
    const good = await vodhouse(['check'], { cwd });
    expect(good.stdout).toMatch(/^warehouse {2}rights +ok +schema vodhouse will be made$/m);
    expect(good.code).toBe(0);
    expect(await schemas(url)).toEqual([]);
    const wrong = await vodhouse(['check', '--config', 'wrong.yaml', '--json'], { cwd });
    expect(JSON.parse(wrong.stdout)).toMatchObject({
      targets: [{ target: 'warehouse', checks: [{ asked: 'connection', ok: false, warning: false }] }],
    });
    expect(wrong.code).toBe(3);
    expect(wrong.stdout + wrong.stderr).not.toContain('sesame');
  });
});

describe('the clock of a database', () => {
  it.each([
    [0, 'ok'],
    [-59_000, 'ok'],
    [61_000, 'warning'],
    [-599_000, 'warning'],
    [601_000, 'failed'],
    [-601_000, 'failed'],
  ] as const)('that is %d ms ahead is %s', (offsetMs, state) => {
    expect(judgeClock(offsetMs, 'database').state).toBe(state);
  });

  it('is told with the difference and its direction', () => {
    expect(judgeClock(-120_000, 'database')).toMatchObject({
      result: 'the clock of the database is 2m behind',
    });
  });
});
