/** A live file as an earlier version left it, built from the SQL text that is kept of it. */
import { readFileSync } from 'node:fs';
import { execute, rowsOf, type Row } from './live-file.ts';

const FORMAT_9 = new URL('../warehouse/fixtures/format-9.sql', import.meta.url);

/** Puts a file of format 9, with a history and the traces of a clock that was 3 days ahead, to the path. */
export function putFormat9(path: string): void {
  execute(path, `pragma journal_mode = wal; begin;\n${readFileSync(FORMAT_9, 'utf8')}\ncommit;`);
}

/** Every row of every table of a file, by table, in the order of its first columns. */
export function tablesOf(path: string): Map<string, Row[]> {
  const tables = rowsOf(path, "select name from sqlite_schema where type = 'table' order by name");
  return new Map(tables.map(({ name }) => [String(name), sorted(rowsOf(path, `select * from "${name}"`))]));
}

function sorted(rows: Row[]): Row[] {
  const keys = new Map(rows.map((row) => [row, JSON.stringify(Object.values(row))]));
  return rows.sort((one, other) => ((keys.get(one) ?? '') < (keys.get(other) ?? '') ? -1 : 1));
}
