import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LIVE_TABLES } from '../../docs/generate/live-tables.ts';
import { liveMarkdown } from '../../docs/generate/live-markdown.ts';
import { LEFT_OUT_BY_DEFAULT, PUBLISHED, tablesMarkdown } from '../../docs/generate/tables-markdown.ts';
import { openDatabase } from '../../src/database/connection.ts';
import { LEAST, load } from '../support/fixtures/load-config.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';

const PAGE = readFileSync('docs/tables.md', 'utf8');
const LIVE_PAGE = readFileSync('docs/contributing/live-file.md', 'utf8');

/** The text of a page under the heading of a table. */
const getSection = (page: string, name: string) =>
  page.split(/^##+ /m).find((text) => text.startsWith(`\`${name}\`\n`)) ?? '';

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

describe('the generated pages', () => {
  it('equal the output of the code', () => {
    expect(PAGE === tablesMarkdown(), 'docs/tables.md is stale: npm run docs').toBe(true);
    expect(LIVE_PAGE === liveMarkdown(), 'docs/contributing/live-file.md is stale: npm run docs').toBe(true);
  });

  it('have a section for every table and view, with each of their columns', () => {
    for (const { name, columns } of LIVE_TABLES)
      for (const column of columns) expect(getSection(LIVE_PAGE, name), name).toContain(`\`${column.name}\``);
    for (const { name, columns } of PUBLISHED.filter((mart) => mart.name !== 'videos_now'))
      for (const column of columns) expect(getSection(PAGE, name), name).toContain(`\`${column.name}\``);
  });

  it('of the published file has at most 2,500 words', () => {
    expect(
      PAGE.replaceAll('|', ' ')
        .split(/\s+/)
        .filter((word) => /\w/.test(word)).length,
    ).toBeLessThan(2500);
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
