import type { Db, Tx } from './connection.ts';

/**
 * Gives a query that is built and prepared once a connection: to build it each time costs drizzle ten times what SQLite
 * needs to run it. A transaction is the connection itself (transact.ts).
 */
export function prepareOnce<Query>(prepare: (db: Db) => Query): (tx: Tx) => Query {
  const known = new WeakMap<Tx, Query>();
  return (tx) => {
    const query = known.get(tx) ?? prepare(tx as Db);
    known.set(tx, query);
    return query;
  };
}
