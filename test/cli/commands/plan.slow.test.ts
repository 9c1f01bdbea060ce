import { describe, expect, it, vi } from 'vitest';
import { sandboxFolder, serviceFolder } from '../../support/fixtures/command-folder.ts';
import { CONFIG } from '../../support/fixtures/config-file.ts';
import { readFolder } from '../../support/fixtures/folder-of-files.ts';

vi.setConfig({ testTimeout: 60_000 });

/** The three packages of the sandbox, in pages of 10 videos: 25, 3 and 1 pages. */
const PACKAGES = { packages: [101, 102, 103], pageSize: 10 };

const limited = (text: string, limits: string) =>
  text.replace('per_second: null, per_minute: null, per_day: null', limits);

/** A folder whose warehouse is synced with a sandbox; `configure` writes other limits into its config. */
async function syncedFolder() {
  const folder = await sandboxFolder(PACKAGES);
  await folder.succeed('sync');
  const configure = (limits: string, top = '') =>
    folder.write(limited(folder.text.replace('accounts:', `${top}\naccounts:`), limits));
  return { ...folder, configure };
}

const DOES_NOT_FIT =
  'main: the schedule does not fit: 720 requests a day, 400 allowed; { full: "0 */2 * * *" } would fit';

describe('plan', () => {
  it('sends nothing and creates no file where there is no warehouse yet, and reports that', async () => {
    const { cwd, text, write, run, service } = await serviceFolder(() => 'drop', PACKAGES);
    write(limited(text, 'per_day: 100'));
    const { code, stdout, stderr } = await run('plan');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('main: fits: at least 96 requests a day, 100 allowed');
    expect(stdout).toMatch(/there is no warehouse at .*vodhouse\.db yet: vodhouse sync creates it/);
    expect(stdout).toContain('size not known yet: 3 packages, counted as 1 page each');
    expect(service.requests).toEqual([]);
    expect([...readFolder(cwd).keys()]).toEqual([CONFIG]);
  });

  it('ends with 3 where the schedule does not fit, and prints one that does', async () => {
    const { run, configure } = await syncedFolder();
    for (const [limits, top, ...texts] of [
      ['per_day: 400', '', '720 requests a day, 400 allowed', '-> schedule: { full: "0 */2 * * *" }\n'],
      [
        'per_day: null, per_minute: 2, per_second: null',
        'schedule: { full: "*/10 * * * *" }',
        'a full run takes at least 15m, and the next begins after 10m; { full: "0 * * * *" } would fit',
      ],
      ['per_day: 20', '', 'no schedule fits: raise the limits'],
    ] as const) {
      configure(limits, top);
      const { code, stdout } = await run('plan');
      expect(code).toBe(3);
      for (const text of texts) expect(stdout).toContain(text);
    }
  });

  it('gives one JSON document with --json', async () => {
    const { live, json, configure } = await syncedFolder();
    configure('per_second: null, per_minute: 60, per_day: 400');
    const proposal = { timezone: 'Asia/Seoul', full: '0 */2 * * *', quick: null };
    expect(await json('plan')).toEqual({
      warehouse: live,
      warehouse_exists: true,
      schedule: { timezone: 'Asia/Seoul', full: '0 * * * *', quick: null },
      fits: false,
      proposal,
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
          verdict: DOES_NOT_FIT.replace('main: the schedule ', ''),
          proposal,
        },
      ],
    });
  });

  it('is recommended by check and by start where the schedule does not fit', async () => {
    const { run, start, configure } = await syncedFolder();
    configure('per_day: 400');
    const checked = await run('check');
    expect(checked.code).toBe(0);
    expect(checked.stderr).toContain(`WARN: ${DOES_NOT_FIT}; see vodhouse plan\n`);
    const worker = start('start', '--config', './vodhouse.yaml');
    await expect.poll(worker.stderr).toContain('next full run at');
    worker.kill('SIGTERM');
    const { stderr } = await worker.ended;
    expect(stderr).toContain(`WARN: ${DOES_NOT_FIT}; see vodhouse plan --config ./vodhouse.yaml`);
    configure('per_day: 20000');
    expect((await run('check')).stderr).toBe('');
  });
});
