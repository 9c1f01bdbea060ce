import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { CONFIG } from '../../support/fixtures/config-file.ts';
import { temporaryFolder } from '../../support/fixtures/temporary-folder.ts';
import { eventually, startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';
import { readValue } from '../../support/fixtures/live-file.ts';
import { readWarehouseValue } from '../../support/fixtures/warehouse-rows.ts';

vi.setConfig({ testTimeout: 90_000 });

describe('demo', () => {
  it('--once fills a file and prints queries that work on it', async () => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr } = await vodhouse(['demo', '--once', '--file', 'new/demo.db'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('creating the warehouse new/demo.db');
    expect(stdout).toMatch(/^a past of 60 days is made up: \d+ runs, /m);
    expect(stdout).toMatch(/^demo\/101 Lectures: +inserted [1-9]\d*, .* requests$/m);
    expect(stdout).toMatch(/today read, [01] days? booked/); // one if a day began since the last run of the past
    expect(stdout + stderr).not.toContain('\u001b');
    const queries = [...stdout.matchAll(/^ {2}npx vodhouse (query --file) (\S+) "(.+)"$/gm)];
    expect(queries.length).toBeGreaterThan(1);
    for (const [, words = '', file = '', sql = ''] of queries) {
      const answer = await vodhouse([...words.split(' '), file, '--json', sql], { cwd });
      expect((JSON.parse(answer.stdout) as { rows: unknown[] }).rows.length).toBeGreaterThan(4);
    }
    expect(readdirSync(cwd)).toEqual(['new']);
    expectPast(join(cwd, 'new/demo.db'));
  });
});

/** The file has 60 days of runs, a gap, a corrected day, a restriction, and removals that are held back. */
function expectPast(file: string): void {
  const value = (query: string) => readValue(file, query);
  const days = "from storage_day where date > date((select max(date) from storage_day), '-60 days')";
  expect(value(`select count(*) ${days}`)).toBe(59);
  expect(value("select count(*) from storage_gap where reason = 'missing'")).toBe(1);
  expect(value('select count(*) from storage_day join storage_gap using (account, date)')).toBe(0);
  expect(
    value('select count(*) from storage_correction join storage_discrepancy using (account, date)'),
  ).toBe(1);
  expect(value("select max(date) from storage_day where state = 'booked'")).toBe(
    value("select date(max(date), '-1 day') from storage_day where state = 'live'"),
  );
  expect(value("select count(*) from removal_candidate where held_back and held_reason = 'many'")).toBe(
    value('select held_back from walk where held_back > 0 order by walk_id desc limit 1'),
  );
  expect(value("select count(distinct date(started_at)) from run where status = 'parked'")).toBe(1);
  expect(value("select count(*) from run where trigger = 'catch_up' and status = 'succeeded'")).toBe(1);
  expect(value('select round(julianday(max(started_at)) - julianday(min(started_at)), 1) from run')).toBe(60);
  expect(value('select count(*) from run where started_at > datetime()')).toBe(0);
  expect(value('select count(distinct date(started_at)) from run')).toBeGreaterThan(14);
  const kinds = 'min(inserted, updated, removed)';
  expect(
    value(`select ${kinds} from (select sum(inserted > 0) as inserted, sum(updated > 0) as updated,
    sum(removed > 0) as removed from walk)`),
  ).toBeGreaterThan(10);
}

describe('sandbox', () => {
  it('answers on the port that it names, and prints a config that works', async () => {
    const cwd = temporaryFolder();
    const sandbox = startVodhouse(['sandbox', '--port', '0', '--videos', '40', '--packages', '2'], { cwd });
    await eventually(sandbox.stdout).toContain('packages: [101, 102]\n');
    const [, address = ''] = /curl '(.+)'/.exec(sandbox.stdout()) ?? [];
    const answer = (await (await fetch(address)).json()) as { videoInfoList: Record<string, unknown> };
    expect(answer.videoInfoList).toMatchObject({
      paging: { totalcount: 40, pagesize: 2 },
      errorInfo: { errorCode: 'None' },
    });

    writeFileSync(join(cwd, CONFIG), sandbox.stdout().split('in vodhouse.yaml:\n')[1] ?? '');
    expect((await vodhouse(['sync'], { cwd })).code).toBe(0);
    expect(readWarehouseValue(cwd, 'select count(*) from video')).toBe(80);
    sandbox.kill('SIGTERM');
    expect((await sandbox.ended).code).toBe(0);
  });

  it('ends with 2 where its port is in use, and prints the next command', async () => {
    const cwd = temporaryFolder();
    const first = startVodhouse(['sandbox', '--port', '0', '--videos', '1'], { cwd });
    await eventually(first.stdout).toContain('curl');
    const [, port = ''] = /127\.0\.0\.1:(\d+)/.exec(first.stdout()) ?? [];
    const { code, stderr } = await vodhouse(['sandbox', '--port', port], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^vodhouse: cannot listen on port \d+: .*EADDRINUSE/);
    expect(stderr).toContain('-> vodhouse sandbox --port 0');
    expect(stderr).not.toMatch(/^ +at /m);
  });
});
