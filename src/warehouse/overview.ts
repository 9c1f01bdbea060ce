/** How things stand in a live file: facts for `status` and for metrics, read through a connection that changes nothing. */
import { and, count, desc, eq, gt } from 'drizzle-orm';
import { toTimestamp } from '../lib/clock.ts';
import { openFileToRead, type Db } from './file.ts';
import { request } from './schema/runs.ts';
import { driftOf } from './statements/drift.ts';
import { countHeldSince, heldBackByPackage, heldBackExamples } from './statements/held-back.ts';
import { savedSince } from './statements/look.ts';
import { pausesUntil, type PauseRow } from './statements/pause.ts';
import { countOpen, openExamples } from './statements/quarantine.ts';
import { newestRuns } from './statements/run.ts';
import { countDiffering, countGaps, newestBooked, newestReading } from './statements/storage.ts';
import type { PackageKey } from './statements/video.ts';
import { packagesInForce } from './statements/package.ts';
import { countRecognised, lastWalk } from './statements/walk.ts';

/** Of what is held back or in quarantine, so many are shown. */
const EXAMPLES = 3;

const SAVED_MS = 7 * 86_400_000;

/** Questions about a live file. */
export interface Overview {
  packages(): ReturnType<typeof packagesInForce>;
  /** The newest walk of each package in force. */
  lastWalks(): NonNullable<ReturnType<typeof lastWalk>>[];
  runs(limit: number): ReturnType<typeof newestRuns>;
  /** `since`: the first day (`yyyy-mm-dd`) whose gaps and discrepancies count. */
  storage(account: string, since: string): StorageFacts;
  /** Moment of the newest live reading of the account; null before the first. */
  storageReadAt(account: string): string | null;
  /** The gaps from the day `since` on. */
  gaps(account: string, since: string): ReturnType<typeof countGaps>;
  /** What is in quarantine, a stream of an account, with examples. */
  quarantine(): ReturnType<typeof inQuarantine>;
  /** How many records are in quarantine, a stream of an account. */
  countQuarantine(): ReturnType<typeof countOpen>;
  /** The removals that are held back, a package, with examples. */
  heldBack(): ReturnType<typeof heldBack>;
  /** The same without the examples. */
  countHeldBack(): ReturnType<typeof heldBackByPackage>;
  /** How many removals of the package are held back since this walk or an earlier one. */
  heldSince(key: PackageKey, walkId: number): number;
  drift(): ReturnType<typeof driftOf>;
  /** Requests of the account that are in its windows now. */
  spent(account: string, now: number): { second: number; minute: number; day: number };
  /** The restriction of the account that is in force, or whose rate is still coming back; or undefined. */
  pause(account: string, now: number): PauseRow | undefined;
  saved(account: string, now: number): Saved;
  requests(limit: number): (typeof request.$inferSelect)[];
  close(): void;
}

/** What an account did not have to ask or to read, in the last seven days. */
export interface Saved {
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
export function openOverview(path: string): Overview {
  const db = openFileToRead(path);
  return {
    packages: () => packagesInForce(db),
    lastWalks: () =>
      packagesInForce(db).flatMap(
        ({ account, package_id: packageId }) => lastWalk(db, { account, packageId }, 'full') ?? [],
      ),
    runs: (limit) => newestRuns(db, limit),
    storage: (account, since) => storageFacts(db, account, since),
    storageReadAt: (account) => newestReading(db, account)?.observed_at ?? null,
    gaps: (account, since) => countGaps(db, account, since),
    quarantine: () => inQuarantine(db),
    countQuarantine: () => countOpen(db),
    heldBack: () => heldBack(db),
    countHeldBack: () => heldBackByPackage(db),
    heldSince: (key, walkId) => countHeldSince(db, key, walkId),
    drift: () => driftOf(db),
    spent: (account, now) => ({
      second: spentSince(db, account, now - 1_000),
      minute: spentSince(db, account, now - 60_000),
      day: spentSince(db, account, now - 86_400_000),
    }),
    pause: (account, now) => pausesUntil(db, toTimestamp(now)).find((row) => row.account === account),
    saved: (account, now) => saved(db, account, now - SAVED_MS),
    requests: (limit) => db.select().from(request).orderBy(desc(request.request_id)).limit(limit).all(),
    close: () => db.$client.close(),
  };
}

function saved(db: Db, account: string, since: number): Saved {
  const at = toTimestamp(since);
  return { ...savedSince(db, account, at.slice(0, 10)), pages: countRecognised(db, account, at) };
}

function heldBack(db: Db) {
  return heldBackByPackage(db).map((row) => {
    const key = { account: row.account, packageId: row.package_id };
    return { ...row, examples: heldBackExamples(db, key, EXAMPLES) };
  });
}

function inQuarantine(db: Db) {
  return countOpen(db).map((row) => ({
    ...row,
    examples: openExamples(db, row.account, row.stream, EXAMPLES),
  }));
}

function storageFacts(db: Db, account: string, since: string): StorageFacts {
  const { open, givenUp } = countGaps(db, account, since);
  return {
    readAt: newestReading(db, account)?.observed_at ?? null,
    bookedThrough: newestBooked(db, account),
    openGaps: open,
    givenUpGaps: givenUp,
    ...countDiffering(db, account, since),
  };
}

function spentSince(db: Db, account: string, ms: number): number {
  const row = db
    .select({ count: count() })
    .from(request)
    .where(and(eq(request.account, account), gt(request.spent_until_ms, ms)))
    .get();
  return row?.count ?? 0;
}
