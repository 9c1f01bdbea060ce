import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { queryJson, queryTable } from '../../../src/cli/output/query-text.ts';
import {
  queryCsv,
  openPublishedFile,
  type QueryResult,
  type SqlCell,
} from '../../../src/publishing/query-published.ts';
import { liveFileWith, packageRow, videoRow } from '../../support/fixtures/filled-live-file.ts';
import { published } from '../../support/fixtures/published-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'vodhouse-query-'));
const file = join(folder, 'bi.db');
afterAll(() => rmSync(folder, { recursive: true }));

/** What `read` makes of a query on a published file with three videos, which is made once. */
async function queried<T>(sql: string, read: (result: QueryResult) => T): Promise<T> {
  if (!existsSync(file)) {
    const live = liveFileWith(packageRow(101), videoRow(1), videoRow(2), videoRow(3));
    renameSync((await published(live)).file, file);
  }
  const before = readFileSync(file);
  const opened = openPublishedFile(file);
  try {
    return read(opened.query(sql));
  } finally {
    opened.close();
    expect(readFileSync(file).equals(before)).toBe(true);
  }
}

const csv = (result: QueryResult) => [...queryCsv(result)].join('');
const json = (result: QueryResult) => [...queryJson(result)].join('');
const table = (result: QueryResult) => queryTable(result).text;

describe('a query', () => {
  it('gives a table: numbers on the right, NULL as a word, and how many rows there are', async () => {
    const sql = "select video_id, title, null as none, '' as empty, x'0aff' as bytes from videos limit 2";
    expect(await queried(sql, table)).toBe(
      [
        'video_id  title    none  empty  bytes',
        "       1  Video 1  NULL         x'0aff'",
        "       2  Video 2  NULL         x'0aff'",
        '(2 rows)',
        '',
      ].join('\n'),
    );
    expect(await queried('select title from videos where 0', table)).toBe('title\n(0 rows)\n');
  });

  it('shows as many rows as a table has room for, and reports whether there are more', async () => {
    const sql = (rows: number) =>
      `with recursive n(x) as (select 1 union all select x + 1 from n where x < ${rows}) select x from n`;
    expect((await queried(sql(1000), queryTable)).isCut).toBe(false);
    const cut = await queried(sql(1001), queryTable);
    expect([cut.isCut, cut.text.endsWith('1000\n(1,000 rows)\n')]).toEqual([true, true]);
  });

  it('has all digits of an integer, and of a number', async () => {
    const sql = 'select 9223372036854775807 as big, 0.1 as tenth, 1e300 as large, 9e999 as infinite';
    expect(await queried(sql, csv)).toBe('big,tenth,large,infinite\n9223372036854775807,0.1,1e+300,9e999\n');
    expect(await queried(sql, json)).toContain(
      '{"big": 9223372036854775807, "tenth": 0.1, "large": 1e+300, "infinite": 9e999}',
    );
    expect(await queried(sql, table)).toContain('9223372036854775807');
  });

  it('gives one JSON document', async () => {
    const sql = "select video_id, null as none, 'a\"b' as text from videos limit 2";
    expect(JSON.parse(await queried(sql, json))).toEqual({
      columns: ['video_id', 'none', 'text'],
      rows: [
        { video_id: 1, none: null, text: 'a"b' },
        { video_id: 2, none: null, text: 'a"b' },
      ],
    });
    expect(JSON.parse(await queried('select 1 as x where 0', json))).toEqual({ columns: ['x'], rows: [] });
    await expect(queried('select 1 as a, 2 as a', json)).rejects.toThrow('two columns are named a');
  });

  it('gives CSV that a parser reads back, for all texts, with NULL and an empty text apart', () => {
    const cell = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(null, '', ',', '"', '\n', '\r\n', ' x '),
    );
    const rows = fc
      .integer({ min: 2, max: 4 })
      .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }));
    fc.assert(
      fc.property(rows, (given: SqlCell[][]) => {
        const columns = (given[0] ?? []).map((_, index) => `column ${index}`);
        const read = parse(csv({ columns, rows: given }), {
          cast: (value, { quoting }) => (value === '' && !quoting ? null : value),
        }) as unknown[][];
        expect(read).toEqual([columns, ...given]);
      }),
    );
  });
});

describe('the SQL', () => {
  it.each([
    ['selec 1', 'SQLite: near "selec": syntax error', undefined],
    ['select * from vidoes', 'SQLite: no such table: vidoes', /^did you mean videos\? vodhouse query "/],
    ['select v.titl from videos v', 'SQLite: no such column: v.titl', /^did you mean title\? /],
    ['select 1; select 2', 'more than one statement', /type one select/],
    ['', 'contains no statements', /type one select/],
    [' -- nothing', 'contains no statements', /type one select/],
    ['select ?', 'parameter', /with its values/],
    ['select :a', 'parameter', /with its values/],
    ['select ?, @b, $c', 'parameter', /with its values/],
    ["select json('x') from videos", 'SQLite: malformed JSON', undefined],
    ['delete from videos', 'the SQL would change something', /type one select/],
    ['delete from all_videos', 'the SQL would change something', /type one select/],
    ['create table x (y)', 'the SQL would change something', /type one select/],
    ["attach 'other.db' as other", 'the SQL would change something', /type one select/],
    ["vacuum into 'other.db'", 'the SQL would change something', /type one select/],
    ['pragma user_version = 7', 'the SQL would change something', /type one select/],
  ])('%s is refused: %s', async (sql, message, hint) => {
    const thrown: unknown = await queried(sql, csv).catch((error: unknown) => error);
    expect(thrown).toMatchObject({
      name: 'ConfigError',
      message: expect.stringContaining(message) as unknown,
      hint: hint === undefined ? undefined : (expect.stringMatching(hint) as unknown),
    });
  });

  it.each([
    ['a NUL character', 'select 1\0 + 1', /NUL/],
    ['a name of two lines', 'select * from "a\nb"', /^SQLite: no such table: a\ufffdb$/],
    ['a long name', `select ${'a'.repeat(100_000)}`, /^SQLite: no such column: a{283}…$/],
  ])('with %s is refused in one line', async (_, sql, message) => {
    await expect(queried(sql, csv)).rejects.toThrow(message);
  });

  it('may end with a semicolon, begin with a comment or a with, and be a pragma that reads', async () => {
    for (const sql of ['select 1;', '-- one\nselect 1', 'with a as (select 1) select * from a'])
      expect(await queried(sql, csv)).toMatch(/^.*\n1\n$/);
    expect(await queried('pragma table_info(about)', csv)).toContain('key');
  });
});
