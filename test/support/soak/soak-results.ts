/**
 * The results of a long run in the live file: read from time to time, since runs and walks are deleted by
 * age.
 */
import { fromTimestamp, DAY_MS } from '../../../src/lib/clock.ts';
import type { Mode, Status, Trigger } from '../../../src/database/schema/runs.ts';
import { readRows, readValue } from '../fixtures/live-file.ts';

/** A run; moments in milliseconds since 1970. */
export interface SoakRun {
  id: number;
  trigger: Trigger;
  mode: Mode;
  status: Status;
  startedAt: number;
  finishedAt: number;
  /** It resumes one that was parked. */
  goesOn: boolean;
  error: string | null;
}

/** Rows of walks, counted by kind. */
export interface WalkTally {
  resumed: number;
  /** Quick walks that succeeded, with or without a change. */
  quickThatFound: number;
  quickInVain: number;
}

export interface SoakResults {
  runs: SoakRun[];
  walks: WalkTally;
  /** The highest ages in days of the oldest run, walk and request. */
  oldestDays: { run: number; walk: number; request: number };
}

/** Reads the new rows since the last call. Call it only while no run is in progress. */
export function createResultsReader(path: string, now: () => number) {
  const results: SoakResults = {
    runs: [],
    walks: { resumed: 0, quickThatFound: 0, quickInVain: 0 },
    oldestDays: { run: 0, walk: 0, request: 0 },
  };
  let lastWalk = 0;
  return {
    results,
    readResults: (): void => {
      results.runs.push(...runsAfter(path, results.runs.at(-1)?.id ?? 0));
      const tally = tallyAfter(path, lastWalk);
      for (const name of Object.keys(results.walks) as (keyof WalkTally)[])
        results.walks[name] += tally[name];
      lastWalk = Number(readValue(path, 'select coalesce(max(walk_id), 0) from walk'));
      const { oldestDays } = results;
      for (const [name, oldest] of Object.entries(oldestRows(path))) {
        const days = (now() - oldest) / DAY_MS;
        oldestDays[name as keyof typeof oldestDays] = Math.max(oldestDays[name as 'run'], days);
      }
    },
  };
}

function runsAfter(path: string, id: number): SoakRun[] {
  return readRows(path, 'select * from run where run_id > ? order by run_id', id).map((row) => ({
    id: Number(row['run_id']),
    trigger: row['trigger'] as Trigger,
    mode: row['mode'] as Mode,
    status: row['status'] as Status,
    startedAt: fromTimestamp(String(row['started_at'])),
    finishedAt: fromTimestamp(String(row['finished_at'])),
    goesOn: row['origin_started_at'] !== null,
    error: row['error'] as string | null,
  }));
}

const QUICK = `mode = 'quick' and status = 'succeeded'`;
const FOUND = 'inserted + updated + removed + restored + quarantined + held_back > 0';

function tallyAfter(path: string, walkId: number): WalkTally {
  const [row = {}] = readRows(
    path,
    `select count(*) filter (where resumed) as resumed,
            count(*) filter (where ${QUICK} and ${FOUND}) as quickThatFound,
            count(*) filter (where ${QUICK} and not (${FOUND})) as quickInVain
     from walk where walk_id > ?`,
    walkId,
  );
  return row as unknown as WalkTally;
}

function oldestRows(path: string): SoakResults['oldestDays'] {
  const moment = (table: string) =>
    fromTimestamp(String(readValue(path, `select min(started_at) from ${table}`)));
  const request = Number(readValue(path, 'select min(at_ms) from request'));
  return { run: moment('run'), walk: moment('walk'), request };
}
