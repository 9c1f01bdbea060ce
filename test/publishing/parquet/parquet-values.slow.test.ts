import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../../src/database/sqlite.ts';
import { DuckDBInstance } from '@duckdb/node-api';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DataType } from '../../../src/publishing/mart.ts';
import { writeParts } from '../../../src/publishing/parquet/parquet-parts.ts';
import { HOSTILE } from '../../support/fixtures/hostile-texts.ts';
import { temporaryFolder } from '../../support/fixtures/temporary-folder.ts';

type Cell = string | number | bigint | null;
type Values = Partial<Record<DataType, readonly Cell[]>>;

const TYPES = ['BIGINT', 'REAL', 'BOOLEAN', 'DATE', 'TIMESTAMP', 'TEXT'] as const;

/** Each type's hard values. */
const HARD: Record<(typeof TYPES)[number], readonly Cell[]> = {
  BIGINT: [
    ...[0n, 1n, -1n, 255n, 65_536n, 2n ** 31n - 1n, 2n ** 31n, -(2n ** 31n), 2n ** 32n, -(2n ** 32n) - 1n],
    ...[2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) + 1n, -(2n ** 53n) - 1n],
    ...[2n ** 63n - 1n, -(2n ** 63n), null],
  ],
  REAL: [
    ...[0, 1.5, -1.5, 29.97, 0.1, 2 ** 53, 5e-324, Number.MAX_VALUE, -Number.MAX_VALUE],
    ...[Infinity, -Infinity, null],
  ],
  BOOLEAN: [1, 0, 0, 1, 1, 1, 0, 1, null, 1],
  DATE: ['0001-01-01', '1969-12-31', '1970-01-01', '2026-02-28', '9999-12-31', null],
  TIMESTAMP: [
    ...['0001-01-01 00:00:00', '1969-12-31 23:59:59', '1970-01-01 00:00:01', '2026-03-10 03:04:05'],
    ...['9999-12-31 23:59:59', null],
  ],
  TEXT: [
    ...[...HOSTILE, 'a\0b', '\0', '', ' ', '😀', '\uffff', '\u{10ffff}', '\ue000', 'é', '강의', 'z'],
    ...['line\r\nbreak', String.fromCharCode(0xd83d), 'q'.repeat(24), 'é'.repeat(24), 'é'.repeat(25), null],
  ],
};

/** A table with a column for each type; values that are fewer are repeated. Rows have a number, `id`. */
function createTable(values: Values, rows: number): Database {
  const db = new Database(':memory:');
  const types = Object.keys(values) as DataType[];
  db.exec(`create table rows (id BIGINT, ${types.map((type) => `"${type}" ${type}`).join(', ')})`);
  const lists = Object.values(values);
  const insert = db.prepare(`insert into rows values (?, ${types.map(() => '?').join(', ')})`);
  db.transaction(() => {
    for (let id = 0; id < rows; id++) insert.run(id, ...lists.map((list) => list[id % list.length]));
  })();
  return db;
}

const toColumn = (name: string, type: DataType, expression?: string) => ({
  ...{ name, type, unit: null, description: '', source: null, additivity: null },
  ...(expression === undefined ? {} : { expression }),
});

/** Writes all rows, and opens them in DuckDB as the view `rows`. */
async function openInDuckDb(
  db: Database,
  types: readonly DataType[],
  expressions: Partial<Record<DataType, string>> = {},
) {
  const columns = [toColumn('id', 'BIGINT'), ...types.map((type) => toColumn(type, type, expressions[type]))];
  const limits = { maxRows: 1e6, maxBytes: 1e9, compression: 'snappy', facts: {} } as const;
  const query = { columns, from: 'from rows t order by id', parameters: {} };
  const [part] = writeParts(db, query, { ...limits, required: ['id'] });
  const path = join(temporaryFolder(), 'rows.parquet');
  writeFileSync(path, Buffer.concat(part?.body ?? []));
  const duck = await (await DuckDBInstance.create()).connect();
  const read = async (sql: string): Promise<unknown[][]> => (await duck.runAndReadAll(sql)).getRows();
  await read(`create view rows as select * from '${path}'`);
  const metadata = (columns: string) =>
    read(`select ${columns} from parquet_metadata('${path}') order by row_group_id, column_id`);
  return { read, metadata };
}

/** What DuckDB gives for a column, in the forms of SQLite. */
function toSqlite(type: DataType): string {
  if (type === 'DATE') return `lpad(strftime("DATE", '%Y-%m-%d'), 10, '0')`;
  if (type === 'TIMESTAMP') return `lpad(strftime("TIMESTAMP", '%Y-%m-%d %H:%M:%S'), 19, '0')`;
  return type === 'BOOLEAN' ? '"BOOLEAN"::bigint' : `"${type}"`;
}

/** Expects that DuckDB reads what SQLite has. */
async function expectSame(db: Database, types: readonly DataType[]): Promise<void> {
  const { read } = await openInDuckDb(db, types);
  const rows = await read(`select id, ${types.map(toSqlite).join(', ')} from rows order by id`);
  const names = types.map((type) => `"${type}"`).join(', ');
  const expected = db.prepare(`select id, ${names} from rows order by id`).safeIntegers().raw().all();
  expect(rows.length).toBe(expected.length);
  for (const [index, row] of rows.entries())
    if (!isSame(row, expected[index] as unknown[])) expect(row).toEqual(expected[index]);
}

const isSame = (one: unknown[], other: unknown[]) =>
  one.every((value, index) => Object.is(value, other[index]));

/** A text that has no repetitions. */
const toNoise = (seed: number, length: number) =>
  createHash('shake256', { outputLength: length }).update(`${seed}`).digest('base64').slice(0, length);

describe('values in Parquet', () => {
  it('of every type are those of SQLite, as DuckDB reads them, PLAIN and with a dictionary', async () => {
    for (const rows of [1, 7, 40, 10_001]) await expectSame(createTable(HARD, rows), TYPES);
  });

  it('keep -0, NULL alone, and integers beyond 2^53 next to others', async () => {
    const db = createTable({ BIGINT: [2n ** 53n + 1n, 5n, null], REAL: [0, 1, 2], TEXT: [null] }, 5000);
    const { read } = await openInDuckDb(db, ['BIGINT', 'REAL', 'TEXT'], {
      REAL: 'case when t."REAL" = 1 then -1e-324 * 0.1 else t."REAL" end',
    });
    const rows = await read('select "BIGINT", "REAL", "TEXT" from rows where id < 3 order by id');
    expect(rows).toEqual([
      [2n ** 53n + 1n, 0, null],
      [5n, -0, null],
      [null, 2, null],
    ]);
  });

  it('are the same for any number of different values, and of NULLs between them', async () => {
    const column = fc.record({
      different: fc.constantFrom(1, 2, 3, 9, 2499, 2500, 2501, 20_000),
      nulls: fc.constantFrom(0, 2, 9, 300),
    });
    const rows = fc.constantFrom(1, 8, 9, 250, 9999, 10_000, 10_001, 12_345);
    await fc.assert(
      fc.asyncProperty(rows, column, async (rows, { different, nulls }) => {
        const seeds = Array.from({ length: Math.min(rows, 12_345) }, (_, index) => {
          return nulls > 0 && index % nulls < nulls / 3 ? null : (index * 7919) % different;
        });
        const list = (toCell: (seed: number) => Cell) =>
          seeds.map((seed) => (seed === null ? null : toCell(seed)));
        const values: Values = {
          BIGINT: list((seed) => BigInt(seed) * 1_234_567_891n),
          REAL: list((seed) => seed / 7),
          TEXT: list((seed) => `${'덱'.repeat(seed % 11)}${seed}`),
          BOOLEAN: list((seed) => seed % 2),
          DATE: list((seed) => new Date(seed * 86_400_000).toISOString().slice(0, 10)),
        };
        await expectSame(createTable(values, rows), Object.keys(values) as DataType[]);
      }),
      { numRuns: 12 },
    );
  });

  it('that are long are divided into pages, and end a row group early', async () => {
    const long = Array.from({ length: 270 }, (_, index) =>
      index % 3 ? `${'x'.repeat(400_000)}${index}` : null,
    );
    const db = createTable({ TEXT: long }, 270);
    await expectSame(db, ['TEXT']);
    const { metadata } = await openInDuckDb(db, ['TEXT']);
    expect(await metadata(`row_group_num_rows, path_in_schema`)).toEqual([
      ...[
        [128n, 'id'],
        [128n, 'TEXT'],
        [128n, 'id'],
        [128n, 'TEXT'],
        [14n, 'id'],
        [14n, 'TEXT'],
      ],
    ]);
    const texts = Array.from({ length: 9000 }, (_, index) => (index % 3 ? `${index} `.repeat(100) : null));
    await expectSame(createTable({ TEXT: texts }, 9000), ['TEXT']);
  });

  it('are the same after any compression: texts with repetitions near and far, within 64 KiB and beyond', async () => {
    const piece = fc.record({
      seed: fc.integer(),
      length: fc.oneof(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 70_000 })),
      times: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 400 })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 5 }), async (pieces) => {
        const texts = pieces.map(({ seed, length, times }) =>
          toNoise(seed, length).repeat(Math.min(times, Math.ceil(200_000 / length))),
        );
        await expectSame(createTable({ TEXT: [...texts, texts.join(''), ''] }, pieces.length + 2), ['TEXT']);
      }),
      { numRuns: 25 },
    );
  });

  it.each([
    ['BIGINT', 'never', 'the column BIGINT has "never", which is no integer'],
    ['BIGINT', 1.5, 'the column BIGINT has 1.5, which is no integer'],
    ['REAL', 'x', 'the column REAL has "x", which is no number'],
    ['BOOLEAN', 2, 'the column BOOLEAN has 2, which is no boolean'],
  ] as const)('of another type than %s are refused: %s', async (type, value, message) => {
    await expect(openInDuckDb(createTable({ [type]: [value] }, 1), [type])).rejects.toThrow(message);
  });
});

describe('statistics in Parquet', () => {
  /** Sorted, so that each row group has other values. */
  const SORTED: Record<(typeof TYPES)[number], (index: number) => Cell> = {
    BIGINT: (index) => (BigInt(index) - 15_000n) * (index > 25_000 ? 2n ** 48n : 3n),
    REAL: (index) => (index - 15_000) / 8,
    BOOLEAN: (index) => (index >= 20_000 ? 1 : 0),
    DATE: (index) => new Date(Math.floor((index - 20_000) / 10) * 86_400_000).toISOString().slice(0, 10),
    TIMESTAMP: (index) => new Date((index - 15_000) * 1000).toISOString().slice(0, 19).replace('T', ' '),
    TEXT: (index) =>
      String.fromCodePoint(
        [0x41, 0xe9, 0xac00, 0xffff, 0x1f600, 0x10ffff][Math.floor(index / 5000)] ?? 0,
      ).repeat(2 + (Math.floor(index / 2500) % 2) * 9) + String(index % 5000).padStart(4, '0'),
  };
  const ROWS = 30_000;
  const values = Object.fromEntries(
    TYPES.map((type) => [
      type,
      Array.from({ length: ROWS }, (_, index) => (index % 97 === 5 ? null : SORTED[type](index))),
    ]),
  ) as Record<(typeof TYPES)[number], Cell[]>;

  it('hide no row from a query that reads only what they let through', async () => {
    const db = createTable(values, ROWS);
    const { read } = await openInDuckDb(db, TYPES);
    for (const type of TYPES) {
      for (const index of [0, 1, 2499, 4999, 9999, 10_000, 15_000, 19_999, 20_000, 24_999, 25_000, 29_999]) {
        const value = values[type][index] ?? null;
        if (value === null) continue;
        const literal = typeof value === 'string' ? `'${value}'` : String(value);
        for (const operator of ['=', '<', '<=', '>', '>=']) {
          const count = 'select count(*) from rows where';
          const [expected] = db
            .prepare(`${count} "${type}" ${operator} ${literal}`)
            .safeIntegers()
            .raw()
            .all();
          const typed = type === 'BOOLEAN' ? `${literal}::boolean` : literal;
          const [actual] = await read(`${count} "${type}" ${operator} ${typed}`);
          expect(actual, `${type} ${operator} ${literal}`).toEqual(expected);
        }
      }
      const nulls = await read(`select count(*) from rows where "${type}" is null`);
      expect(nulls, type).toEqual([[BigInt(values[type].filter((value) => value === null).length)]]);
    }
  });

  it('are the least and the greatest value of each row group, texts cut to 16 bytes', async () => {
    const { metadata } = await openInDuckDb(createTable(values, ROWS), TYPES);
    const facts = await metadata(
      'path_in_schema, stats_min_value, stats_max_value, stats_null_count, min_is_exact, max_is_exact',
    );
    const of = (name: string) => facts.filter(([path]) => path === name).map((fact) => fact.slice(1));
    expect(of('id').map(([min, max]) => [min, max])).toEqual([
      ['0', '9999'],
      ['10000', '19999'],
      ['20000', '29999'],
    ]);
    expect(of('REAL')[1]?.slice(0, 3)).toEqual(['-625.0', '624.875', 103n]);
    expect(of('TEXT').map(([min, max]) => [min, max])).toEqual([
      ['AA0000', 'éééééééê'],
      ['가가0000', '\u{ffff}\u{ffff}\u{ffff}\u{ffff}\u{10000}'],
      [null, null], // no text of 16 bytes comes after the greatest one
    ]);
  });

  it('of doubles hold both zeros, because a reader may take either for the other', async () => {
    const { metadata } = await openInDuckDb(createTable({ REAL: [0] }, 9), ['REAL']);
    const [, real] = await metadata('stats_min_value, stats_max_value');
    expect(real).toEqual(['-0.0', '0.0']);
  });
});
