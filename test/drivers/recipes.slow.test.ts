/** docs/recipes.md, run through the drivers that its tools use. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAsReader } from './conversation.ts';
import { ALCHEMY, JDBC, ODBC, requireDrivers, SHELL, type Driver, type Reader } from './drivers.ts';
import { openHardAccount, TODAY, type HardAccount } from './hard-account.ts';
import { BLOCKS, formatName, PAGE, PLACEHOLDER, readQueries } from './recipes.ts';

/** The driver of each tool. */
const DRIVER_OF: Record<string, Driver> = {
  'sqlite3 shell': SHELL,
  'ODBC: unixODBC, isql, pyodbc': ODBC,
  'JDBC: DBeaver, and programs in Java': JDBC,
  'pandas and SQLAlchemy': ALCHEMY,
  Grafana: SHELL,
};
const QUERIES = readQueries('2026-03-01', '2026-04-01');

let account: HardAccount;

beforeAll(async () => {
  requireDrivers();
  account = await openHardAccount();
  return () => account.close();
});

/** Runs a program as a user who may not write; returns its output, or throws its error output. */
async function printed(command: string, parameters: readonly string[]): Promise<string> {
  const child = startAsReader(command, parameters);
  const texts: string[] = [];
  const complaints: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => texts.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0 || complaints.length > 0) throw new Error(`${String(code)}: ${complaints.join('')}`);
  return texts.join('');
}

const here = (text: string) => text.replaceAll(PLACEHOLDER, account.file);

it('every query of the page is for a tool with a known driver', () => {
  expect(QUERIES.filter(({ heading }) => !DRIVER_OF[heading])).toEqual([]);
  expect(new Set(QUERIES.map(({ heading }) => heading)).size).toBe(Object.keys(DRIVER_OF).length);
});

it('the page connects as the tests do', () => {
  for (const text of [
    `DRIVER=SQLite3;Database=${PLACEHOLDER};BigInt=1\n`,
    `jdbc:sqlite:file:${PLACEHOLDER}?mode=ro&date_class=text&date_string_format=yyyy-MM-dd HH:mm:ss\n`,
    `sqlite:///file:${PLACEHOLDER}?mode=ro&uri=true\n`,
  ])
    expect(PAGE).toContain(text);
});

describe.each([ODBC, JDBC, ALCHEMY, SHELL])('$name', (driver) => {
  let reader: Reader;
  beforeAll(() => void (reader = driver.open(account.file, account.scripts)));
  afterAll(() => reader.close());

  const queries = QUERIES.filter(({ heading }) => DRIVER_OF[heading] === driver);

  it.each(queries.map((block) => [formatName(block), block.text]))(
    'returns rows for %s',
    async (_name, text) => {
      expect((await reader.query(text)).rows.length).toBeGreaterThan(0);
    },
  );

  const charts = queries.filter(({ heading, text }) => heading === 'Grafana' && /\btime\b/.test(text));

  if (charts.length > 0)
    it('returns seconds for Grafana in a column named time', async () => {
      for (const { text } of charts) {
        const { columns, rows } = await reader.query(text);
        expect(columns[0]).toBe('time');
        const seconds = rows.map(([time]) => Number(time));
        expect(Math.min(...seconds)).toBeGreaterThanOrEqual(Date.parse('2026-03-01') / 1000);
        expect(Math.max(...seconds)).toBeLessThan(Date.parse('2026-04-01') / 1000);
        expect(new Date(Math.max(...seconds) * 1000).toISOString().slice(0, 10) >= YESTERDAY).toBe(true);
      }
    });
});

/** Booked days end here; readings continue. */
const YESTERDAY = new Date(Date.parse(TODAY) - 86_400_000).toISOString().slice(0, 10);

describe('programs of the page', () => {
  const programs = BLOCKS.filter(({ language }) => language === 'python' || language === 'sh');

  it.each(programs.map((block) => [formatName(block), block]))(
    'runs %s',
    async (_name, { language, text }) => {
      const [command, option] = language === 'python' ? ['/usr/bin/python3', '-c'] : ['/bin/bash', '-c'];
      expect((await printed(command, [option, here(text)])).split('\n').length).toBeGreaterThan(3);
    },
  );
});

describe('the values on the page', () => {
  it('ODBC gives max(day) as text, and day as a date', async () => {
    const program = `import pyodbc
row = pyodbc.connect("DRIVER=SQLite3;Database=${account.file};BigInt=1").execute(
    "select max(day), (select day from storage_daily limit 1), day from storage_daily").fetchone()
print(type(row[0]).__name__, type(row[2]).__name__)`;
    expect(await printed('/usr/bin/python3', ['-c', program])).toBe('str date\n');
  });

  it('JDBC reads a day by getString only', async () => {
    const reader = JDBC.open(account.file, account.scripts);
    await expect(reader.send('date', 'select day from storage_daily')).rejects.toThrow('Error parsing date');
    expect(await reader.send('date', `select day_at from dates where day = '2026-03-01'`)).toEqual({
      date: '2026-03-01',
    });
    await reader.close();
  });
});
