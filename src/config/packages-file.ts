/** The packages of an account in a CSV file, as people and spreadsheets write it. */
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { CsvError, parse } from 'csv-parse/sync';
import { errorCode, errorMessage } from '../lib/errors.ts';
import { formatCount, pluralize } from '../lib/format.ts';
import { redact } from '../lib/redact.ts';
import { expandCron, findCronProblem } from './cron.ts';
import { PACKAGE_ID, type PackageConfig } from './packages.ts';

/** The packages, or what is wrong with the file: texts that begin with its name, `packages.csv, line 3: id: …`. */
export type PackagesFile = { packages: PackageConfig[] } | { problems: string[] };

/** Every package costs at least one request in each run: a longer list is another file. */
const MAX_PACKAGES = 10_000;
const MAX_BYTES = 4 * 2 ** 20;
/** How many problems of one file are reported. */
const MAX_PROBLEMS = 10;
const MAX_DISPLAYED = 60;

const COLUMNS = ['id', 'name', 'schedule'] as const;
type Column = (typeof COLUMNS)[number];
/** The columns of the published file. */
const ALIASES: Readonly<Record<string, Column>> = { package_id: 'id', package_name: 'name' };

/** The file as a whole is unusable. The message follows the name of the file. */
class UnusableFileError extends Error {}

/** A record of the file, and the line on which it ends. */
interface Row {
  record: readonly string[];
  info: { lines: number };
}

/** Reads the file at `path`. No problem has one of the secrets in it: another file may have been named. Never throws. */
export function readPackagesFile(path: string, secrets: readonly string[]): PackagesFile {
  const { packages, problems } = readFile(path);
  if (problems.length === 0) return { packages };
  const more = problems.length - MAX_PROBLEMS;
  const shown = problems.slice(0, MAX_PROBLEMS);
  if (more > 0) shown.push(` has ${pluralize(more, 'more problem')}`);
  return { problems: shown.map((problem) => redact(`${basename(path)}${problem}`, secrets)) };
}

function readFile(path: string): { packages: PackageConfig[]; problems: string[] } {
  try {
    return readPackages(parseCsv(readText(path)));
  } catch (error) {
    return { packages: [], problems: [error instanceof Error ? error.message : String(error)] };
  }
}

function readText(path: string): string {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) throw new UnusableFileError(' is not a regular file; expected a CSV file');
    if (stats.size > MAX_BYTES)
      throw new UnusableFileError(
        ` has ${formatCount(stats.size)} bytes; expected at most ${formatCount(MAX_BYTES)}`,
      );
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof UnusableFileError) throw error;
    const code = errorCode(error);
    if (code === 'ENOENT')
      throw new UnusableFileError(
        ' does not exist; expected a CSV file at this path, relative to the config',
      );
    const isText = code !== 'ERR_ENCODING_INVALID_ENCODED_DATA';
    throw new UnusableFileError(
      isText ? ` cannot be read (${code})` : ' is not in UTF-8; save it as CSV in UTF-8',
    );
  }
}

function parseCsv(text: string): Row[] {
  try {
    return parse(text, {
      delimiter: findSeparator(text),
      comment: '#',
      comment_no_infix: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      skip_records_with_empty_values: true,
      trim: true,
      info: true,
    }) as unknown as Row[];
  } catch (error) {
    const line =
      error instanceof CsvError && typeof error['lines'] === 'number' ? `, line ${error['lines']}:` : '';
    const isOpen = error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED';
    throw new UnusableFileError(
      `${line} ${isOpen ? 'a quote is not closed; expected " at the end of the value' : errorMessage(error)}`,
    );
  }
}

/** What follows the first value of the file: a comma, a semicolon or a tab. */
function findSeparator(text: string): string {
  const first = text.split(/\r\n|\n|\r/).find((line) => /^\s*[^\s#]/.test(line)) ?? '';
  return /^(?:"[^"]*" *|[^",;\t]*)([,;\t])/.exec(first.trimStart())?.[1] ?? ',';
}

/** Reads the rows below the header, if there is one. */
function readPackages(all: readonly Row[]): { packages: PackageConfig[]; problems: string[] } {
  const [first] = all;
  if (!first) throw new UnusableFileError(' has no packages; expected a line for each: id,name');
  const header = readHeader(first);
  const rows = header ? all.slice(1) : all;
  if (rows.length === 0)
    throw new UnusableFileError(' has no packages below its header; expected a line for each');
  if (rows.length > MAX_PACKAGES)
    throw new UnusableFileError(
      ` has ${formatCount(rows.length)} packages; expected at most ${formatCount(MAX_PACKAGES)}`,
    );
  const lines = new Map<number, number>();
  const packages: PackageConfig[] = [];
  const problems: string[] = [];
  for (const { record, info } of rows) {
    const read = readPackage(record, header ?? ['id', 'name']);
    const line = info.lines;
    const first = typeof read === 'string' ? undefined : lines.get(read.id);
    if (typeof read === 'string') problems.push(`, line ${line}: ${read}`);
    else if (first !== undefined)
      problems.push(`, line ${line}: id: ${read.id} is on line ${first} too; expected each package once`);
    else {
      lines.set(read.id, line);
      packages.push(read);
    }
  }
  return { packages, problems };
}

/** The column of each cell, null for one that is not read; null if the row is no header. */
function readHeader({ record, info }: Row): (Column | null)[] | null {
  const names = record.map((cell) => cell.toLowerCase());
  const columns = names.map((name) => COLUMNS.find((column) => column === (ALIASES[name] ?? name)) ?? null);
  const [start = ''] = record;
  if (columns.includes('id')) return columns;
  if (/^\d/.test(start)) return null;
  const expected = `expected ${PACKAGE_ID}, or a header with a column id`;
  throw new UnusableFileError(`, line ${info.lines}: ${display(start)}; ${expected}`);
}

/** The package, or what is wrong with the row. */
function readPackage(cells: readonly string[], columns: readonly (Column | null)[]): PackageConfig | string {
  if (cells.slice(columns.length).some((cell) => cell !== ''))
    return `has ${cells.length} values; expected ${columns.length} (a name with a separator in it needs quotes)`;
  const valueOf = (column: Column) => cells[columns.indexOf(column)] ?? '';
  const id = Number(valueOf('id'));
  if (!/^\d+$/.test(valueOf('id')) || !Number.isSafeInteger(id) || id < 1)
    return `id: ${display(valueOf('id'))}; expected ${PACKAGE_ID}`;
  const schedule = valueOf('schedule');
  const cronProblem = schedule === '' ? null : getCronProblem(schedule);
  if (cronProblem !== null) return `schedule: ${display(schedule)}; expected ${cronProblem}`;
  const name = valueOf('name').replaceAll(/\s+/g, ' ') || null;
  return { id, name, ...(schedule !== '' && { full: expandCron(schedule) }) };
}

const cronProblems = new Map<string, string | null>();

/** Checks each expression once: a check takes a third of a millisecond. */
function getCronProblem(schedule: string): string | null {
  const known = cronProblems.get(schedule);
  if (known !== undefined) return known;
  const problem = findCronProblem(schedule);
  cronProblems.set(schedule, problem);
  return problem;
}

function display(value: string): string {
  if (value === '') return 'is empty';
  const short = value.length > MAX_DISPLAYED ? `${value.slice(0, MAX_DISPLAYED - 1)}…` : value;
  return `${JSON.stringify(short)} is not valid`;
}
