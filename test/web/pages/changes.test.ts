import { describe, expect, it } from 'vitest';
import { insert, videoRow } from '../../support/fixtures/filled-live-file.ts';
import { getExactText, getText, linksIn, named, rowsIn } from '../../support/read-html.ts';
import { openPages, type ReadPage } from '../../support/servers/open-pages.ts';

const ofPackage = { account: 'main', package_id: 104 };

/** A run of a minute that makes these changes in package 104; `counts`: those of its walk. */
const run = (run_id: number, started_at: string, counts: Record<string, number>, ...changes: string[]) => [
  insert('run', { run_id, trigger: 'schedule', mode: 'full', status: 'running', started_at }),
  ...changes,
  `update run set status = 'succeeded', finished_at = '${started_at.replace(':00', ':59')}' where run_id = ${run_id};`,
  insert('walk', {
    ...{ run_id, ...ofPackage, mode: 'full', status: 'succeeded', started_at, origin_started_at: started_at },
    ...{ finished_at: started_at, ...counts },
  }),
];

let seq = 10_000;
const change = (where: string, at: string, what: string) =>
  `update video set ${what}, changed_at = '${at}', change_seq = change_seq + ${(seq += 1_000)}
   where account = 'main' and package_id = 104 and ${where};`;

const AT = { 11: '2026-03-10 08:00', 12: '2026-03-10 09:00', 13: '2026-03-10 10:00', 14: '2026-03-10 11:00' };

/** Run 11 adds one video and edits two; 12 removes six and one more; 13 brings one back; 14 is still to come. */
const HISTORY = [
  `update package set name = 'Lectures' where package_id = 104;`,
  ...run(
    11,
    `${AT[11]}:00`,
    { inserted: 1, updated: 2 },
    videoRow(900, {
      ...{ ...ofPackage, title: 'A new one', first_seen_at: `${AT[11]}:10`, change_seq: 9_000, run_id: 11 },
    }),
    change('id = 1', `${AT[11]}:20`, `title = 'Organic chemistry, lecture 1'`),
    change('id = 1', `${AT[11]}:21`, `title = 'Organic <b>physics</b>, lecture 1'`),
    change('id = 2', `${AT[11]}:22`, `tag = 'T'`),
  ),
  ...run(
    12,
    `${AT[12]}:00`,
    { removed: 7 },
    change('id between 11 and 17', `${AT[12]}:30`, `removed_at = '2026-03-08 09:00:00'`), // held back until then
  ),
  ...run(13, `${AT[13]}:00`, { restored: 1 }, change('id = 11', `${AT[13]}:30`, `removed_at = null`)),
];

const rows = (page: ReadPage) => rowsIn(page.part('changes')).slice(1);
const more = (page: ReadPage) => linksIn(page.part('changes')).find(([, text]) => text === 'Older')?.[0];

describe('the page of all changes', () => {
  it('lists all kinds, the newest first, with the run that made them', async () => {
    const { page } = await openPages(HISTORY);
    const shown = rows(await page('/changes'));
    expect(shown[0]?.slice(1)).toEqual(['restored', '', 'Lectures', '119 min ago', '13']);
    expect(shown.slice(1, 8).map((row) => [row[1], row[4], row[5]])).toEqual(
      Array.from({ length: 7 }, () => ['removed', '2 days ago', '12']),
    );
    expect(shown.slice(8, 12).map((row) => row.slice(1))).toEqual([
      ['edited', 'tags', 'Lectures', '3 h ago', '11'],
      ['edited', 'title', 'Lectures', '3 h ago', '11'],
      ['edited', 'title', 'Lectures', '3 h ago', '11'],
      ['added', '1:00 · 1 GiB', 'Lectures', '3 h ago', '11'],
    ]);
    expect(shown[12]?.[5]).toBe(''); // from before any run that is stored
  });

  it('marks the words of a title that changed, and shows a title that shares none after the old one', async () => {
    const { page } = await openPages(HISTORY);
    const { root } = await page('/changes?kind=edited');
    const marked = (name: string) => named(root, name).map(getExactText);
    expect(marked('del')).toEqual(['chemistry', `main 1 가나다 `]);
    expect(marked('ins')).toEqual(['<b>physics</b>', 'Organic chemistry, lecture 1']);
  });

  it('has filters by kind, package and run', async () => {
    const { page } = await openPages(HISTORY);
    const count = async (query: string) => rows(await page(`/changes?${query}`)).length;
    expect(await count('kind=removed')).toBe(7);
    expect(await count('kind=restored')).toBe(1);
    expect(await count('kind=edited&run=11')).toBe(3);
    expect(await count('run=11')).toBe(4);
    expect(await count('run=12&kind=removed&package=main/104')).toBe(7);
    expect(await count('run=12&kind=removed&package=main/101')).toBe(0);
    expect(await count('package=main/101')).toBe(2);
    expect(await count('package=104&kind=added&run=11')).toBe(1);
    expect((await page('/changes?run=99')).partText('changes')).toContain('There is no run 99');
    expect((await page('/changes?package=none')).partText('changes')).toContain('There is no package none');
    for (const odd of ['run=x', 'run=-1', 'kind=access_key', 'from=1', 'from=x.y', 'from=1.1e9', 'run=']) {
      expect([odd, await count(odd)]).toEqual([odd, 50]);
    }
  });

  it('goes on where a page ends, without a change twice or left out', async () => {
    const many = Array.from({ length: 130 }, (_, index) =>
      videoRow(2_000 + index, { ...ofPackage, first_seen_at: `${AT[14]}:00`, change_seq: 50_000 + index }),
    );
    const { page } = await openPages([...HISTORY, ...many, change('id > 2099', `${AT[14]}:00`, `tag = 'T'`)]);
    for (const filter of ['', '?package=main/104', '?package=main/104&kind=edited', '?kind=added']) {
      const seen: string[] = [];
      for (let next: string | undefined = `/changes${filter}`; next;) {
        const shown = await page(next);
        const links = named(shown.part('changes'), 'th').map((cell) => linksIn(cell).join());
        const videos = links.filter((link) => link !== '');
        seen.push(...rows(shown).map((row, index) => [videos[index], ...row].join()));
        next = more(shown);
      }
      const added = filter.includes('edited') ? 0 : filter.includes('104') ? 60 + 1 + 130 : 70 + 130;
      const later = filter.includes('added') ? 0 : filter.includes('edited') ? 3 + 30 : 3 + 7 + 1 + 30;
      expect([filter, seen.length, new Set(seen).size]).toEqual([filter, added + later, added + later]);
    }
  });
});

describe('the latest changes of the status page', () => {
  const lines = (page: ReadPage) => named(page.part('changes'), 'li').map(getText);

  it('are one line where a run made more than five in a package, which leads to them', async () => {
    const { page } = await openPages(HISTORY);
    const status = await page('/');
    expect(lines(status).slice(0, 6)).toEqual([
      expect.stringMatching(/^restored .* Lectures · 119 min ago$/),
      'removed 7 videos in run 12 Lectures · 2 days ago',
      expect.stringMatching(/^edited .* Lectures · 3 h ago · tags$/),
      'edited Organic chemistry<b>physics</b>, lecture 1 Lectures · 3 h ago · title',
      expect.stringMatching(/^edited main 1 .*Organic chemistry, lecture 1 Lectures · 3 h ago · title$/),
      'added A new one Lectures · 3 h ago · 1:00 · 1 GiB',
    ]);
    const [href = ''] = linksIn(status.part('changes')).find(([, text]) => text === '7 videos') ?? [];
    expect(href).toBe('/changes?package=main%2F104&kind=removed&run=12');
    expect(rows(await page(href))).toHaveLength(7);
    expect(linksIn(status.part('changes')).at(-1)).toEqual(['/changes', 'All changes']);
  });

  it('stay single where the run is no longer stored, or its walk did not make them', async () => {
    const removed = (page: ReadPage) => lines(page).filter((line) => line.startsWith('removed'));
    const without = await openPages([...HISTORY, 'delete from walk where run_id = 12;']);
    expect(removed(await without.page('/'))).toHaveLength(7);
    const other = await openPages([...HISTORY, `update walk set package_id = 101 where run_id = 12;`]);
    expect(removed(await other.page('/'))).toHaveLength(7);
  });
});
