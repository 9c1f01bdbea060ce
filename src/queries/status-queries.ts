/** How things stand in a live file: facts for `status`, the status page and metrics, through a connection that changes nothing. */
import { desc } from 'drizzle-orm';
import { toTimestamp } from '../lib/clock.ts';
import { openReadOnly, type Db } from '../database/connection.ts';
import { runQuery } from '../database/query.ts';
import * as standing from './named/status.ts';
import { OPEN_DISCREPANCIES, STORAGE, WAITING_DAYS } from './named/storage.ts';
import type { DiscrepancyDay, WaitingDay } from './named/storage.ts';
import { request } from '../database/schema/runs.ts';
import { HELD_REASONS } from '../database/schema/videos.ts';
import { countHeldSince } from './held-back.ts';
import { getNewestTime } from '../database/newest-time.ts';
import type { PackageKey } from '../lib/package-key.ts';
import { savedSince, countRecognised } from './savings.ts';

/** Of what is held back or in quarantine, so many are shown. */
const EXAMPLES = 3;

const SAVED_MS = 7 * 86_400_000;

/** Questions about a live file. */
export interface StatusQueries {
  /** The packages in force, with how their newest full walk ended. */
  packages(): standing.PackageStatus[];
  runs(limit: number): standing.RunRow[];
  /** `since`: the first day (`yyyy-mm-dd`) whose gaps and discrepancies count. */
  storage(account: string, since: string): StorageFacts;
  /** Days of the account whose figures wait for a second reading, the newest first. */
  waitingDays(account: string): WaitingDay[];
  /** Booked days of the account that the service now reports differently, the newest first. */
  discrepancies(account: string): DiscrepancyDay[];
  /** The newest moment of a run, a walk or a reading, as the file writes moments; null where there is none. */
  newestMoment(): string | null;
  /** What is in quarantine, a stream of an account, with examples. */
  quarantine(): ReturnType<typeof inQuarantine>;
  /** How many records are in quarantine, a stream of an account. */
  countQuarantine(): standing.QuarantineCount[];
  /** The removals that are held back, a package, with examples. */
  heldBack(): ReturnType<typeof heldBack>;
  /** The same without the examples. */
  countHeldBack(): ReturnType<typeof countHeldBack>;
  /** How many removals of the package are held back since this walk or an earlier one. */
  heldSince(key: PackageKey, walkId: number): number;
  drift(): standing.DriftRow[];
  /** Requests of the account that are in its windows now. */
  spent(account: string, now: number): { second: number; minute: number; day: number };
  /** The restriction of the account that is in force, or whose rate is still coming back; or undefined. */
  pause(account: string, now: number): standing.PauseRow | undefined;
  saved(account: string, now: number): Savings;
  requests(limit: number): (typeof request.$inferSelect)[];
  close(): void;
}

/** What an account did not have to ask or to read, in the last seven days. */
export interface Savings {
  /** Quick looks at a package, and the requests that full walks would have made more. */
  looks: number;
  requests: number;
  /** Pages that were known by their bytes. */
  pages: number;
}

export interface StorageFacts {
  /** Moment of the newest live reading, and newest booked day; null before the first. */
  readAt: string | null;
  bookedThrough: string | null;
  openGaps: number;
  givenUpGaps: number;
  booked: number;
  differing: number;
}

/** Opens the live file at `path` to look at it. Throws WarehouseError where there is none of ours. */
export function openStatusQueries(path: string): StatusQueries {
  const db = openReadOnly(path);
  return {
    packages: () => runQuery(db, standing.PACKAGES, {}),
    runs: (limit) => runQuery(db, standing.RUNS, { limit }),
    storage: (account, since) => storageFacts(db, account, since),
    waitingDays: (account) => runQuery(db, WAITING_DAYS, { account }),
    discrepancies: (account) => runQuery(db, OPEN_DISCREPANCIES, { account }),
    newestMoment: () => getNewestTime(db),
    quarantine: () => inQuarantine(db),
    countQuarantine: () => runQuery(db, standing.QUARANTINE, {}),
    heldBack: () => heldBack(db),
    countHeldBack: () => countHeldBack(db),
    heldSince: (key, walkId) => countHeldSince(db, key, walkId),
    drift: () => runQuery(db, standing.DRIFT, {}),
    spent: (account, now) =>
      runQuery(db, standing.SPENT, { account, now_ms: now })[0] ?? { second: 0, minute: 0, day: 0 },
    pause: (account, now) => runQuery(db, standing.PAUSE, { account, at: toTimestamp(now) })[0],
    saved: (account, now) => saved(db, account, now - SAVED_MS),
    requests: (limit) => db.select().from(request).orderBy(desc(request.request_id)).limit(limit).all(),
    close: () => db.$client.close(),
  };
}

function saved(db: Db, account: string, since: number): Savings {
  const at = toTimestamp(since);
  return { ...savedSince(db, account, at.slice(0, 10)), pages: countRecognised(db, account, at) };
}

function countHeldBack(db: Db) {
  return runQuery(db, standing.HELD_BACK, {}).map((row) => {
    const reasons = row.reasons?.split(',') ?? [];
    return { ...row, reasons: HELD_REASONS.filter((reason) => reasons.includes(reason)) };
  });
}

function heldBack(db: Db) {
  return countHeldBack(db).map((row) => {
    const { account, package_id } = row;
    const examples = runQuery(db, standing.HELD_BACK_EXAMPLES, { account, package_id, limit: EXAMPLES });
    return { ...row, examples };
  });
}

function inQuarantine(db: Db) {
  return runQuery(db, standing.QUARANTINE, {}).map((row) => {
    const { account, stream } = row;
    return {
      ...row,
      examples: runQuery(db, standing.QUARANTINE_EXAMPLES, { account, stream, limit: EXAMPLES }),
    };
  });
}

function storageFacts(db: Db, account: string, since: string): StorageFacts {
  const [row] = runQuery(db, STORAGE, { account, since });
  return {
    readAt: row?.read_at ?? null,
    bookedThrough: row?.booked_through ?? null,
    openGaps: row?.open_gaps ?? 0,
    givenUpGaps: row?.given_up_gaps ?? 0,
    booked: row?.booked ?? 0,
    differing: row?.differing ?? 0,
  };
}
