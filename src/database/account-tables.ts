/** Changes of the rows of one account in every table, also of rows that triggers protect. */
import type { SqlValue } from './query.ts';
import type { Tx } from './connection.ts';

/**
 * Runs `work` without the triggers of the file, and restores them. No run may change booked days, corrections and versions;
 * only a rename or `forget` may. Call it in a transaction: an error then restores the triggers too.
 */
export function withoutTriggers<Result>({ $client }: Tx, work: () => Result): Result {
  const triggers = $client.prepare(`select name, sql from sqlite_schema where type = 'trigger'`).all() as {
    name: string;
    sql: string;
  }[];
  for (const { name } of triggers) $client.exec(`drop trigger "${name}"`);
  const result = work();
  for (const { sql } of triggers) $client.exec(sql);
  return result;
}

/** The tables that have all these columns. */
export function listTablesWith({ $client }: Tx, ...columns: readonly string[]): string[] {
  const tables = $client
    .prepare(
      `select t.name from sqlite_schema t join pragma_table_info(t.name) c
        where t.type = 'table' and c.name in (select value from json_each(?)) group by t.name having count(*) = ?`,
    )
    .pluck();
  return tables.all(JSON.stringify(columns), columns.length) as string[];
}

/** Runs a statement of one table, whose name is known only at run time. Returns the number of changed rows. */
export function runOnTable(
  { $client }: Tx,
  sql: string,
  parameters: Readonly<Record<string, SqlValue>>,
): number {
  return $client.prepare(sql).run(parameters).changes;
}
