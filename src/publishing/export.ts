/** The rows of one published table, all or those that changed since an earlier export. */
import type { Database } from '../database/sqlite.ts';
import { ConfigError } from '../lib/errors.ts';
import { findNearest } from '../lib/did-you-mean.ts';
import type { Column, Mart } from './mart.ts';
import type { ParquetQuery } from './parquet/parquet-query.ts';
import { writeParquet } from './parquet/write-parquet.ts';
import { openPublishedFile, type SqlCell } from './query-published.ts';
import { openSource, type Source } from './targets/source.ts';

export interface ExportRequest {
  /** The published file. */
  file: string;
  table: string;
  /** Only rows that are new or different since this `change_seq`; null: all rows. */
  sinceSeq: number | null;
}

export type Export = ReturnType<typeof openExport>;

/**
 * Opens the published file for an export. Throws ConfigError for a table that does not exist, or that has no changes to follow,
 * WarehouseError if there is no published file of this version. The caller closes it.
 */
export function openExport({ file, table, sinceSeq }: ExportRequest) {
  openPublishedFile(file).close(); // it says best what is wrong with a file
  const source = openSource(file);
  try {
    const mart = findMart(source, table);
    if (sinceSeq !== null) assertFollowable(source, table, sinceSeq);
    const columns = mart.columns;
    let count = 0;
    const { from, parameters } = selectFrom(mart, sinceSeq);
    const readRows = function* (): Iterable<SqlCell[]> {
      count = 0;
      for (const row of select(source.db, columns, { from, parameters })) {
        count++;
        yield row;
      }
    };
    const writeParquetFile = function* (facts: Readonly<Record<string, string>>): Iterable<Uint8Array> {
      count = 0;
      const required = mart.kind === 'table' ? mart.key : [];
      const query = { columns, from, parameters };
      for (const group of writeParquet(source.db, query, { required, facts })) {
        count += group.rows;
        yield group.bytes;
      }
    };
    const { version, timezone, changeSeq, warehouseId, publishedAt } = source;
    const facts = {
      table,
      change_seq: changeSeq,
      warehouse_id: warehouseId,
      published_at: publishedAt,
    };
    return {
      columns,
      /** Does the table tell what changed since a `change_seq`? */
      isFollowable: FOLLOWABLE.includes(table),
      /** What belongs to the rows: where the next export begins, and the warehouse in which that number counts. */
      facts,
      /** The values as SQLite has them, read while they are taken; integers are bigints. */
      rows: readRows,
      /** The bytes of a Parquet file, made while they are taken. */
      parquet: () => {
        const named = Object.entries({ version, timezone, ...facts }).map(
          ([name, value]) => [`vodhouse.${name}`, String(value)] as const,
        );
        return writeParquetFile(Object.fromEntries(named));
      },
      /** The number of rows that were taken. */
      getCount: () => count,
      close: () => {
        source.close();
      },
    };
  } catch (error) {
    source.close();
    throw error;
  }
}

function findMart({ marts }: Source, table: string): Mart {
  const mart = marts.all.find(({ name }) => name === table);
  if (mart) return mart;
  const names = marts.all.map(({ name }) => name);
  const nearest = findNearest(table, names);
  throw new ConfigError(`nothing that is published is named ${table}`, {
    hint: `${nearest === undefined ? '' : `did you mean ${nearest}? `}There are ${names.join(', ')}`,
  });
}

/** States of a video that the table has. A view of them may lack removed ones. */
const FOLLOWABLE = ['videos', 'video_history', 'video_versions'];

function assertFollowable({ changeSeq }: Source, table: string, sinceSeq: number): void {
  if (!FOLLOWABLE.includes(table))
    throw new ConfigError(`${table} has no changes to follow`, {
      hint: `--since-seq is for ${FOLLOWABLE.join(', ')}; export ${table} as a whole`,
    });
  if (sinceSeq > changeSeq)
    throw new ConfigError(`${sinceSeq} is beyond the last change, ${changeSeq}`, {
      hint: 'after a vodhouse restore, numbers are used again: export all rows, without --since-seq',
    });
}

/** What follows the values of a SELECT, over the alias `t`, and its parameters. */
function selectFrom({ name }: Mart, sinceSeq: number | null): Pick<ParquetQuery, 'from' | 'parameters'> {
  const from = `from "${name}" t`;
  return sinceSeq === null
    ? { from, parameters: {} }
    : { from: `${from} where ${CHANGED}`, parameters: { since: sinceSeq } };
}

function select(
  db: Database,
  columns: readonly Column[],
  { from, parameters }: Pick<ParquetQuery, 'from' | 'parameters'>,
): IterableIterator<SqlCell[]> {
  const values = columns.map(({ name }) => `t."${name}"`).join(', ');
  const statement = db.prepare(`select ${values} ${from}`).raw().safeIntegers();
  return statement.iterate(parameters) as IterableIterator<SqlCell[]>;
}

/** States that began after the number, and those that ended after it: the last one before it, where a newer one exists. */
const CHANGED = `t.change_seq > :since or not t.is_current and t.change_seq = (
  select max(b.change_seq) from video_history b
  where b.package_key = t.package_key and b.video_id = t.video_id and b.change_seq <= :since
) and exists (
  select 1 from videos v where v.package_key = t.package_key and v.video_id = t.video_id and v.change_seq > :since
)`;
