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
/** Those of a file without a header. */
const PLAIN_COLUMNS = ['id', 'name'] as const;
type Column = (typeof COLUMNS)[number];
/** The columns of the published file. */
const ALIASES: Readonly<Record<string, Column>> = { package_id: 'id', package_name: 'name' };

/** What is wrong with a file. `line` is counted from 1; null: the complete file. */
class FileProblem extends Error {
  readonly line: number | null;

  constructor(line: number | null, message: string) {
    super(message);
    this.line = line;
  }
}

/** A record of the file, and the line on which it ends. */
interface Row {
  cells: readonly string[];
  line: number;
}

/** Reads the file at `path`. No problem has one of the secrets in it: another file may have been named. Never throws. */
export function readPackagesFile(path: string, secrets: readonly string[]): PackagesFile {
  const { packages, problems } = readFile(path, (value) => redact(value, secrets));
  if (problems.length === 0) return { packages };
  const more = problems.length - MAX_PROBLEMS;
  const shown = more > 0 ? problems.slice(0, MAX_PROBLEMS) : problems;
  const texts = shown.map(({ line, message }) => `${line === null ? ' ' : `, line ${line}: `}${message}`);
  if (more > 0) texts.push(` has ${pluralize(more, 'more problem')}`);
  return { problems: texts.map((text) => `${redact(basename(path), secrets)}${text}`) };
}

type Hide = (value: string) => string;

function readFile(path: string, hide: Hide): { packages: PackageConfig[]; problems: FileProblem[] } {
  try {
    return readPackages(findRows(parseCsv(decode(readBytes(path)), hide), hide), hide);
  } catch (error) {
    return {
      packages: [],
      problems: [error instanceof FileProblem ? error : new FileProblem(null, errorMessage(error))],
    };
  }
}

function readBytes(path: string): Buffer {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) throw new FileProblem(null, 'is not a regular file; expected a CSV file');
    if (stats.size > MAX_BYTES)
      throw new FileProblem(
        null,
        `has ${formatCount(stats.size)} bytes; expected at most ${formatCount(MAX_BYTES)}`,
      );
    return readFileSync(path);
  } catch (error) {
    if (error instanceof FileProblem) throw error;
    const isMissing = errorCode(error) === 'ENOENT';
    throw new FileProblem(
      null,
      isMissing
        ? 'does not exist; expected a CSV file at this path, relative to the config'
        : `cannot be read (${errorCode(error)}); expected a readable CSV file`,
    );
  }
}

/** Spreadsheets also write UTF-16, and the code page of the machine. */
function decode(bytes: Buffer): string {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16) throw new FileProblem(null, 'is in UTF-16; save it as CSV in UTF-8');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const line =
      bytes
        .toString('utf8')
        .split('\n')
        .findIndex((text) => text.includes('\uFFFD')) + 1;
    throw new FileProblem(line, 'is not in UTF-8; save the file as CSV in UTF-8');
  }
}

function parseCsv(text: string, hide: Hide): Row[] {
  const separatorLine = /^sep=(.)\r?\n/i.exec(text); // for Excel
  const body = separatorLine ? `\n${text.slice(separatorLine[0].length)}` : text;
  const options = {
    delimiter: separatorLine?.[1] ?? findSeparator(text),
    comment: '#',
    comment_no_infix: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_records_with_empty_values: true,
    trim: true,
  };
  try {
    const records: unknown = parse(body, { ...options, info: true });
    return (records as { record: string[]; info: { lines: number } }[]).map(({ record, info }) => ({
      cells: record,
      line: info.lines,
    }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error['lines'] === 'number' ? error['lines'] : null;
    const isOpen = error.code === 'CSV_QUOTE_NOT_CLOSED';
    throw new FileProblem(
      line,
      isOpen ? 'a quote is not closed; expected " at the end of the value' : hide(error.message),
    );
  }
}

/** What follows the first value of the file: a comma, a semicolon or a tab. */
function findSeparator(text: string): string {
  const first = text.split(/\r\n|\n|\r/).find((line) => /^\s*[^\s#]/.test(line)) ?? '';
  return /^(?:"[^"]*" *|[^",;\t]*)([,;\t])/.exec(first.trimStart())?.[1] ?? ',';
}

interface Rows {
  columns: readonly (Column | null)[];
  rows: readonly Row[];
}

/** The rows below the header, if there is one. */
function findRows(all: readonly Row[], hide: Hide): Rows {
  const [first] = all;
  if (!first) throw new FileProblem(null, 'has no packages; expected a line for each: id,name');
  const header = readHeader(first);
  const rows = header ? all.slice(1) : all;
  const start = first.cells[0] ?? '';
  if (!header && !/^\d/.test(start))
    throw new FileProblem(
      first.line,
      `${display(start, hide)}; expected ${PACKAGE_ID}, or a header with a column id`,
    );
  if (rows.length === 0)
    throw new FileProblem(null, 'has no packages below its header; expected a line for each');
  if (rows.length > MAX_PACKAGES)
    throw new FileProblem(
      null,
      `has ${formatCount(rows.length)} packages; expected at most ${formatCount(MAX_PACKAGES)}`,
    );
  return { columns: header ?? PLAIN_COLUMNS, rows };
}

/** The column of each cell, null for one that is not read; null if the row is no header. */
function readHeader({ cells }: Row): Rows['columns'] | null {
  const names = cells.map((cell) => cell.toLowerCase());
  const columns = names.map((name) => COLUMNS.find((column) => column === (ALIASES[name] ?? name)) ?? null);
  return columns.includes('id') ? columns : null;
}

function readPackages(
  { rows, columns }: Rows,
  hide: Hide,
): { packages: PackageConfig[]; problems: FileProblem[] } {
  const problems: FileProblem[] = [];
  const packages: PackageConfig[] = [];
  const lines = new Map<number, number>();
  const getCronProblem = createCronCheck();
  for (const row of rows) {
    const read = readPackage(row, columns, getCronProblem, hide);
    const first = typeof read === 'string' ? undefined : lines.get(read.id);
    if (typeof read === 'string') problems.push(new FileProblem(row.line, read));
    else if (first !== undefined) {
      const message = `id: ${read.id} is on line ${first} too; expected each package once`;
      problems.push(new FileProblem(row.line, message));
    } else {
      lines.set(read.id, row.line);
      packages.push(read);
    }
  }
  return { packages, problems };
}

/** Checks each expression once: a check takes a third of a millisecond. */
function createCronCheck(): typeof findCronProblem {
  const checked = new Map<string, string | null>();
  return (schedule) => {
    const known = checked.get(schedule);
    if (known !== undefined) return known;
    const problem = findCronProblem(schedule);
    checked.set(schedule, problem);
    return problem;
  };
}

/** The package, or what is wrong with the row. */
function readPackage(
  { cells }: Row,
  columns: Rows['columns'],
  getCronProblem: typeof findCronProblem,
  hide: Hide,
): PackageConfig | string {
  if (cells.slice(columns.length).some((cell) => cell !== ''))
    return `has ${cells.length} values; expected ${columns.length} (a name with a separator in it needs quotes)`;
  const valueOf = (column: Column) => cells[columns.indexOf(column)] ?? '';
  const id = Number(valueOf('id'));
  if (!/^\d+$/.test(valueOf('id')) || !Number.isSafeInteger(id) || id < 1)
    return `id: ${display(valueOf('id'), hide)}; expected ${PACKAGE_ID}`;
  const schedule = valueOf('schedule');
  const cronProblem = schedule === '' ? null : getCronProblem(schedule);
  if (cronProblem !== null) return `schedule: ${display(schedule, hide)}; expected ${cronProblem}`;
  const name = valueOf('name').replaceAll(/\s+/g, ' ') || null;
  return { id, name, ...(schedule !== '' && { full: expandCron(schedule) }) };
}

function display(value: string, hide: Hide): string {
  if (value === '') return 'is empty';
  const shown = hide(value);
  const short = shown.length > MAX_DISPLAYED ? `${shown.slice(0, MAX_DISPLAYED - 1)}…` : shown;
  return `${JSON.stringify(short)} is not valid`;
}
