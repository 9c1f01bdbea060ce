/** The published file through each driver that BI tools use: types, values, sums, days, recipes, and the swap of the file. */
import { accessSync, constants, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/database/sqlite.ts';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { hashFile, readRows, readValue } from '../support/fixtures/live-file.ts';
import { startAsReader } from './conversation.ts';
import {
  ALCHEMY,
  DRIVERS,
  JDBC,
  ODBC,
  parameterText,
  requireDrivers,
  type Description,
  type Parameter,
  type Reader,
  type Row,
  type Rows,
} from './drivers.ts';
import { openHardAccount, type HardAccount } from './hard-account.ts';
import { LONG_TITLE, WILD_TITLE } from './hard-service.ts';
import { BLOCKS, formatName, PAGE, PLACEHOLDER, readQueries } from './recipes.ts';

const MARTS = createMarts({ durationUnit: 'ms', exclude: [] }).documented;
const [DAY, NEXT] = ['2026-03-10', '2026-03-11'];
const EPOCH = Date.parse(DAY) / 1000;

let account: HardAccount;

beforeAll(async () => {
  requireDrivers();
  account = await openHardAccount();
  return () => account.close();
});

/** The rows of a query as better-sqlite3 reads them, in the form of the drivers. */
function query(sql: string, path = account.file): Rows {
  const db = new Database(path, { readonly: true });
  try {
    const statement = db.prepare(sql).safeIntegers().raw();
    const rows = statement.all() as (bigint | Row[number])[][];
    const columns = statement.columns().map(({ name }) => name);
    return { columns, rows: rows.map((row) => row.map((v) => (typeof v === 'bigint' ? `${v}` : v))) };
  } finally {
    db.close();
  }
}

/** SQLite ODBC reads a REAL as text of 15 digits. */
const comparable = ({ columns, rows }: Rows, digits: number) => ({
  columns,
  rows: rows
    .map((row) => JSON.stringify(row, (_, v: unknown) => (typeof v === 'number' ? v.toPrecision(digits) : v)))
    .sort(),
});

const daysFound = ({ columns, rows }: Rows) => [...new Set(rows.map((row) => row[columns.indexOf('day')]))];

/** Runs a program as a user who may not write; returns its output, or throws its error output. */
async function printed(command: string, parameters: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await startAsReader(command, parameters).ended;
  if (code !== 0 || stderr !== '') throw new Error(`${code}: ${stderr}`);
  return stdout;
}

describe('the file', () => {
  it('is made from all difficult values', () => {
    const count = (of: string) => readValue(account.live, `select count(*) from ${of}`);
    expect(readValue(account.live, 'select sum(filesize) > 9007199254740991 from video')).toBe(1);
    expect(count(`video where title = '${LONG_TITLE}' and length(title) = 2000`)).toBe(1);
    expect(readValue(account.live, 'select title from video where id = 4')).toBe(WILD_TITLE);
    for (const one of [
      'video where filesize = 9007199254740991',
      'video where id = 5 and title is null',
      `video where id = 6 and title = '' and filesize = 0`,
      'video where removed_at is not null',
      'video_version where removed_at is not null',
      'video where extra is not null',
      'storage_day where image_size is null',
      `storage_day where state = 'live'`,
      'storage_correction',
      'package where retired_at is not null',
    ])
      expect([one, count(one)]).toEqual([one, 1]);
    for (const some of [
      'video_version',
      'storage_gap where given_up_at is not null',
      'storage_discrepancy',
      'storage_gap where given_up_at is null',
      `quarantine where stream = 'storage'`,
    ])
      expect(count(some)).toBeGreaterThan(0);
  });

  it.each([
    ['all_videos', 'video', 's.change_seq = v.change_seq'],
    ['video_history', 'video_version', 's.change_seq = v.change_seq'],
  ])('has in %s the values of the live table %s', (table, live, join) => {
    const texts = { title: 'title', series: 'series', author: 'author', tags: 'tag', description: 'content' };
    const same = { size_bytes: 'filesize', width_pixels: 'v_width', frames_per_second: 'v_framerate' };
    const wrong = [
      ...Object.entries(texts).map(([name, field]) => `s.${name} is not nullif(v.${field}, '')`),
      ...Object.entries(same).map(([name, field]) => `s.${name} is not v.${field}`),
      's.duration_seconds is not v.duration / 1000.0',
      's.is_removed is not (v.removed_at is not null)',
    ];
    const db = new Database(account.live, { readonly: true });
    db.prepare('attach ? as p').run(account.file);
    const count = `select count(*) as n, count(s.change_seq) as there, count(*) filter (where ${wrong.join(' or ')}) as wrong
      from ${live} v left join p.${table} s on ${join}`;
    const found = db.prepare(count).get() as { n: number; there: number; wrong: number };
    db.close();
    expect(found).toEqual({ n: found.n, there: found.n, wrong: 0 });
    expect(found.n).toBeGreaterThan(4);
  });

  it('has the same size of a package today in its own row, and in that of the day', () => {
    const figures = 'package_key, video_count, size_bytes, duration_seconds';
    const today = query(`select ${figures} from package_daily where is_live`);
    expect(today.rows.length).toBe(3); // one of a package that left the config
    expect(today).toEqual(query(`select ${figures} from packages`));
  });

  it('cannot be changed by the user of the drivers', async () => {
    const test = 'test -r "$1" -a ! -w "$1" -a ! -w "$(dirname "$1")"';
    await printed('/bin/sh', ['-c', test, 'sh', account.file]);
    accessSync(account.file, constants.R_OK);
  });
});

/** The SQL type numbers of ODBC; above 255 characters the driver reports a text as long. */
const ODBC_NUMBERS: Record<string, readonly number[]> = {
  BIGINT: [-5],
  REAL: [8, 7],
  BOOLEAN: [-7],
  DATE: [91],
  TIMESTAMP: [93],
  TEXT: [-1],
  VARCHAR: [12],
  'VARCHAR(2000)': [-1],
};
/** SQLite's own statistics table, and what only views and vodhouse itself read; the driver lists them too. */
const STORAGE = ['video_history', 'video_edits', 'internals'];
const isOurs = ([name]: readonly [string, ...unknown[]]) =>
  !name.startsWith('sqlite_') && !STORAGE.includes(name);
const getBaseType = (type: string) => type.replace(/\(.*/, '');

/** The driver of each heading of docs/recipes.md; others are SQLite itself. */
const HEADINGS = {
  [ODBC.name]: 'ODBC: unixODBC, isql, pyodbc',
  [JDBC.name]: 'JDBC: DBeaver, and programs in Java',
  [ALCHEMY.name]: 'pandas and SQLAlchemy',
};
const QUERIES = readQueries('2026-03-01', '2026-04-01');

describe.each(DRIVERS)('$name', (driver) => {
  let reader: Reader;
  let found: Description;
  beforeAll(async () => {
    reader = driver.open(account.file, account.scripts);
    found = await reader.describe();
  });
  afterAll(() => reader.close());

  it('lists exactly the tables and views, and every column with the type that the dictionary names', () => {
    const tables = found.tables.filter(isOurs);
    expect(tables.sort()).toEqual(MARTS.map(({ name, kind }) => [name, kind]).sort());
    const dictionary = `select table_name, column_name, data_type from dictionary where column_name <> '*'`;
    const columns = found.columns.filter(isOurs).map(([table, column, type]) => [table, column, type]);
    expect(columns.sort()).toEqual(query(dictionary).rows.sort());
    const wrong = found.columns.filter(isOurs).filter(([, , type, more]) => {
      if (driver === JDBC) return more !== getBaseType(type); // the type of a result
      const numbers = ODBC_NUMBERS[type] ?? ODBC_NUMBERS[getBaseType(type)];
      return driver === ODBC && !numbers?.includes(Number(more));
    });
    expect(wrong).toEqual([]);
  });

  it.each(MARTS.map(({ name }) => name))('reads %s as it is, and does not change the file', async (table) => {
    const before = hashFile(account.file);
    const digits = driver === ODBC ? 15 : 17;
    const there = query(`select * from "${table}"`);
    expect(there.rows.length).toBeGreaterThan(0);
    expect(comparable(await reader.read(table), digits)).toEqual(comparable(there, digits));
    expect(hashFile(account.file)).toBe(before);
    expect(readdirSync(dirname(account.file))).toEqual(['vodhouse.bi.db']);
  });

  it('sums bytes beyond 2^32, and beyond 2^53', async () => {
    for (const condition of ['id < 1000 and filesize < 9007199254740991', '1 = 1']) {
      const wanted = query(`select sum(filesize) from video where ${condition}`, account.live).rows;
      const sum = `select sum(size_bytes) as bytes from all_videos where ${condition}`;
      const published = sum.replace('id <', 'video_id <').replace('filesize', 'size_bytes');
      expect((await reader.query(published)).rows).toEqual(wanted);
      expect(BigInt(wanted[0]?.[0] ?? 0)).toBeGreaterThan(2n ** 32n);
    }
  });

  it.each(['storage_daily', 'package_daily', 'dates'])(
    'finds exactly the rows of a day of %s',
    async (table) => {
      const { day, moment } = driver;
      const wanted = query(`select * from ${table} where day = '${DAY}'`);
      expect(wanted.rows.length).toBeGreaterThan(0);
      const joined = `select t.* from ${table} t join dates on dates.day = t.day where`;
      for (const rows of [
        await reader.query(`select * from ${table} where day between ? and ?`, day(DAY), day(DAY)),
        await reader.query(`${joined} dates.day_at >= ? and dates.day_at < ?`, moment(DAY), moment(NEXT)),
        await reader.query(
          `${joined} dates.time >= ? and dates.time < ?`,
          { integer: EPOCH },
          { integer: EPOCH + 86_400 },
        ),
      ])
        expect(comparable(rows, 10)).toEqual(comparable(wanted, 10));
    },
  );

  const blocks = QUERIES.filter(({ heading }) => heading === HEADINGS[driver.name]);
  it.each(blocks.map((block) => [formatName(block), block.text]))('has rows for %s', async (_, text) => {
    expect((await reader.query(text)).rows.length).toBeGreaterThan(0);
  });
});

describe('docs/recipes.md', () => {
  const others = QUERIES.filter(({ heading }) => !Object.values(HEADINGS).includes(heading));
  it.each(others.map((block) => [formatName(block), block]))('has rows for %s', (_, { heading, text }) => {
    const { columns, rows } = query(text);
    expect(rows.length).toBeGreaterThan(0);
    if (heading !== 'Grafana' || !/\btime\b/.test(text)) return;
    expect(columns[0]).toBe('time');
    for (const [time] of rows)
      expect(new Date(Number(time) * 1000).toISOString()).toMatch(/^2026-03-\d\dT00:00:00/);
  });

  it('connects as the tests do', () => {
    for (const text of [
      `DRIVER=SQLite3;Database=${PLACEHOLDER};BigInt=1\n`,
      `jdbc:sqlite:file:${PLACEHOLDER}?mode=ro&date_class=text&date_string_format=yyyy-MM-dd HH:mm:ss\n`,
      `sqlite:///file:${PLACEHOLDER}?mode=ro&uri=true\n`,
    ])
      expect(PAGE).toContain(text);
  });

  // drizzle-kit is run in test/publishing/drizzle-pull.slow
  const programs = BLOCKS.filter(
    ({ language, heading }) => ['python', 'sh'].includes(language) && heading !== 'Drizzle',
  );
  it.each(programs.map((block) => [formatName(block), block]))('runs %s', async (_, { language, text }) => {
    const command = language === 'python' ? '/usr/bin/python3' : '/bin/bash';
    const output = await printed(command, ['-c', text.replaceAll(PLACEHOLDER, account.file)]);
    expect(output.split('\n').length).toBeGreaterThan(3);
  });

  it('is right that ODBC gives max(day) as text, and JDBC reads a day by getString only', async () => {
    const program = `import pyodbc
row = pyodbc.connect("DRIVER=SQLite3;Database=${account.file};BigInt=1").execute(
    "select max(day), (select day from storage_daily limit 1), day from storage_daily").fetchone()
print(type(row[0]).__name__, type(row[2]).__name__)`;
    expect(await printed('/usr/bin/python3', ['-c', program])).toBe('str date\n');
    const reader = JDBC.open(account.file, account.scripts);
    await expect(reader.send('date', 'select day from storage_daily')).rejects.toThrow('Error parsing date');
    await reader.close();
  });
});

it('a data frame of pandas has dates as dates, and a large figure unchanged', async () => {
  const reader = ALCHEMY.open(account.file, account.scripts);
  const select = 'select day, observed_at, total_bytes, total_gib from storage_daily where day =';
  const { types, rows } = await reader.send<{ types: string[]; rows: string[][] }>(
    ...(['frame', `${select} :p1`, 'day,observed_at', 'date:2026-03-07'] as const),
  );
  expect(types).toEqual(['datetime64[ns]', 'datetime64[ns]', 'int64', 'float64']);
  expect(rows[0]?.slice(0, 2)).toEqual(['2026-03-07 00:00:00', '2026-03-08 03:00:00']);
  expect(rows[0]?.[2]).toBe(query(`${select} '2026-03-07'`).rows[0]?.[2]);
  await reader.close();
});

/** docs/recipes.md warns of these forms. If one works in a later version, the warning can be removed. */
describe('the pitfalls in docs/recipes.md exist', () => {
  const range = 'select day from dates where day_at >= ? and day_at < ?';
  const bounds = [{ timestamp: `${DAY} 00:00:00` }, { timestamp: `${NEXT} 00:00:00` }] as const;

  it('ODBC: a range of bound timestamps is a day late; without BigInt=1 a sum of bytes is wrong, one of GiB right', async () => {
    const [reader, plain] = ['BigInt=1', 'FKSupport=0'].map((options) =>
      ODBC.open(account.file, account.scripts, options),
    ) as [Reader, Reader];
    expect(daysFound(await reader.query(range, ...bounds))).toEqual([NEXT]);
    const sums = 'select sum(size_gib) as gib, sum(size_bytes) as bytes from all_videos';
    const [[gib, bytes] = []] = (await plain.query(sums)).rows;
    const wanted = readRows(account.live, 'select sum(filesize) / 1073741824.0 as gib from video')[0]?.[
      'gib'
    ];
    expect(gib).toBeCloseTo(Number(wanted), 5);
    expect(bytes).not.toBe(query(sums).rows[0]?.[1]);
    await Promise.all([reader.close(), plain.close()]);
  });

  it('SQLAlchemy: its own TIMESTAMP is a day late; its own DATE is right', async () => {
    const reader = ALCHEMY.open(account.file, account.scripts);
    const own = (column: string, first: Parameter, last: Parameter) =>
      reader.send<Rows>('between', 'dates', column, parameterText(first), parameterText(last));
    expect(daysFound(await own('day_at', ...bounds))).toEqual([NEXT]);
    expect(daysFound(await own('day', { date: DAY }, { date: DAY }))).toEqual([DAY]);
    await reader.close();
  });

  it('JDBC: a bound date is milliseconds, unless the address has another option', async () => {
    const reader = JDBC.open(account.file, account.scripts, 'cache=private');
    expect(daysFound(await reader.query(range, ...bounds))).toEqual([]);
    expect((await reader.query('select typeof(?) as kind', { date: DAY })).rows).toEqual([['integer']]);
    await reader.close();
  });
});

describe('a reader', () => {
  it('uses the old file until it opens again, and then gets the new one', async () => {
    const content = `select package_key, video_id, change_seq, valid_from, valid_to, title from video_versions
      order by video_key, version_number`;
    const publishedAt = `select value from about where key = 'published_at'`;
    const old = query(content).rows;
    const readers = DRIVERS.map((driver) => driver.open(account.file, account.scripts));
    const queryAll = (sql: string) =>
      Promise.all(readers.map(async (reader) => (await reader.query(sql)).rows));
    const ofEach = (rows: unknown) => readers.map(() => rows);
    expect(await queryAll(publishedAt)).toEqual(ofEach([['2026-03-16 03:00:00']]));
    account.service.editAgain();
    await account.syncAndPublish('2026-03-17T03:00:00Z');
    // no reader has read these pages before: their rows come from the file that it has open
    expect(await queryAll(content)).toEqual(ofEach(old));
    await Promise.all(readers.map((reader) => reader.reopen()));
    expect(await queryAll(publishedAt)).toEqual(ofEach([['2026-03-17 03:00:00']]));
    expect(await queryAll(content)).toEqual(ofEach(query(content).rows));
    expect(query(content).rows).toContainEqual(expect.arrayContaining(['main/101', '12', 'round 3']));
    await Promise.all(readers.map((reader) => reader.close()));
  });
});
