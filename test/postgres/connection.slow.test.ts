import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createTargetClient,
  toClientConfig,
} from '../../src/publishing/targets/postgres/connection-options.ts';
import { SELF_SIGNED, SIGNED } from '../support/fixtures/self-signed.ts';
import { createTargetConfig, VERIFIED } from '../support/fixtures/target-config.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { ask, ENCODED, fail, WORD } from '../support/servers/target-client.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

const HBA = [
  'hostssl all encrypted 127.0.0.1/32 trust',
  'host all encrypted 127.0.0.1/32 reject',
  'host all loader 127.0.0.1/32 scram-sha-256',
  'host all loader ::1/128 scram-sha-256',
  'host all old 127.0.0.1/32 md5',
  'host all plain 127.0.0.1/32 password',
  'host all stranger 127.0.0.1/32 reject',
  'host all all 127.0.0.2/32 trust',
];

describe.skipIf(findPostgres() === null)('a connection to PostgreSQL', () => {
  let tls: PostgresServer;
  let plain: PostgresServer;
  beforeAll(async () => {
    tls = await startPostgres({ listen_addresses: '127.0.0.1,127.0.0.2' }, { ssl: SIGNED, hba: HBA });
    plain = await startPostgres(
      { listen_addresses: '127.0.0.1,::1', unix_socket_directories: '.' },
      { hba: HBA },
    );
    for (const server of [tls, plain]) {
      await server.query(`CREATE ROLE loader LOGIN PASSWORD '${WORD}'; CREATE ROLE plain LOGIN PASSWORD '${WORD}';
        CREATE ROLE stranger LOGIN; SET password_encryption = 'md5'; CREATE ROLE old LOGIN PASSWORD '${WORD}'`);
    }
  });
  afterAll(() => Promise.all([tls.remove(), plain.remove()]));
  afterEach(() => void vi.unstubAllEnvs());

  const at = (server: PostgresServer, place = '127.0.0.1', login = `loader:${ENCODED}`) =>
    `postgres://${login}@${place}:${server.port}/postgres`;
  const IS_TLS = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';

  it.each([
    ['127.0.0.1', VERIFIED],
    ['localhost', VERIFIED],
    ['127.0.0.1', { ssl: 'no-verify' }],
  ] as const)('is encrypted at %s with %o', async (host, ssl) => {
    expect(await ask(createTargetConfig(at(tls, host), ssl), IS_TLS)).toEqual([{ ssl: true }]);
  });

  it('is in plain text with ssl: off, also where the server has TLS', async () => {
    expect(await ask(createTargetConfig(at(tls)), IS_TLS)).toEqual([{ ssl: false }]);
    expect(await ask(createTargetConfig(at(plain)), IS_TLS)).toEqual([{ ssl: false }]);
  });

  it.each(['old', 'plain'])('logs in as %s, whose password is asked for in an older way', async (user) => {
    const target = createTargetConfig(at(plain, '127.0.0.1', `${user}:${ENCODED}`));
    expect(await ask(target, 'SELECT current_user::text AS name')).toEqual([{ name: user }]);
  });

  it('takes IPv6 addresses and unix sockets', async () => {
    expect(await ask(createTargetConfig(at(plain, '[::1]')), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    const [folder] = await plain.query<{ data_directory: string }>('SHOW data_directory');
    const socket = `postgres://loader@localhost:${plain.port}/postgres?host=${folder?.data_directory ?? ''}`;
    expect(await ask(createTargetConfig(socket), 'SELECT inet_client_addr() AS address')).toEqual([
      { address: null },
    ]);
  });

  it('shows its name, and takes nothing from variables and ~/.pgpass', async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, '.pgpass'), `*:*:*:*:${WORD}\n`, { mode: 0o600 });
    for (const [name, value] of Object.entries({
      ...{ HOME: home, PGPASSFILE: join(home, '.pgpass'), PGPASSWORD: WORD, PGSSLMODE: 'verify-full' },
      ...{ PGHOST: 'none.invalid', PGPORT: '1', PGUSER: 'nobody', PGDATABASE: 'none', PGAPPNAME: 'other' },
      ...{ PGOPTIONS: '-c search_path=other', PGREPLICATION: 'true', PGSSLNEGOTIATION: 'direct' },
      PGCONNECT_TIMEOUT: '1',
    }))
      vi.stubEnv(name, value);
    const session = `SELECT current_user::text AS user, current_setting('application_name') AS name,
      current_setting('search_path') AS path`;
    expect(await ask(createTargetConfig(at(plain)), session)).toEqual([
      { user: 'loader', name: 'vodhouse', path: '"$user", public' },
    ]);
    expect(await fail(createTargetConfig(at(plain, '127.0.0.1', 'loader')))).toEqual({
      message: `127.0.0.1:${plain.port} requires a password of loader, but \`postgres:\` has none`,
      hint: expect.stringContaining('PGPASSWORD and ~/.pgpass are not read') as string,
      code: '28P01',
      retry: 'hourly',
    });
  });

  it('keeps the password out of what can be printed of it', () => {
    const target = createTargetConfig(at(plain));
    for (const each of [toClientConfig(target), createTargetClient(target)]) {
      expect(inspect(each, { depth: 9 })).not.toContain(WORD);
    }
  });

  describe('is refused', () => {
    const NO_VERIFY = expect.stringContaining('`ssl: no-verify` accepts any certificate') as string;

    it('where the certificate is for another name', async () => {
      expect(await fail(createTargetConfig(at(tls, '127.0.0.2'), VERIFIED))).toEqual({
        message: `the certificate of 127.0.0.2:${tls.port} is not for this host but for 127.0.0.1, localhost, service.example.test`,
        hint: NO_VERIFY,
        code: 'ERR_TLS_CERT_ALTNAME_INVALID',
        retry: 'backoff',
      });
    });

    it('where its authority is unknown, and says how it becomes known', async () => {
      const own = { ssl: 'verify-full', ca: { file: 'x', certificates: [SELF_SIGNED.cert] } } as const;
      for (const ssl of [{ ssl: 'verify-full' } as const, own]) {
        const failure = await fail(createTargetConfig(at(tls), ssl));
        expect(failure.message).toMatch(/^the certificate of 127\.0\.0\.1:\d+ is not trusted \(/);
        expect(failure.hint).toMatch(/^`ca: FILE` in the target, a PEM file/);
        expect(failure.hint).toEqual(NO_VERIFY);
      }
    });

    it('where an insecure Node would accept it', async () => {
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
      expect((await fail(createTargetConfig(at(tls), { ssl: 'verify-full' }))).message).toContain(
        'not trusted',
      );
    });

    it.each([VERIFIED, { ssl: 'no-verify' } as const])(
      'where the server has no TLS, with %o',
      async (ssl) => {
        expect(await fail(createTargetConfig(at(plain), ssl))).toMatchObject({
          message: `127.0.0.1:${plain.port} has no TLS, but the target has ssl: ${ssl.ssl}`,
          hint: expect.stringContaining('`ssl: off` in the target sends everything in plain text') as string,
          retry: 'backoff',
        });
      },
    );

    it.each([
      [
        'loader:wrong-word',
        'the password of loader is wrong (28P01)',
        '28P01',
        'ALTER ROLE "loader" PASSWORD',
      ],
      ['nobody', 'role "nobody" does not exist (28000)', '28000', 'let user nobody log in'],
      ['stranger', 'pg_hba.conf rejects connection', '28000', 'a line in pg_hba.conf'],
    ])('to %s', async (login, message, code, hint) => {
      expect(await fail(createTargetConfig(at(plain, '127.0.0.1', login)))).toEqual({
        message: expect.stringContaining(message) as string,
        hint: expect.stringContaining(hint) as string,
        code,
        retry: 'hourly',
      });
    });

    it('without TLS where the server accepts only TLS, which the hint names', async () => {
      const target = createTargetConfig(at(tls, '127.0.0.1', 'encrypted'));
      expect(await fail(target)).toMatchObject({
        message: expect.stringContaining('no encryption (28000)') as string,
        hint: expect.stringContaining('accepts only TLS: `ssl: verify-full`') as string,
      });
      expect((await fail({ ...target, ...VERIFIED })).message).toContain('role "encrypted" does not exist');
    });

    it('where there is no such database', async () => {
      const target = createTargetConfig(at(plain).replace(/postgres$/, 'no%22ne'));
      expect(await fail(target)).toEqual({
        message: `PostgreSQL at 127.0.0.1:${plain.port}: database "no"ne" does not exist (3D000)`,
        hint: expect.stringContaining('CREATE DATABASE "no""ne" OWNER "loader"') as string,
        code: '3D000',
        retry: 'hourly',
      });
    });
  });

  it.each([
    ['CREATE TABLE pg_catalog.t (a int)', '42501', 'hourly'],
    ['CREATE TABLE none.t (a int)', '3F000', 'hourly'],
    ['SELECT nothing', '42703', 'backoff'],
    ["DO $$ BEGIN RAISE SQLSTATE '53100' USING MESSAGE = 'No space left'; END $$", '53100', 'hourly'],
    ["DO $$ BEGIN RAISE SQLSTATE '40001'; END $$", '40001', 'at_once'],
    ["DO $$ BEGIN RAISE SQLSTATE '40P01'; END $$", '40P01', 'at_once'],
    ["DO $$ BEGIN RAISE SQLSTATE '55P03'; END $$", '55P03', 'at_once'],
    ["DO $$ BEGIN RAISE SQLSTATE '53300'; END $$", '53300', 'backoff'],
    ['SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(1)', '57014', 'backoff'],
    ['SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(1)', '57P01', 'backoff'],
  ])('has the SQLSTATE and the next try of %s', async (sql, code, retry) => {
    const failure = await fail(createTargetConfig(at(plain)), sql);
    expect(failure).toMatchObject({ code, retry });
    expect(failure.message).toMatch(new RegExp(`^PostgreSQL at 127\\.0\\.0\\.1:\\d+: .* \\(${code}\\)$`));
  });

  it('hides a password that the server repeats', async () => {
    const failure = await fail(createTargetConfig(at(plain)), `SELECT 'x' AS "${WORD}" FROM "${WORD}"`);
    expect(failure.message).toContain('relation "***" does not exist');
  });
});
