import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText, WAREHOUSE } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { insert } from '../../support/fixtures/filled-live-file.ts';
import { execute } from '../../support/fixtures/live-file.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';
import { vodhouse } from '../../support/processes/vodhouse-command.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Run 1 succeeded, run 2 met a package that does not exist. */
async function folderWithRuns(): Promise<string> {
  const { url } = await startSandbox();
  const cwd = createFolder({ [CONFIG]: configText({ url, packages: [101, 102] }) });
  expect((await vodhouse(['sync'], { cwd })).code).toBe(0);
  writeFileSync(join(cwd, CONFIG), configText({ url, packages: [101, 102, 999] }));
  expect((await vodhouse(['sync', '--videos'], { cwd })).code).toBe(3);
  return cwd;
}

describe('runs', () => {
  it('lists the runs, the newest first, or only those that failed', async () => {
    const cwd = await folderWithRuns();
    const all = await vodhouse(['runs'], { cwd });
    expect([all.code, all.stderr]).toEqual([0, '']);
    expect(all.stdout).toMatch(
      /^run +started \(UTC\) +took +trigger +mode +scope +status +requests .* error$/m,
    );
    expect(all.stdout).toMatch(/^2 +\d{4}-.* manual +full +videos only +partial .* package 999/m);
    expect(all.stdout).toMatch(/^1 +\d{4}-.* manual +full +everything +succeeded +\d+ +280$/m);
    expect(all.stdout).toContain('\none run in full: vodhouse runs 2\n');
    const failed = await vodhouse(['runs', '--failed'], { cwd });
    expect(failed.stdout).not.toMatch(/^1 /m);
    const limited = await vodhouse(['runs', '--limit', '1'], { cwd });
    expect(limited.stdout).toContain('  … and 1 earlier run: vodhouse runs --limit 2\n');

    const json = await vodhouse(['runs', '--json', '--failed'], { cwd });
    const document = JSON.parse(json.stdout) as { runs: object[] };
    expect(document).toMatchObject({ runs: [{ run_id: 2, status: 'partial', failed_walks: 1 }] });
  });

  it('lists a run that was killed among those that failed, not one that a person stopped', async () => {
    const cwd = await folderWithRuns();
    const failedWith = async (status: string, error: string) => {
      execute(join(cwd, WAREHOUSE), `update run set status = '${status}', error = ${error} where run_id = 1`);
      const { runs } = JSON.parse((await vodhouse(['runs', '--json', '--failed'], { cwd })).stdout) as {
        runs: { run_id: number }[];
      };
      return runs.map(({ run_id: id }) => id);
    };
    expect(await failedWith('interrupted', `'the process ended before the run did'`)).toEqual([2, 1]);
    expect(await failedWith('running', 'null')).toEqual([2, 1]);
    expect(await failedWith('interrupted', `'stopped by SIGINT before the end'`)).toEqual([2]);
  });

  it('shows one run in full', async () => {
    const cwd = await folderWithRuns();
    const { code, stdout } = await vodhouse(['runs', '2'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^run 2: partial \(full, manual, videos only\)\n.* UTC, took .*, \d+ requests\n/);
    expect(stdout).toMatch(/^not done:\n {2}- main\/999 \(refused\): page 1: /m);
    expect(stdout).toMatch(/^main\/999 +failed .*\nmain\/101 +succeeded/m);
    expect(stdout).toMatch(/^main +page +\d+ +\d+ +\d/m);
    expect((await vodhouse(['runs', '1'], { cwd })).stdout).toMatch(/^storage of main: 1 day booked \(\d/m);
  });

  it('shows what was held back, and what is in quarantine', async () => {
    const cwd = await folderWithRuns();
    execute(
      join(cwd, WAREHOUSE),
      `update walk set held_back = 1 where run_id = 1 and package_id = 101;
       insert into removal_candidate (account, package_id, id, proved_at, walk_id, held_back, held_at, held_by, held_reason)
         select w.account, w.package_id, max(v.id), w.finished_at, w.walk_id, 1, w.finished_at, w.walk_id, 'many'
         from walk w join video v using (account, package_id) where w.run_id = 1 and package_id = 101;
       ${insert('quarantine', { account: 'main', stream: 'videos', package_id: 101, record_id: '7', reason: 'bad', raw: '{}', seen_at: '' })}
       update quarantine set seen_at = (select started_at from run where run_id = 1);
       insert into run_failure select 1, account, package_id, 'videos', 'status', 'x' from package limit 1`,
    );
    const { stdout } = await vodhouse(['runs', '1'], { cwd });
    expect(stdout).toMatch(
      /^ {2}- main\/101: 1 removal, too many at once\n {6}-> to accept exactly these: vodhouse sync --package 101 --accept-removals \d+$/m,
    );
    expect(stdout).toContain('in quarantine:\n  - main/101, 7: bad');
    const json = await vodhouse(['runs', '1', '--json'], { cwd });
    const document = JSON.parse(json.stdout) as Record<string, unknown[]>;
    expect(Object.values(document).filter((value) => value.length === 0)).toEqual([]);
  });

  it('ends with 2 where there is no such run, and prints what to type', async () => {
    const cwd = await folderWithRuns();
    const unknown = await vodhouse(['runs', '9'], { cwd });
    expect([unknown.code, unknown.stdout]).toEqual([2, '']);
    expect(unknown.stderr).toContain('there is no run 9\n  -> vodhouse runs lists');
  });
});
