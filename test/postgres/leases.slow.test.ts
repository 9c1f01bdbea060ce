import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CONFIG, configText } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { listPage, serveEverything, videoRecord } from '../support/fixtures/service-responses.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { readWarehouseValue } from '../support/fixtures/warehouse-rows.ts';
import { eventually, startVodhouse, vodhouse } from '../support/processes/vodhouse-command.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';
import { startScriptedService } from '../support/servers/scripted-service.ts';

vi.setConfig({ testTimeout: 120_000 });

const records = Array.from({ length: 5 }, (_, index) => videoRecord(index + 1));

interface Place {
  worker: string;
  /** The address of the database. */
  url: string;
  exclusive?: boolean;
}

const targetLines = ({ worker, url, exclusive = true }: Place) => `worker: ${worker}
publish:
  targets: [{ name: bi, postgres: "${url}", exclusive: ${exclusive} }]
`;

/** A service that counts its requests, and a folder with a config for it. */
async function createPlace(place: Place) {
  const service = await startScriptedService(serveEverything((request) => listPage(request, records)));
  const text = configText({ url: service.url, storage: false });
  const cwd = createFolder({ [CONFIG]: `${text}\n${targetLines(place)}` });
  return { cwd, requests: service.requests, service };
}

describe.skipIf(findPostgres() === null)('an account in a target', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  const endLeases = (url: string) =>
    server.query(`UPDATE vodhouse.vodhouse_account SET lease_until = now() - interval '1 second'`, url);

  it('is synced and loaded by one worker; another one with a copy is refused, and asks the service nothing', async () => {
    const url = await server.createDatabase();
    const first = await createPlace({ worker: 'eu-1', url });
    expect(await vodhouse(['sync'], first)).toMatchObject({ code: 0 });
    const copy = join(temporaryFolder(), 'copy');
    cpSync(first.cwd, copy, { recursive: true });
    first.requests.length = 0;
    for (const command of ['sync', 'start']) {
      const { code, stderr } = await vodhouse([command], { cwd: copy });
      expect({ command, code }).toEqual({ command, code: 75 });
      expect(stderr).toMatch(/account main is held by eu-1 until \d\d:\d\d UTC/);
    }
    expect(first.requests).toEqual([]);
    expect(await vodhouse(['sync'], first)).toMatchObject({ code: 0 }); // the holder goes on
  });

  it('is free when its worker stops, and ten minutes after it was killed', async () => {
    const url = await server.createDatabase();
    const first = await createPlace({ worker: 'eu-1', url });
    expect(await vodhouse(['sync'], first)).toMatchObject({ code: 0 });
    const copy = join(temporaryFolder(), 'copy');
    cpSync(first.cwd, copy, { recursive: true });
    const worker = startVodhouse(['start'], first);
    await eventually(worker.stderr).toContain('next full run at');
    worker.kill('SIGKILL');
    await worker.ended;
    expect(await vodhouse(['sync'], { cwd: copy })).toMatchObject({ code: 75 });
    await endLeases(url); // ten minutes later
    expect(await vodhouse(['sync'], { cwd: copy })).toMatchObject({ code: 0 });
    expect(await vodhouse(['sync'], first)).toMatchObject({ code: 75 });
    const other = startVodhouse(['start'], { cwd: copy });
    await eventually(other.stderr).toContain('next full run at');
    other.kill('SIGTERM');
    expect((await other.ended).code).toBe(0);
    expect(await vodhouse(['sync'], first)).toMatchObject({ code: 0 });
  });

  it('is synced all the same where the target is not exclusive, or down', async () => {
    const url = await server.createDatabase();
    const first = await createPlace({ worker: 'eu-1', url });
    expect(await vodhouse(['sync'], first)).toMatchObject({ code: 0 });
    const shared = await createPlace({ worker: 'eu-2', url, exclusive: false });
    expect((await vodhouse(['sync'], shared)).code).not.toBe(75);
    expect(readWarehouseValue(shared.cwd, 'select count(*) from video')).toBe(5);
    const down = await createPlace({ worker: 'eu-3', url: 'postgres://nobody@127.0.0.1:1/none' });
    expect((await vodhouse(['sync'], down)).code).not.toBe(75);
    expect(readWarehouseValue(down.cwd, 'select count(*) from video')).toBe(5);
  });

  it('does not keep a worker from its other accounts', async () => {
    const url = await server.createDatabase();
    const first = await createPlace({ worker: 'eu-1', url });
    expect(await vodhouse(['sync'], first)).toMatchObject({ code: 0 });
    const { url: service } = await startScriptedService(
      serveEverything((request) => listPage(request, records)),
    );
    const text = configText({ url: service, storage: false });
    const [head = '', account = ''] = text.split('accounts:\n');
    const both = `${head}accounts:\n${account}${account.replace('name: main', 'name: other')}`;
    const cwd = createFolder({ [CONFIG]: `${both}\n${targetLines({ worker: 'eu-2', url })}` });
    const { code, stdout, stderr } = await vodhouse(['sync', '--verbose'], { cwd });
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.any(String) as string });
    expect(stdout).toContain('account main');
    expect(readWarehouseValue(cwd, 'select group_concat(distinct account) from video')).toBe('other');
  });
});
