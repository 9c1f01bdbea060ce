import { readdirSync, statSync, writeFileSync } from 'node:fs';
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
    expect(stdout).toMatch(/^demo\/101 +Lectures +succeeded /m);
    expect(stdout + stderr).not.toContain('\u001b');
    const queries = [...stdout.matchAll(/^ {2}npx vodhouse (query --file) (\S+) "(.+)"$/gm)];
    expect(queries.length).toBeGreaterThan(1);
    for (const [, words = '', file = '', sql = ''] of queries) {
      const answer = await vodhouse([...words.split(' '), file, '--json', sql], { cwd });
      expect((JSON.parse(answer.stdout) as { rows: unknown[] }).rows.length).toBeGreaterThan(4);
    }
    expect(readdirSync(cwd)).toEqual(['new']);
    expectPast(join(cwd, 'new/demo.db'));
    expectStorage(join(cwd, 'new/demo.db'));

    expect(statSync(join(cwd, 'new/demo.yaml')).mode & 0o777).toBe(0o600);
    expect(stdout + stderr).not.toContain('sandbox-key');
    const printed = listCommands(stdout);
    expect(printed).toEqual(['status', 'runs', 'plan'].map((words) => `${words} --config new/demo.yaml`));
    const more = ['publish', 'query "select 1"', 'backup b.db'].map(
      (words) => `${words} --config new/demo.yaml`,
    );
    const answers = await runAll([...printed, ...more], cwd);
    expect(answers.map(({ code }) => code)).toEqual([3, 0, 0, 0, 0, 0]); // 3: removals are held back
    const named = listCommands(answers[0]?.stdout ?? '');
    expect(named.some((words) => words.includes('--accept-removals'))).toBe(true);
    expect(named.filter((words) => !words.endsWith(' --config new/demo.yaml'))).toEqual([]);
  });
});

/** The commands of a text, without `vodhouse`, but those with SQL. */
const listCommands = (text: string): string[] =>
  [...text.matchAll(/ vodhouse (?!query)([a-z].*)$/gm)].map(([, words = '']) => words);

async function runAll(commands: readonly string[], cwd: string) {
  const ended = [];
  for (const words of commands) {
    const args = [...words.matchAll(/"(.+)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    ended.push(await vodhouse(args, { cwd }));
  }
  return ended;
}

/** The storage is that of the videos, the booked figure of the corrected day is an outlier, and the live day is no fall. */
function expectStorage(file: string): void {
  const value = (query: string) => Number(readValue(file, query));
  const live = (figure: string) => value(`select ${figure} from storage_day where state = 'live'`);
  const listed = 'from video where removed_at is null';
  expect(Math.abs(value(`select count(*) ${listed}`) / live('mov_org_cnt') - 1)).toBeLessThan(0.01);
  expect(Math.abs(value(`select sum(filesize) ${listed}`) / live('mov_org_size') - 1)).toBeLessThan(0.01);
  const change = `select now.encoder_size * 1.0 / before.encoder_size from storage_day before`;
  const [corrected, today] = [`storage_correction`, `(select * from storage_day where state = 'live')`].map(
    (days) => value(`${change} join ${days} now on before.date = date(now.date, '-1 day')`),
  );
  const booked = value(`select booked.encoder_size * 1.0 / corrected.encoder_size
    from storage_day booked join storage_correction corrected using (account, date)`);
  expect(booked).toBeLessThan(0.8);
  expect(Math.abs((corrected ?? 0) - 1)).toBeLessThan(0.02);
  expect(Math.abs((today ?? 0) - 1)).toBeLessThan(0.02);
  expect(value('select julianday() + 9 / 24.0 - julianday(max(cdate)) from video')).toBeLessThan(0.1);
  expect(value("select count(*) from video where cdate > datetime('now', '+9 hours')")).toBe(0);
  expect(
    value("select count(distinct date(cdate)) from video where cdate > date('now', '-60 days')"),
  ).toBeGreaterThan(40);
}

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
