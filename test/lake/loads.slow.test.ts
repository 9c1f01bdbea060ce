import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deltaTable, listDeltaLines, queryDelta } from '../support/fixtures/delta-reader.ts';
import { listFileLines } from '../support/fixtures/file-lines.ts';
import { openLakeSite } from '../support/fixtures/lake-site.ts';
import { apply, emptySnapshot } from '../../src/publishing/targets/delta/actions.ts';
import { writeParquetFile } from '../../src/publishing/targets/parquet.ts';
import { openDeltaTarget } from '../../src/publishing/targets/delta/delta-target.ts';
import { toFileColumns } from '../../src/publishing/targets/delta/tables.ts';
import { openSource } from '../../src/publishing/targets/source.ts';

const DAY = 86_400;

/** Makes a file older. */
function age(path: string, seconds: number): void {
  const then = Date.now() / 1000 - seconds;
  utimesSync(path, then, then);
}

/** Loads with small files. */
async function loadInFilesOf(
  fileRows: number,
  { file, live, config }: ReturnType<typeof openLakeSite>,
): Promise<void> {
  const source = openSource(file, live);
  const target = openDeltaTarget(config, 'eu-1', { fileRows });
  await target.load(source, 'main', { force: null, formerName: null });
  await target.loadShared(source, false);
  source.close();
}

/** The live files of `all_videos`, in the order of their rows. */
function listRanges(site: ReturnType<typeof openLakeSite>): string[] {
  const snapshot = emptySnapshot();
  for (const { actions } of site.readLog('all_videos')) for (const action of actions) apply(snapshot, action);
  return [...snapshot.files.values()]
    .sort((one, other) => ((one.tags['from'] ?? '') < (other.tags['from'] ?? '') ? -1 : 1))
    .map(({ path }) => path);
}

async function openLoaded(options: Parameters<typeof openLakeSite>[0] = {}) {
  const site = openLakeSite(options);
  site.register([101, 102]);
  await site.walk([1, 2, 3]);
  await site.walk([4], {}, 'main', 102);
  site.book({ '2026-02-28': 5 });
  await site.ship();
  return site;
}

describe('a lake', () => {
  it('has an older version of each table, as it was published then', async () => {
    const site = await openLoaded();
    const source = openSource(site.file);
    const before = listFileLines(source.db, source.marts.allVideos);
    source.close();
    const version = site.readLog('all_videos').at(-1)?.version;
    await site.walk([1, 2], { title: 'another' });
    await site.ship();
    expect(site.differences()).toEqual([]);
    expect(listDeltaLines(site.root, source.marts.allVideos, 'true', version)).toEqual(before);
    const [row] = queryDelta<{ table_versions: string }>(
      `select table_versions from ${deltaTable(site.root, 'loads')}`,
    );
    expect(JSON.parse(row?.table_versions ?? '')).toMatchObject({ all_videos: (version ?? 0) + 1 });
  });

  it('is read from a checkpoint whose commits are deleted, and goes on from there', async () => {
    const site = await openLoaded();
    for (let change = 1; change <= 22; change++) {
      await site.walk([1, 2, 3], { title: `title ${change}` });
      if (change === 20)
        for (const { version } of site.readLog('all_videos'))
          age(join(site.root, 'all_videos/_delta_log', `${String(version).padStart(20, '0')}.json`), 8 * DAY);
      await site.ship();
    }
    expect(existsSync(join(site.root, 'all_videos/_delta_log/_last_checkpoint'))).toBe(true);
    expect(site.readLog('all_videos')[0]?.version).toBeGreaterThan(0);
    expect(site.differences()).toEqual([]);
    expect(await site.load({ isVerified: true })).toMatchObject({
      main: { outcome: 'unchanged', differences: [] },
    });
  });

  it('writes nothing where nothing is new, and only the files of the account that changed', async () => {
    const site = openLakeSite();
    site.register([101], ['main', 'second']);
    await site.walk([1, 2]);
    await site.walk([1, 2], {}, 'second');
    await site.ship();
    const files = site.listFiles('all_videos');
    expect(await site.load()).toMatchObject({
      main: { outcome: 'unchanged' },
      '(runs)': { outcome: 'unchanged' },
    });
    expect(site.readLog('all_videos')).toHaveLength(2);
    await site.walk([1, 2], { title: 'another' }, 'second');
    expect(await site.ship()).toMatchObject({
      main: { outcome: 'unchanged' },
      second: { outcome: 'loaded' },
    });
    const added = site
      .readLog('all_videos')
      .at(-1)
      ?.actions.flatMap(({ add }) => (add ? [add.partitionValues] : []));
    expect(added).toEqual([{ account: 'second' }]);
    expect(site.listFiles('all_videos')).toEqual(expect.arrayContaining(files)); // they stay for readers
  });

  it('has files by key range: one load writes again those with a changed video, and divides one that grew', async () => {
    const site = openLakeSite();
    const count = (videos: number) => Array.from({ length: videos }, (_, index) => index + 1);
    site.register([101, 102]);
    await site.walk(count(20));
    await site.walk(count(20), {}, 'main', 102);
    await site.publish();
    await loadInFilesOf(10, site);
    expect(listRanges(site)).toHaveLength(4);
    await site.walk(count(60), { title: 'another' }, 'main', 102);
    await site.publish();
    const kept = listRanges(site);
    await loadInFilesOf(10, site);
    const ranges = listRanges(site);
    expect(ranges).toHaveLength(8);
    expect(kept.filter((range) => ranges.includes(range))).toEqual(kept.slice(0, 2));
    expect(site.differences()).toEqual([]);
  });

  it('deletes files that were removed, and those of killed loads, after `keep`', async () => {
    const site = await openLoaded({ target: { keepMs: 3_600_000 } });
    const [first = ''] = site.listFiles('all_videos');
    const orphan = join(site.root, 'all_videos/part-00000000-orphan.parquet');
    writeFileSync(orphan, 'left');
    await site.walk([1, 2, 3, 5], { title: 'another' });
    await site.ship();
    expect(site.listFiles('all_videos')).toEqual(
      expect.arrayContaining([first, 'part-00000000-orphan.parquet']),
    );
    age(orphan, 3700);
    await site.walk([1, 2, 3, 5], { title: 'a third' });
    await site.ship();
    expect(site.listFiles('all_videos')).not.toContain('part-00000000-orphan.parquet');
    expect(site.differences()).toEqual([]);
  });

  it('names what differs value by value, and a rebuild mends it', async () => {
    const site = await openLoaded();
    const [file = ''] = site.listFiles('all_videos');
    const source = openSource(site.file);
    const columns = toFileColumns({ ...source.marts.allVideos, partition: 'account' });
    const values = columns.map(({ name }) => (name === 'title' ? `'swapped' as title` : `"${name}"`));
    const from = `from (select ${values.join(', ')} from all_videos where video_id = 1) t`;
    const { body } = await writeParquetFile(source.db, { columns, from, parameters: {} });
    source.close();
    writeFileSync(join(site.root, 'all_videos', file), Buffer.concat(body));
    expect(await site.verify()).toEqual([
      `all_videos main/101/1: title is 'swapped' in the target, 'Video 1' in the file`,
      ...['101/2', '101/3', '102/4'].map((key) => `all_videos main/${key} is missing in the target`),
    ]);
    await site.load({ force: { account: 'main', kind: 'rebuild' } });
    expect(await site.verify()).toEqual([]);
    expect(site.listFiles('all_videos')).toContain(file); // readers of the older version keep it
  });

  it('is made again where a person moved a table away', async () => {
    const site = await openLoaded();
    rmSync(join(site.root, 'all_videos'), { recursive: true });
    await site.walk([1, 2, 3, 9]);
    await site.ship();
    expect(site.differences()).toEqual([]);
    expect(readdirSync(join(site.root, 'all_videos/_delta_log'))).not.toEqual([]);
  });
});
