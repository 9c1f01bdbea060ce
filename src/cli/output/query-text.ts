/** The result of a query as a table, as one JSON document, and as JSON Lines. */
import { toText, type QueryResult, type SqlCell } from '../../publishing/query-published.ts';
import type { Column } from '../../publishing/marts/mart.ts';
import { ConfigError } from '../../lib/errors.ts';
import { pluralize } from '../../lib/format.ts';
import { formatTable, isNumber } from './table.ts';

/** A table holds all its rows in memory to find the widths of its columns. CSV and JSON have no limit. */
const MOST_TABLE_ROWS = 1000;

/** The result as a table, with the number of its rows. `isCut`: there are more rows than it shows. */
export function queryTable({ columns, rows }: QueryResult): { text: string; isCut: boolean } {
  const shown: SqlCell[][] = [];
  let isCut = false;
  for (const row of rows) {
    if ((isCut = shown.length === MOST_TABLE_ROWS)) break;
    shown.push(row);
  }
  const table = formatTable(columns, shown, (cell) => (cell === null ? 'NULL' : toText(cell)));
  return { text: `${table}\n(${pluralize(shown.length, 'row')})\n`, isCut };
}

/**
 * The result as one document, with a row on each line: `{"columns": […], "rows": [{…}]}`. Integers have all
 * their digits. Throws ConfigError where two columns have the same name, because an object cannot have both.
 */
export function* queryJson({ columns, rows }: QueryResult): Iterable<string> {
  const twice = columns.find((name, index) => columns.indexOf(name) !== index);
  if (twice !== undefined)
    throw new ConfigError(`two columns are named ${twice}, and --json has room for one`, {
      hint: `give one another name: select … as …`,
    });
  const keys = columns.map((name) => JSON.stringify(name));
  yield `{\n  "columns": [${keys.join(', ')}],\n  "rows": [`;
  let separator = '\n';
  for (const row of rows) {
    yield `${separator}    {${row.map((cell, index) => `${keys[index] ?? ''}: ${toJson(cell)}`).join(', ')}}`;
    separator = ',\n';
  }
  yield `${separator === '\n' ? '' : '\n  '}]\n}\n`;
}

function toJson(cell: SqlCell): string {
  if (cell === null) return 'null';
  return isNumber(cell) ? toText(cell) : JSON.stringify(toText(cell));
}

/** The rows as JSON Lines. Columns of type BOOLEAN are true or false; integers have all their digits. */
export function* ndjson(columns: readonly Column[], rows: Iterable<SqlCell[]>): Iterable<string> {
  const keys = columns.map(({ name }) => JSON.stringify(name));
  const isFlag = columns.map(({ type }) => type === 'BOOLEAN');
  const toField = (cell: SqlCell, index: number) =>
    `${keys[index] ?? ''}:${isFlag[index] && cell !== null ? String(cell === 1n) : toJson(cell)}`;
  for (const row of rows) yield `{${row.map(toField).join(',')}}\n`;
}

/** The length of the texts that are written at once. */
const CHUNK_CHARACTERS = 2 ** 16;

/** Joins short texts to longer ones, because each write costs a system call. */
export function* inChunks(lines: Iterable<string>): Iterable<string> {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
