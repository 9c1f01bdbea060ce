/**
 * Counts the runs, their records and the requests that ended since the last scrape, whichever process made
 * them.
 */
import { openReadOnly } from '../database/connection.ts';
import { query } from '../database/query.ts';
import { WALK_CHANGES, type Mode, type Status } from '../database/schema/values.ts';

/** What walks count of records. */
export const RECORD_KINDS = [...WALK_CHANGES, 'unchanged', 'quarantined'] as const;
type RecordKind = (typeof RECORD_KINDS)[number];

/** What ended since the last call. Counts of 0 are left out. */
export interface MetricDeltas {
  runs: { mode: Mode; status: Status; count: number }[];
  records: { account: string; change: RecordKind; count: number }[];
  /** `status`: the HTTP status, or `none` if no response came before the deadline. */
  requests: { account: string; status: string; count: number }[];
}

export type MetricDeltaReader = ReturnType<typeof openMetricDeltas>;

/** The last run and the last request that were counted. */
interface Counted {
  run: number;
  request: number;
}

/** How many of the newest requests are searched for those in flight. */
const IN_FLIGHT = 10_000;

/**
 * The last run that ended, and the last request before the first one in flight. One run is made at a time.
 */
const ENDED = query<Counted, { now: number }>(`
select coalesce((select max(run_id) from run where status <> 'running'), 0) as run,
  coalesce((select min(request_id) - 1 from request
    where request_id > (select max(request_id) from request) - ${IN_FLIGHT}
      and status is null and spent_until_ms > :now),
    (select max(request_id) from request), 0) as request`);

type Range = { after: number; upto: number };

const RUNS = query<MetricDeltas['runs'][number], Range>(`
select mode, status, count(*) as count
from run
where run_id > :after and run_id <= :upto and status <> 'running'
group by mode, status`);

/** `+account` keeps SQLite from reading all walks by the index `walk_package`. */
const RECORDS = query<{ account: string } & Record<RecordKind, number>, Range>(`
select account, sum(added) as added, sum(edited) as edited, sum(removed) as removed,
  sum(restored) as restored, sum(unchanged) as unchanged, sum(quarantined) as quarantined
from walk
where run_id > :after and run_id <= :upto
group by +account`);

const REQUESTS = query<MetricDeltas['requests'][number], Range>(`
select account, coalesce(cast(status as text), 'none') as status, count(*) as count
from request
where request_id > :after and request_id <= :upto
group by account, 2`);

/** Opens the live file at `path` to count what ends from `now` (ms) on. Throws as `openReadOnly`. */
export function openMetricDeltas(path: string, now: number) {
  const db = openReadOnly(path);
  let counted = ENDED.one(db, { now });
  return {
    /** What ended since the last call, or since opening; `now` in milliseconds since 1970. */
    sinceLast: (now: number): MetricDeltas => {
      const { run, request } = ENDED.one(db, { now });
      const ofRuns = { after: counted.run, upto: run };
      const deltas = {
        runs: RUNS.all(db, ofRuns),
        records: RECORDS.all(db, ofRuns).flatMap(({ account, ...counts }) =>
          RECORD_KINDS.map((change) => ({ account, change, count: counts[change] })),
        ),
        requests: REQUESTS.all(db, { after: counted.request, upto: request }),
      };
      counted = { run: Math.max(counted.run, run), request: Math.max(counted.request, request) };
      return { ...deltas, records: deltas.records.filter(({ count }) => count > 0) };
    },
    close: (): void => void db.$client.close(),
  };
}
