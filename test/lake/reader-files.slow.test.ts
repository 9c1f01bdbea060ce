import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Column } from '../../src/publishing/mart.ts';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { writeFileLists } from '../../src/publishing/targets/lake/file-lists.ts';
import { openFolderStore } from '../../src/publishing/targets/lake/folder-store.ts';
import { readStoreHolders } from '../../src/publishing/targets/lake/holders.ts';
import type { Lake } from '../../src/publishing/targets/lake/lake.ts';
import type { Store } from '../../src/publishing/targets/lake/store.ts';
import { listLakeTables, listLakeViews } from '../../src/publishing/targets/lake/sql/lake-tables.ts';
import { ENGINES } from '../../src/publishing/targets/lake/sql/sql-files.ts';
import { listTableFiles, openDuckDb, readPointers, runDuckDbScript } from '../support/fixtures/lake-rows.ts';
import { openLakeSite } from '../support/fixtures/lake-site.ts';
import { createLakeConfig } from '../support/fixtures/target-config.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';

const MARTS = createMarts({ durationUnit: 'ms', exclude: [] });

async function openLoaded(root?: string) {
  const site = openLakeSite(root === undefined ? {} : { root });
  site.register();
  await site.walk([1, 2, 3], { tag: 'a' });
  await site.ship();
  return site;
}

type LakeSite = Awaited<ReturnType<typeof openLoaded>>;

const readLines = (root: string, key: string): string[] =>
  readFileSync(join(root, key), 'utf8').split('\n').slice(0, -1);

/** The lists of a lake that are not as its pointers say. */
function findOldLists({ root }: LakeSite): string[] {
  const pointers = readPointers(root);
  return listLakeTables().flatMap(({ name, emptyKey }) => {
    const expected = [join(root, emptyKey), ...listTableFiles(root, pointers, name)];
    return JSON.stringify(readLines(root, `files/${name}.txt`).sort()) === JSON.stringify(expected.sort())
      ? []
      : name;
  });
}

function openLake(site: LakeSite, changes: (store: Store) => Partial<Store>): Lake {
  const { root, holder } = site;
  const store = openFolderStore(root);
  const { keepMs, compression, loadTimeoutMs, place } = createLakeConfig(root);
  const options = { name: 'lake', place, keepMs, compression, loadTimeoutMs };
  return { holder, options, store: { ...store, ...changes(store) } };
}

const TYPES: Record<string, string> = { BIGINT: 'BIGINT', REAL: 'DOUBLE', BOOLEAN: 'BOOLEAN', DATE: 'DATE' };
const toDuckDbType = ({ type, unit }: Column): string =>
  type === 'TIMESTAMP'
    ? unit === 'UTC'
      ? 'TIMESTAMP WITH TIME ZONE'
      : 'TIMESTAMP'
    : (TYPES[type] ?? 'VARCHAR');

describe('what a lake has for its readers', () => {
  it('lists the present files of each table by absolute addresses, after a file without rows', async () => {
    const site = await openLoaded();
    expect(findOldLists(site)).toEqual([]);
    const [empty, file, ...others] = readLines(site.root, 'files/videos.txt');
    expect([empty, file].map((path) => existsSync(path ?? ''))).toEqual([true, true]);
    expect(empty).toMatch(/^\/.*\/empty\/videos-\d+\.parquet$/);
    expect(others).toEqual([]);
    await site.walk([1, 2, 3], { title: 'new' });
    await site.ship();
    expect(findOldLists(site)).toEqual([]);
    expect(readLines(site.root, 'files/videos.txt')[1]).not.toBe(file);
  });

  it('is never put back by a worker that is slower, and costs one GET of each pointer', async () => {
    const site = await openLoaded();
    await site.walk([1, 2, 3], { title: 'newer' });
    cpSync(join(site.root, 'files/dates.txt'), join(site.root, 'files/videos.txt'));
    let isFirst = true;
    const gets: string[] = [];
    const lake = openLake(site, (store) => ({
      get: async (key) => {
        gets.push(key);
        const found = await store.get(key);
        if (key === 'latest/account=main.json' && isFirst) {
          isFirst = false;
          await site.ship(); // another load, with its lists, after the older pointer was read
        }
        return found;
      },
    }));
    await writeFileLists(lake);
    expect(findOldLists(site)).toEqual([]);
    expect(gets.filter((key) => key === 'latest/account=main.json')).toHaveLength(2);
    gets.length = 0;
    await writeFileLists(lake);
    expect(gets.filter((key) => key.startsWith('latest/')).sort()).toEqual(
      readPointers(site.root)
        .map(({ owner }) => owner)
        .map((owner) =>
          owner === 'all'
            ? 'latest/all.json'
            : `latest/${'account' in owner ? `account=${owner.account}` : `warehouse=${owner.warehouse}`}.json`,
        )
        .sort(),
    );
  });

  it('heals at a comparison, where a worker was killed before it wrote the lists', async () => {
    const site = await openLoaded();
    cpSync(join(site.root, 'files/dates.txt'), join(site.root, 'files/videos.txt'));
    expect(findOldLists(site)).toEqual(['videos']);
    await site.load({ verify: ['main', '(runs)'] });
    expect(findOldLists(site)).toEqual([]);
  });

  it('has every table and view in DuckDB with the types of PostgreSQL, also where no file is and columns are left out', async () => {
    const site = openLakeSite({ root: join(temporaryFolder(), `o'lake`) });
    site.register();
    await site.walk([1]);
    await site.publish({ exclude: ['title', 'tag'] });
    await site.load();
    expect(readPointers(site.root).flatMap(({ files }) => files['video_tags'] ?? [])).toEqual([]);
    expect(await runDuckDbScript(site.root)).toBe(true);
    const db = await openDuckDb();
    for (const { name, columns } of MARTS.all) {
      const described = await db.runAndReadAll(`describe "${name}"`);
      const found = described.getRowObjects().map((row) => [row['column_name'], row['column_type']]);
      const expected = columns.map((column) => [column.name, toDuckDbType(column)]);
      const owner = ['runs', 'walks', 'about'].includes(name) ? [['warehouse_id', 'VARCHAR']] : [];
      expect([name, found]).toEqual([name, [...owner, ...expected]]);
      await db.run(`select * from "${name}"`);
    }
    const read = await db.runAndReadAll('select title, video_id from bi_videos_now');
    expect(read.getRows()).toEqual([[null, 1n]]);
  });

  it('is read at another address, if a variable names it', async () => {
    const site = await openLoaded();
    const copy = join(temporaryFolder(), 'copy');
    mkdirSync(copy);
    cpSync(site.root, copy, { recursive: true });
    await site.walk([1, 2, 3, 4]);
    await site.ship();
    const db = await openDuckDb();
    await db.run(`SET VARIABLE vodhouse_lake = '${copy}'`);
    await runDuckDbScript(site.root);
    const count = async () => (await db.runAndReadAll('select count(*) from videos')).getRows();
    expect(await count()).toEqual([[3n]]);
    await db.run('RESET VARIABLE vodhouse_lake');
    await runDuckDbScript(site.root);
    expect(await count()).toEqual([[4n]]);
  });

  it('has no row twice where another program made copies of documents', async () => {
    const site = await openLoaded();
    cpSync(join(site.root, 'latest/account=main.json'), join(site.root, 'latest/account=main copy.json'));
    const [sign = ''] = site.files('workers');
    cpSync(join(site.root, sign), join(site.root, 'workers/copy.json'));
    await site.walk([1, 2, 3, 4]);
    await site.ship();
    await runDuckDbScript(site.root);
    const read = async (query: string) => (await (await openDuckDb()).runAndReadAll(query)).getRows();
    expect(await read('select count(*), count(distinct video_id) from videos')).toEqual([[4n, 4n]]);
    expect(await read('select count(*) from vodhouse_freshness')).toEqual([[1n]]);
    const lines = readFileSync(join(site.root, 'files/videos.txt'), 'utf8').trimEnd().split('\n');
    expect(new Set(lines).size).toBe(lines.length);
    const store = openFolderStore(site.root);
    expect((await readStoreHolders(store)).map(({ account }) => account)).toEqual(['main']);
  });

  it('leaves the SQL of a newer version as it is', async () => {
    const site = await openLoaded();
    const lake = openLake(site, (store) => ({
      get: async (key) => {
        const found = await store.get(key);
        if (key !== 'latest/all.json' || !found) return found;
        const body = Buffer.from(found.body)
          .toString('utf8')
          .replace(/"shape": "\d+"/, '"shape": "999"');
        return { ...found, body: Buffer.from(body) };
      },
    }));
    await lake.store.put('sql/duckdb.sql', [Buffer.from('newer')]);
    await writeFileLists(lake);
    expect(readFileSync(join(site.root, 'sql/duckdb.sql'), 'utf8')).toBe('newer');
  });

  it.each(Object.keys(ENGINES))('names every table, view and column in sql/%s.sql', async (engine) => {
    const root = 's3://bucket/lake/';
    const sql = {
      tables: listLakeTables(),
      views: listLakeViews(),
      root,
      files: new Map<string, string[]>(),
    };
    const text = ENGINES[engine as keyof typeof ENGINES](sql);
    const statements = text.split(/;\n/);
    for (const { name, columns } of sql.tables) {
      const made = statements.find((statement) =>
        new RegExp(`(VIEW|TABLE|EXISTS) [\`"](vodhouse\\.)?${name}[\`"]`).test(statement),
      );
      const missing = columns.filter((column) => !new RegExp(`[\`"]${column.name}[\`"]`).test(made ?? ''));
      expect([name, missing.map((column) => column.name)]).toEqual([name, []]);
    }
    for (const { name } of sql.views)
      expect(text).toMatch(new RegExp(`VIEW [\`"](vodhouse\\.)?${name}[\`"]`));
    if (engine !== 'duckdb') expect(text).toContain('NOT RUN in');
  });
});
