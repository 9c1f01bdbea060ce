/** The ledger: read and written before and after every request. */
import type { Tx } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import type { Purpose } from '../../lib/request-budget.ts';

type Count = { count: number };
type Since = { account: string; ms: number };
const SINCE = 'account = :account and spent_until_ms > :ms';

const COUNT_SINCE = query<Count, Since>(`select count(*) as count from request where ${SINCE}`);
const NTH_SINCE = query<{ until: number }, Since & { n: number }>(
  `select spent_until_ms as until from request where ${SINCE} order by spent_until_ms limit 1 offset :n`,
);
const COUNT_LEFT = query<Count, Since & { to: number }>(
  `select count(*) as count from request where ${SINCE} and spent_until_ms <= :to`,
);
const ADDED_SINCE = query<{ added: number; lastId: number | null }, { account: string; id: number }>(
  `select count(*) filter (where account = :account) as added, max(request_id) as lastId
    from request where request_id > :id`,
);
const LAST_ID = query<{ id: number | null }>('select max(request_id) as id from request');
const INSERT = query<{ id: number }, NewRequest>(
  `insert into request (account, at_ms, purpose, run_id, package_id, page, spent_until_ms)
    values (:account, :at_ms, :purpose, :runId, :packageId, :page, :spent_until_ms) returning request_id as id`,
);
const SETTLE = query<never, SettledRequest>(
  `update request set answered_at_ms = :answeredAt, duration_ms = :now - at_ms, status = :status, bytes = :bytes,
    spent_until_ms = :spentUntil where request_id = :requestId`,
);
const CLAMP_FUTURE = query<never, { account: string; latest: number }>(
  `update request set spent_until_ms = :latest
    where account = :account and at_ms > :latest and spent_until_ms > :latest`,
);

interface NewRequest {
  account: string;
  at_ms: number;
  purpose: Purpose;
  runId: number | null;
  packageId: number | null;
  page: number | null;
  spent_until_ms: number;
}

interface SettledRequest {
  requestId: number;
  now: number;
  answeredAt: number | null;
  status: number | null;
  bytes: number | null;
  spentUntil: number;
}

/** Counts the requests of the account that may have reached the service after the time (ms). */
export const countSince = (tx: Tx, account: string, ms: number): number =>
  COUNT_SINCE.get(tx, { account, ms })?.count ?? 0;

/** Until when (ms) the n-th request after the time may reach the service, counted from 0. */
export const nthSince = (tx: Tx, account: string, ms: number, n: number): number =>
  NTH_SINCE.get(tx, { account, ms, n })?.until ?? ms;

/** Counts the requests that left a window while its beginning moved from `ms` to `to`. */
export const countLeft = (tx: Tx, account: string, ms: number, to: number): number =>
  COUNT_LEFT.get(tx, { account, ms, to })?.count ?? 0;

/** Counts the requests of the account after this one; `lastId` is the last of all accounts, null without any. */
export const addedSince = (tx: Tx, account: string, id: number) =>
  ADDED_SINCE.get(tx, { account, id }) ?? { added: 0, lastId: null };

/** The last request of all accounts; 0 without any. */
export const lastRequestId = (tx: Tx): number => LAST_ID.get(tx, {})?.id ?? 0;

/** Adds a request that may now be sent, and returns its id. */
export const insertRequest = (tx: Tx, row: NewRequest): number => INSERT.get(tx, row)?.id ?? 0;

/** Records the result of a request. */
export const settleRequest = (tx: Tx, request: SettledRequest): number => SETTLE.run(tx, request);

/**
 * Requests sent after `latest` (ms) were sent by a clock that was ahead, and count until then at most. Others may have a
 * longer deadline, and keep it.
 */
export const clampFutureRequests = (tx: Tx, account: string, latest: number): number =>
  CLAMP_FUTURE.run(tx, { account, latest });
