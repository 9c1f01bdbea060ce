/** The state of a live file for `status`, the status page and metrics, read over a connection that cannot write. */
import { openReadOnly, type Db, type Tx } from '../database/connection.ts';
import { query } from '../database/query.ts';
import type { request } from '../database/schema/runs.ts';
import { HELD_REASONS } from '../database/schema/videos.ts';
import { DAY_MS, toTimestamp } from '../lib/clock.ts';
import { LAST_BACKUP } from './named/backups.ts';
import * as failures from './named/failures.ts';
import * as status from './named/status.ts';
import * as targets from './named/targets.ts';
import { OPEN_DISCREPANCIES, STORAGE, WAITING_DAYS } from './named/storage.ts';
import { createShowStatus, withShownStatus } from './shown-status.ts';

/** Examples of what is held back or in quarantine. */
const EXAMPLES = 3;

const SAVINGS_DAYS = 7;

/** The quick walks of an account in the last seven days, and the additional requests that full walks would have needed. */
export interface Savings {
  quick_walks: number;
  requests: number;
}

const SAVINGS = query<Savings, { account: string; since: string }>(`
select coalesce(sum(quick_walks), 0) as quick_walks, coalesce(sum(requests), 0) as requests
from saved_requests
where account = :account and date >= :since`);

const REQUESTS = query<typeof request.$inferSelect, { limit: number }>(`
select *
from request
order by request_id desc
limit :limit`);

const CREATED_AT = query<{ at: string }>('select created_at as at from warehouse_state');

export type StatusQueries = ReturnType<typeof openStatusQueries>;

/** Opens the live file at `path`. Throws as `openReadOnly`. The named queries have the descriptions. */
export function openStatusQueries(path: string) {
  const db = openReadOnly(path);
  const show = createShowStatus(path);
  return {
    packages: () =>
      status.PACKAGES.all(db, {}).map((row) =>
        row.last_walk === 'running' ? { ...row, last_walk: show(row.last_walk) } : row,
      ),
    runs: (limit: number) => withShownStatus(status.RUNS.all(db, { limit }), show),
    /** `since`, here and below: the first day (`yyyy-mm-dd`) that counts. */
    storage: (account: string, since: string) => STORAGE.one(db, { account, since }),
    waitingDays: (account: string) => WAITING_DAYS.all(db, { account }),
    discrepancies: (account: string) => OPEN_DISCREPANCIES.all(db, { account }),
    differences: (account: string) => failures.DIFFERENCES.all(db, { account }),
    openGaps: (account: string, since: string) => failures.OPEN_GAPS.all(db, { account, since }),
    failedWalks: () => failures.FAILED_WALKS.all(db, {}),
    failedRun: () => failures.FAILED_RUN.get(db, {}) ?? null,
    lastFailures: () => failures.LAST_FAILURES.all(db, {}),
    storageFailures: (account: string) => failures.STORAGE_FAILURES.all(db, { account }),
    lastBackup: () => LAST_BACKUP.one(db, {}),
    targetLoads: () => targets.TARGET_LOADS.all(db, {}),
    lastChanges: () => targets.LAST_CHANGES.all(db, {}),
    createdAt: () => CREATED_AT.one(db, {}).at,
    quarantine: () => readQuarantine(db),
    countQuarantine: () => status.QUARANTINE_COUNTS.all(db, {}),
    heldBack: () => readHeldBack(db),
    countHeldBack: () => countHeldBack(db),
    drift: () => status.DRIFT.all(db, {}),
    /** Requests of the account that count in its windows now. */
    spentRequests: (account: string, now: number) => status.SPENT_REQUESTS.one(db, { account, now_ms: now }),
    /** The restriction of the account that is in force, or after which the rate still rises. */
    pause: (account: string, now: number) => status.PAUSE.get(db, { account, at: toTimestamp(now) }),
    savings: (account: string, now: number) =>
      SAVINGS.one(db, { account, since: toTimestamp(now - SAVINGS_DAYS * DAY_MS).slice(0, 10) }),
    requests: (limit: number) => REQUESTS.all(db, { limit }),
    /** The rows of a query of one problem. */
    read: <Row, Params>(query: { all: (tx: Tx, params: Params) => Row[] }, params: Params): Row[] =>
      query.all(db, params),
    close: (): void => void db.$client.close(),
  };
}

function countHeldBack(db: Db) {
  return status.HELD_BACK_COUNTS.all(db, {}).map((row) => {
    const reasons = row.reasons.split(',');
    return { ...row, reasons: HELD_REASONS.filter((reason) => reasons.includes(reason)) };
  });
}

function readHeldBack(db: Db) {
  return countHeldBack(db).map((row) => {
    const { account, package_id } = row;
    const examples = status.HELD_BACK_EXAMPLES.all(db, { account, package_id, limit: EXAMPLES });
    return { ...row, examples };
  });
}

function readQuarantine(db: Db) {
  return status.QUARANTINE_COUNTS.all(db, {}).map((row) => {
    const { account, stream } = row;
    return { ...row, examples: status.QUARANTINE_EXAMPLES.all(db, { account, stream, limit: EXAMPLES }) };
  });
}
