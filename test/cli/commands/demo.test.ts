import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { QUESTIONS } from '../../../src/web/pages/questions.tsx';
import { commandFolder, NOWHERE } from '../../support/fixtures/command-folder.ts';
import { readRows, readValue } from '../../support/fixtures/live-file.ts';
import { readQuestions } from '../../support/fixtures/questions-page.ts';
import { temporaryFolder } from '../../support/fixtures/temporary-folder.ts';
import { vodhouse } from '../../support/processes/vodhouse-command.ts';

vi.setConfig({ testTimeout: 90_000 });

/** The arguments of the commands that a text tells to type. */
const commandsIn = (text: string): string[][] =>
  [...text.matchAll(/ vodhouse ([a-z].*)$/gm)].map(([, words = '']) =>
    [...words.matchAll(/"(.+)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ''),
  );

describe('demo', () => {
  it('--once fills a file and prints commands that work on it', async () => {
    const cwd = temporaryFolder();
    const run = (words: string[]) => vodhouse(words, { cwd });
    const { code, stdout, stderr } = await run(['demo', '--once', '--file', 'new/demo.db']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^a past of 60 days is made up: \d+ runs, /m);
    expect(stdout).toMatch(/^demo\/101 +Lectures +succeeded /m);
    expect(stdout + stderr).not.toMatch(/\u001b|sandbox-key/); // eslint-disable-line no-control-regex
    expect(readdirSync(cwd)).toEqual(['new']);
    expect(statSync(join(cwd, 'new/demo.yaml')).mode & 0o777).toBe(0o600);
    expectPast(join(cwd, 'new/demo.db'));
    expectStorage(join(cwd, 'new/demo.db'));
    expectAnswers(join(cwd, 'new/demo.bi.db'));

    const printed = commandsIn(stdout);
    const queries = printed.filter(([name]) => name === 'query');
    expect(queries.length).toBeGreaterThan(1);
    for (const words of queries) {
      const { rows } = JSON.parse((await run([...words, '--json'])).stdout) as { rows: unknown[] };
      expect(rows.length).toBeGreaterThan(4);
    }
    const config = ['--config', 'new/demo.yaml'];
    const others = printed.filter(([name]) => name !== 'query');
    expect(others).toEqual([['status'], ['runs'], ['plan']].map((words) => [...words, ...config]));
    const more = [['publish'], ['query', 'select 1'], ['backup', 'b.db']].map((words) => [
      ...words,
      ...config,
    ]);
    const answers = [];
    for (const words of [...others, ...more]) answers.push(await run(words));
    expect(answers.map((each) => each.code)).toEqual([3, 0, 0, 0, 0, 0]); // 3: removals are held back
    const advised = commandsIn(answers[0]?.stdout ?? '');
    expect(advised.flat()).toContain('--accept-removals');
    for (const words of advised) expect(words.slice(-2)).toEqual(config);
  });
});

/** The file has 60 days of runs, a gap, a corrected day, a restriction, and removals that are held back. */
function expectPast(file: string): void {
  const latest = 'select max(date) from storage_day';
  for (const [sql, expected] of [
    [`select count(*) from storage_day where date > date((${latest}), '-60 days')`, 59],
    ["select count(*) from storage_gap where reason = 'missing'", 1],
    ['select count(*) from storage_day join storage_gap using (account, date)', 0],
    ['select count(*) from storage_correction join storage_discrepancy using (account, date)', 1],
    [`select julianday((${latest})) - julianday(max(date)) from storage_day where state = 'booked'`, 1],
    [
      `select count(*) - (select held_back from walk where held_back > 0 order by walk_id desc limit 1)
       from removal_candidate where held_back and held_reason = 'many'`,
      0,
    ],
    ["select count(distinct date(started_at)) from run where status = 'parked'", 1],
    ["select count(*) from run where trigger = 'catch_up' and status = 'succeeded'", 1],
    ['select round(julianday(max(started_at)) - julianday(min(started_at)), 1) from run', 60],
    ['select count(*) from run where started_at > datetime()', 0],
    ['select count(distinct date(started_at)) > 14 from run', 1],
    [
      `select min(added, edited, removed) > 10 from (select sum(added > 0) as added,
       sum(edited > 0) as edited, sum(removed > 0) as removed from walk)`,
      1,
    ],
  ] as const)
    expect(readValue(file, sql), sql).toBe(expected);
}

/** The storage is that of the videos, the booked figure of the corrected day is an outlier, and the live day is no fall. */
function expectStorage(file: string): void {
  const live = "(select * from storage_day where state = 'live')";
  const listed = 'from video where removed_at is null';
  const change = (days: string) =>
    `select now.encoder_size * 1.0 / before.encoder_size from storage_day before
       join ${days} now on before.date = date(now.date, '-1 day')`;
  for (const [sql, least, most] of [
    [`select count(*) * 1.0 / (select mov_org_cnt from ${live}) ${listed}`, 0.99, 1.01],
    [`select sum(filesize) * 1.0 / (select mov_org_size from ${live}) ${listed}`, 0.99, 1.01],
    [change('storage_correction'), 0.98, 1.02],
    [change(live), 0.98, 1.02],
    [
      `select booked.encoder_size * 1.0 / corrected.encoder_size
         from storage_day booked join storage_correction corrected using (account, date)`,
      0.5,
      0.8,
    ],
    ['select julianday() + 9 / 24.0 - julianday(max(cdate)) from video', 0, 0.1],
    ["select count(distinct date(cdate)) from video where cdate > date('now', '-60 days')", 41, 62],
  ] as const) {
    const value = Number(readValue(file, sql));
    expect(value, sql).toBeGreaterThanOrEqual(least);
    expect(value, sql).toBeLessThanOrEqual(most);
  }
}

/** Each question of docs/questions.md has rows, as it is written there and as the pages ask it; so has each query of the README. */
function expectAnswers(published: string): void {
  const inReadme = [...readFileSync('README.md', 'utf8').matchAll(/"(select [^"]+)"/g)];
  expect(inReadme).toHaveLength(3);
  const asked = [
    ...readQuestions(),
    ...QUESTIONS.map(({ heading, sql }) => [heading, sql] as const),
    ...inReadme.map(([, sql = '']) => ['README.md', sql] as const),
  ];
  for (const [heading, sql] of asked) expect(readRows(published, sql), heading).not.toEqual([]);
}

describe('sandbox', () => {
  it('answers on the port that it names, which another one cannot take, and prints a config that works', async () => {
    const { write, start, run, succeed, value } = commandFolder({ url: NOWHERE });
    const sandbox = start('sandbox', '--port', '0', '--videos', '40', '--packages', '2');
    await expect.poll(sandbox.stdout).toContain('packages: [101, 102]\n');
    const [, address = '', port = ''] = /curl '(.+:(\d+)\/.+)'/.exec(sandbox.stdout()) ?? [];
    const answer = (await (await fetch(address)).json()) as { videoInfoList: Record<string, unknown> };
    expect(answer.videoInfoList).toMatchObject({
      paging: { totalcount: 40, pagesize: 2 },
      errorInfo: { errorCode: 'None' },
    });
    const { code, stderr } = await run('sandbox', '--port', port);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^vodhouse: cannot listen on port \d+: .*EADDRINUSE.*\n {2}-> .* --port 0/);

    write(sandbox.stdout().split('in vodhouse.yaml:\n')[1] ?? '');
    await succeed('sync');
    expect(value('select count(*) from video')).toBe(80);
    sandbox.kill('SIGTERM');
    expect((await sandbox.ended).code).toBe(0);
  });
});
