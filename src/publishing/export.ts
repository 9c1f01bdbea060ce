/** The rows of one published table. */
import { ConfigError } from '../lib/errors.ts';
import type { Mart } from './marts/mart.ts';
import { writeParquet } from './targets/parquet.ts';
import { openPublishedFile, type SqlCell } from './query-published.ts';
import { openSource, type Source } from './targets/source.ts';

export type Export = ReturnType<typeof createExport>;

/** Opens the published file for exports of one snapshot. Throws WarehouseError if this version made none. */
export function openExports(file: string) {
  openPublishedFile(file).close(); // throws the error that describes best what is wrong with the file
  const source = openSource(file);
  return {
    /** The names of all tables and views. */
    tables: source.marts.documented.map(({ name }) => name),
    /** One table or view. Throws ConfigError for one that does not exist. */
    open: (table: string) => createExport(source, table),
    close: source.close,
  };
}

function createExport(source: Source, table: string) {
  const { columns } = findMart(source, table);
  const { version, timezone, changeSeq, warehouseId, publishedAt, db } = source;
  const facts = { table, change_seq: changeSeq, warehouse_id: warehouseId, published_at: publishedAt };
  const from = `from "${table}" t`;
  let count = 0;

  function* readRows(): Iterable<SqlCell[]> {
    const values = columns.map(({ name }) => `t."${name}"`).join(', ');
    const rows = db.prepare(`select ${values} ${from}`).raw().safeIntegers().iterate();
    for (const row of rows as IterableIterator<SqlCell[]>) {
      count++;
      yield row;
    }
  }

  async function* readParquet(): AsyncIterable<Uint8Array> {
    const named: Record<string, string> = {};
    for (const [name, value] of Object.entries({ version, timezone, ...facts }))
      named[`vodhouse.${name}`] = String(value);
    for await (const { bytes, rows } of writeParquet(db, { columns, from, parameters: {} }, named)) {
      count += rows;
      yield bytes;
    }
  }

  return {
    table,
    columns,
    /** The publication of the rows, its last change, and the warehouse that numbers changes. */
    facts,
    /** The values as SQLite has them, read as they are consumed; integers are bigints. */
    rows: readRows,
    /** The bytes of a Parquet file, made as they are consumed. */
    parquet: readParquet,
    /** The number of rows that were consumed. */
    getCount: () => count,
  };
}

function findMart({ marts }: Source, table: string): Mart {
  const mart = marts.documented.find(({ name }) => name === table);
  if (mart) return mart;
  const names = marts.documented.map(({ name }) => name).join(', ');
  throw new ConfigError(`nothing that is published is named ${table}`, { hint: `there are ${names}` });
}
