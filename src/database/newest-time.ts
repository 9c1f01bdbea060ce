/** The newest time in the file: it may be ahead of the clock. */
import type { Tx } from './connection.ts';
import { query } from './query.ts';

const selectNewest = query<{ time: string | null }>(
  `select max(time) as time from (
    select max(started_at) as time from run union all select max(finished_at) from run
    union all select max(walked_at) from package union all select max(compared_at) from package)`,
).one;

/** The newest time of a run or a walk; null if there is none. Reads two small tables. */
export const getNewestTime = (tx: Tx): string | null => selectNewest(tx, {}).time;

const clampTimes = (table: string, columns: readonly string[]) =>
  query<never, { at: string }>(
    `update ${table} set ${columns.map((column) => `${column} = min(${column}, :at)`).join(', ')}
      where ${columns.map((column) => `${column} > :at`).join(' or ')}`,
  ).run;
const clampRuns = clampTimes('run', ['started_at', 'finished_at']);
const clampPackages = clampTimes('package', ['first_walked_at', 'walked_at', 'compared_at']);
const clampTargets = clampTimes('target_load', ['attempted_at', 'loaded_at', 'failing_since', 'verified_at']);

/** Lowers the times of runs, walks and loads that are after `at` to it: a clock that was ahead wrote them. */
export function clampFutureTimes(tx: Tx, at: string): void {
  clampRuns(tx, { at });
  clampPackages(tx, { at });
  clampTargets(tx, { at });
}
