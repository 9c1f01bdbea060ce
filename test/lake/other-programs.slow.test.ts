import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeParquetFile } from '../../src/publishing/targets/parquet.ts';
import { apply, emptySnapshot, type AddFile } from '../../src/publishing/targets/delta/actions.ts';
import { openDeltaTarget } from '../../src/publishing/targets/delta/delta-target.ts';
import { ownRows } from '../../src/publishing/targets/delta/files.ts';
import {
  COMMON_TABLES,
  listLarge,
  listSmall,
  toFileColumns,
} from '../../src/publishing/targets/delta/tables.ts';
import { openSource } from '../../src/publishing/targets/source.ts';
import { openLakeSite } from '../support/fixtures/lake-site.ts';

type Site = ReturnType<typeof openLakeSite>;

const REBUILD = { force: { account: 'main', kind: 'rebuild' } } as const;
const TABLES = [
  'all_videos',
  'video_history',
  'video_edits',
  'video_tags',
  'packages',
  'storage_daily',
  'package_daily',
];
const COMMON = ['runs', 'walks', 'about', 'dates', 'dictionary'];

/** With several files of each large table. */
async function openLoaded() {
  const site = openLakeSite();
  site.register([101, 102]);
  await site.walk([1, 2, 3, 4, 5, 6], { tag: 'a,b' });
  await site.walk([4], { tag: 'c' }, 'main', 102);
  await site.walk([1, 2], { title: 'before' });
  site.book({ '2026-02-27': 4, '2026-02-28': 5 });
  await site.publish();
  const source = openSource(site.file);
  const target = openDeltaTarget(site.config, 'eu-1', { fileRows: 2 });
  await target.load(source, 'main', { force: null, formerName: null });
  await target.loadShared(source, false);
  source.close();
  return site;
}

function readSnapshot(site: Site, table: string) {
  const snapshot = emptySnapshot();
  for (const { version, actions } of site.readLog(table)) {
    for (const action of actions) apply(snapshot, action);
    snapshot.version = version;
  }
  return snapshot;
}

/** A commit as other programs write it. */
function commit(site: Site, table: string, actions: object[]): void {
  const version = String((readSnapshot(site, table).version ?? -1) + 1).padStart(20, '0');
  const lines = [{ commitInfo: { operation: 'OPTIMIZE', engineInfo: 'Other/1.0' } }, ...actions];
  writeFileSync(
    join(site.root, table, '_delta_log', `${version}.json`),
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  );
}

/** All files of an owner become one, without tags, in a folder of the partition; `facts`: what that program writes of it. */
async function optimize(site: Site, table: string, facts: Partial<AddFile> = {}): Promise<void> {
  const files = [...readSnapshot(site, table).files.values()];
  const [{ partitionValues, path: before } = { partitionValues: {}, path: '' }] = files;
  const [[name, owner] = []] = Object.entries(partitionValues);
  const path = `${name === undefined ? '' : `${name}=${owner}/`}part-00000-${randomUUID()}.c000.snappy.parquet`;
  const place = join(site.root, table, path);
  mkdirSync(dirname(place), { recursive: true });
  const source = openSource(site.file);
  const { marts, db } = source;
  const deltaTable = [...listLarge(marts), ...listSmall(marts), ...COMMON_TABLES].find(
    (each) => each.name === table,
  );
  if (!deltaTable)
    copyFileSync(join(site.root, table, before), place); // `loads` has one file an account
  else {
    const { where, parameters } = ownRows(deltaTable, deltaTable.partition === 'account' ? 'main' : null);
    const columns = toFileColumns(deltaTable);
    const { body } = await writeParquetFile(db, {
      columns,
      from: `from "${table}" t where ${where} order by 1 desc`,
      parameters,
    });
    writeFileSync(place, Buffer.concat(body));
  }
  source.close();
  const added = { path, partitionValues, size: 1000, modificationTime: 1, dataChange: false, ...facts };
  commit(site, table, [
    ...files.map((file) => ({
      remove: { path: file.path, deletionTimestamp: Date.now(), dataChange: false },
    })),
    { add: added },
  ]);
}

const countForeign = (site: Site, table: string) =>
  [...readSnapshot(site, table).files.values()].filter(({ path }) => path.includes('c000')).length;

describe('a lake whose tables another program has rewritten', () => {
  /** Tags and statistics: none, null for both, and those of the other program. */
  const FORMS: Partial<AddFile>[] = [
    {},
    { tags: null, stats: null } as unknown as Partial<AddFile>, // as the other program writes it
    { tags: { ZCUBE_ID: 'x' }, stats: '{"numRecords":3,"tightBounds":true}' },
  ];

  it('each in one of the forms, is replaced by the next load, with news and without', async () => {
    const site = await openLoaded();
    const all = [...TABLES, ...COMMON];
    for (const [index, table] of all.entries()) await optimize(site, table, FORMS[index % FORMS.length]);
    expect(site.differences()).toEqual([]);
    expect(await site.load({ isVerified: true })).toMatchObject({ main: { error: null, differences: [] } });
    for (const table of all) expect([table, countForeign(site, table)]).toEqual([table, 0]);
    for (const [index, table] of TABLES.entries())
      await optimize(site, table, FORMS[(index + 1) % FORMS.length]);
    await site.walk([1, 2, 3], { title: 'new' });
    await site.publish();
    expect(await site.load({ isVerified: true })).toMatchObject({ main: { error: null, differences: [] } });
    expect(site.differences()).toEqual([]);
  });

  it('is whole after a rebuild', async () => {
    const site = await openLoaded();
    for (const table of [...TABLES, ...COMMON, 'loads']) await optimize(site, table);
    const target = openDeltaTarget(site.config, 'eu-1');
    expect(await target.countVideos('main')).toBe(0); // without statistics
    expect(await target.readAccounts()).toEqual(new Map());
    expect(await site.load(REBUILD)).toMatchObject({
      main: { outcome: 'loaded' },
      '(runs)': { error: null },
    });
    for (const table of [...TABLES, ...COMMON, 'loads'])
      expect([table, countForeign(site, table)]).toEqual([table, 0]);
    expect(site.differences()).toEqual([]);
    expect(await site.load({ isVerified: true })).toMatchObject({
      main: { outcome: 'unchanged', differences: [] },
    });
  });

  it('is read from a checkpoint with such files', async () => {
    const site = await openLoaded();
    for (let change = 1; change <= 20; change++) {
      await site.walk([1], { title: `title ${change}` });
      await site.ship();
      if (change % 3 === 0) await optimize(site, 'packages');
    }
    await optimize(site, 'all_videos');
    await site.walk([1], { title: 'last' });
    expect(await site.ship()).toMatchObject({ main: { error: null } });
    expect(site.differences()).toEqual([]);
  });

  it.each<[string, RegExp, (path: string) => void]>([
    ['gone', /videos\/.* is gone$/, (path) => rmSync(path)],
    ['cut', /videos\/.* cannot be read: /, (path) => truncateSync(path, 50)],
  ])('and whose files are %s, is whole after a rebuild', async (_, message, damage) => {
    const site = await openLoaded();
    for (const table of [...TABLES, ...COMMON])
      for (const path of readSnapshot(site, table).files.keys()) damage(join(site.root, table, path));
    expect(await site.load({ isVerified: true })).toMatchObject({
      main: {
        error: expect.stringMatching(message) as string,
        hint: `${site.config.command} --rebuild main writes it again`,
      },
    });
    expect(await site.load(REBUILD)).toMatchObject({
      main: { outcome: 'loaded' },
      '(runs)': { error: null },
    });
    expect(site.differences()).toEqual([]);
  });

  it('with other partitions, is refused by name', async () => {
    const site = await openLoaded();
    const { metaData } = readSnapshot(site, 'packages');
    commit(site, 'packages', [{ metaData: { ...metaData, partitionColumns: [] } }]);
    await site.walk([1], { title: 'new' });
    await site.publish();
    expect(await site.load(REBUILD)).toMatchObject({
      main: { error: expect.stringContaining('another program wrote the table packages') as string },
    });
  });
});
