import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../../src/database/sqlite.ts';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import {
  writeParts,
  writePartsInSteps,
  type ParquetColumn,
  type ParquetPart,
  type PartOptions,
} from '../../../src/publishing/parquet/parquet-parts.ts';
import type { DataType } from '../../../src/publishing/mart.ts';
import { temporaryFolder } from '../../support/fixtures/temporary-folder.ts';

const column = (name: string, type: DataType, expression?: string): ParquetColumn => ({
  ...{ name, type, unit: null, description: '', source: null, additivity: null },
  ...(expression === undefined ? {} : { expression }),
});

const OPTIONS: PartOptions = {
  required: ['id'],
  facts: { 'vodhouse.table': 'numbers' },
  compression: 'snappy',
  maxRows: 25_000,
  maxBytes: 64e6,
};

/** A table `numbers` of n rows. */
function createNumbers(n: number): Database {
  const db = new Database(':memory:');
  db.exec(`create table numbers (id BIGINT, change_seq BIGINT, title TEXT);
with recursive n(id) as (select 1 union all select id + 1 from n where id < ${n})
insert into numbers select id, 7 + id * 13 % 101, 'title ' || id from n where ${n} > 0`);
  return db;
}

const NUMBERS = {
  columns: [
    column('id', 'BIGINT'),
    column('change_seq', 'BIGINT'),
    column('title', 'TEXT'),
    column('warehouse_id', 'TEXT', ':warehouse'),
  ],
  from: 'from numbers t where t.id > :after order by t.id',
  parameters: { warehouse: 'w', after: 0 },
};

/** The rows of a query over the file `part`, as DuckDB reads it. */
async function query(part: ParquetPart, sql: string) {
  const path = join(temporaryFolder(), 'part.parquet');
  writeFileSync(path, Buffer.concat(part.body));
  const db = await (await DuckDBInstance.create()).connect();
  return (await db.runAndReadAll(sql.replaceAll('$part', `'${path}'`))).getRowsJS();
}

describe('the parts of a query', () => {
  it('each are a whole file, with the facts that a list of files needs', async () => {
    const parts = [...writeParts(createNumbers(60_000), NUMBERS, OPTIONS)];
    expect(parts.map(({ rows }) => rows)).toEqual([25_000, 25_000, 10_000]);
    let first = 1n;
    for (const part of parts) {
      const bytes = Buffer.concat(part.body);
      expect(part.bytes).toBe(bytes.length);
      expect(part.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
      expect(
        await query(
          part,
          `select count(*), min(id), max(id), min(warehouse_id), min(change_seq), max(change_seq),
          count(*) filter (title = 'title ' || id) from $part`,
        ),
      ).toEqual([
        [BigInt(part.rows), first, first + BigInt(part.rows) - 1n, 'w', 7n, 107n, BigInt(part.rows)],
      ]);
      expect([part.minChangeSeq, part.maxChangeSeq]).toEqual([7, 107]);
      expect(await query(part, 'select decode(key), decode(value) from parquet_kv_metadata($part)')).toEqual([
        ['vodhouse.table', 'numbers'],
      ]);
      first += BigInt(part.rows);
    }
  });

  it('end where one is full: by rows, also within a row group, and by bytes', () => {
    const db = createNumbers(30_000);
    const count = (options: Partial<PartOptions>) =>
      [...writeParts(db, NUMBERS, { ...OPTIONS, ...options })].map(({ rows }) => rows);
    expect(count({ maxRows: 12_000 })).toEqual([12_000, 12_000, 6_000]);
    expect(count({ maxRows: 30_000 })).toEqual([30_000]);
    expect(count({ maxBytes: 1 })).toEqual([10_000, 10_000, 10_000]);
    const [group] = writeParts(db, NUMBERS, { ...OPTIONS, maxRows: 10_000 });
    expect(count({ maxRows: 25_000, maxBytes: group?.bytes ?? 0 })).toEqual([20_000, 10_000]);
  });

  it('are none without rows, and know no change_seq where the table has none', () => {
    expect([...writeParts(createNumbers(0), NUMBERS, OPTIONS)]).toEqual([]);
    const columns = [column('id', 'BIGINT')];
    const [part] = [...writeParts(createNumbers(1), { ...NUMBERS, columns }, OPTIONS)];
    expect(part).toMatchObject({ rows: 1, minChangeSeq: null, maxChangeSeq: null });
  });

  it('are made in steps of a row group, so that the process can do something else between', () => {
    const steps = [...writePartsInSteps(createNumbers(60_000), NUMBERS, OPTIONS)];
    expect(steps.map((part) => part?.rows ?? null)).toEqual([null, null, 25_000, null, null, 25_000, 10_000]);
  });

  it('compressed with gzip have the same rows in fewer bytes', async () => {
    const [snappy] = writeParts(createNumbers(1000), NUMBERS, OPTIONS);
    const [gzip] = writeParts(createNumbers(1000), NUMBERS, { ...OPTIONS, compression: 'gzip' });
    if (!gzip || !snappy) throw new Error('no part');
    expect(await query(gzip, 'select * from $part')).toEqual(await query(snappy, 'select * from $part'));
    expect(await query(gzip, 'select distinct compression from parquet_metadata($part)')).toEqual([['GZIP']]);
    expect(gzip.bytes).toBeLessThan(snappy.bytes);
  });
});
