/** The values that each driver reads, compared with the live file. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { readValue } from '../support/fixtures/live-file.ts';
import {
  ALCHEMY,
  DRIVERS,
  ODBC,
  requireDrivers,
  type Driver,
  type Reader,
  type Row,
  type Rows,
} from './drivers.ts';
import { openHardAccount, type HardAccount } from './hard-account.ts';
import { LONG_TITLE, WILD_TITLE } from './hard-service.ts';
import { computeExpected, liveRows, rowsIn } from './published.ts';

const ALL = createMarts({ durationUnit: 'ms', exclude: [] }).all.map(({ name }) => name);
const BY_LIVE = ['packages', 'videos', 'video_history', 'video_versions', 'video_changes', 'storage_daily'];
const OTHERS = ALL.filter((name) => !BY_LIVE.includes(name));

let account: HardAccount;
let expected: Record<string, Rows>;

beforeAll(async () => {
  requireDrivers();
  account = await openHardAccount();
  expected = computeExpected(account.live);
  return () => account.close();
});

/** SQLite ODBC reads a REAL as text of 15 digits. */
const getDigits = (driver: Driver) => (driver === ODBC ? 15 : 17);

/** Rows in a fixed order, each column under its name. */
function comparable({ columns, rows }: Rows, digits: number): Record<string, Row[number]>[] {
  const cut = (value: Row[number] | undefined) =>
    typeof value === 'number' ? Number(value.toPrecision(digits)) : (value ?? null);
  const named = rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, cut(row[index])])));
  return named
    .map((row) => [JSON.stringify(row), row] as const)
    .sort(byFirst)
    .map(([, row]) => row);
}

function byFirst([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

describe('the data', () => {
  it('includes all difficult values', () => {
    const count = (query: string) => readValue(account.live, `select count(*) from ${query}`);
    expect(count('video where filesize = 9007199254740991')).toBe(1);
    expect(readValue(account.live, 'select sum(filesize) > 9007199254740991 from video')).toBe(1);
    expect(count(`video where title = '${LONG_TITLE}' and length(title) = 2000`)).toBe(1);
    expect(readValue(account.live, 'select title from video where id = 4')).toBe(WILD_TITLE);
    expect(count(`video where id = 5 and title is null and filesize is null`)).toBe(1);
    expect(count(`video where id = 6 and title = '' and filesize = 0`)).toBe(1);
    expect(count('video where removed_at is not null')).toBe(1);
    expect(count('video_version where removed_at is not null')).toBe(1);
    expect(count('video_version')).toBeGreaterThan(4);
    expect(count('video where extra is not null')).toBe(1);
    expect(count('storage_gap where given_up_at is not null')).toBeGreaterThan(0);
    expect(count('storage_gap where given_up_at is null')).toBeGreaterThan(0);
    expect(count(`quarantine where stream = 'storage'`)).toBeGreaterThan(0);
    expect(count('storage_day where image_size is null')).toBe(1);
    expect(count('storage_discrepancy')).toBeGreaterThan(0);
    expect(count(`storage_day where state = 'live'`)).toBe(1);
    expect(count('storage_correction')).toBe(1);
    expect(count('package where retired_at is not null')).toBe(1);
  });
});

describe('the size of each package of the config', () => {
  it('is the same today in its own row, and in that of the day', () => {
    const figures = 'package_key, video_count, size_bytes, duration_seconds';
    const today = liveRows(account.file, `select ${figures} from package_daily where is_live`);
    expect(today.length).toBe(2);
    expect(today).toEqual(liveRows(account.file, `select ${figures} from packages where not is_retired`));
  });
});

describe.each(DRIVERS)('$name', (driver: Driver) => {
  let reader: Reader;

  beforeAll(() => void (reader = driver.open(account.file, account.scripts)));
  afterAll(() => reader.close());

  const digits = getDigits(driver);

  it.each(BY_LIVE)('reads %s as the live file has it', async (table) => {
    const read = await reader.read(table);
    const wanted = expected[table];
    if (!wanted) throw new Error(table);
    expect(read.columns).toEqual(rowsIn(account.file, table).columns);
    expect(wanted.rows.length).toBeGreaterThan(0);
    expect(comparable(read, digits)).toEqual(comparable(reordered(wanted, read.columns), digits));
  });

  it.each(OTHERS)('reads the contents of %s', async (table) => {
    const there = rowsIn(account.file, table);
    expect(there.rows.length).toBeGreaterThan(0);
    expect(comparable(await reader.read(table), digits)).toEqual(comparable(there, digits));
  });

  if (driver === ALCHEMY)
    it('returns a data frame with dates as dates, and a large figure unchanged', async () => {
      const { types, rows } = await reader.send<{ types: string[]; rows: string[][] }>(
        'frame',
        `select day, observed_at, total_bytes, total_gib from storage_daily where day = :p1`,
        'day,observed_at',
        'date:2026-03-07',
      );
      expect(types).toEqual(['datetime64[ns]', 'datetime64[ns]', 'int64', 'float64']);
      const [day] = liveRows(account.live, `select * from storage_day where date = '2026-03-07'`);
      expect(String(day?.['mov_org_size'])).toBe('9007199254740991');
      expect(rows[0]?.slice(0, 2)).toEqual(['2026-03-07 00:00:00', '2026-03-08 03:00:00']);
      const { columns, rows: days } = rowsIn(account.file, 'storage_daily');
      const total = days.find((row) => row[1] === '2026-03-07')?.[columns.indexOf('total_bytes')];
      expect(rows[0]?.[2]).toBe(total);
    });
});

/** schema.slow.test.ts checks which columns exist; a driver must not omit one here. */
function reordered({ columns, rows }: Rows, as: readonly string[]): Rows {
  const places = as.map((name) => columns.indexOf(name));
  const unknown = as.filter((name) => !columns.includes(name));
  if (unknown.length > 0 || as.length !== columns.length)
    throw new Error(`not computed from the live file: ${unknown.join(', ')}`);
  return { columns: [...as], rows: rows.map((row) => places.map((place) => row[place] ?? null)) };
}
