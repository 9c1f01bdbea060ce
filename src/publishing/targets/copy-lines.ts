/**
 * Rows of a SQLite file as CSV, which PostgreSQL's COPY reads. SQL makes the lines: in JavaScript that takes twice the time.
 */
import type { Database } from '../../database/sqlite.ts';
import type { Column } from '../mart.ts';

/** Rows of one chunk: making it blocks the process for a few milliseconds. */
const CHUNK_ROWS = 500;

/** Lines of CSV in UTF-8. */
export interface Chunk {
  lines: Buffer;
  rows: number;
}

/** Which rows of a table (alias `t`): those with rowids in a temporary table of one column, or those that match. */
export type RowSet = { rowids: string } | { where: string; parameters: Readonly<Record<string, unknown>> };

/**
 * The expression for a value in a line. NULL is empty, an empty text is `""`. Text of a REAL has all its digits by `quote`,
 * which writes infinity in a way of its own.
 */
function toValue({ name, type }: Column): string {
  const value = `t."${name}"`;
  if (type === 'REAL') return `iif(${value} is null, '', replace(quote(${value}), '9.0e+999', 'Infinity'))`;
  if (type === 'BIGINT' || type === 'BOOLEAN' || type === 'DATE' || type === 'TIMESTAMP')
    return `ifnull(${value}, '')`;
  return `ifnull('"' || replace(${value}, '"', '""') || '"', '')`;
}

/** The expression for the line of a row, with its end. */
function toLine(columns: readonly Column[]): string {
  return `${columns.map(toValue).join(` || ',' || `)} || char(10)`;
}

/** The rows of a set as lines, in the order of their rowids. */
export function* readLines(
  db: Database,
  table: string,
  columns: readonly Column[],
  rows: RowSet,
): Generator<Chunk> {
  const { from, rowid, where, parameters } = toSource(table, rows);
  const [first, last] = db
    .prepare(`select min(${rowid}), max(${rowid}) from ${from} where ${where}`)
    .raw()
    .get(parameters) as [number | null, number | null];
  if (first === null || last === null) return;
  const read = db
    .prepare(
      `select cast(group_concat(line, '') as blob), count(*), max(row) from (
  select ${toLine(columns)} as line, ${rowid} as row from ${from}
  where ${rowid} between :after and :last and ${where}
  order by ${rowid} limit ${CHUNK_ROWS})`,
    )
    .raw();
  for (let after = first; ;) {
    const [lines, rows, end] = read.get({ ...parameters, after, last }) as [Buffer | null, number, number];
    if (lines === null) return;
    yield { lines, rows };
    after = end + 1;
  }
}

function toSource(table: string, rows: RowSet) {
  if ('rowids' in rows) {
    const from = `temp."${rows.rowids}" c cross join main."${table}" t on t.rowid = c.row`;
    return { from, rowid: 'c.row', where: 'true', parameters: {} };
  }
  return { from: `main."${table}" t`, rowid: 't.rowid', where: rows.where, parameters: rows.parameters };
}
