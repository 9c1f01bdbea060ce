import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText, WAREHOUSE, type ConfigOptions } from '../../support/fixtures/config-file.ts';
import { createFolder, readFolder } from '../../support/fixtures/folder-of-files.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';
import { startScriptedService } from '../../support/servers/scripted-service.ts';
import { eventually, startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';

vi.setConfig({ testTimeout: 60_000 });

/** The three packages of the sandbox, in pages of 10 videos: 25, 3 and 1 pages. */
const PACKAGES = [101, 102, 103];

function limited(options: ConfigOptions, limits: string): string {
  return configText({ packages: PACKAGES, pageSize: 10, ...options }).replace(
    'per_second: null, per_minute: null, per_day: null',
    limits,
  );
}

/** A folder whose warehouse is synced with a sandbox; `configure` writes other limits into its config. */
async function syncedFolder() {
  const { url } = await startSandbox();
  const cwd = createFolder({ [CONFIG]: configText({ url, packages: PACKAGES, pageSize: 10 }) });
  expect((await vodhouse(['sync'], { cwd })).code).toBe(0);
  const configure = (limits: string, top = '') =>
    writeFileSync(join(cwd, CONFIG), limited({ url, top }, limits));
  return { cwd, url, configure };
}

describe('plan', () => {
  it('sends nothing and creates no file where there is no warehouse yet, and reports that', async () => {
    const { url, requests } = await startScriptedService(() => 'drop');
    const cwd = createFolder({ [CONFIG]: limited({ url }, 'per_day: 100') });
    const { code, stdout, stderr } = await vodhouse(['plan'], { cwd });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('main: fits: at least 96 requests a day, 100 allowed');
    expect(stdout).toMatch(/there is no warehouse at .*vodhouse\.db yet: vodhouse sync creates it/);
    expect(stdout).toContain('size not known yet: 3 packages, counted as 1 page each');
    expect(requests).toEqual([]);
    expect(existsSync(join(cwd, WAREHOUSE))).toBe(false);
    expect([...readFolder(cwd).keys()]).toEqual([CONFIG]);
  });

  it('has the sizes after a sync, sends nothing and changes nothing', async () => {
    const { cwd, configure } = await syncedFolder();
    const { url, requests } = await startScriptedService(() => 'drop');
    writeFileSync(join(cwd, CONFIG), limited({ url }, 'per_second: 5, per_minute: 120, per_day: 20000'));
    const before = readFolder(cwd).get(WAREHOUSE);
    const { code, stdout, stderr } = await vodhouse(['plan'], { cwd });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^the schedule fits \(vodhouse\.yaml\):\n {2}main: fits: 720 requests a day, 20,000 allowed\n\n/,
    );
    expect(stdout).toMatch(/^main +full +3 +29 +30 +15s +24 +720 +20,000$/m);
    expect(stdout).not.toContain('not known');
    expect(requests).toEqual([]);
    expect(readFolder(cwd).get(WAREHOUSE)).toEqual(before);

    configure('per_second: null, per_minute: null, per_day: null');
    expect((await vodhouse(['plan'], { cwd })).stdout).toMatch(
      /main: fits: 720 requests a day, no limit\n[^]* no limit .* any$/m,
    );
  });

  it('ends with 3 where the schedule does not fit, and prints one that does', async () => {
    const { cwd, configure } = await syncedFolder();
    configure('per_day: 400');
    const day = await vodhouse(['plan'], { cwd });
    expect(day.code).toBe(3);
    expect(day.stdout).toContain(
      [
        'the schedule does not fit (vodhouse.yaml):',
        '  main: does not fit: 720 requests a day, 400 allowed; { full: "0 */2 * * *" } would fit',
        '  -> schedule: { full: "0 */2 * * *" }\n',
      ].join('\n'),
    );

    configure('per_day: null, per_minute: 2, per_second: null', 'schedule: { full: "*/10 * * * *" }');
    const time = await vodhouse(['plan'], { cwd });
    expect(time.code).toBe(3);
    expect(time.stdout).toContain(
      'does not fit: a full pass takes 15m, and the next begins after 10m; { full: "0 * * * *" } would fit',
    );

    configure('per_day: 20');
    const none = await vodhouse(['plan'], { cwd });
    expect(none.code).toBe(3);
    expect(none.stdout).toContain('no schedule fits: raise the limits');
  });

  it('counts quick runs where there are any', async () => {
    const { cwd, configure } = await syncedFolder();
    configure('per_day: 1000', 'schedule: { quick: "*/10 * * * *" }');
    const { code, stdout } = await vodhouse(['plan'], { cwd });
    expect(code).toBe(3);
    expect(stdout).toContain(
      '1,200 requests a day, 1,000 allowed; { full: "0 */2 * * *", quick: "*/10 * * * *" } would fit',
    );
    expect(stdout).toMatch(/^main +quick +3 +3 +4 +\S+s +120 +480$/m);
    expect(stdout).toContain('-> schedule: { full: "0 */2 * * *", quick: "*/10 * * * *" }');

    configure('per_day: 700', 'schedule: { quick: "* * * * *" }');
    expect((await vodhouse(['plan'], { cwd })).stdout).toContain(
      '; { full: "0 */6 * * *", quick: "*/10 * * * *" } would fit',
    );
  });

  it('names the account that no schedule fits', async () => {
    const { cwd, url, configure } = await syncedFolder();
    configure('per_day: 400');
    const small = `  - { name: small, video_list: { base_url: ${url}, key: k }, packages: [1, 2], limits: { per_day: 1 } }\n`;
    writeFileSync(join(cwd, CONFIG), limited({ url }, 'per_day: 400') + small);
    const { stdout } = await vodhouse(['plan'], { cwd });
    expect(stdout).toContain('the schedule does not fit for 2 of 2 accounts');
    expect(stdout).toContain('small: does not fit: at least 48 requests a day, 1 allowed; no schedule fits');
    expect(stdout).not.toContain('->');
  });

  it('gives one JSON document with --json', async () => {
    const { cwd, configure } = await syncedFolder();
    configure('per_second: null, per_minute: 60, per_day: 400');
    const { code, stdout } = await vodhouse(['plan', '--json'], { cwd });
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toEqual({
      warehouse: join(cwd, WAREHOUSE),
      warehouse_exists: true,
      schedule: { timezone: 'Asia/Seoul', full: '0 * * * *', quick: null },
      fits: false,
      proposal: { timezone: 'Asia/Seoul', full: '0 */2 * * *', quick: null },
      accounts: [
        {
          account: 'main',
          packages: 3,
          packages_unknown: 0,
          full: { pages: 29, requests: 30, time_ms: 30_000, runs_per_day: 24 },
          quick: null,
          own: [],
          requests_per_day: 720,
          per_day: 400,
          fits: false,
          exceeds: ['per_day'],
          verdict: 'does not fit: 720 requests a day, 400 allowed; { full: "0 */2 * * *" } would fit',
          proposal: { timezone: 'Asia/Seoul', full: '0 */2 * * *', quick: null },
        },
      ],
    });
  });

  it('ends with 2 where the config is invalid', async () => {
    const cwd = createFolder({ [CONFIG]: 'timezone: Nowhere\n' });
    const { code, stdout } = await vodhouse(['plan'], { cwd });
    expect([code, stdout]).toEqual([2, '']);
  });

  it('is recommended by check and by start where the schedule does not fit, in one line per account', async () => {
    const { cwd, configure } = await syncedFolder();
    configure('per_day: 400');
    const expected =
      'WARN: main: the schedule does not fit: 720 requests a day, 400 allowed; { full: "0 */2 * * *" } would fit';
    const checked = await vodhouse(['check'], { cwd });
    expect(checked.code).toBe(0);
    expect(checked.stderr.split('\n')).toEqual([
      expect.stringContaining(`${expected}; see vodhouse plan`),
      '',
    ]);
    const worker = startVodhouse(['start', '--config', './vodhouse.yaml'], { cwd });
    await eventually(worker.stderr).toContain('next full run at');
    worker.kill('SIGTERM');
    expect((await worker.ended).stderr).toContain(`${expected}; see vodhouse plan --config ./vodhouse.yaml`);

    configure('per_day: 20000');
    expect((await vodhouse(['check'], { cwd })).stderr).toBe('');
  });
});
