import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CONFIG, configText } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { writtenFiles } from '../support/fixtures/awkward-key.ts';
import { listPage, serveEverything, videoRecord } from '../support/fixtures/service-responses.ts';
import { eventually, startVodhouse, vodhouse } from '../support/processes/vodhouse-command.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';
import { startScriptedService } from '../support/servers/scripted-service.ts';

vi.setConfig({ testTimeout: 120_000 });

const PASSWORD = 'canary/pg-password';
const SECRETS = [PASSWORD, encodeURIComponent(PASSWORD)];
const KEY = 'canary-service-key';

describe.skipIf(findPostgres() === null)('the password of a target', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  /** A folder with a target in a new database. */
  async function createPlace() {
    const url = await server.createDatabase();
    const { url: service } = await startScriptedService(
      serveEverything((request) => listPage(request, [videoRecord(1), videoRecord(2)])),
    );
    const address = url.replace('postgres@', `postgres:${encodeURIComponent(PASSWORD)}@`);
    const top = 'server: { port: 0 }\npublish: { targets: [{ name: bi, postgres: "${PG}" }] }';
    const cwd = createFolder({
      [CONFIG]: configText({ url: service, key: KEY, storage: false, top }),
      '.env': `PG=${address}\n`,
    });
    return { cwd, url };
  }

  /** Every row of every table of the schema, as text. */
  async function readTarget(url: string): Promise<string> {
    const tables = await server.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'vodhouse'`,
      url,
    );
    const rows = await Promise.all(
      tables.map(({ name }) => server.query(`SELECT t::text FROM vodhouse."${name}" t`, url)),
    );
    return JSON.stringify(rows);
  }

  function expectNone(texts: Iterable<readonly [string, string | Buffer]>, secrets: readonly string[]): void {
    for (const [name, text] of texts)
      for (const secret of secrets) expect(text.includes(secret), `${name} has ${secret}`).toBe(false);
  }

  it('is in no output, file, table, page or metric, and neither is the key of the service', async () => {
    const { cwd, url } = await createPlace();
    const commands = [
      ['sync'],
      ['publish', '--verify'],
      ['publish', '--json'],
      ['check'],
      ['plan'],
      ['status', '--json'],
    ];
    for (const command of [...commands, ['publish', '--target', 'bi', '--print-sql']]) {
      const level = command[0] === 'publish' ? [] : ['--log-level', 'debug'];
      const { stdout, stderr } = await vodhouse([...command, ...level], { cwd });
      expectNone([[command.join(' '), stdout + stderr]], [...SECRETS, KEY]);
    }
    expect(await server.query('SELECT count(*)::int AS videos FROM vodhouse.videos', url)).toEqual([
      { videos: 2 },
    ]);
    const worker = startVodhouse(['start', '--log-level', 'debug'], { cwd });
    await eventually(worker.stderr).toContain('serving at');
    const address = /serving at (\S+)/.exec(worker.stderr())?.[1] ?? '';
    const pages = await Promise.all(
      ['/', '/metrics', '/readyz', '/openapi.json'].map(
        async (path) => [path, await (await fetch(address + path)).text()] as const,
      ),
    );
    expect(pages[1]?.[1]).toContain('vodhouse_target_behind_changes');
    worker.kill('SIGTERM');
    await worker.ended;
    const written = writtenFiles(cwd).filter(([name]) => !name.endsWith('.env') && !name.endsWith(CONFIG));
    const all = [
      ...pages,
      ...written,
      ['log', worker.stdout() + worker.stderr()] as const,
      ['target', await readTarget(url)] as const,
    ];
    expectNone(all, [...SECRETS, KEY]);
  });

  it('is in no message where the server refuses it', async () => {
    const { cwd, url } = await createPlace();
    await server.query(`CREATE ROLE nobody_here LOGIN`, url);
    writeFileSync(
      join(cwd, '.env'),
      `PG=${url.replace('postgres@', `missing:${encodeURIComponent(PASSWORD)}@`)}\n`,
    );
    const { code, stdout, stderr } = await vodhouse(['sync'], { cwd });
    expect({ code, text: stdout + stderr }).toMatchObject({
      code: 3,
      text: expect.stringContaining('missing') as string,
    });
    const { stdout: status } = await vodhouse(['status', '--json'], { cwd });
    expect(status).toContain('missing');
    expectNone(
      [
        ['sync', stdout + stderr],
        ['status', status],
        ['log of the server', server.log()],
      ],
      SECRETS,
    );
  });
});
