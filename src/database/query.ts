/**
 * SQL as text with named parameters. test/database/queries.test.ts prepares every query against the schema.
 */
import type { Statement } from './sqlite.ts';
import type { Tx } from './connection.ts';
import { isDamage, toWarehouseError } from './integrity.ts';

/** A value of a named parameter. */
export type SqlValue = string | number | null;

/** Left out where the SQL names no parameter. */
type Given<Params> = object extends Params ? [params?: Params] : [params: Params];

/** A query. `Params` has a key for each `:name` in the SQL; other keys are ignored. */
export interface Query<Row, Params extends object> {
  readonly sql: string;
  readonly all: (tx: Tx, ...given: Given<Params>) => Row[];
  readonly get: (tx: Tx, ...given: Given<Params>) => Row | undefined;
  /** The row of a query that always returns one, such as a count. */
  readonly one: (tx: Tx, ...given: Given<Params>) => Row;
  /** The column `count` of the first row; 0 without a row. */
  readonly count: (tx: Tx, ...given: Given<Params>) => number;
  /** Returns the number of changed rows. */
  readonly run: (tx: Tx, ...given: Given<Params>) => number;
}

/** The SQL of every query in the modules that are loaded. */
export const declaredQueries: string[] = [];

/**
 * Declares a query; each connection prepares it once, on its first use. Throws WarehouseError for a damaged
 * file.
 */
export function query<Row, Params extends object = object>(text: string): Query<Row, Params> {
  const sql = text.trim();
  declaredQueries.push(sql);
  const call = <Result>(tx: Tx, work: (statement: Statement) => Result): Result => {
    try {
      return work(prepareOnce(tx, sql));
    } catch (error) {
      throw isDamage(error) ? toWarehouseError(error, tx.$client.name) : error;
    }
  };
  const get = (tx: Tx, params: object = {}) => call(tx, (statement) => statement.get(params));
  const declared: Query<Row, object> = {
    sql,
    all: (tx, params = {}) => call(tx, (statement) => statement.all(params) as Row[]),
    get: (tx, params) => get(tx, params) as Row | undefined,
    one: (tx, params) => get(tx, params) as Row,
    count: (tx, params) => (get(tx, params) as { count: number } | undefined)?.count ?? 0,
    run: (tx, params = {}) => call(tx, (statement) => statement.run(params).changes),
  };
  return declared;
}

const prepared = new WeakMap<Tx['$client'], Map<string, Statement>>();

/** The statement of this connection. A transaction is the connection itself (transaction.ts). */
export function prepareOnce({ $client }: Pick<Tx, '$client'>, sql: string): Statement {
  let statements = prepared.get($client);
  if (!statements) prepared.set($client, (statements = new Map<string, Statement>()));
  let statement = statements.get(sql);
  if (!statement) statements.set(sql, (statement = $client.prepare(sql)));
  return statement;
}
