import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fetchStorage, fetchVideos } from '../../support/servers/open-web-server.ts';
import { openPages } from '../../support/servers/open-pages.ts';
import { byId, getText, named } from '../../support/read-html.ts';
import { published } from '../../support/fixtures/published-file.ts';
import { temporaryFolder } from '../../support/fixtures/temporary-folder.ts';

const codes = (root: Parameters<typeof named>[0]) => named(root, 'code').map(getText);

describe('the page of the data', () => {
  it('says what to add to a config that publishes nothing', async () => {
    const { page } = await openPages();
    const { text, partText } = await page('/data');
    expect(partText('content')).toContain('The config publishes no file for readers');
    expect(text).not.toContain('Tables and views');
  });

  it('has every column of what is published, but for the excluded ones, and says how to open the file', async () => {
    const file = join(temporaryFolder(), "it's.bi.db");
    const { page } = await openPages([], { lines: `publish: { file: "${file}", exclude: [author] }` });
    const before = await page('/data');
    expect(before.partText('file')).toContain('There is no file yet: vodhouse publish');
    writeFileSync(file, '');
    const { root, partText } = await page('/data');
    expect(partText('file')).not.toContain('There is no file yet');
    expect(codes(byId(root, 'file'))).toContain(`sqlite3 -readonly -box '${file.replace("'", "'\\''")}'`);
    const videos = byId(root, 'table-videos');
    const names = named(videos, 'th').map(getText);
    expect(names).toContain('title');
    expect(names).not.toContain('author');
    expect(codes(videos)[1]).toMatch(/^select video_key, .* from videos limit 10;$/);
    const size = named(byId(root, 'table-storage_daily'), 'tr').map((row) => named(row, 'td').map(getText));
    expect(size.some((cells) => cells.includes('semi-additive'))).toBe(true);
  });

  it('has the size and the age of the file, and the file itself', async () => {
    const file = join(temporaryFolder(), 'out.bi.db');
    const { page, url, live } = await openPages([], { lines: `publish: { file: "${file}" }` });
    await page('/data/vodhouse.bi.db', 404);
    await published(live, { file, now: Date.parse('2026-03-10T11:00:00Z') });
    const { partText } = await page('/data');
    expect(partText('file')).toMatch(/^The published file [\d.]+ kB, made 60 min ago · Download /);
    expect(partText('table-videos')).toMatch(/^videos One row per video of the catalogue now.* view /);
    const answer = await fetch(`${url}/data/vodhouse.bi.db`, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(answer.headers.get('content-length')).toBe(String(statSync(file).size));
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="vodhouse.bi.db"');
    expect(Buffer.from(await answer.arrayBuffer()).equals(readFileSync(file))).toBe(true);
  });
});

describe('the API mirror on the page of the data', () => {
  it('has lines that this server answers', async () => {
    const { page, url } = await openPages();
    const lines = codes(byId((await page('/data')).root, 'operations'));
    expect(lines).toHaveLength(5);
    expect(lines[0]).toBe(`curl '${url}/accounts/main/info/v1/videos.json?pkg=101&pagesize=50'`);
    const addresses = lines.map((line) => line.replace(/^curl '(.*)'$/, '$1'));
    const lists = addresses.filter((address) => address.includes('pkg='));
    const found = await Promise.all(lists.map(async (address) => (await fetchVideos(address)).ids.length));
    expect(found).toEqual([2, 3, 1]);
    const storage = addresses.filter((address) => !lists.includes(address));
    const days = await Promise.all(storage.map(async (address) => (await fetchStorage(address)).days.length));
    expect(days).toEqual([1, 1]);
  });

  it('names the key where one is needed, and never shows it', async () => {
    const key = 'server-key-of-20-char';
    const { page } = await openPages([], { keys: [key] });
    const { root, text } = await page('/data', 200, { headers: { 'x-api-key': key } });
    expect(codes(byId(root, 'operations'))[0]).toContain(
      "curl -H 'authorization: Bearer KEY' 'http://127.0.0.1:",
    );
    expect(text).not.toContain(key);
  });
});
