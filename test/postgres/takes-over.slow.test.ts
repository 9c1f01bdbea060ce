import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CONFIG, configText } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { listPage, serveEverything, videoRecord } from '../support/fixtures/service-responses.ts';
import { vodhouse } from '../support/processes/vodhouse-command.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';
import { startScriptedService } from '../support/servers/scripted-service.ts';

vi.setConfig({ testTimeout: 120_000 });

const records = Array.from({ length: 5 }, (_, index) => videoRecord(index + 1));

describe.skipIf(findPostgres() === null)('a worker with a new live file', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  it('takes over an account by the steps of docs/targets.md', async () => {
    const url = await server.createDatabase();
    const service = await startScriptedService(serveEverything((request) => listPage(request, records)));
    const createWorker = (worker: string) => {
      const target = `publish: { targets: [{ name: bi, postgres: "${url}" }] }`;
      const text = configText({ url: service.url, storage: false });
      return { cwd: createFolder({ [CONFIG]: `${text}\nworker: ${worker}\n${target}\n` }) };
    };
    const countVideos = () => server.query('SELECT count(*)::int AS n FROM vodhouse.videos', url);
    expect(await vodhouse(['sync'], createWorker('eu-1'))).toMatchObject({ code: 0 });
    const second = createWorker('eu-2');
    const refused = await vodhouse(['sync'], second);
    expect(refused.code).toBe(75);
    expect(refused.stderr).toContain('--rebuild ACCOUNT');
    const claimed = await vodhouse(['publish', '--target', 'bi', '--rebuild', 'main', '--yes'], second);
    expect(claimed.stderr).toContain('eu-1 has it');
    expect(claimed.stderr).toContain('a rebuild only takes it');
    expect(claimed.stdout).toContain('has not fetched it yet: the rows in the target stay');
    expect(claimed.code).toBe(75);
    expect(await countVideos()).toEqual([{ n: 5 }]);
    expect(await vodhouse(['sync'], second)).toMatchObject({ code: 0 });
    expect(await countVideos()).toEqual([{ n: 5 }]);
    const left = await server.query('SELECT worker, status FROM vodhouse.vodhouse_account', url);
    expect(left).toEqual([{ worker: 'eu-2', status: null }]);
  });
});
