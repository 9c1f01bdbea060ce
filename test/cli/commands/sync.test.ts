import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText, type ConfigOptions } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';
import { startScriptedService } from '../../support/servers/scripted-service.ts';
import { listBody, videoRecord, serveEverything } from '../../support/fixtures/service-responses.ts';
import { vodhouse } from '../../support/processes/vodhouse-command.ts';
import { readWarehouseRows, readWarehouseValue } from '../../support/fixtures/warehouse-rows.ts';
import { allRecords } from '../../support/fixtures/json-page.ts';

vi.setConfig({ testTimeout: 60_000 });

const COUNT = 'select count(*) from video where removed_at is null';

/** No colours, no cursor movements, no bars. */
function isPlain(text: string): boolean {
  return !['\u001b', '\r', '\u2588', '\u2591'].some((sign) => text.includes(sign));
}

function folderWith(options: ConfigOptions): string {
  return createFolder({ [CONFIG]: configText(options) });
}

describe('sync', () => {
  it('stores every package and the storage, prints the run as `runs` does, and ends with 0', async () => {
    const { url } = await startSandbox();
    const config = configText({ url, packages: [101, 102, 103], pageSize: 100 });
    const cwd = createFolder({ [CONFIG]: config.replace(' 102,', ' { id: 102, name: Lectures },') });
    const first = await vodhouse(['sync'], { cwd });
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(/^run 1: succeeded \(full, manual, everything\)\n/);
    expect(first.stdout).toMatch(/^main\/101 +succeeded +3 +250 +4 /m);
    expect(first.stdout).toMatch(/^main\/102 +Lectures +succeeded +1 +30 +1 /m);
    expect(first.stdout).toMatch(/^storage of main: 1 day booked/m);
    expect((await vodhouse(['runs', '1'], { cwd })).stdout.trim()).toBe(
      first.stdout.split('\npublished ')[0]?.trim(),
    );
    expect(first.stderr).toContain('main/101: succeeded: inserted 250, ');
    expect(isPlain(first.stdout + first.stderr)).toBe(true);
    expect(readWarehouseValue(cwd, COUNT)).toBe(280);

    const second = await vodhouse(['sync', '--verbose', '--log-level', 'silent'], { cwd });
    expect([second.code, second.stderr]).toEqual([0, '']);
    expect(second.stdout).toMatch(/^main\/101 .* 250 +3 .*\nmain\/102 .*\nmain\/103 /m);
  });

  it('stores the changes of the service', async () => {
    const { url, sandbox } = await startSandbox({ packages: [{ id: 101, videos: 400 }] });
    const cwd = folderWith({ url, pageSize: 50 });
    await vodhouse(['sync'], { cwd });
    sandbox.churn(60);
    expect((await vodhouse(['sync'], { cwd })).code).toBe(0);
    const now = await allRecords(sandbox.catalogue, 101);
    const live = readWarehouseRows(cwd, 'select id, title from video where removed_at is null order by id');
    expect(live).toEqual(now.map(({ id, title }) => ({ id, title })));
  });

  it('gives one JSON document with --json and nothing else on stdout', async () => {
    const { url } = await startSandbox();
    const cwd = folderWith({ url, packages: [101, 999] });
    const { code, stdout, stderr } = await vodhouse(['sync', '--json', '--log-format', 'json'], { cwd });
    expect(code).toBe(3);
    for (const line of stderr.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('msg');
    const summary = JSON.parse(stdout) as { walks: Record<string, unknown>[] };
    expect(summary).toMatchObject({
      run_id: 1,
      status: 'partial',
      requests: 4,
      storage: [{ account: 'main', live: true, booked: 1 }],
      failures: [{ account: 'main', package_id: 999, parked: false }],
    });
    const walk = summary.walks.find(({ package_id: id }) => id === 101);
    expect(walk).toMatchObject({ account: 'main', status: 'succeeded', totalcount: 250, inserted: 250 });
    for (const name of [...Object.keys(summary), ...Object.keys(walk ?? {})])
      expect(name).toMatch(/^[a-z_]+$/);
  });

  it.each([
    [['101', '7', '8'], '7, 8', 'main/101, main/102, second/101, second/103'],
    [['second/102'], 'second/102', 'main/101, main/102, second/101, second/103'],
  ])(
    'ends with 2 for --package %j, which no account has, and sends nothing',
    async (packages, unknown, known) => {
      const { url, requests } = await startScriptedService(() => 'drop');
      const second = `  - name: second
    video_list: { base_url: "${url}", key: k }
    packages: [101, 103]
`;
      const cwd = createFolder({ [CONFIG]: configText({ url, packages: [101, 102] }) + second });
      const { code, stdout, stderr } = await vodhouse(['sync', '--package', ...packages], { cwd });
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`no account has the package ${unknown}\n`);
      expect(stderr).toContain(`-> the config has ${known}\n`);
      expect(requests).toHaveLength(0);
    },
  );

  it('stores records with invalid ids in quarantine, digit for digit, and ends with 3', async () => {
    const records = [1, 2, 3].map((id) => videoRecord(id));
    const body = listBody({ records })
      .replace('"id":2', '"id":9007199254740993')
      .replace('"id":3', '"id":123456789012345678901234567890');
    const { url } = await startScriptedService(serveEverything(() => ({ body })));
    const cwd = folderWith({ url });
    const { code, stdout } = await vodhouse(['sync'], { cwd });
    expect(code).toBe(3);
    expect(stdout).toMatch(/^package .*quarantined.*\nmain\/101 .* 2( |$)/m);
    const rows = readWarehouseRows(
      cwd,
      'select raw, reason, record_id, page, resolved_at from quarantine order by raw',
    );
    expect(rows.map(({ raw }) => /"id":(\d+)/.exec(String(raw))?.[1])).toEqual([
      '123456789012345678901234567890',
      '9007199254740993',
    ]);
    expect(rows[0]).toMatchObject({ record_id: null, page: 1, resolved_at: null });
    expect(readWarehouseRows(cwd, 'select id from video')).toEqual([{ id: 1 }]);
    const status = await vodhouse(['status'], { cwd });
    expect(status.code).toBe(3);
    expect(status.stdout).toContain('2 records of main (videos) in quarantine');
  });

  it('ends with 1 for a file that is not a warehouse, and does not change it', async () => {
    const { url, requests } = await startScriptedService(() => 'drop');
    const cwd = createFolder({ [CONFIG]: configText({ url }), 'data/vodhouse.db': 'my diary' });
    const { code, stdout, stderr } = await vodhouse(['sync'], { cwd });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('is not a SQLite file; nothing was changed');
    expect(stderr).toContain('-> name another file');
    expect(requests).toHaveLength(0);
  });

  it('--quick reads only new and removed videos, and prints what it did not find', async () => {
    const { url, sandbox } = await startSandbox({
      packages: [
        { id: 101, videos: 400 },
        { id: 102, videos: 30 },
      ],
    });
    const cwd = folderWith({ url, packages: [101, 102], pageSize: 50, storage: false });
    await vodhouse(['sync'], { cwd });
    const still = await vodhouse(['sync', '--quick'], { cwd });
    expect(still.stdout).toContain('no package had anything new\n');
    sandbox.churn(20);
    const changed = await vodhouse(['sync', '--quick', '--package', '101'], { cwd });
    expect(changed.code).toBe(0);
    expect(changed.stdout).toMatch(/^main\/101 +succeeded/m);
    const saved = await vodhouse(['status'], { cwd });
    expect(saved.stdout).toMatch(/^main .* [1-9]\d* +\d+$/m);
  });

  it('reads only the requested videos, storage or packages', async () => {
    const { url } = await startSandbox();
    const cwd = folderWith({ url, packages: [101, 102, 103] });
    const storage = await vodhouse(['sync', '--storage'], { cwd });
    expect([storage.code, readWarehouseValue(cwd, COUNT)]).toEqual([0, 0]);
    const one = await vodhouse(['sync', '--package', '102'], { cwd });
    expect(one.stdout).toContain('packages 102, videos only');
    expect([one.code, readWarehouseValue(cwd, COUNT)]).toEqual([0, 30]);
    const both = await vodhouse(['sync', '--package', '101,103', '--package', '102'], { cwd });
    expect([both.code, readWarehouseValue(cwd, COUNT)]).toEqual([0, 280]);
  });

  it('ends with 1 where the key is wrong, without printing the key', async () => {
    const { url } = await startSandbox();
    const cwd = folderWith({ url, packages: [101, 102], key: 'wrong-key', storage: false });
    const { code, stdout, stderr } = await vodhouse(['sync'], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain('main/101 (refused): page 1: the service refused: errorCode InvalidKey');
    expect(stdout).toMatch(/^run 1: failed [^]*, 4 requests$/m);
    expect(stdout + stderr).not.toContain('wrong-key');
  });
});
