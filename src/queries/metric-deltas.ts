/** Counts what was finished in a live file, whoever did it: the worker, or a command beside it. */
import { openReadOnly } from '../database/connection.ts';
import type { Mode, Status } from '../database/schema/runs.ts';
import * as finished from './since-last.ts';
import type { Seen } from './since-last.ts';

/** What a walk does to records. */
export const CHANGE_KINDS = [
  'inserted',
  'updated',
  'unchanged',
  'removed',
  'restored',
  'quarantined',
] as const;
export type Change = (typeof CHANGE_KINDS)[number];

/** How many were finished since the last look; nothing is in it with a count of 0. */
export interface MetricDeltas {
  runs: { mode: Mode; status: Status; count: number }[];
  /** Of walks: what one did counts when it has ended. */
  records: { account: string; change: Change; count: number }[];
  /** `status`: that of the HTTP answer; `none` where none came before the deadline. */
  requests: { account: string; status: string; count: number }[];
}

export interface MetricDeltaReader {
  /** What was finished since the last call, or since this was opened; `now` in milliseconds since 1970. */
  sinceLast(now: number): MetricDeltas;
  close(): void;
}

/**
 * Opens the live file at `path` to count what is finished from `now` (ms) on. Ids rise in the order of commits, so that what is
 * above the last one is new; what was under way is looked at again until it ends, or retention takes it. Throws
 * WarehouseError where there is no live file of ours.
 */
export function openMetricDeltas(path: string, now: number): MetricDeltaReader {
  const db = openReadOnly(path);
  let runs = finished.seenRuns(db);
  let walks = finished.seenWalks(db);
  let requests = finished.seenRequests(db, now);
  return {
    sinceLast(at) {
      const groups = {
        runs: finished.runsSince(db, runs),
        walks: finished.walksSince(db, walks),
        requests: finished.requestsSince(db, requests, at),
      };
      runs = seenAfter(runs, groups.runs);
      walks = seenAfter(walks, groups.walks);
      requests = seenAfter(requests, groups.requests);
      return {
        runs: ended(groups.runs).map(({ mode, status, count }) => ({ mode, status, count })),
        records: ended(groups.walks).flatMap(recordsOf),
        requests: ended(groups.requests).map(requestsOf),
      };
    },
    close: () => db.$client.close(),
  };
}

/** A group of rows: all of them have ended, or none. */
interface Group {
  last: number;
  open: string | null;
}

function ended<Row extends Group>(groups: readonly Row[]): Row[] {
  return groups.filter(({ open }) => open === null);
}

function seenAfter({ through }: Seen, groups: readonly Group[]): Seen {
  return {
    through: Math.max(through, ...groups.map(({ last }) => last)),
    open: groups.flatMap(({ open }) => finished.toIds(open)),
  };
}

type WalkGroup = ReturnType<typeof finished.walksSince>[number];

function recordsOf(group: WalkGroup): MetricDeltas['records'] {
  const counts = CHANGE_KINDS.map((change) => ({ account: group.account, change, count: group[change] }));
  return counts.filter(({ count }) => count > 0);
}

type RequestGroup = ReturnType<typeof finished.requestsSince>[number];

function requestsOf({ account, status, count }: RequestGroup): MetricDeltas['requests'][number] {
  return { account, status: status === null ? 'none' : String(status), count };
}
