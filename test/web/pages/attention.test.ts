import { describe, expect, it } from 'vitest';
import { insert, packageRow, storageRow } from '../../support/fixtures/filled-live-file.ts';
import {
  ALL_WELL,
  AT,
  candidate,
  drift,
  gap,
  pause,
  quarantined,
  run,
  walk,
} from '../../support/fixtures/page-rows.ts';
import { needsOn, onlyMain, openPages } from '../../support/servers/open-pages.ts';
import { getText, linksIn, named, rowsIn } from '../../support/read-html.ts';

describe('the attention list', () => {
  const plain = (partText = '') => partText.replace(/ --config \S+$/, '');

  it('has each kind of problem, with examples, and the command or the query that helps', async () => {
    const differing = ['2026-03-07', '2026-03-08'].map((date) =>
      insert('storage_discrepancy', {
        account: 'main',
        date,
        field: 'f',
        booked: 1,
        observed: 2,
        observed_at: AT,
      }),
    );
    const { page } = await openPages([
      pause('2026-03-10 12:30:00', '2026-03-10 13:30:00'),
      pause('2026-03-10 11:30:00', '2026-03-10 12:10:00', 'other'),
      pause('2026-03-10 11:10:00', '2026-03-10 11:20:00', 'alone'),
      run({ status: 'failed', error: 'not shown: its failed walks explain it' }),
      walk({ status: 'failed', error: 'HTTP 500' }),
      `update package set failed_walks = 1 where account = 'main' and package_id = 101;`,
      walk({ package_id: 104, status: 'partial', error: 'page 3 was not read' }),
      ...[1, 2, 3, 4].map((id) => candidate(id)),
      candidate(5, { held_back: 0 }),
      `update package set walked_at = '2026-03-10 03:00:00' where account = 'other';`,
      `update package set "order" = 'untrusted', totalcount = 30, page_size = 10 where account = 'other';`,
      `update package set "order" = 'untrusted', totalcount = 9, page_size = 10 where account = 'alone';`,
      gap('2026-03-09'),
      gap('2026-03-01', { given_up_at: AT }),
      storageRow('2026-03-07', 5),
      ...differing,
      `update storage_reading set observed_at = '2026-03-10 01:00:00' where account = 'main';`,
      `delete from storage_reading where account = 'other';`,
      ...['17', null, '18', '19'].map((id) => quarantined(id)),
      quarantined('20', { resolved_at: AT }),
      quarantined('2026-03-09', { account: 'other', stream: 'storage', package_id: null }),
      drift('new', 'colour', '"red"'),
      drift('missing', 'rate', null),
      drift('type', 'duration', '"1:00"'),
      drift('new', 'old', '1', { first_seen_at: '2026-03-03 12:00:00', acknowledged_at: AT }),
    ]);
    const shown = await page();
    const items = needsOn(shown).map((lines) => lines.map(plain));
    expect(items).toHaveLength(12);
    const held = items.find(([first]) => first?.includes('4 removals'));
    expect(held?.slice(2, 6)).toEqual([
      '1 main 1 가나다',
      '2 main 2 가나다 가나다',
      '3 main 3 가나다 가나다 가나다',
      'and 1 more',
    ]);
    const codes = named(shown.part('problems'), 'code').map(getText);
    expect(codes.map(plain)).toEqual([
      'vodhouse resume main',
      'vodhouse sync --package main/101',
      'vodhouse sync --storage',
      'vodhouse sync --package 104 --accept-removals walk:9',
      'vodhouse sync --storage --from 2026-03-07 --to 2026-03-08',
      'vodhouse status --json',
      'vodhouse status --json',
      'vodhouse acknowledge',
    ]);
    expect(codes[0]).toMatch(/ --config \/\S+\/vodhouse\.yaml$/);
    expect(rowsIn(shown.part('packages')).map(([name, state]) => [name, state])).toEqual([
      ['Package', 'State'],
      ['main/101', 'last walk failed'],
      ['main/102', 'not synced yet'],
      ['main/103', 'not synced yet'],
      ['other/101', 'stale'],
      ['main/104', 'last walk partial'],
      ['alone/7', 'fresh'],
    ]);
    expect(rowsIn(shown.part('budgets')).map((row) => row.at(-1))).toEqual([
      'Restriction',
      'paused until 2026-03-10 21:30:00: asked too often',
      'ended at 2026-03-10 20:30:00; full rate again at 2026-03-10 21:10:00',
    ]);
  });

  it('comes first among the packages, for any problem', async () => {
    const { page } = await openPages([
      ...ALL_WELL,
      candidate(1),
      `update package set "order" = 'untrusted', totalcount = 30, page_size = 10 where account = 'alone';`,
    ]);
    const { part, partText } = await page();
    expect(rowsIn(part('packages')).map(([name, state]) => [name, state])).toEqual([
      ['Package', 'State'],
      ['main/104', '1 removal held back'],
      ['alone/7', 'not ordered by id'],
      ...['main/101', 'main/102', 'main/103', 'other/101'].map((name) => [name, 'fresh']),
    ]);
    expect(partText('overall-status')).toMatch(
      /^Attention: main\/104: 1 removal held back.* All 6 packages are fresh; 1 more item below\. As of /,
    );
  });

  it('has a run that failed or is parked, with its error, where no other item has the reason', async () => {
    const { page, change } = await openPages([
      ...ALL_WELL,
      run({}),
      run({ status: 'failed', error: 'the disk is full' }),
    ]);
    const failed = await page();
    expect(needsOn(failed).map((lines) => lines.map(plain))).toEqual([
      ['Run 2 failed: the disk is full', 'the run in full: vodhouse runs 2'],
    ]);
    expect(failed.partText('overall-status')).toMatch(/^Failing: Run 2 failed: the disk is full .* As of /);
    expect(rowsIn((await page('/runs')).part('runs')).at(2)).toEqual([
      '',
      'The run failed: the disk is full',
    ]);
    change(run({ status: 'parked', error: 'no requests left', resume_at: '2026-03-10 15:00:00' }));
    const parked = await page();
    expect(needsOn(parked)[1]?.map(plain)).toEqual([
      'Run 3 waits until 2026-03-11 00:00:00, to stay within the limits of requests',
      'a worker resumes by itself; without one, after that time: vodhouse sync',
      'no requests left',
    ]);
    expect(rowsIn((await page('/runs')).part('runs')).at(2)?.[1]).toBe(
      'The run waits until 2026-03-11 00:00:00: no requests left',
    );
  });

  it('has one line for many packages, with three of them, and still lists others', async () => {
    const packages = Array.from({ length: 42 }, (_, index) => ({ id: 1_000 + index, name: null }));
    const page = await (await openPages([], { accounts: onlyMain(packages, true) })).page();
    expect(needsOn(page)[0]).toEqual([
      '42 packages of main are stale, or not synced yet',
      expect.stringMatching(/^to list all of them: vodhouse status --json/) as string,
      ...[1_000, 1_001, 1_002].map((id) => expect.stringContaining(`main/${id} is not synced yet`) as string),
      'and 39 more',
    ]);
  });

  it('has thirty items at most', async () => {
    const packages = Array.from({ length: 33 }, (_, index) => ({ id: 1_000 + index, name: null }));
    const walkedAt = ['2026-03-10 11:30:00', '2026-03-10 11:30:00', null, '2026-03-10 11:30:00'];
    const page = await (
      await openPages(
        [
          ...packages.map(({ id }, index) =>
            packageRow(id, { walked_at: walkedAt[Math.floor(index / 10)] ?? null }),
          ),
          ...packages.slice(0, 10).map(({ id }) => candidate(1, { package_id: id })),
          `update package set "order" = 'untrusted', totalcount = 30, page_size = 10
            where package_id between 1010 and 1019;`,
          drift('new', 'field', '1'),
          run({ status: 'partial' }),
          ...packages.slice(30).map(({ id }) => walk({ package_id: id, status: 'partial', error: 'page 3' })),
        ],
        { accounts: onlyMain(packages) },
      )
    ).page();
    expect(needsOn(page)).toHaveLength(30);
    expect(page.partText('problems')).toMatch(/and 4 more: vodhouse status --json --config \S+$/);
  });

  it('has one item a cause, with its severity, since when, and a link to its place', async () => {
    const { page } = await openPages([
      ...ALL_WELL,
      run({ status: 'failed' }),
      walk({ status: 'failed', error: 'HTTP 500', finished_at: '2026-03-10 10:30:00' }),
      `update package set failed_walks = 1, walked_at = '2026-03-10 03:00:00' where package_id = 101;`,
      pause('2026-03-10 12:30:00', '2026-03-10 13:30:00', 'alone'),
      gap('2026-03-09'),
      drift('new', 'colour', '"red"'),
    ]);
    const { part, partText } = await page();
    const abouts = named(part('problems'), 'div').filter(
      ({ attributes }) => attributes.get('class') === 'about',
    );
    expect(abouts.map((about) => [getText(about), linksIn(about)[0]?.[0]])).toEqual([
      ['✕ failing began 90 min ago Package', '/packages/main/101'],
      ['✕ failing began 9 h ago Package', '/packages/other/101'],
      ['! attention began 60 min ago next try 2026-03-10 21:30:00 Requests', '/#budgets'],
      ['! attention began 60 min ago Storage by day', '/storage?account=main'],
      ['i note began 60 min ago', undefined],
    ]);
    expect(partText('problems')).toMatch(/^Needs attention main\/101 could not be read .* HTTP 500 /);
  });
});
