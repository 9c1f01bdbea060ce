/**
 * SQL as text with named parameters. test/database/queries.test.ts prepares every query against the schema.
 */
import type { Statement } from './sqlite.ts';
import type { Tx } from './connection.ts';
import { isDamage, toWarehouseError } from './integrity.ts';

/** A value of a named parameter. */
export type SqlValue = string | number | null;

/**
 * Calls a query; without parameters where its SQL names none. A wider object than `Params` is refused by the
 * compiler.
 */
type Call<Params extends object, Result> = object extends Params
  ? (tx: Tx) => Result
  : <Given extends Params>(
      tx: Tx,
      params: Given & Record<Exclude<keyof Given, keyof Params>, never>,
    ) => Result;

/** A query. `Params` has a key for each `:name` in the SQL, and no other one. */
export interface Query<Row, Params extends object> {
  readonly sql: string;
  readonly all: Call<Params, Row[]>;
  readonly get: Call<Params, Row | undefined>;
  /** The row of a query that always returns one, such as a count. */
  readonly one: Call<Params, Row>;
  /** The column `count` of the first row; 0 without a row. */
  readonly count: Call<Params, number>;
  /** Returns the number of changed rows. */
  readonly run: Call<Params, number>;
}

/** The SQL of every query in the modules that are loaded. */
export const declaredQueries: string[] = [];

/**
 * Declares a query; each connection prepares it once, on its first use. A call throws TypeError if its
 * parameters are not those that the SQL names, and WarehouseError for a damaged file.
 */
export function query<Row, Params extends object = object>(text: string): Query<Row, Params> {
  const sql = text.trim();
  const names = listParameters(sql);
  declaredQueries.push(sql);
  const call = <Result>(tx: Tx, params: object, work: (statement: Statement) => Result): Result => {
    for (const key in params) if (!names.has(key)) throw new TypeError(`no parameter :${key} in ${sql}`);
    try {
      return work(prepareOnce(tx, sql));
    } catch (error) {
      throw isDamage(error) ? toWarehouseError(error, tx.$client.name) : error;
    }
  };
  const get = (tx: Tx, params: object = {}) => call(tx, params, (statement) => statement.get(params));
  const declared = {
    sql,
    all: (tx: Tx, params: object = {}) => call(tx, params, (statement) => statement.all(params) as Row[]),
    get: (tx: Tx, params?: object) => get(tx, params) as Row | undefined,
    one: (tx: Tx, params?: object) => get(tx, params) as Row,
    count: (tx: Tx, params?: object) => (get(tx, params) as { count: number } | undefined)?.count ?? 0,
    run: (tx: Tx, params: object = {}) => call(tx, params, (statement) => statement.run(params).changes),
  };
  return declared as object as Query<Row, Params>; // the compiler cannot follow the condition in `Call`
}

/** The names of `:name` in the SQL. */
export function listParameters(sql: string): Set<string> {
  return new Set([...sql.matchAll(/:([a-z_]\w*)/gi)].map(([, name = '']) => name));
}

const prepared = new WeakMap<Tx['$client'], Map<string, Statement>>();

/** The statement of a connection. A transaction is the connection itself (transaction.ts). */
export function prepareOnce({ $client }: Pick<Tx, '$client'>, sql: string): Statement {
  let statements = prepared.get($client);
  if (!statements) prepared.set($client, (statements = new Map<string, Statement>()));
  let statement = statements.get(sql);
  if (!statement) statements.set(sql, (statement = $client.prepare(sql)));
  return statement;
}
