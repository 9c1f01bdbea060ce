/** Publishing as the rest of vodhouse sees it. */
import type { Config } from '../config/config.ts';
import { createCalendar } from '../lib/calendar.ts';
import { runInChild } from '../lib/child-process.ts';
import { fromTimestamp } from '../lib/clock.ts';
import { WarehouseError } from '../lib/errors.ts';
import { version } from '../lib/package-root.ts';
import { openReadOnly } from '../database/connection.ts';
import { draftPath, removeDraft } from '../database/draft-files.ts';
import { resolveLink } from '../database/files.ts';
import { createLockedError, isHeld } from '../database/lock.ts';
import { publishedFact } from './about-rows.ts';
import { createFingerprint } from './fingerprint.ts';
import { createMarts } from './marts/marts.ts';
import type { PublishRequest, Publication } from './publish-request.ts';
import { findRefusal } from './replace-file.ts';

export type { Publication } from './publish-request.ts';

/** What all publications into one file have in common. */
export interface PublisherOptions extends Omit<PublishRequest, 'now' | 'today'> {
  /** Least time between two publications of one day, in milliseconds; default 0. */
  everyMs?: number;
}

export type Publisher = ReturnType<typeof createPublisher>;

/** Null if the config publishes nothing. Throws ConfigError as `createPublisher`. */
export function openPublisher(
  { warehouse: live, publish, timezone, durationUnit, accounts }: Config,
  command: string,
): Publisher | null {
  if (!publish) return null;
  const storageAccounts = accounts.filter(({ storage }) => storage !== null).map(({ name }) => name);
  const source = { live, storageAccounts, timezone, durationUnit };
  return createPublisher({ ...source, ...publish, version: version(), command });
}

/** A publisher into a SQLite file. Throws ConfigError if a column is excluded that is needed. */
export function createPublisher({ everyMs = 0, ...options }: PublisherOptions) {
  const target = { ...options, file: resolveLink(options.file) };
  createMarts(target); // throws for columns that cannot be left out
  const calendar = createCalendar(target.timezone);
  const requestAt = (now: number): PublishRequest => ({ ...target, now, today: calendar.dayAt(now) });
  return {
    /** Absolute path of the published file. */
    file: target.file,
    /**
     * From when on (milliseconds since 1970, at least `now`) the next publication is allowed: `everyMs` after
     * the last one, or at once if that was on another day. Null if the published file has everything; a new
     * day counts as a change.
     */
    dueAt: (now: number) => dueAt(requestAt(now), everyMs),
    /** Does the live file have anything that the published file lacks? A new day does not count. */
    isBehind: (now: number) =>
      hasChanges({ ...requestAt(now), today: publishedFact(target.file, 'today') ?? '' }),
    /**
     * Why every publication is refused until a person changes something, and what to change; null if none is.
     */
    findRefusal: () => findRefusal(target.live, target.file),
    /**
     * Publishes in a child process. The old file stays until the new one is complete. Throws InterruptedError
     * if the signal aborts, otherwise as `publish` does.
     */
    publish: (now: number, signal: AbortSignal) => publishInChild(requestAt(now), signal),
  };
}

function dueAt(request: PublishRequest, everyMs: number): number | null {
  const { file, today, now } = request;
  if (!hasChanges(request)) return null;
  const publishedAt = publishedFact(file, 'published_at');
  if (publishedAt === null || publishedFact(file, 'today') !== today) return now;
  const last = fromTimestamp(publishedAt);
  return last > now ? now : Math.max(now, last + everyMs); // a time in the future: the clock was put back
}

function hasChanges(request: PublishRequest): boolean {
  const published = publishedFact(request.file, 'fingerprint');
  if (published === null) return true;
  const { $client: live } = openReadOnly(request.live);
  try {
    return createFingerprint(live, request) !== published;
  } finally {
    live.close();
  }
}

async function publishInChild(request: PublishRequest, signal: AbortSignal): Promise<Publication> {
  signal.throwIfAborted();
  if (isHeld(request.live, 'publish')) throw createLockedError(request.live, 'publish');
  return runInChild('publishing/publish-child', request, signal, (reason, pid) => {
    removeDraft(draftPath(request.file, pid));
    return new WarehouseError(
      `the process that publishes ended with ${reason}; the published file was not changed`,
    );
  });
}
