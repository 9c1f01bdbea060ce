import { Readable } from 'node:stream';
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openExports, type Export } from '../../src/publishing/export.ts';
import {
  change,
  liveFileWith,
  packageRow,
  storageRow,
  videoRow,
} from '../support/fixtures/filled-live-file.ts';
import { HOSTILE } from '../support/fixtures/hostile-texts.ts';
import { execute } from '../support/fixtures/live-file.ts';
import { published } from '../support/fixtures/published-file.ts';

/** Texts that are hard to store, numbers at the ends of their range, and a video that has nothing. */
function hostileFile(): string {
  const texts = [...HOSTILE, 'a\0b', '😀', '', ' ', 'line\r\nbreak', String.fromCharCode(0xd83d)];
  return liveFileWith(
    packageRow(101),
    ...texts.map((title, index) =>
      videoRow(index + 1, { title, tag: title, content: title }).replaceAll('\0', `' || char(0) || '`),
    ),
    videoRow(900, { filesize: Number.MAX_SAFE_INTEGER, duration: 1, v_framerate: 29.97 }),
    videoRow(901, {
      filesize: 0,
      duration: 1e308,
      title: null,
      cdate: '0001-01-01 00:00:00',
      v_framerate: -0,
    }),
    videoRow(902, { cdate: '9999-12-31 23:59:59', removed_at: '2026-03-02 00:00:00' }),
    videoRow(903, { cdate: 'never', duration: null, filesize: null }),
    change(1, '2026-03-05 00:00:00', `title = 'another'`),
    storageRow('2026-02-28', 2 ** 40),
    storageRow('2026-03-01', null, { state: 'live' }),
  );
}

function open(file: string, table: string): Export {
  const exports = openExports(file);
  onTestFinished(() => exports.close());
  return exports.open(table);
}

/** Rows of a Parquet file, in the forms of SQLite, and the type of each column. */
async function readParquet(source: Export): Promise<{ rows: unknown[][]; types: Record<string, string> }> {
  const bytes = Buffer.concat(await Readable.from(source.parquet()).toArray());
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const { children } = parquetSchema(parquetMetadata(file));
  const types = Object.fromEntries(
    children.map(({ element: { name, type, logical_type: logical } }) => [
      name,
      [type, logical?.type, logical && 'isAdjustedToUTC' in logical && logical.isAdjustedToUTC && 'UTC']
        .filter(Boolean)
        .join(' '),
    ]),
  );
  const toSqlite = (value: unknown, type = ''): unknown => {
    if (value instanceof Date)
      return value
        .toISOString()
        .slice(0, type.includes('TIMESTAMP') ? 19 : 10)
        .replace('T', ' ');
    return typeof value === 'boolean' ? BigInt(value) : (value ?? null);
  };
  const rows = (await parquetReadObjects({ file })).map((row) =>
    Object.entries(row).map(([name, value]) => toSqlite(value, types[name])),
  );
  return { rows, types };
}

const TYPES = {
  video_id: 'INT64',
  changed_at: 'INT64 TIMESTAMP UTC',
  changed_day: 'INT32 DATE',
  created_at: 'INT64 TIMESTAMP',
  created_day: 'INT32 DATE',
  is_removed: 'BOOLEAN',
  duration_seconds: 'DOUBLE',
  title: 'BYTE_ARRAY STRING',
};

describe('an export', () => {
  it('of any table to Parquet has every value, and types that say what it is', async () => {
    const { file, select } = await published(hostileFile());
    const names = select(
      "select name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite%' and name not in ('video_history', 'video_edits', 'internals')",
    );
    expect(names.length).toBeGreaterThan(12);
    for (const { name } of names) {
      const table = String(name);
      const source = open(file, table);
      const expected = [...source.rows()];
      const { rows, types } = await readParquet(source);
      expect(rows, table).toEqual(expected);
      if (table === 'all_videos') expect(types).toMatchObject(TYPES);
    }
  });

  it('of many rows to Parquet is written in groups', async () => {
    const live = liveFileWith(packageRow(101));
    execute(
      live,
      `with recursive n(id) as (select 1 union all select id + 1 from n where id < 25000)
insert into video (account, package_id, id, title, first_seen_at, changed_at, change_seq)
select 'main', 101, id, 'title ' || id, '2026-03-01 03:00:00', '2026-03-01 03:00:00', id from n;
update warehouse_state set change_seq = 25000`,
    );
    const { file } = await published(live);
    const source = open(file, 'videos');
    expect((await Readable.from(source.parquet()).toArray()).length).toBe(6); // five groups, and the footer
    expect(source.getCount()).toBe(25_000);
    const { rows } = await readParquet(source);
    const place = source.columns.findIndex(({ name }) => name === 'video_id');
    expect(rows.findIndex((row, index) => Number(row[place]) !== index + 1)).toBe(-1);
  });

  it('says which tables there are', async () => {
    const { file } = await published(liveFileWith(packageRow(101), videoRow(1)));
    expect(() => open(file, 'vidoes')).toThrow('nothing that is published is named vidoes');
    expect(() => open(`${file}.none`, 'videos')).toThrow('there is no published file');
  });
});
