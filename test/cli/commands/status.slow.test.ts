import { rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText, WAREHOUSE } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { execute } from '../../support/fixtures/live-file.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';
import { startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';
import { startScriptedService } from '../../support/servers/scripted-service.ts';
import { listBody, videoRecord, serveEverything } from '../../support/fixtures/service-responses.ts';
import { readWarehouseRows } from '../../support/fixtures/warehouse-rows.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { type LoadReport } from '../../../src/lib/load-report.ts';
import { openWarehouse } from '../../../src/warehouse/warehouse.ts';
import { failedLoad, loadReport } from '../../support/fixtures/load-report.ts';

vi.setConfig({ testTimeout: 60_000 });

const PACKAGES = [101, 102, 103];

/** A folder whose warehouse is synced with a sandbox. */
async function syncedFolder(): Promise<{ cwd: string; url: string }> {
  const { url } = await startSandbox();
  const cwd = createFolder({ [CONFIG]: configText({ url, packages: PACKAGES }) });
  expect((await vodhouse(['sync'], { cwd })).code).toBe(0);
  return { cwd, url };
}

describe('status', () => {
  it('ends with 0 where all is fresh, and prints the state, also as JSON', async () => {
    const { cwd } = await syncedFolder();
    const { code, stdout, stderr } = await vodhouse(['status'], { cwd });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^All 3 packages fresh; last full walk just now \(.*vodhouse\.db\)\n\nworker: none; to start one: vodhouse start\ndue with a worker: full run /m,
    );
    expect(stdout).toMatch(/^main\/101 +250 +just now +succeeded$/m);
    expect(stdout).toMatch(/^main +just now +\d{4}-\d\d-\d\d +0 +0$/m);
    expect(stdout).toMatch(/^main +\d+ spent +\d+ spent +\d+ spent +0$/m);
    expect(stdout).toMatch(/^1 +just now +manual +full +everything +succeeded +\d+$/m);

    const json = await vodhouse(['status', '--json'], { cwd });
    expect(json.code).toBe(0);
    const report = JSON.parse(json.stdout) as { packages: Record<string, unknown>[] };
    expect(report).toMatchObject({
      needs: [],
      packages: [
        {
          account: 'main',
          package_id: 101,
          videos: 250,
          stale: false,
          last_walk: 'succeeded',
          order: 'trusted',
        },
        { account: 'main', package_id: 102, videos: 30 },
        { account: 'main', package_id: 103, videos: 0 },
      ],
      storage: [{ account: 'main', gaps: 0, stale: false }],
      budgets: [
        {
          account: 'main',
          per_day: { limit: null, left: null },
          pause: null,
          saved: { quick_walks: 0, requests: 0, pages: 0 },
        },
      ],
      runs: [{ run_id: 1, status: 'succeeded', trigger: 'manual' }],
    });
  });

  it('prints when the published file was made, and whether it is outdated', async () => {
    const { url } = await startSandbox();
    const top = 'publish: {}';
    const cwd = createFolder({ [CONFIG]: configText({ url, packages: PACKAGES, storage: false, top }) });
    await vodhouse(['sync'], { cwd });
    const fresh = await vodhouse(['status'], { cwd });
    expect(fresh.stdout).toMatch(/^published file published\/vodhouse\.bi\.db: made just now$/m);

    execute(
      join(cwd, WAREHOUSE),
      "update package set name = 'New'; update run set finished_at = '2026-01-01 00:00:00'",
    );
    const behind = await vodhouse(['status'], { cwd });
    expect(behind.code).toBe(3);
    expect(behind.stdout).toContain(
      '  - the published file does not show the last changes\n      -> vodhouse publish',
    );
    expect(behind.stdout).toContain('made just now; newer changes are not in it yet');
    const bounded = { url, packages: PACKAGES, storage: false, top: 'publish: { every: 1h }' };
    writeFileSync(join(cwd, CONFIG), configText(bounded));
    const deferred = await vodhouse(['status'], { cwd });
    expect(deferred.stdout).not.toContain('does not show the last changes');
    expect(deferred.stdout).toContain('made just now; newer changes are not in it yet');
    rmSync(join(cwd, 'published/vodhouse.bi.db'));
    const { stdout } = await vodhouse(['status', '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      needs: ['the published file does not exist'],
      published: { file: join(cwd, 'published/vodhouse.bi.db'), published_at: null, behind: true },
    });
  });

  it('prints the last requests with --requests, newest first', async () => {
    const { cwd } = await syncedFolder();
    const text = await vodhouse(['status', '--requests'], { cwd });
    expect(text.code).toBe(0);
    expect(text.stdout).toMatch(/^sent \(UTC\) +account +purpose +package +page +status +ms +bytes$/m);
    expect(text.stdout).toMatch(/main +storage +200 +\d+ +\d/);
    const json = await vodhouse(['status', '--requests', '--json'], { cwd });
    const { requests } = JSON.parse(json.stdout) as { requests: { request_id: number; purpose: string }[] };
    expect(requests.map(({ request_id: id }) => id)).toEqual([4, 3, 2, 1]);
    expect(requests.at(-1)).toMatchObject({ account: 'main', purpose: 'storage', status: 200 });
  });

  it('ends with 3 where nothing was walked yet, and prints the next command', async () => {
    const { url } = await startSandbox();
    const cwd = createFolder({ [CONFIG]: configText({ url, packages: PACKAGES }) });
    expect((await vodhouse(['check'], { cwd })).code).toBe(0);
    const { code, stdout } = await vodhouse(['status'], { cwd });
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /^Nothing was synced yet: vodhouse sync \(.*\)\n\nworker: none; to start one: vodhouse start\n/,
    );
    const { needs } = JSON.parse((await vodhouse(['status', '--json'], { cwd })).stdout) as {
      needs: unknown;
    };
    expect(needs).toEqual(['Nothing was synced yet: vodhouse sync']);
  });

  it('names the worker that runs, and when runs are due', async () => {
    const { cwd } = await syncedFolder();
    const worker = startVodhouse(['start'], { cwd });
    const read = async () => JSON.parse((await vodhouse(['status', '--json'], { cwd })).stdout) as object;
    const time = (pattern: RegExp) => expect.stringMatching(pattern) as string;
    await expect.poll(read, { timeout: 20_000 }).toMatchObject({
      worker: { host: hostname(), pid: worker.pid, since: time(/^\d{4}-.* \d\d:\d\d:\d\d$/) },
      next: { full: time(/:00:00$/), quick: null },
    });
    worker.kill('SIGTERM');
    await worker.ended;
    expect(await read()).toMatchObject({ worker: null });
  });
});

/** A folder that is synced with its service; these statements run on the live file afterwards. */
async function folderAfter(statements: string, url?: string): Promise<string> {
  const service = url ?? (await startSandbox()).url;
  const cwd = createFolder({ [CONFIG]: configText({ url: service, packages: [101] }) });
  await vodhouse(['sync'], { cwd });
  execute(join(cwd, WAREHOUSE), statements);
  return cwd;
}

async function readStatus(cwd: string) {
  const { code, stdout } = await vodhouse(['status'], { cwd });
  const json = await vodhouse(['status', '--json'], { cwd });
  return { code, stdout, report: JSON.parse(json.stdout) as Record<string, unknown[]> };
}

describe('status where records are in quarantine', () => {
  async function folderWithQuarantine(): Promise<string> {
    const bad = [1, 2, 3, 4, 5].map((id) => videoRecord(id, { duration: `${id} s` }));
    const body = listBody({ records: [...bad, videoRecord(6)] });
    const { url } = await startScriptedService(serveEverything(() => ({ body })));
    return folderAfter("update quarantine set seen_at = datetime('now', '-3 hours')", url);
  }

  it('prints some of them with their reasons, and SQL for all', async () => {
    const cwd = await folderWithQuarantine();
    const { code, stdout, report } = await readStatus(cwd);
    expect(code).toBe(3);
    const lines = stdout.split('\n').slice(1, 7);
    expect(lines[0]).toBe('  - 5 records of main (videos) in quarantine');
    for (const id of [1, 2, 3]) {
      expect(lines[id]).toMatch(
        new RegExp(`^ {6}${id} of package 101: duration: .*"${id} s".* \\(seen at .* UTC\\)$`),
      );
    }
    expect(lines[4]).toBe('      and 2 more');
    const sql = lines[5]?.split('-> ')[1] ?? '';
    expect(readWarehouseRows(cwd, sql).map(({ record_id: id }) => id)).toEqual(['1', '2', '3', '4', '5']);
    expect(report.needs?.[0]).toBe('5 records of main (videos) in quarantine');
    expect(report.quarantine).toMatchObject([
      {
        account: 'main',
        stream: 'videos',
        open: 5,
        examples: [1, 2, 3].map((id) => ({ package_id: 101, record_id: String(id) })),
      },
    ]);
  });
});

/** SQL that records drift of the account `main`, first seen the given time ago. */
function drift(stream: string, field: string, kind: string, sample: string | null, ago: string): string {
  const value = sample === null ? 'null' : `'${sample}'`;
  return `insert into drift (account, stream, field, kind, sample, first_seen_at, last_seen_at)
    values ('main', '${stream}', '${field}', '${kind}', ${value},
      datetime('now', '-${ago}'), datetime('now', '-5 minutes'));`;
}

describe('status where the service deviates from its documentation', () => {
  it('prints drift with the command that accepts it', async () => {
    const cwd = await folderAfter(
      drift('videos', 'playcount', 'new', '17', '2 days') +
        drift('videos', 'cdate', 'missing', null, '3 hours') +
        drift('storage', 'encoder_size', 'type', '"n/a"', '6 days'),
    );
    const { code, stdout, report } = await readStatus(cwd);
    expect(code).toBe(3);
    expect(stdout.split('\n').slice(1, 6)).toEqual([
      '  - videos of main lack the documented field cdate; and 2 more like this',
      '      videos of main have a field that is not documented: playcount, e.g. 17',
      '      storage days of main have another type in encoder_size: "n/a"',
      '      -> to accept all drift: vodhouse acknowledge',
      '',
    ]);
    expect(report.needs).toHaveLength(1);
    expect(report.drift).toHaveLength(3);
    expect(report.drift?.[1]).toMatchObject({
      account: 'main',
      stream: 'videos',
      field: 'playcount',
      kind: 'new',
      sample: '17',
    });
  });
});

const SECRET = 'secret-of-the-target';
const TARGETS = `publish:
  targets:
    - { name: warehouse, postgres: 'postgres://me:${SECRET}@127.0.0.1:1/db' }`;

/** A synced folder, with `vodhouse status` after a load that ended like this. */
async function folderWithTarget() {
  const { url } = await startSandbox();
  const plain = configText({ url, packages: [101] });
  const cwd = createFolder({
    [CONFIG]: configText({ url, packages: [101], top: TARGETS }),
    'plain.yaml': plain,
  });
  expect((await vodhouse(['sync', '--config', 'plain.yaml'], { cwd })).code).toBe(0);
  return async (report: LoadReport) => {
    const warehouse = openWarehouse(join(cwd, WAREHOUSE), systemClock);
    warehouse.recordLoadReport('warehouse', report, systemClock.now());
    warehouse.close();
    const text = await vodhouse(['status'], { cwd });
    const json = await vodhouse(['status', '--json'], { cwd });
    expect(json.code).toBe(text.code);
    expect(text.stdout + json.stdout + text.stderr).not.toContain(SECRET);
    const document = JSON.parse(json.stdout) as { needs: string[]; targets: Record<string, unknown>[] };
    return {
      code: text.code,
      line: /^target .*(\n {2}.*)*/m.exec(text.stdout)?.[0],
      ...document,
    };
  };
}

it('status has a line for each target, and ends with 3 where a person is needed', async () => {
  const statusAfter = await folderWithTarget();
  const loaded = await statusAfter(loadReport({ changeSeq: 1_000_000, differences: [] }));
  expect([loaded.code, loaded.line, loaded.needs]).toEqual([
    ...[0, 'target warehouse: 1 account, 1 up to date, loaded just now, verified just now', []],
  ]);
  expect(loaded.targets).toMatchObject([
    { target: 'warehouse', up_to_date: true, accounts: [{ account: 'main', outcome: 'loaded' }], runs: null },
  ]);

  const down = await statusAfter(
    failedLoad({ code: 'ECONNREFUSED', error: `no answer to me:${SECRET}`, hint: 'is the server running?' }),
  );
  expect(down.code).toBe(0);
  expect(down.line?.replace(/since .* UTC/, 'since … UTC').split('\n')).toEqual([
    'target warehouse: 1 account, 0 up to date, loaded just now, verified just now',
    '  account main has failed since … UTC: no answer to me:[key] -> is the server running?',
  ]);

  const code = 'other_warehouse';
  const refused = await statusAfter(
    loadReport({
      outcome: 'refused',
      changeSeq: null,
      code,
      error: 'account main belongs to another warehouse',
      hint: 'x',
    }),
  );
  expect(refused.code).toBe(3);
  expect(refused.needs).toEqual([
    expect.stringContaining('account main belongs to another warehouse') as string,
  ]);
  expect(refused.targets).toMatchObject([{ up_to_date: false, accounts: [{ code, behind_changes: 0 }] }]);
});
