/** The rows of a query, as the columns of a Parquet file take them. */
import type { Database } from '../../database/sqlite.ts';
import type { Column } from '../mart.ts';
import type { Row } from './column-values.ts';
import type { ParquetFile } from './parquet-file.ts';
import { toExpression } from './parquet-types.ts';

export interface ParquetColumn extends Column {
  /** SQL for its value over the alias `t`, in the form that SQLite has it; by default the column of that name. */
  expression?: string;
}

export interface ParquetQuery {
  columns: readonly ParquetColumn[];
  /** What follows the values of a SELECT, over the alias `t`: from, where, order by. */
  from: string;
  parameters: Readonly<Record<string, unknown>>;
}

/** Few rows are objects at a time: they are gone before the garbage collector would have to keep them. */
const BATCH_ROWS = 128;

export type RowReader = ReturnType<typeof openRows>;

/** The caller closes it. */
export function openRows(db: Database, { columns, from, parameters }: ParquetQuery) {
  const values = columns.map(toExpression).join(', ');
  const rows = db.prepare(`select ${values} ${from}`).raw().iterate(parameters) as IterableIterator<
    unknown[]
  >;
  const seqIndex = columns.findIndex(({ name }) => name === 'change_seq');
  let next = rows.next();

  const takeBatch = (count: number): Row[] => {
    const batch: Row[] = [];
    for (; batch.length < count && next.done !== true; next = rows.next()) batch.push(next.value);
    return batch;
  };

  return {
    isAtEnd: () => next.done === true,
    /** Fills the row group of the file, with at most `most` rows. */
    fillGroup: (file: ParquetFile, most: number): FilledGroup => {
      const filled: FilledGroup = { rows: 0, minChangeSeq: Infinity, maxChangeSeq: -Infinity };
      for (;;) {
        const batch = takeBatch(Math.min(BATCH_ROWS, file.getRoom(), most - filled.rows));
        if (batch.length === 0) return filled;
        file.addRows(batch);
        filled.rows += batch.length;
        if (seqIndex !== -1) addChangeSeqs(filled, batch, seqIndex);
      }
    },
    close: (): void => {
      rows.return?.();
    },
  };
}

export interface FilledGroup {
  rows: number;
  /** Infinity if no row has one. */
  minChangeSeq: number;
  maxChangeSeq: number;
}

function addChangeSeqs(filled: FilledGroup, batch: readonly Row[], seqIndex: number): void {
  for (const row of batch) {
    const seq = row[seqIndex];
    if (seq === null) continue;
    filled.minChangeSeq = Math.min(filled.minChangeSeq, Number(seq));
    filled.maxChangeSeq = Math.max(filled.maxChangeSeq, Number(seq));
  }
}
