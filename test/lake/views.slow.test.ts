import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LAKE_TABLES, LAKE_VIEWS, nameTable } from '../../docs/generate/lake-views.ts';
import { apply, emptySnapshot } from '../../src/publishing/targets/delta/actions.ts';
import { openSource } from '../../src/publishing/targets/source.ts';
import { listClickHouseLines, queryDelta } from '../support/fixtures/delta-reader.ts';
import { openDuckDb } from '../support/fixtures/duckdb.ts';
import { listFileLines } from '../support/fixtures/file-lines.ts';
import { openLakeSite } from '../support/fixtures/lake-site.ts';
import { readRows } from '../support/fixtures/live-file.ts';

type Site = ReturnType<typeof openLakeSite>;

/** A lake and the file that it was loaded from: with an edited video, a removed one, and a package that left the config. */
async function openLoaded() {
  const site = openLakeSite();
  site.register([101, 102]);
  await site.walk([1, 2, 3, 4], { tag: 'a,b' });
  await site.walk([7], {}, 'main', 102);
  await site.walk([1, 2, 3], { title: 'another' });
  site.register([101]);
  await site.ship();
  const source = openSource(site.file);
  return { site, source, views: source.marts.all.filter(({ kind }) => kind === 'view') };
}

/** A SELECT of the data files that the log of a table has now; DuckDB's reader of Delta is in no registry. */
function selectFiles(site: Site, table: string): string {
  const snapshot = emptySnapshot();
  for (const { actions } of site.readLog(table)) for (const action of actions) apply(snapshot, action);
  const selects = [...snapshot.files.values()].map(({ path, partitionValues }) => {
    const owner = Object.entries(partitionValues).map(([name, value]) => `, '${value}' as ${name}`);
    return `select *${owner.join('')} from '${join(site.root, table, path)}'`;
  });
  return selects.join(' union all by name ');
}

it('ClickHouse has every value of every view of the file, by the SQL of deploy/lake/views.sql', async () => {
  const { site, source, views } = await openLoaded();
  for (const name of LAKE_TABLES) queryDelta(nameTable('deltaLakeLocal', name, site.root));
  for (const sql of LAKE_VIEWS) queryDelta(sql);
  for (const view of views) {
    const lines = listClickHouseLines(view.name, view);
    expect(lines.length, view.name).toBeGreaterThan(2);
    expect(lines, view.name).toEqual(listFileLines(source.db, view));
  }
  source.close();
});

it('so has DuckDB', async () => {
  const { site, source, views } = await openLoaded();
  source.close();
  const db = await openDuckDb();
  for (const name of LAKE_TABLES) await db.run(`create view "${name}" as ${selectFiles(site, name)}`);
  for (const sql of LAKE_VIEWS) await db.run(sql);
  /** A time has no zone here, and a flag is a number, as in SQLite. */
  const toText = (value: unknown) =>
    String(value)
      .replace(/\+00$/, '')
      .replace(/^true$/, '1')
      .replace(/^false$/, '0');
  for (const { name, columns } of views) {
    const query = `select ${columns.map((column) => column.name).join(', ')} from ${name}`;
    const expected = readRows(site.file, query).map((row) => Object.values(row).map(toText).join('|'));
    const rows = (await db.runAndReadAll(query)).getRows().map((row) => row.map(toText).join('|'));
    expect(rows.sort(), name).toEqual(expected.sort());
  }
});
