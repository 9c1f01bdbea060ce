/** The statements of the ledger, prepared once: they run before and after every request. */
import { and, asc, count, eq, gt, lte, max, sql } from 'drizzle-orm';
import type { Db } from '../../database/connection.ts';
import { request, type Purpose } from '../../database/schema/runs.ts';

const value = (name: string) => sql.placeholder(name);
const sinceMoment = and(eq(request.account, value('account')), gt(request.spent_until_ms, value('ms')));

/** Prepares: how many requests of the account may have reached the service after the moment (ms)? */
export function prepareCountSince(db: Db) {
  const query = db.select({ count: count() }).from(request).where(sinceMoment).prepare();
  return (account: string, ms: number): number => query.get({ account, ms })?.count ?? 0;
}

/** Prepares: until when (ms) was the n-th request after the moment on its way, counted from 0? */
export function prepareNthSince(db: Db) {
  const query = db
    .select({ until: request.spent_until_ms })
    .from(request)
    .where(sinceMoment)
    .orderBy(asc(request.spent_until_ms))
    .limit(1)
    .offset(value('n'))
    .prepare();
  return (account: string, ms: number, n: number): number => query.get({ account, ms, n })?.until ?? ms;
}

/** Prepares: how many requests of the account left a window while its beginning moved from one moment (ms) to another? */
export function prepareLeftBetween(db: Db) {
  const query = db
    .select({ count: count() })
    .from(request)
    .where(and(sinceMoment, lte(request.spent_until_ms, value('to'))))
    .prepare();
  return (account: string, ms: number, to: number): number => query.get({ account, ms, to })?.count ?? 0;
}

/** Prepares: how many requests of the account came after this one, and which is the last of all; null where none is. */
export function prepareAddedSince(db: Db) {
  const query = db
    .select({
      added: sql<number>`count(*) filter (where ${request.account} = ${value('account')})`,
      lastId: max(request.request_id),
    })
    .from(request)
    .where(gt(request.request_id, value('id')))
    .prepare();
  return (account: string, id: number) => query.get({ account, id }) ?? { added: 0, lastId: null };
}

/** Prepares: which request is the last of all? */
export function prepareLastRequestId(db: Db): () => number {
  const query = db
    .select({ id: max(request.request_id) })
    .from(request)
    .prepare();
  return () => query.get()?.id ?? 0;
}

interface NewRequest {
  account: string;
  at_ms: number;
  purpose: Purpose;
  run_id: number | null;
  package_id: number | null;
  page: number | null;
  spent_until_ms: number;
}

/** Prepares: add a request that may now be sent; gives its id. */
export function prepareInsertRequest(db: Db) {
  const query = db
    .insert(request)
    .values({
      account: value('account'),
      at_ms: value('at_ms'),
      purpose: value('purpose'),
      run_id: value('run_id'),
      package_id: value('package_id'),
      page: value('page'),
      spent_until_ms: value('spent_until_ms'),
    })
    .returning({ id: request.request_id })
    .prepare();
  return (row: NewRequest): number => query.get({ ...row }).id;
}

interface Answer {
  requestId: number;
  now: number;
  answeredAt: number | null;
  status: number | null;
  bytes: number | null;
  spentUntil: number;
}

/** Prepares: note what came of a request. */
export function prepareSettleRequest(db: Db) {
  const query = db
    .update(request)
    .set({
      answered_at_ms: sql`${value('answeredAt')}`,
      duration_ms: sql`${value('now')} - ${request.at_ms}`,
      status: sql`${value('status')}`,
      bytes: sql`${value('bytes')}`,
      spent_until_ms: sql`${value('spentUntil')}`,
    })
    .where(eq(request.request_id, value('requestId')))
    .prepare();
  return (answer: Answer): void => {
    query.run({ ...answer });
  };
}

/**
 * Prepares: what was sent after `latest` (ms) was sent by a clock that was ahead, and is on its way until then at most.
 * Others may have a longer deadline, and keep it.
 */
export function preparePullBack(db: Db) {
  const query = db
    .update(request)
    .set({ spent_until_ms: sql`${value('latest')}` })
    .where(
      and(
        eq(request.account, value('account')),
        gt(request.at_ms, value('latest')),
        gt(request.spent_until_ms, value('latest')),
      ),
    )
    .prepare();
  return (account: string, latest: number): void => {
    query.run({ account, latest });
  };
}
