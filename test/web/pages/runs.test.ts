import { describe, expect, it } from 'vitest';
import { insert } from '../../support/fixtures/filled-live-file.ts';
import { candidate, run, walk, type Row } from '../../support/fixtures/page-rows.ts';
import { openPages } from '../../support/servers/open-pages.ts';
import { getText, named, type Element } from '../../support/read-html.ts';

const walkRow = (row: Row) => walk({ package_id: 104, requests: 3, pages: 2, ...row });
const request = (from: number, to: number | null, row: Record<string, string | number | null> = {}) =>
  insert('request', {
    account: 'main',
    run_id: 1,
    purpose: 'page',
    at_ms: from,
    answered_at_ms: to,
    spent_until_ms: 0,
    status: to === null ? null : 200,
    duration_ms: to === null ? null : to - from,
    bytes: 2_048,
    ...row,
  });

const rowsIn = (part: Element) =>
  named(part, 'tr').map((row) => [...named(row, 'th'), ...named(row, 'td')].map(getText));
const bars = (root: Element) =>
  named(root, 'a')
    .filter((link) => named(link, 'rect').length > 0)
    .map((link) => [
      link.attributes.get('href'),
      named(link, 'rect').at(-1)?.attributes.get('class'),
      ...named(link, 'title').map(getText),
    ]);
const linksIn = (part: Element) => named(part, 'a').map(({ attributes }) => attributes.get('href'));

describe('the strip of runs', () => {
  it('shows the last ninety with outcome and duration, the newest last', async () => {
    const { page } = await openPages([
      ...Array.from({ length: 89 }, () => run({})),
      run({ status: 'failed', mode: 'quick' }),
      run({ status: 'running', finished_at: null }),
    ]);
    const { root, part } = await page('/runs');
    const shown = bars(root);
    expect(shown).toHaveLength(90);
    expect(shown[0]).toEqual([
      '/runs/2',
      'run-succeeded',
      'Run 2 (full): succeeded, 2026-03-10 20:00:00, took 2m 5s',
    ]);
    expect(shown.at(-2)?.slice(0, 2)).toEqual(['/runs/90', 'run-failed']);
    // no process makes it: it was killed
    expect(shown.at(-1)).toEqual([
      '/runs/91',
      'run-interrupted',
      'Run 91 (full): interrupted, 2026-03-10 20:00:00',
    ]);
    const text = getText(part('runs'));
    for (const each of ['88 succeeded', '1 failed', '1 interrupted']) expect(text).toContain(each);
  });

  it('has a sign of its own for each outcome, and higher bars for longer runs', async () => {
    const statuses = ['succeeded', 'partial', 'failed', 'parked', 'interrupted'];
    const { page } = await openPages([
      ...statuses.map((status) => run({ status, finished_at: '2026-03-10 11:00:01' })),
      run({ finished_at: '2026-03-10 11:30:00' }),
    ]);
    const links = named((await page('/runs')).root, 'a').filter((link) => named(link, 'rect').length > 0);
    const signs = links.map((link) => named(link, 'text').map(getText).join());
    expect(new Set(signs.slice(0, 5)).size).toBe(5);
    const heights = links.map((link) => Number(named(link, 'rect')[1]?.attributes.get('height')));
    expect(heights.at(-1)).toBe(40);
    expect(Math.max(...heights.slice(0, -1))).toBeLessThan(10);
  });
});

describe('the axis of the strip', () => {
  const ticksOf = async (starts: readonly string[]) => {
    const runs = starts.map((at) => run({ started_at: at, finished_at: at }));
    const links = named((await (await openPages(runs)).page('/runs')).root, 'a');
    const shown = links.filter((link) => named(link, 'rect').length > 0);
    return shown.flatMap((link, at) => {
      const tick = named(link, 'text').map(getText).at(-1) ?? '';
      return tick === '' ? [] : [[at, tick]];
    });
  };

  it('names each new day of the service, and never two days in the place of one', async () => {
    const days = ['05', '05', '06', '07', '08', '09', '09'].map((day) => `2026-03-${day} 15:00:00`);
    expect(await ticksOf(days)).toEqual([
      [0, '03-06'],
      [5, '03-10'],
    ]);
  });

  it('names each new hour of one day', async () => {
    const times = ['15:40', '15:50', '16:00', '16:10', '16:20', '16:30', '17:00'];
    expect(await ticksOf(times.map((time) => `2026-03-08 ${time}:00`))).toEqual([
      [0, '00:40'],
      [6, '02:00'],
    ]);
  });
});

describe('the page of all runs', () => {
  it('says that there is none', async () => {
    const { page } = await openPages();
    expect((await page('/runs')).partText('runs')).toBe('Runs None yet.');
  });

  it('lists them with links, twenty-five a page', async () => {
    const { page } = await openPages([
      ...Array.from({ length: 30 }, () => run({})),
      walkRow({ run_id: 30, added: 4 }),
    ]);
    const first = await page('/runs');
    const rows = rowsIn(first.part('runs')).slice(1);
    expect(rows).toHaveLength(25);
    expect(rows[0]).toEqual([
      '30 full, scheduled',
      '60 min ago',
      '2m 5s',
      'succeeded',
      '4',
      '',
      '',
      '',
      '12',
    ]);
    expect(linksIn(first.part('runs'))).toContain('/runs?before=6');
    const second = await page('/runs?before=6');
    expect(rowsIn(second.part('runs')).slice(1)).toHaveLength(5);
    expect(linksIn(second.part('runs'))).not.toContain('/runs?before=1');
  });
});

describe('why runs are not complete', () => {
  const failure = (run_id: number, row: Row) =>
    insert('run_failure', {
      run_id,
      account: 'main',
      stream: 'videos',
      kind: 'connection',
      message: 'x',
      ...row,
    });

  it('is shown once for the runs in a row that have the same cause, with all that it affects', async () => {
    const down = (id: number) => [
      run({ status: 'partial', error: 'connect ECONNREFUSED' }),
      walkRow({ run_id: id, package_id: 103, status: 'failed' }),
      failure(id, { package_id: 103 }),
      failure(id, { stream: 'storage' }),
      failure(id, { kind: 'skipped', skipped: 7 }),
    ];
    const scoped = run({ scope: 'packages 102' }); // it may not have met the cause
    const { page } = await openPages([run({}), ...down(2), scoped, ...down(4), run({}), ...down(6)]);
    const { part } = await page('/runs');
    const causes = rowsIn(part('runs')).filter((row) => row.length === 2);
    const sentence = 'The service of main does not answer: 8 packages and storage could not be read';
    expect(causes.map(([, text]) => text)).toEqual([
      sentence,
      `${sentence} (2 runs in a row, since 2026-03-10 20:00:00)`,
    ]);
    expect(getText(part('runs'))).not.toMatch(/ECONNREFUSED|1 package/);
    expect(named((await page('/runs/6')).part('why'), 'li').map(getText)).toEqual([
      expect.stringContaining(
        `${sentence} it is tried again at each run; to see what works: vodhouse check`,
      ) as string,
    ]);
  });

  it('has the number of removals that its command accepts, with those that an earlier run held back', async () => {
    const { page } = await openPages([
      ...[1, 2].flatMap((id) => [
        run({ status: 'partial' }),
        walkRow({ run_id: id, walk_id: id, held_back: id }),
      ]),
      candidate(1, { walk_id: 1, held_by: 1 }),
      candidate(2, { walk_id: 2, held_by: 2 }),
    ]);
    const { part } = await page('/runs/2');
    expect(named(part('why'), 'li').map(getText)).toEqual([
      expect.stringMatching(/^2 removals of main\/104 .* now: vodhouse sync .*--accept-removals walk:2/),
    ]);
  });
});

describe('the page of a run', () => {
  it('shows its outcome, what failed, its walks and its requests by purpose', async () => {
    const { page } = await openPages([
      run({ status: 'partial', trigger: 'manual', requests: 5, error: '1 of 3 packages failed' }),
      walkRow({ package_id: 101, added: 7 }),
      walkRow({ package_id: 102 }),
      walkRow({ status: 'failed', error: 'the service says no', held_back: 30 }),
      insert('run_failure', {
        run_id: 1,
        account: 'main',
        package_id: 104,
        stream: 'videos',
        kind: 'status',
        message: 'HTTP 500',
      }),
      insert('run_failure', {
        run_id: 1,
        account: 'main',
        stream: 'storage',
        kind: 'parked',
        message: 'no budget',
      }),
      request(1_000, 2_000, { package_id: 104 }),
      request(1_500, 4_000, { package_id: 104 }),
      request(5_000, 6_000, { package_id: 101 }),
      request(9_000, 10_000, { package_id: 104 }),
      request(12_000, null, { package_id: 104, duration_ms: 300 }),
      request(12_600, 12_700, { package_id: 104 }),
      request(12_500, 12_600, { purpose: 'storage', status: 500 }),
    ]);
    const { part, partText, title } = await page('/runs/1');
    expect(title).toBe('Run 1: partial · Vodhouse test');
    const facts = partText('facts');
    for (const text of ['2m 5s', 'full, manual', 'everything', '7 added', '5 requests']) {
      expect(facts).toContain(text);
    }
    expect(partText('why')).toContain('The service of main answers with an error: package 104');
    const errors = rowsIn(part('errors')).slice(1);
    expect(errors.map((row) => row.at(-1)).sort()).toEqual(['HTTP 500', 'no budget']);
    expect(partText('walks')).toContain('1 package unchanged');
    expect(linksIn(part('facts'))).toEqual(['/changes?run=1']);
    const walks = rowsIn(part('walks')).slice(1);
    expect(walks.map(([name]) => name)).toEqual([
      'Package 104 main',
      'Package 101 main',
      'Package', // the heading of the folded ones
      'Package 102 main',
    ]);
    // 4 to 9 s, 10 to 12 s, 12.3 to 12.6 s
    expect(walks[0]?.slice(3)).toEqual(['7.3s', 'failed 30 held back', '', '', '', '', '2', '3']);
    expect(walks[1]?.slice(3, 9)).toEqual(['', 'succeeded', '7', '', '', '']);
    expect(partText('walks')).toContain('Waited: between its requests');
    expect(named(part('walks'), 'svg')).toHaveLength(3);
    expect(linksIn(part('walks'))).toContain('/packages/main/101');
    expect(rowsIn(part('requests')).slice(1)).toEqual([
      ['page', 'main', '6', '5', '0', '1', '1.1s', '12 KiB'],
      ['storage', 'main', '1', '0', '1', '0', '100ms', '2 KiB'],
    ]);
  });

  it('has a hundred walks a page', async () => {
    const { page } = await openPages([
      run({}),
      ...Array.from({ length: 101 }, (_, index) => walkRow({ package_id: 1_000 + index })),
    ]);
    const first = await page('/runs/1');
    expect(rowsIn(first.part('walks'))).toHaveLength(101);
    expect(linksIn(first.part('facts'))).toEqual([]); // nothing changed
    expect(rowsIn((await page('/runs/1?page=2')).part('walks'))).toHaveLength(2);
    expect(rowsIn((await page('/runs/1?page=9')).part('walks'))).toHaveLength(2);
  });

  it('is not found for a number that no run has', async () => {
    const { page } = await openPages([run({})]);
    for (const id of ['2', '0', '01', '1e0', 'x', '9'.repeat(30)]) await page(`/runs/${id}`, 404);
  });
});
