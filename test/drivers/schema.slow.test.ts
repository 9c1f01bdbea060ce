/** The published file through each driver: tables, column types, foreign keys. */
import { accessSync, constants, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { hashFile, readRows } from '../support/fixtures/live-file.ts';
import { startAsReader } from './conversation.ts';
import {
  DRIVERS,
  JDBC,
  ODBC,
  requireDrivers,
  type Description,
  type Driver,
  type Reader,
} from './drivers.ts';
import { openHardAccount, type HardAccount } from './hard-account.ts';

let account: HardAccount;

beforeAll(async () => {
  requireDrivers();
  account = await openHardAccount();
  return () => account.close();
});

/** The SQL type numbers of ODBC. */
const ODBC_NUMBERS: Record<string, readonly number[]> = {
  BIGINT: [-5],
  REAL: [8, 7],
  BOOLEAN: [-7],
  DATE: [91],
  TIMESTAMP: [93],
  TEXT: [-1],
  VARCHAR: [12],
  'VARCHAR(2000)': [-1], // above 255 the driver reports it as long
};

/** SQLite's own statistics table; the driver lists it too. */
const isOurs = ([name]: readonly [string, ...unknown[]]) => !name.startsWith('sqlite_');
const getBaseType = (type: string) => type.replace(/\(.*/, '');

/** The columns of all tables, without the rows of the tables themselves. */
function dictionary() {
  const rows = readRows(
    account.file,
    "select table_name, column_name, data_type from dictionary where column_name <> '*'",
  );
  return rows.map(
    (row) => [row['table_name'], row['column_name'], row['data_type']] as [string, string, string],
  );
}

describe('the contents of the file', () => {
  it('are in its dictionary: exactly the columns of every table and view', () => {
    const columns = readRows(
      account.file,
      `select m.name as "table", c.name as "column", c.type
       from sqlite_schema m join pragma_table_info(m.name) c
       where m.type in ('table', 'view') and m.name not like 'sqlite\\_%' escape '\\'`,
    );
    expect(columns.map((row) => Object.values(row)).sort()).toEqual(dictionary().sort());
    expect(columns.length).toBeGreaterThan(200);
  });

  it('cannot be changed by the user of the drivers', async () => {
    const child = startAsReader('/bin/sh', [
      '-c',
      'test -r "$1" -a ! -w "$1" -a ! -w "$(dirname "$1")"',
      'sh',
      account.file,
    ]);
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    accessSync(account.file, constants.R_OK);
  });
});

describe.each(DRIVERS)('$name', (driver: Driver) => {
  let reader: Reader;
  let found: Description;

  beforeAll(async () => {
    reader = driver.open(account.file, account.scripts);
    found = await reader.describe();
  });
  afterAll(() => reader.close());

  it('lists exactly the tables and views, each with its kind', () => {
    const { all } = createMarts({ durationUnit: 'ms', exclude: [] });
    const expected = all.map(({ name, kind }) => [name, kind]);
    expect(found.tables.filter(isOurs).sort()).toEqual(expected.sort());
    const others = found.tables.filter((table) => !isOurs(table)).map(([name]) => name);
    expect(['sqlite_stat1', 'sqlite_stat4']).toEqual(expect.arrayContaining(others));
  });

  it('gives every column the type that the dictionary names', () => {
    const types = found.columns.filter(isOurs).map(([table, column, type]) => [table, column, type]);
    expect(types.sort()).toEqual(dictionary().sort());
  });

  it('lists the foreign keys as they are declared', () => {
    const { all } = createMarts({ durationUnit: 'ms', exclude: [] });
    const declared = all.flatMap((mart) =>
      mart.kind === 'table'
        ? mart.foreignKeys.map(({ columns, table, references }) => [mart.name, columns, table, references])
        : [],
    );
    expect(declared.length).toBeGreaterThan(4);
    expect(found.foreignKeys.sort(byText)).toEqual(declared.sort(byText));
  });

  if (driver === ODBC)
    it('has the numbers of these types', () => {
      const wrong = found.columns.filter(isOurs).filter(([, , type, number]) => {
        const numbers = ODBC_NUMBERS[type] ?? ODBC_NUMBERS[getBaseType(type)];
        return !numbers?.includes(Number(number));
      });
      expect(wrong).toEqual([]);
    });

  if (driver === JDBC)
    it('returns these types for the columns of a result, too', () => {
      const wrong = found.columns.filter(([, , type, ofResult]) => ofResult !== getBaseType(type));
      expect(wrong).toEqual([]);
    });

  it('does not change the file and its folder', async () => {
    const before = hashFile(account.file);
    await reader.query('select count(*) as n from video_versions');
    expect(hashFile(account.file)).toBe(before);
    expect(readdirSync(dirname(account.file))).toEqual(['vodhouse.bi.db']);
  });
});

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}
