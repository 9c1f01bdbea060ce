import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configMarkdown } from '../../docs/generate/config-keys.ts';
import { dbtSources } from '../../docs/generate/dbt-sources.ts';
import { lakeViewsSql } from '../../docs/generate/lake-views.ts';
import { LIVE_TABLES, liveFileMarkdown } from '../../docs/generate/live-file.ts';
import { performancePage } from '../../docs/generate/performance.ts';
import { LEFT_OUT_BY_DEFAULT, PUBLISHED, tablesMarkdown } from '../../docs/generate/tables.ts';
import { openDatabase } from '../../src/database/connection.ts';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { LEAST, load } from '../support/fixtures/load-config.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';

const read = (name: string) => readFileSync(`docs/${name}`, 'utf8');
const LAKE_VIEWS = '../deploy/lake/views.sql';
const afterMark = (name: string) => read(name).split('<!-- below: npm run docs -->\n')[1];
const [HANDWRITTEN = '', KEYS = ''] = read('config.md').split('<!-- below: npm run docs -->\n');

describe('the generated pages', () => {
  it.each([
    ['tables.md', read('tables.md'), tablesMarkdown()],
    ['contributing/live-file.md', read('contributing/live-file.md'), liveFileMarkdown()],
    ['performance.md', afterMark('performance.md'), `\n${performancePage().markdown}`],
    ['config.md', KEYS, `\n${configMarkdown()}`],
    ['../deploy/dbt/sources.yml', read('../deploy/dbt/sources.yml'), dbtSources()],
    [LAKE_VIEWS, read(LAKE_VIEWS), lakeViewsSql()],
  ])('%s is as `npm run docs` writes it', (_name, page, generated) => {
    expect(page).toBe(generated);
  });

  it('the live file has the described tables and no others', () => {
    const path = join(temporaryFolder(), 'live.db');
    openDatabase(path, Date.parse('2026-01-01T00:00Z')).$client.close();
    const tables = readRows(
      path,
      `select name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite_%'
       and name <> '__drizzle_migrations' order by name`,
    );
    expect(LIVE_TABLES.map(({ name }) => name).sort()).toEqual(tables.map(({ name }) => name));
  });
});

it('targets.md and the views read tables that a lake has, which has no views', () => {
  const named = [...(read('targets.md') + read(LAKE_VIEWS)).matchAll(/(?:lake|vodhouse)[/\\](\w+)['"]/g)].map(
    ([, name]) => name,
  );
  const tables = createMarts({ durationUnit: 'ms', exclude: [] }).all.filter(({ kind }) => kind === 'table');
  expect(named.length).toBeGreaterThan(6);
  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
});

describe('the dictionary of the published file', () => {
  const columns = PUBLISHED.flatMap((mart) =>
    mart.columns.map((column) => ({ ...column, at: `${mart.name}.${column.name}` })),
  );

  it('has a sentence of one line for each table and column', () => {
    const texts = [...PUBLISHED, ...columns].filter(({ description }) => !/^\S.*\.$/.test(description));
    expect(texts.map(({ name }) => name)).toEqual([]);
  });

  it.each([
    ['bytes', /_bytes(_change)?$/],
    ['GiB (2^30 bytes)', /_gib(_change)?$/],
    ['seconds', /_seconds$/],
  ])('has the unit %s for each column that is named for it', (unit, name) => {
    const named = columns.filter((column) => name.test(column.name));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((column) => column.unit !== unit).map(({ at }) => at)).toEqual([]);
  });

  it('has a unit for every moment, day and flag', () => {
    const timely = columns.filter(({ type }) => ['TIMESTAMP', 'DATE', 'BOOLEAN'].includes(type));
    expect(timely.filter(({ unit }) => !unit).map(({ at }) => at)).toEqual([]);
  });

  it('marks what the config leaves out by default', () => {
    expect(load(`${LEAST}publish: {}\n`).publish?.exclude).toEqual(LEFT_OUT_BY_DEFAULT);
    expect(read('tables.md').match(/^- `\w+`.*Left out by default\./gm)).toHaveLength(2);
  });
});

it('the example of docs/config.md loads', () => {
  const [, yaml = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(HANDWRITTEN) ?? [];
  const config = load(yaml, { VODHOUSE_KEY: 'a-key' });
  expect(config.accounts[0]?.packages).toHaveLength(2);
  expect(config.publish).not.toBeNull();
});
