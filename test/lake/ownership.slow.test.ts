import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeParquetFile } from '../../src/publishing/parquet.ts';
import { openSource } from '../../src/publishing/targets/source.ts';
import { openLakeSite } from '../support/fixtures/lake-site.ts';

async function openLoaded(options: Parameters<typeof openLakeSite>[0] = {}) {
  const site = openLakeSite(options);
  site.register();
  await site.walk([1, 2]);
  await site.publish();
  return site;
}

const takeOver = { force: { account: 'main', kind: 'take-over' } } as const;
const rebuild = { force: { account: 'main', kind: 'rebuild' } } as const;

describe('an account of a lake', () => {
  it('of another warehouse is refused and unchanged, until a person lets it take it over', async () => {
    const one = await openLoaded();
    const two = await openLoaded({ root: one.root });
    await one.load();
    await two.walk([1, 2, 3]);
    await two.publish();
    const commits = one.readLog('videos').length;
    const refused = {
      outcome: 'refused',
      code: 'other_warehouse',
      hint: expect.stringContaining('--take-over main') as string,
    };
    expect(await two.load()).toMatchObject({ main: refused });
    expect(await two.load(rebuild)).toMatchObject({ main: refused });
    expect(one.readLog('videos')).toHaveLength(commits);
    expect(await two.load(takeOver)).toMatchObject({ main: { outcome: 'loaded' } });
    expect(two.differences()).toEqual([]);
    expect(await one.load()).toMatchObject({ main: refused });
    await two.walk([1, 2, 3], { title: 'new' });
    expect(await two.ship()).toMatchObject({ main: { outcome: 'loaded' } });
    expect(two.differences()).toEqual([]);
  });

  it('is not loaded from an older copy of the file, nor from a copy that runs elsewhere, until it is rebuilt', async () => {
    const site = await openLoaded();
    const old = join(site.folder, 'old.db');
    copyFileSync(site.file, old);
    await site.load();
    const copy = openLakeSite({ data: site.folder, root: site.root });
    await site.walk([1, 2, 3]);
    await site.ship();
    const refused = {
      outcome: 'refused',
      code: 'other_copy',
      hint: expect.stringContaining('--rebuild main') as string,
    };
    expect(await site.load({ file: old })).toMatchObject({ main: refused });
    await copy.walk([1]);
    expect(await copy.ship()).toMatchObject({ main: refused });
    expect(await copy.load(rebuild)).toMatchObject({ main: { outcome: 'loaded' } });
    expect(copy.differences()).toEqual([]);
    expect(await site.ship()).toMatchObject({ main: refused });
    expect(await site.load(rebuild)).toMatchObject({ main: { outcome: 'loaded' } });
    expect(site.differences()).toEqual([]);
  });

  it('that left the config, and that another warehouse took over, is not mentioned', async () => {
    const one = await openLoaded();
    await one.load();
    const two = await openLoaded({ root: one.root });
    await two.load(takeOver);
    expect(Object.keys(await one.load({ accounts: ['second'] }))).toEqual(['(runs)']);
  });

  it('is compared value by value: what differs is named, and mended by a rebuild', async () => {
    const site = await openLoaded();
    await site.load();
    const [file = ''] = site.listFiles('videos');
    const path = join(site.root, 'videos', file);
    const source = openSource(site.file);
    const columns = source.marts.videos.columns
      .filter(({ name }) => name !== 'account')
      .map((column) => ({ ...column, isRequired: false }));
    const values = columns
      .map(({ name }) => (name === 'title' ? `'swapped' as title` : `"${name}"`))
      .join(', ');
    const from = `from (select ${values} from videos where video_id = 1 order by video_id) t`;
    const { body } = writeParquetFile(source.db, { columns, from, parameters: {} });
    source.close();
    writeFileSync(path, Buffer.concat(body));
    const { main } = await site.load({ isVerified: true });
    expect(main?.differences).toEqual([
      `videos main/101/1: title is 'swapped' in the target, 'Video 1' in the file`,
      `videos main/101/2 is missing in the target`,
    ]);
    expect(await site.load({ isVerified: true, ...rebuild })).toMatchObject({ main: { differences: [] } });
    expect(readFileSync(path).length).toBeGreaterThan(0); // readers of the older version keep it
  });
});
