/**
 * The runs and sizes of a long-running worker: read from time to time, since runs are deleted by age. Moments in milliseconds since
 * 1970.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { fromTimestamp } from '../../../src/lib/clock.ts';
import { readRows, readValue } from '../fixtures/live-file.ts';

export interface SoakRun {
  id: number;
  mode: 'full' | 'quick';
  status: string;
  startedAt: number;
  finishedAt: number;
  /** It resumes one that was parked. */
  goesOn: boolean;
  error: string | null;
}

/** The runs after this one, the oldest first. Call it only while no run is in progress. */
export function readRunsAfter(path: string, id: number): SoakRun[] {
  return readRows(path, 'select * from run where run_id > ? order by run_id', id).map((row) => ({
    id: Number(row['run_id']),
    mode: row['mode'] as SoakRun['mode'],
    status: String(row['status']),
    startedAt: fromTimestamp(String(row['started_at'])),
    finishedAt: fromTimestamp(String(row['finished_at'])),
    goesOn: row['origin_started_at'] !== null,
    error: row['error'] as string | null,
  }));
}

/** Sizes at one moment. */
export interface Sizes {
  day: number;
  /** Bytes of the heap in use after garbage collection. */
  heap: number;
  /** Bytes of each table with its indexes, of those that have rows for ever and of the others. */
  tables: ReadonlyMap<string, number>;
}

export function measure(path: string, day: number): Sizes {
  const rows = readRows(
    path,
    `select coalesce(tbl_name, stat.name) as name, sum(pgsize) as bytes
     from dbstat as stat left join sqlite_schema as entry on entry.name = stat.name group by 1`,
  );
  return {
    day,
    heap: heapInUse(),
    tables: new Map(rows.map(({ name, bytes }) => [String(name), Number(bytes)])),
  };
}

function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** The age in days of the oldest row of a table. */
export function readOldestDays(path: string, table: string, now: number): number {
  const oldest =
    table === 'request'
      ? Number(readValue(path, 'select min(at_ms) from request'))
      : fromTimestamp(String(readValue(path, `select min(started_at) from ${table}`)));
  return (now - oldest) / 86_400_000;
}
