import { describe, expect, it, vi } from 'vitest';
import { sandboxFolder } from '../../support/fixtures/command-folder.ts';
import { configText } from '../../support/fixtures/config-file.ts';
import { insert } from '../../support/fixtures/filled-live-file.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Run 1 succeeded, run 2 met a package that does not exist. */
async function folderWithRuns() {
  const folder = await sandboxFolder({ packages: [101, 102] });
  await folder.succeed('sync');
  folder.write(configText({ url: folder.url, packages: [101, 102, 999] }));
  expect((await folder.run('sync', '--videos')).code).toBe(3);
  return folder;
}

describe('runs', () => {
  it('lists the runs, the newest first, or only those that failed', async () => {
    const { succeed, json } = await folderWithRuns();
    const all = await succeed('runs');
    expect(all).toMatch(/^2 +\d{4}-.* manual +full +videos only +partial +\d+$/m);
    expect(all).toMatch(/^1 +\d{4}-.* manual +full +succeeded +\d+ +280$/m);
    expect(all).toMatch(/^ {2}- run 2: The service of main refuses the requests: package 999 /m);
    expect(all).toContain('\none run in full: vodhouse runs 2\n');
    expect(await succeed('runs', '--failed')).not.toMatch(/^1 /m);
    const limited = await succeed('runs', '--limit', '1');
    expect(limited).toContain('  … and 1 earlier run: vodhouse runs --limit 2\n');
    expect(await json('runs', '--failed')).toMatchObject({
      runs: [{ run_id: 2, status: 'partial', failed_walks: 1 }],
    });
  });

  it('lists a run that was killed among those that failed, not one that a person stopped', async () => {
    const { execute, json } = await folderWithRuns();
    for (const [status, error, failed] of [
      ['interrupted', `'the process ended before the run did'`, [2, 1]],
      ['running', 'null', [2, 1]],
      ['interrupted', `'stopped by SIGINT before the end'`, [2]],
    ] as const) {
      execute(`update run set status = '${status}', error = ${error} where run_id = 1`);
      const { runs } = (await json('runs', '--failed')) as { runs: { run_id: number }[] };
      expect(runs.map(({ run_id: id }) => id)).toEqual(failed);
    }
  });

  it('shows one run in full', async () => {
    const { succeed } = await folderWithRuns();
    const text = await succeed('runs', '2');
    expect(text).toMatch(/^run 2: partial \(full, manual, videos only\)\n.* UTC, took .*, \d+ requests\n/);
    expect(text).toMatch(
      /^why it is not complete:\n {2}- The service of main refuses the requests: package 999 .*\n {6}-> it was never read: .*: vodhouse sync --package 999$/m,
    );
    expect(text).toMatch(/^details:\n {2}- main\/999 \(refused\): page 1: /m);
    expect(text).toMatch(/^main\/999 +failed /m);
    expect(text).toMatch(/^2 packages unchanged$/m);
    expect(text).toMatch(/^main +page +\d+ +\d+ +\d/m);
    expect(await succeed('runs', '1')).toMatch(/^storage of main: 1 day booked \(\d/m);
  });

  it('shows what was held back, and what is in quarantine', async () => {
    const { execute, succeed, json } = await folderWithRuns();
    execute(
      `update walk set held_back = 1 where run_id = 1 and package_id = 101;
       insert into removal_candidate (account, package_id, id, proved_at, walk_id, held_back, held_at, held_by, held_reason)
         select w.account, w.package_id, max(v.id), w.finished_at, w.walk_id, 1, w.finished_at, w.walk_id, 'many'
         from walk w join video v using (account, package_id) where w.run_id = 1 and package_id = 101;
       ${insert('quarantine', { account: 'main', stream: 'videos', package_id: 101, record_id: '7', reason: 'bad', raw: '{}', seen_at: '' })}
       update quarantine set seen_at = (select started_at from run where run_id = 1);
       insert into run_failure (run_id, account, package_id, stream, kind, message)
         select 1, account, package_id, 'videos', 'status', 'x' from package limit 1`,
    );
    const text = await succeed('runs', '1');
    expect(text).toMatch(
      /1 removal of main\/101.* held back: .*\n.*: vodhouse sync --package 101 --accept-removals walk:\d+$/m,
    );
    expect(text).toContain('in quarantine:\n  - main/101, 7: bad');
    const lists = Object.values(await json('runs', '1')) as unknown[][];
    expect(lists.filter((value) => value.length === 0)).toEqual([]);
  });

  it('ends with 2 where there is no such run, and prints what to type', async () => {
    const { run } = await folderWithRuns();
    const { code, stdout, stderr } = await run('runs', '9');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('there is no run 9\n  -> vodhouse runs lists');
  });
});

it('runs names a cause once that several runs in a row have', async () => {
  const { run, succeed } = await folderWithRuns();
  await run('sync', '--videos');
  await run('sync', '--videos');
  const text = await succeed('runs');
  expect(text.match(/The service of main refuses the requests/g)).toHaveLength(1);
  expect(text).toMatch(/^ {6}3 runs in a row, since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/m);
});
