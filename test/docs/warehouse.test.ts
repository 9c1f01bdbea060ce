import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LIVE_TABLES } from '../../docs/generate/live-tables.ts';
import { LEFT_OUT_BY_DEFAULT, warehouseMarkdown } from '../../docs/generate/warehouse-markdown.ts';
import { openDatabase } from '../../src/database/connection.ts';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { LEAST, load } from '../support/fixtures/load-config.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';

const PAGE = readFileSync('docs/warehouse.md', 'utf8');
const PUBLISHED = createMarts({ durationUnit: 'ms', exclude: [] }).all;

/** The text of the page under the heading of a table. */
const getSection = (name: string) =>
  PAGE.split(/^##+ /m).find((text) => text.startsWith(`\`${name}\`\n`)) ?? '';

const LIVE_COLUMNS = LIVE_TABLES.flatMap((table) =>
  table.columns.map((column) => ({ ...column, at: `${table.name}.${column.name}` })),
);
const PUBLISHED_COLUMNS = PUBLISHED.flatMap((mart) =>
  mart.columns.map((column) => ({ ...column, at: `${mart.name}.${column.name}` })),
);
const ALL_COLUMNS = [...LIVE_COLUMNS, ...PUBLISHED_COLUMNS];

interface Declared {
  key: string[];
  columns: string[];
}

/** The tables of a real live file: keys, and each column with its type. */
function tablesOfRealFile(): Record<string, Declared> {
  const path = join(temporaryFolder(), 'live.db');
  openDatabase(path, Date.parse('2026-01-01T00:00Z')).$client.close();
  const names = readRows(
    path,
    `select name from sqlite_schema where type in ('table', 'view')
     and name not like 'sqlite_%' and name <> '__drizzle_migrations'`,
  );
  return Object.fromEntries(
    names.map(({ name }) => {
      const columns = readRows(path, 'select name, upper(type) as type, pk from pragma_table_info(?)', name);
      const key = columns
        .filter(({ pk }) => pk !== 0)
        .sort((one, other) => Number(one.pk) - Number(other.pk));
      const declared: Declared = {
        key: key.map((column) => String(column.name)),
        columns: columns.map((column) => `${column.name} ${column.type}`).sort(),
      };
      return [String(name), declared];
    }),
  );
}

describe('docs/warehouse.md', () => {
  it('equals the output of the code', () => {
    expect(PAGE === warehouseMarkdown(), 'docs/warehouse.md is stale: npm run docs').toBe(true);
  });

  it('has a section for every table and view, with each of their columns', () => {
    for (const { name, columns } of [...PUBLISHED, ...LIVE_TABLES]) {
      const section = getSection(name);
      const missing = columns.filter((column) => !section.includes(`\`${column.name}\``));
      expect(missing.map((column) => `${name}.${column.name}`)).toEqual([]);
    }
    const headings = PAGE.match(/^### /gm);
    expect(headings).toHaveLength(PUBLISHED.length + LIVE_TABLES.length);
  });

  it('has for each column of a view its source table', () => {
    for (const { name, columns } of PUBLISHED.filter(({ kind }) => kind === 'view')) {
      const lines = getSection(name).match(/^- from \[`.*$/gm) ?? [];
      const passedOn = lines.flatMap((line) => line.slice(line.indexOf(': ')).match(/`\w+`/g) ?? []);
      expect(passedOn, name).toEqual(columns.map((column) => `\`${column.name}\``));
    }
  });

  it('links to headings that exist', () => {
    const anchors = [...PAGE.matchAll(/^##+ (.*)$/gm)].map(([, text = '']) =>
      text.toLowerCase().replaceAll('`', '').replaceAll(' ', '-'),
    );
    const links = [...PAGE.matchAll(/\]\(#([^)]*)\)/g)].map(([, anchor = '']) => anchor);
    expect(links.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
    expect(new Set(anchors).size).toBe(anchors.length);
  });

  it('has as many cells in each row of a table as in its header', () => {
    const tables = PAGE.split('\n\n').filter((text) => text.startsWith('|'));
    expect(tables.length).toBeGreaterThan(LIVE_TABLES.length);
    for (const table of tables) {
      const cells = table
        .trim()
        .split('\n')
        .map((line) => line.split(/(?<!\\)\|/).length);
      expect(new Set(cells).size, table.slice(0, 60)).toBe(1);
    }
  });

  it('names as left out by default exactly the columns that the config leaves out by default', () => {
    expect(load(`${LEAST}publish: {}\n`).publish?.exclude).toEqual(LEFT_OUT_BY_DEFAULT);
    const marked = PAGE.match(/^\| `(\w+)`.*Left out by default\. .*$/gm) ?? [];
    expect(marked.map((line) => line.slice(3, line.indexOf('`', 3)))).toEqual([
      'access_key',
      'original_access_key',
    ]);
  });
});

describe('the dictionary of the live file', () => {
  it('has exactly the tables and columns of a real file, as declared there', () => {
    const described = LIVE_TABLES.map(({ name, key, columns }): [string, Declared] => [
      name,
      { key: [...key], columns: columns.map((column) => `${column.name} ${column.type}`).sort() },
    ]);
    expect(Object.fromEntries(described)).toEqual(tablesOfRealFile());
    expect(new Set(described.map(([name]) => name)).size).toBe(described.length);
  });

  it('names the tables that a foreign key refers to', () => {
    const referring = LIVE_TABLES.filter(({ foreignKeys }) => foreignKeys.length > 0);
    expect(referring.map(({ name, foreignKeys }) => [name, ...foreignKeys])).toEqual([
      ['run_failure', { columns: ['run_id'], table: 'run', references: ['run_id'] }],
      ['walk', { columns: ['run_id'], table: 'run', references: ['run_id'] }],
    ]);
  });
});

describe('every description', () => {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z]/g, '');

  it('is a sentence with more than the name', () => {
    const poor = ALL_COLUMNS.filter(({ description }) => !/^[A-Za-z01`].*\.$/s.test(description.trim()));
    expect(poor.map(({ at }) => at)).toEqual([]);
    const echoes = LIVE_COLUMNS.filter(({ name, description }) => plain(name) === plain(description));
    expect(echoes.map(({ at }) => at)).toEqual([]);
    const tables = [...LIVE_TABLES, ...PUBLISHED].filter(
      ({ description }) => !/^\S.{15,}\.$/s.test(description),
    );
    expect(tables.map(({ name }) => name)).toEqual([]);
  });

  it('is of one line', () => {
    const broken = [...ALL_COLUMNS, ...LIVE_TABLES, ...PUBLISHED].filter(({ description }) =>
      description.includes('\n'),
    );
    expect(broken).toEqual([]);
  });

  it.each([
    ['_at_ms or _until_ms', /_(at|until)_ms$|^at_ms$/, /^milliseconds since 1970/],
    ['duration_ms', /^duration_ms$/, /^milliseconds$/],
    ['bytes', /(^|_)bytes(_change)?$/, /^bytes$/],
    ['gib', /(^|_)gib(_change)?$/, /^GiB \(2\^30 bytes\)$/],
    ['seconds', /_seconds$/, /^seconds$/],
    ['sizes of storage', /^(mov_org|encoder|ad_org|ad_encoder|image)_size$/, /^bytes$/],
    ['counts of storage', /^(mov_org|encoder|ad_org|ad_encoder)_cnt$|^image_count$/, /^pieces$/],
  ])('has the unit of %s', (_what, name, unit) => {
    const found = ALL_COLUMNS.filter((column) => name.test(column.name));
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((column) => !unit.test(column.unit ?? '')).map(({ at }) => at)).toEqual([]);
  });

  it('has a unit for every moment, day and flag', () => {
    const timely = ALL_COLUMNS.filter(({ type }) => ['TIMESTAMP', 'DATE', 'BOOLEAN'].includes(type));
    expect(timely.filter(({ unit }) => !unit).map(({ at }) => at)).toEqual([]);
  });
});
