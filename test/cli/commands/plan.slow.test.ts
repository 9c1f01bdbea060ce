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
