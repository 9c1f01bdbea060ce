/**
 * Upserts. Drizzle makes the SQL, so the compiler checks the columns, but better-sqlite3 runs it, because
 * Drizzle's own `run` takes more than twice as long.
 */
import { is, Param, Placeholder, sql, type SQL } from 'drizzle-orm';
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Tx } from './connection.ts';
import { prepareOnce, type SqlValue } from './query.ts';

type ColumnOf<Table extends SQLiteTable> = keyof Table['$inferInsert'] & string;

interface Upsert<Table extends SQLiteTable, Column> {
  /** The columns that a call names; all of the table by default. */
  columns?: readonly Column[];
  /** Columns of a new row that SQL computes. */
  computed?: Partial<Record<ColumnOf<Table>, SQL>>;
  /** The columns of a row that is there which do not just take the named value. */
  set?: Partial<Record<ColumnOf<Table>, SQL | null>>;
  /** When a row that is there is changed; always by default. */
  where?: SQL;
}

/** SQL with a name or a constant value for each of its parameters. */
interface Statement {
  text: string;
  parameters: readonly ({ name: string } | { value: SqlValue })[];
}

/**
 * Declares the insert of a row. A row that has the same primary key takes the values instead. Each call
 * returns the number of written rows: 0 if `where` left a row as it is, else 1.
 */
export function upsert<Table extends SQLiteTable, Column extends ColumnOf<Table> = ColumnOf<Table>>(
  table: Table,
  options: Upsert<Table, Column> = {},
): (tx: Tx, row: Pick<Table['$inferInsert'], Column>) => number {
  let statement: Statement | null = null;
  return (tx, row) => {
    const { text, parameters } = (statement ??= compile(tx, table, options));
    const values: Readonly<Record<string, unknown>> = row;
    const bound = parameters.map((each) => ('name' in each ? (values[each.name] ?? null) : each.value));
    return prepareOnce(tx, text).run(...bound).changes;
  };
}

function compile<Table extends SQLiteTable>(
  tx: Tx,
  table: Table,
  { columns, computed, set, where }: Upsert<Table, string>,
): Statement {
  const { primaryKeys, columns: all } = getTableConfig(table);
  const key = primaryKeys[0]?.columns ?? all.filter(({ primary }) => primary);
  const names = columns ?? all.map(({ name }) => name);
  const given = Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]));
  const replaced = names.filter((name) => !key.some((column) => column.name === name));
  const excluded = Object.fromEntries(replaced.map((name) => [name, sql.raw(`excluded."${name}"`)]));
  // the casts are needed because the compiler does not know which table it is
  const { sql: text, params } = tx
    .insert(table)
    .values({ ...given, ...computed } as Table['$inferInsert'])
    .onConflictDoUpdate({
      target: key,
      set: { ...excluded, ...set } as never,
      ...(where && { setWhere: where }),
    })
    .toSQL();
  const parameters = params.map((each) =>
    is(each, Param) && is(each.value, Placeholder) ? { name: each.value.name } : { value: each as SqlValue },
  );
  return { text, parameters };
}
