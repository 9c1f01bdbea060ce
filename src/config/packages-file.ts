/** The packages of an account in a CSV file, as people and spreadsheets write it. */
import { basename } from 'node:path';
import { CsvError, parse } from 'csv-parse/sync';
import { errorMessage } from '../lib/errors.ts';
import { formatCount, pluralize, truncate } from '../lib/format.ts';
import { redact } from '../lib/redact.ts';
import { readTextFile } from '../lib/text-file.ts';
import { PACKAGE_ID, type PackageConfig } from './packages.ts';
import * as types from './value-types.ts';

/**
 * The packages, or what is wrong with the file: texts that begin with its name,
 * `packages.csv, line 3: id: …`.
 */
export type PackagesFile = { packages: PackageConfig[] } | { problems: string[] };

/** Every package costs at least one request in each run: a longer list is another file. */
const MAX_PACKAGES = 10_000;
/** How many problems of one file are reported. */
const MAX_PROBLEMS = 10;
/** How many columns of a terminal a displayed value takes at most. */
const MAX_DISPLAYED = 60;
/** The columns that are read; `package_id` and `package_name` are those of the published file. */
const COLUMNS = { id: 'id', package_id: 'id', name: 'name', package_name: 'name', schedule: 'schedule' };
type Column = 'id' | 'name' | 'schedule';

/** A record of the file, and the line on which it ends. */
interface Row {
  record: readonly string[];
  info: { lines: number };
}

/**
 * Reads the file at `path`. No problem has one of the secrets in it: another file may have been named. Never
 * throws.
 */
export function readPackagesFile(path: string, secrets: readonly string[]): PackagesFile {
  const problems: string[] = [];
  const packages = readFile(path, problems);
  if (problems.length === 0) return { packages };
  const shown = problems.slice(0, MAX_PROBLEMS);
  return { problems: shown.map((problem) => redact(`${basename(path)}${problem}`, secrets)) };
}

function readFile(path: string, problems: string[]): PackageConfig[] {
  try {
    return readPackages(parseCsv(readTextFile(path)), problems);
  } catch (error) {
    const line = error instanceof CsvError && typeof error['lines'] === 'number' ? error['lines'] : null;
    const where = line === null ? ' cannot be read' : `, line ${line}`;
    const expected = line === null ? '; expected a CSV file, at a path relative to the config' : '';
    problems.push(`${where}: ${errorMessage(error)}${expected}`);
    return [];
  }
}

/** A first line `sep=;`, as Excel reads and writes it. */
const SEPARATOR = /^"?sep=(.)"?\1*$/i;

function parseCsv(text: string): Row[] {
  const lines = text.split(/\r\n|\n|\r/);
  const separator = SEPARATOR.exec(lines[0] ?? '')?.[1];
  // a comma, a semicolon or a tab follows the first value
  const first = lines.find((line) => /^\s*[^\s#]/.test(line)) ?? '';
  return parse(text, {
    from_line: separator === undefined ? 1 : 2,
    delimiter: separator ?? /^(?:"[^"]*" *|[^",;\t]*)([,;\t])/.exec(first.trimStart())?.[1] ?? ',',
    comment: '#',
    comment_no_infix: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_records_with_empty_values: true,
    trim: true,
    info: true,
  }) as unknown as Row[];
}

/** Reads the rows below the header, if there is one. */
function readPackages(rows: readonly Row[], problems: string[]): PackageConfig[] {
  const header = rows[0] && readHeader(rows[0].record);
  const below = header ? rows.slice(1) : rows;
  if (below.length === 0 || below.length > MAX_PACKAGES) {
    const expected = `expected 1 to ${formatCount(MAX_PACKAGES)}, a line each: id,name`;
    problems.push(` has ${pluralize(below.length, 'package')}; ${expected}`);
    return [];
  }
  const lines = new Map<number, number>();
  return below.flatMap(({ record, info: { lines: line } }) => {
    const report = (problem: string) => {
      problems.push(`, line ${line}: ${problem}`);
      return [];
    };
    const read = readPackage(record, header ?? ['id', 'name']);
    if (typeof read === 'string') return report(read);
    const first = lines.get(read.id);
    if (first !== undefined)
      return report(`id: ${read.id} is on line ${first} too; expected each package once`);
    lines.set(read.id, line);
    return read;
  });
}

/** The column of each cell, null for one that is not read; null if the row is no header. */
function readHeader(record: readonly string[]): (Column | null)[] | null {
  const columns = record.map((cell) => {
    const known = Object.entries(COLUMNS).find(([name]) => name === cell.toLowerCase());
    return (known?.[1] as Column | undefined) ?? null;
  });
  return columns.includes('id') ? columns : null;
}

/** The package, or what is wrong with the row. */
function readPackage(cells: readonly string[], columns: readonly (Column | null)[]): PackageConfig | string {
  if (cells.slice(columns.length).some((cell) => cell !== ''))
    return `has ${cells.length} values; expected ${columns.length} (a name with a separator in it needs quotes)`;
  const valueOf = (column: Column) => cells[columns.indexOf(column)] ?? '';
  const [id, name, schedule] = [valueOf('id'), valueOf('name'), valueOf('schedule')];
  if (!/^\d+$/.test(id) || !types.integer(1).safeParse(Number(id)).success)
    return `id: ${display(id)}; expected ${PACKAGE_ID}, below a header with a column id, if any`;
  const cron = schedule === '' ? null : types.cron.safeParse(schedule);
  if (cron?.success === false)
    return `schedule: ${display(schedule)}; expected ${cron.error.issues[0]?.message}`;
  const full = cron === null ? {} : { full: cron.data };
  return { id: Number(id), name: name === '' ? null : name.replaceAll(/\s+/g, ' '), ...full };
}

function display(value: string): string {
  if (value === '') return 'is empty';
  return `${JSON.stringify(truncate(value, MAX_DISPLAYED))} is not valid`;
}
