import { rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText, WAREHOUSE } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { execute } from '../../support/fixtures/live-file.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';
import { startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';

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
    for (const name of [...Object.keys(report), ...Object.keys(report.packages[0] ?? {})]) {
      expect(name).toMatch(/^[a-z_]+$/);
    }
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

  it('ends with 1 where there is no warehouse, and creates none', async () => {
    const cwd = createFolder({ [CONFIG]: configText({ url: 'http://127.0.0.1:9' }) });
    for (let round = 0; round < 2; round++) {
      const { code, stdout, stderr } = await vodhouse(['status'], { cwd });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(
        /^vodhouse: there is no warehouse at .*data\/vodhouse\.db\n {2}-> vodhouse sync makes it\n$/,
      );
    }
  });
});
