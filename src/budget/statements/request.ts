/** The ledger: read and written before and after every request. All times are milliseconds since 1970. */
import { query } from '../../database/query.ts';
import type { RequestEntry } from '../request-budget.ts';

type Since = { account: string; ms: number };
const SINCE = 'account = :account and spent_until_ms > :ms';

/** Counts the requests of the account that may have reached the service after the time. */
export const countSince = query<never, Since>(`select count(*) as count from request where ${SINCE}`).count;

/** Until when the n-th request after the time may reach the service, counted from 0. */
export const findNthSince = query<{ until: number }, Since & { n: number }>(
  `select spent_until_ms as until from request where ${SINCE} order by spent_until_ms limit 1 offset :n`,
).one;

/** Adds a request that may now be sent, and returns its id. */
export const insertRequest = query<
  { id: number },
  Omit<RequestEntry, 'deadlineMs'> & { account: string; now: number; spentUntil: number }
>(
  `insert into request (account, at_ms, purpose, run_id, package_id, page, spent_until_ms)
    values (:account, :now, :purpose, :runId, :packageId, :page, :spentUntil) returning request_id as id`,
).one;

interface SettledRequest {
  requestId: number;
  now: number;
  answeredAt: number | null;
  status: number | null;
  bytes: number | null;
  spentUntil: number;
}

/** Records the result of a request. */
export const settleRequest = query<never, SettledRequest>(
  `update request
    set answered_at_ms = :answeredAt, duration_ms = :now - at_ms, status = :status, bytes = :bytes,
      spent_until_ms = :spentUntil
    where request_id = :requestId`,
).run;

/**
 * Corrects requests that are recorded as sent after `latest`, which a clock that was ahead wrote: they count
 * until `latest` at most. Requests that were sent before may have a longer deadline, and keep it.
 */
export const clampFutureRequests = query<never, { account: string; latest: number }>(
  `update request set spent_until_ms = :latest
    where account = :account and at_ms > :latest and spent_until_ms > :latest`,
).run;
