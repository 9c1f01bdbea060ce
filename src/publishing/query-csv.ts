/** The result of a query as CSV. */
import type { QueryResult, SqlCell } from './query-published.ts';

/**
 * RFC 4180 with a heading, one text for each line. NULL is an empty field and an empty text is `""`, so that the two are not the
 * same, as in PostgreSQL.
 */
export function* queryCsv({ columns, rows }: QueryResult): Iterable<string> {
  yield toCsvLine(columns);
  for (const row of rows) yield toCsvLine(row);
}

function toCsvLine(cells: readonly SqlCell[]): string {
  // a line of one NULL would be an empty line, which readers skip; it cannot be told from an empty text
  if (cells.length === 1 && cells[0] === null) return '""\n';
  return `${cells.map((cell) => (cell === null ? '' : toCsvField(toText(cell)))).join(',')}\n`;
}

function toCsvField(text: string): string {
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** As SQLite writes it: an infinite number as `9e999`, bytes as `x'0a'`. */
export function toText(cell: Exclude<SqlCell, null>): string {
  if (Buffer.isBuffer(cell)) return `x'${cell.toString('hex')}'`;
  if (cell === Infinity) return '9e999';
  return cell === -Infinity ? '-9e999' : String(cell);
}
