import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatQuestions, parseQuestions } from '../../../docs/generate/questions.ts';
import { QUESTIONS } from '../../../src/web/pages/questions.tsx';
import { videoRow } from '../../support/fixtures/filled-live-file.ts';
import { expectHarmless, findUnisolated } from '../../support/fixtures/hostile-texts.ts';
import { published } from '../../support/fixtures/published-file.ts';
import { temporaryFolder } from '../../support/fixtures/temporary-folder.ts';
import { getExactText, linksIn, named, rowsIn } from '../../support/read-html.ts';
import { openPages, type OpenPagesOptions } from '../../support/servers/open-pages.ts';

const FAILED = '/data?question=which-videos-failed-to-encode';
const TITLES = [`=cmd|' /C calc'!A0`, '"><script>alert(1)</script>', '\u202egnp.exe', 'a,b\n"c"', ' '];

const videos = TITLES.map((title, index) =>
  videoRow(700 + index, { package_id: 104, title, encoding_success: 'N', cdate: '2027-01-01 00:00:00' }),
);

/** Pages over a live file, and its published file. */
async function openQuestions(
  statements: readonly string[],
  options: OpenPagesOptions & { exclude?: string[] } = {},
) {
  const file = join(temporaryFolder(), 'out.bi.db');
  const exclude = options.exclude ?? [];
  const lines = `publish: { file: "${file}", exclude: [${exclude.join(', ')}] }`;
  const pages = await openPages(statements, { ...options, lines });
  const publish = () => published(pages.live, { file, exclude, storageAccounts: ['main', 'other'] });
  await publish();
  return { ...pages, file, publish };
}

describe('the questions of the pages', () => {
  it('are those of docs/questions.md (npm run docs)', () => {
    const written = readFileSync('src/web/pages/questions.json', 'utf8');
    expect(written).toBe(formatQuestions(parseQuestions(readFileSync('docs/questions.md', 'utf8'))));
    expect(QUESTIONS).toHaveLength(17);
    expect(QUESTIONS.filter(({ notes, text }) => /```|^\||postgresql/im.test(text + notes))).toEqual([]);
  });

  it('are listed on the page of the data, and each one has an answer of the file, which is not changed', async () => {
    const { page, file } = await openQuestions([]);
    const before = readFileSync(file);
    const list = linksIn((await page('/data')).part('questions'));
    expect(list.map(([, text]) => text)).toEqual(QUESTIONS.map(({ heading }) => heading));
    for (const [href] of list) {
      const { partText, root } = await page(href);
      expect([href, partText('answer').includes('From the file of 2026-03-10 12:00:00')]).toEqual([
        href,
        true,
      ]);
      expectHarmless(root);
    }
    expect(readFileSync(file).equals(before)).toBe(true);
    expect((await page('/data?question=none')).partText('content')).toContain('There is no question none.');
  });
});

describe('an answer', () => {
  it('has texts of the file as text, at most two hundred rows, and the command for all', async () => {
    const many = Array.from({ length: 300 }, (_, index) =>
      videoRow(1_000 + index, { package_id: 104, encoding_success: 'N' }),
    );
    const { page } = await openQuestions([...videos, ...many]);
    expect(rowsIn((await page(FAILED)).part('answer'))).toHaveLength(51);
    const { part, root, partText } = await page(`${FAILED}&rows=all`);
    expectHarmless(root);
    expect(findUnisolated(root)).toEqual([]);
    const titles = named(part('answer'), 'tr').map((row) => named(row, 'td')[1]);
    expect(titles.slice(1, 6).map((cell) => cell && getExactText(cell))).toEqual(TITLES);
    expect(rowsIn(part('answer'))).toHaveLength(201);
    expect(partText('answer')).toContain('There are more rows.');
    expect(partText('answer')).toContain('query --csv - < which-videos-failed-to-encode.sql');
    expect(partText('answer')).toContain('where not is_encoded');
  });

  it('is of the file as it is now', async () => {
    const { page, change, publish } = await openQuestions(videos);
    const count = async () => rowsIn((await page(FAILED)).part('answer')).length;
    const before = await count();
    change(
      `update video set removed_at = '2026-03-10 11:00:00', change_seq = change_seq + 1000 where id = 700;`,
    );
    expect(await count()).toBe(before);
    await publish();
    expect(await count()).toBe(before - 1);
  });

  it('has its times in the zone of the service, which those of its own clock are not', async () => {
    const { page } = await openQuestions([
      videoRow(800, { package_id: 104, cdate: '2026-03-09 10:00:00.0', encoding_success: 'N' }),
    ]);
    const fresh = rowsIn((await page('/data?question=how-fresh-is-all-this')).part('answer'));
    expect(fresh.find(([part]) => part === 'all videos of main/104')?.[1]).toBe('2026-03-10 20:30:00');
    const failed = rowsIn((await page(FAILED)).part('answer'));
    expect(failed.find(([, id]) => id === '800')?.[3]).toBe('2026-03-09 10:00:00');
  });
});

describe('without an answer', () => {
  it('the page says what to type', async () => {
    const none = await openPages();
    expect((await none.page(FAILED)).partText('content')).toContain('The config publishes no file');
    const { page, file } = await openQuestions([]);
    rmSync(file);
    expect((await page(FAILED)).partText('content')).toMatch(/There is no file yet: vodhouse publish/);
  });

  it('the page says why: a column that is not published, or a file of another kind', async () => {
    const { page } = await openQuestions([], { exclude: ['encoding_success'] });
    expect((await page(FAILED)).partText('content')).toContain('no such column: is_encoded');
    const lines = `publish: { file: "${join(process.cwd(), 'package.json')}" }`;
    const other = await openPages([], { lines });
    expect((await other.page(FAILED)).partText('content')).toContain('The file does not answer:');
  });
});
