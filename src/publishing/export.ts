/** The rows of one published table, all or those that changed since an earlier export. */
import { ConfigError } from '../lib/errors.ts';
import type { Mart } from './mart.ts';
import { writeParquet } from './parquet.ts';
import { openPublishedFile, type SqlCell } from './query-published.ts';
import { openSource, type Source } from './targets/source.ts';

export type Export = ReturnType<typeof createExport>;

/** Opens the published file for exports, all of one snapshot. Throws WarehouseError if there is none of this version. The caller closes it. */
export function openExports(file: string) {
  openPublishedFile(file).close(); // it says best what is wrong with a file
  const source = openSource(file);
  return {
    /** The names of all tables and views. */
    tables: source.marts.documented.map(({ name }) => name),
    /**
     * One table or view; `sinceSeq`: only rows that are new or different since this `change_seq`, null: all rows. Throws ConfigError
     * for a table that does not exist, or that has no changes to follow.
     */
    open: (table: string, sinceSeq: number | null) => createExport(source, table, sinceSeq),
    close: source.close,
  };
}

function createExport(source: Source, table: string, sinceSeq: number | null) {
  const { columns } = findMart(source, table);
  if (sinceSeq !== null) assertFollowable(source, table, sinceSeq);
  const { version, timezone, changeSeq, warehouseId, publishedAt, db } = source;
  const facts = { table, change_seq: changeSeq, warehouse_id: warehouseId, published_at: publishedAt };
  const changed = HAS_FORMER.includes(table) ? CHANGED_OR_ENDED : CHANGED;
  const from = `from "${table}" t${sinceSeq === null ? '' : ` where ${changed}`}`;
  const parameters = { since: sinceSeq };
  let count = 0;

  function* readRows(): Iterable<SqlCell[]> {
    const values = columns.map(({ name }) => `t."${name}"`).join(', ');
    const rows = db.prepare(`select ${values} ${from}`).raw().safeIntegers().iterate(parameters);
    for (const row of rows as IterableIterator<SqlCell[]>) {
      count++;
      yield row;
    }
  }

  function* readParquet(): Iterable<Uint8Array> {
    const named: Record<string, string> = {};
    for (const [name, value] of Object.entries({ version, timezone, ...facts }))
      named[`vodhouse.${name}`] = String(value);
    for (const { bytes, rows } of writeParquet(db, { columns, from, parameters }, named)) {
      count += rows;
      yield bytes;
    }
  }

  return {
    table,
    columns,
    /** The rows have a `change_seq`: a later export can begin where this one ends. */
    isFollowable: FOLLOWABLE.includes(table),
    /** What belongs to the rows: where the next export begins, and the warehouse in which that number counts. */
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

/** Tables whose rows have a `change_seq`, for what changed since. A view of present videos lacks removed ones. */
const FOLLOWABLE = ['videos', 'video_history', 'video_versions', 'video_changes'];

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

const HAS_FORMER = ['video_history', 'video_versions'];
const CHANGED = 't.change_seq > :since';

/** Also states that ended after the number: the last one before it, where a newer one exists. */
const CHANGED_OR_ENDED = `${CHANGED} or not t.is_current and t.change_seq = (
  select max(b.change_seq) from video_history b where b.video_key = t.video_key and b.change_seq <= :since
) and exists (select 1 from videos v where v.video_key = t.video_key and v.change_seq > :since)`;
