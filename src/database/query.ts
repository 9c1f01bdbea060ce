/** Questions to the live file as SQL that people can copy: the status page asks them, and docs/status-page.md shows them. */
import type { Db } from './connection.ts';

/** A value of a named parameter. */
export type SqlValue = string | number | null;

/** A question: `Values` are its parameters (`:name` in the SQL), `Row` is what it answers a row. */
export interface NamedQuery<Row, Values extends Record<string, SqlValue> = Record<string, never>> {
  /** As a heading of the docs. */
  heading: string;
  /** What it tells beyond its heading, in a sentence or two; of Markdown. */
  says: string;
  sql: string;
  /** Never there: holds the types. */
  readonly typed?: (values: Values) => Row;
}

/** Writes a question down. */
export function query<Row, Values extends Record<string, SqlValue> = Record<string, never>>(
  heading: string,
  says: string,
  sql: string,
): NamedQuery<Row, Values> {
  return { heading, says, sql: sql.trim() };
}

interface Prepared {
  all(values: Record<string, SqlValue>): unknown[];
}

const prepared = new WeakMap<Db, Map<string, Prepared>>();

/** Asks: each question is prepared once a connection. */
export function runQuery<Row, Values extends Record<string, SqlValue>>(
  db: Db,
  { sql }: NamedQuery<Row, Values>,
  values: Values,
): Row[] {
  const known = prepared.get(db) ?? new Map<string, Prepared>();
  prepared.set(db, known);
  const statement = known.get(sql) ?? db.$client.prepare(sql);
  known.set(sql, statement);
  return statement.all(values) as Row[];
}
