/** Counts the runs, walks and requests that ended since the last scrape, whichever process made them. */
import { openReadOnly } from '../database/connection.ts';
import { query } from '../database/query.ts';
import type { Mode, Status } from '../database/schema/runs.ts';

/** The changes of a walk to records. */
export const CHANGE_KINDS = [
  'inserted',
  'updated',
  'unchanged',
  'removed',
  'restored',
  'quarantined',
] as const;
export type Change = (typeof CHANGE_KINDS)[number];

/** What ended since the last call; no count is 0. */
export interface MetricDeltas {
  runs: { mode: Mode; status: Status; count: number }[];
  /** A walk counts when it has ended. */
  records: { account: string; change: Change; count: number }[];
  /** `status`: the HTTP status, or `none` if no response came before the deadline. */
  requests: { account: string; status: string; count: number }[];
}

export type MetricDeltaReader = ReturnType<typeof openMetricDeltas>;

/** How far a table was read. */
interface ReadState {
  /** The highest id so far. */
  highest: number;
  /** JSON: the ids up to there that had not ended. */
  open: string;
}

/** Rows that are equal in what is counted: either all have ended or none has. */
interface Group {
  count: number;
  highest: number;
  /** Ids separated by commas; null if all have ended. */
  open: string | null;
}

interface Params extends ReadState {
  now: number;
}

const LAST_RUN = query<ReadState>(`
select coalesce(max(run_id), 0) as highest, json_group_array(run_id) filter (where status = 'running') as open
from run`);

const LAST_WALK = query<ReadState>(`
select (select coalesce(max(walk_id), 0) from walk) as highest, json_group_array(walk_id) as open
from walk
where status = 'running'`);

/** Finds the accounts by steps through the index `request_window`: the ledger may hold a million requests. */
const LAST_REQUEST = query<ReadState, { now: number }>(`
with recursive accounts (account) as (
  select min(account) from request
  union all
  select (select min(account) from request where account > accounts.account) from accounts where account is not null
)
select (select coalesce(max(request_id), 0) from request) as highest, json_group_array(request_id) as open
from accounts
cross join request on request.account = accounts.account and spent_until_ms > :now and status is null`);

/** The rows above the highest id, and those that were open: with the counts of a group. */
const since = (table: string, id: string, isOpen: string, columns: string) => `
select ${columns}, count(*) as count, max(${id}) as highest, group_concat(${id}) filter (where ${isOpen}) as open
from ${table}
where ${id} > :highest or ${id} in (select value from json_each(:open))`;

const RUNS_SINCE = query<Group & { mode: Mode; status: Status }, Params>(`
${since('run', 'run_id', `status = 'running'`, 'mode, status')}
group by mode, status`);

/** `+account` keeps SQLite from reading all walks by the index `walk_package`. */
const WALKS_SINCE = query<Group & { account: string } & Record<Change, number>, Params>(`
${since('walk', 'walk_id', `status = 'running'`, `account, ${CHANGE_KINDS.map((kind) => `sum(${kind}) as ${kind}`).join()}`)}
group by +account, status = 'running'`);

const IS_AWAITED = 'status is null and spent_until_ms > :now';

const REQUESTS_SINCE = query<Group & { account: string; status: number | null }, Params>(`
${since('request', 'request_id', IS_AWAITED, 'account, status')}
group by account, status, ${IS_AWAITED}`);

/**
 * Opens the live file at `path` to count what ends from `now` (ms) on. Ids rise in the order of commits, so a higher id is
 * new; rows that had not ended are read again until they have. Throws as `openReadOnly`.
 */
export function openMetricDeltas(path: string, now: number) {
  const db = openReadOnly(path);
  let runState = LAST_RUN.one(db, {});
  let walkState = LAST_WALK.one(db, {});
  let requestState = LAST_REQUEST.one(db, { now });
  return {
    /** What ended since the last call, or since opening; `now` in milliseconds since 1970. */
    sinceLast: (now: number): MetricDeltas => {
      const runs = RUNS_SINCE.all(db, { ...runState, now });
      const walks = WALKS_SINCE.all(db, { ...walkState, now });
      const requests = REQUESTS_SINCE.all(db, { ...requestState, now });
      runState = nextState(runState, runs);
      walkState = nextState(walkState, walks);
      requestState = nextState(requestState, requests);
      return {
        runs: runs.filter(hasEnded).map(({ mode, status, count }) => ({ mode, status, count })),
        records: walks.filter(hasEnded).flatMap((group) =>
          CHANGE_KINDS.filter((change) => group[change] > 0).map((change) => {
            return { account: group.account, change, count: group[change] };
          }),
        ),
        requests: requests.filter(hasEnded).map(({ account, status, count }) => {
          return { account, status: String(status ?? 'none'), count };
        }),
      };
    },
    close: (): void => void db.$client.close(),
  };
}

function nextState({ highest }: ReadState, groups: readonly Group[]): ReadState {
  const open = groups.flatMap((group) => group.open ?? []);
  return { highest: Math.max(highest, ...groups.map((group) => group.highest)), open: `[${open.join()}]` };
}

function hasEnded({ open }: Group): boolean {
  return open === null;
}
