/** Where the memory and the bytes of the file go. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readRows, readValue } from '../fixtures/live-file.ts';

/** Bytes and rows of a table; the bytes include its indexes. */
export interface TableSize {
  bytes: number;
  rows: number;
}

/** Sizes at one moment, in bytes. */
export interface Sizes {
  day: number;
  /** Heap in use after garbage collection. */
  heap: number;
  file: number;
  /** Free pages of the file. */
  free: number;
  tables: ReadonlyMap<string, TableSize>;
}

export function measure(path: string, day: number): Sizes {
  const pageBytes = Number(readValue(path, 'pragma page_size'));
  return {
    day,
    heap: heapInUse(),
    file: Number(readValue(path, 'pragma page_count')) * pageBytes,
    free: Number(readValue(path, 'pragma freelist_count')) * pageBytes,
    tables: tableSizes(path),
  };
}

function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

function tableSizes(path: string): Map<string, TableSize> {
  const sizes = readRows(
    path,
    `select coalesce(tbl_name, stat.name) as name, sum(pgsize) as bytes
     from dbstat as stat left join sqlite_schema as entry on entry.name = stat.name
     group by 1 order by 1`,
  );
  return new Map(
    sizes.map(({ name, bytes }) => {
      const rows = Number(readValue(path, `select count(*) from "${String(name)}"`));
      return [String(name), { bytes: Number(bytes), rows }];
    }),
  );
}
