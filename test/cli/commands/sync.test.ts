import { describe, expect, it, vi } from 'vitest';
import { commandFolder, sandboxFolder, serviceFolder } from '../../support/fixtures/command-folder.ts';
import { configText } from '../../support/fixtures/config-file.ts';
import { allRecords } from '../../support/fixtures/json-page.ts';
import {
  listBody,
  listPage,
  serveEverything,
  videoRecord,
} from '../../support/fixtures/service-responses.ts';
import { startScriptedService } from '../../support/servers/scripted-service.ts';

vi.setConfig({ testTimeout: 60_000 });

const COUNT = 'select count(*) from video where removed_at is null';

/** No colours, no cursor movements, no bars. */
const isPlain = (text: string) => !['\u001b', '\r', '\u2588', '\u2591'].some((sign) => text.includes(sign));

describe('sync', () => {
  it('stores every package and the storage, prints the run as `runs` does, and ends with 0', async () => {
    const { text, write, run, succeed, value } = await sandboxFolder({
      packages: [103, 101, 102],
      pageSize: 100,
    });
    write(text.replace(', 102', ', { id: 102, name: Lectures }'));
    const first = await run('sync');
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(/^run 1: succeeded \(full, manual, everything\)\n/);
    expect(first.stdout).toMatch(/^main\/101 +succeeded +250 +3 +250 +4 /m);
    expect(first.stdout).toMatch(/^main\/102 +Lectures +succeeded +30 +1 +30 +1 /m);
    expect(first.stdout).toMatch(/^main\/103 +succeeded +0 +1 +1 /m);
    expect(first.stdout.match(/^main\/\d+/gm)).toEqual(['main/101', 'main/102', 'main/103']);
    expect(first.stdout).toMatch(/^storage of main: 1 day booked/m);
    expect((await succeed('runs', '1')).trim()).toBe(first.stdout.split('\npublished ')[0]?.trim());
    expect(first.stderr).toContain('main/101: succeeded: added 250, ');
    expect(isPlain(first.stdout + first.stderr)).toBe(true);
    expect(value(COUNT)).toBe(280);

    const second = await run('sync', '--verbose', '--log-level', 'silent');
    expect([second.code, second.stderr]).toEqual([0, '']);
    expect(second.stdout).toMatch(/^main\/101 .* 250 +3 .*\nmain\/102 .*\nmain\/103 /m);
  });

  it('stores the changes of the service', async () => {
    const packages = [{ id: 101, videos: 400 }];
    const { sandbox, succeed, rows } = await sandboxFolder({ pageSize: 50 }, { packages });
    await succeed('sync');
    sandbox.churn(60);
    await succeed('sync');
    const now = await allRecords(sandbox.catalogue, 101);
    const live = rows('select id, title from video where removed_at is null order by id');
    expect(live).toEqual(now.map(({ id, title }) => ({ id, title })));
  });

  it('gives one JSON document with --json and nothing else on stdout', async () => {
    const { run } = await sandboxFolder({ packages: [101, 999] });
    const { code, stdout, stderr } = await run('sync', '--json', '--log-format', 'json');
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
    expect(walk).toMatchObject({ account: 'main', status: 'succeeded', totalcount: 250, added: 250 });
    for (const name of [...Object.keys(summary), ...Object.keys(walk ?? {})])
      expect(name).toMatch(/^[a-z_]+$/);
  });

  it.each([
    [['101', '7', '8'], '7, 8'],
    [['second/102'], 'second/102'],
  ])('ends with 2 for --package %j, which no account has, and sends nothing', async (packages, unknown) => {
    const { url, requests } = await startScriptedService(() => 'drop');
    const second = `  - { name: second, video_list: { base_url: "${url}", key: second-key }, packages: [101, 103] }\n`;
    const { run } = commandFolder(configText({ url, packages: [101, 102] }) + second);
    const { code, stdout, stderr } = await run('sync', '--package', ...packages);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`no account has the package ${unknown}\n`);
    expect(stderr).toContain(`-> the config has main/101, main/102, second/101, second/103\n`);
    expect(requests).toHaveLength(0);
  });

  it('stores records with invalid ids in quarantine, digit for digit, and ends with 3', async () => {
    const body = listBody({ records: [1, 2, 3].map((id) => videoRecord(id)) })
      .replace('"id":2', '"id":9007199254740993')
      .replace('"id":3', '"id":123456789012345678901234567890');
    const { run, rows } = await serviceFolder(serveEverything(() => ({ body })));
    const { code, stdout } = await run('sync');
    expect(code).toBe(3);
    expect(stdout).toMatch(/^package .*quarantined.*\nmain\/101 .* 2( |$)/m);
    const quarantined = rows('select raw, record_id, page, resolved_at from quarantine order by raw');
    expect(quarantined.map(({ raw }) => /"id":(\d+)/.exec(String(raw))?.[1])).toEqual([
      '123456789012345678901234567890',
      '9007199254740993',
    ]);
    expect(quarantined[0]).toMatchObject({ record_id: null, page: 1, resolved_at: null });
    expect(rows('select id from video')).toEqual([{ id: 1 }]);
    expect((await run('status')).code).toBe(3);
  });

  it('ends with 1 for a file that is not a warehouse, and does not change it', async () => {
    const { url, requests } = await startScriptedService(() => 'drop');
    const { run } = commandFolder({ url }, { 'data/vodhouse.db': 'my diary' });
    const { code, stdout, stderr } = await run('sync');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/is not a SQLite file; nothing was changed\n *-> name another file/);
    expect(requests).toHaveLength(0);
  });

  it('--quick reads only new and removed videos, and prints what it did not find', async () => {
    const packages = [
      { id: 101, videos: 400 },
      { id: 102, videos: 30 },
    ];
    const config = { packages: [101, 102], pageSize: 50, storage: false };
    const { sandbox, run, succeed } = await sandboxFolder(config, { packages });
    await succeed('sync');
    expect(await succeed('sync', '--quick')).toContain('no package had anything new\n');
    sandbox.churn(20);
    expect(await succeed('sync', '--quick', '--package', '101')).toMatch(/^main\/101 +succeeded/m);
    expect((await run('status')).stdout).toMatch(/^main .* [1-9]\d*$/m); // requests that were saved
  });

  it('reads only the requested videos, storage or packages', async () => {
    const { succeed, value } = await sandboxFolder({ packages: [101, 102, 103] });
    await succeed('sync', '--storage');
    expect(value(COUNT)).toBe(0);
    expect(await succeed('sync', '--package', '102')).toContain('packages 102, videos only');
    expect(value(COUNT)).toBe(30);
    await succeed('sync', '--package', '101,103', '--package', '102');
    expect(value(COUNT)).toBe(280);
  });

  it('ends with 1 where the key is wrong, without printing the key', async () => {
    const config = { packages: [101, 102, 103], key: 'wrong-key', storage: false };
    const { run, json, write, text } = await sandboxFolder(config);
    const { code, stdout, stderr } = await run('sync');
    expect(code).toBe(1);
    const { stdout: status } = await run('status');
    expect(status.slice(0, status.indexOf('worker:')).match(/the key is missing or unknown/g)).toHaveLength(
      1,
    );
    for (const text of [stdout, status, (await run('runs', '1')).stdout])
      expect(text).toContain(
        '-> check the key and the package in the config; to test them: vodhouse check\n',
      );
    expect(stdout).toContain('main/101 (refused): page 1: the service refused: errorCode InvalidKey');
    expect(stdout).toMatch(/^run 1: failed [^]*, 2 requests$/m);
    expect(stdout + stderr).not.toContain('wrong-key');
    write(text, 'other.yaml');
    const document = JSON.stringify(await json('sync', '--config', 'other.yaml'));
    expect(document).toContain('vodhouse check --config other.yaml'); // of the package that was skipped
  });

  it('logs at level debug that requests wait, how long and what for', async () => {
    const records = Array.from({ length: 49 }, (_, index) => videoRecord(index + 1));
    const script = serveEverything((request) => listPage(request, records));
    const { text, write, run } = await serviceFolder(script, { storage: false, pageSize: 10 });
    write(text.replace('per_second: null', 'per_second: 2'));
    const { code, stderr } = await run('sync', '--log-format', 'json', '--log-level', 'debug');
    expect(code).toBe(0);
    const events = stderr.trim().split('\n');
    const logged = events.map((line) => JSON.parse(line) as { event: string });
    expect(logged.filter(({ event }) => event === 'request_answered')).toHaveLength(6);
    expect(logged.find(({ event }) => event === 'budget_wait')).toMatchObject({
      level: 'debug',
      account: 'main',
      reason: expect.stringContaining('the budget of account main per second is spent until') as string,
      wait_ms: expect.any(Number) as number,
    });
  });
});
