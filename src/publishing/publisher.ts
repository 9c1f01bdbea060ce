/** Publishing as the rest of vodhouse sees it: one interface, so that a second target can stand behind it. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fromTimestamp } from '../lib/clock.ts';
import { createCalendar } from '../lib/calendar.ts';
import { toInterruptedError, WarehouseError } from '../lib/errors.ts';
import { deserializeError } from '../lib/serialize-error.ts';
import { awaitMessage, forkDist } from '../lib/child-process.ts';
import type { Answer } from './publish-child.ts';
import { openReadOnly } from '../database/connection.ts';
import { resolveLink } from '../database/paths.ts';
import { tryLock } from '../database/lock.ts';
import { fingerprint, publishedFact } from './fingerprint.ts';
import { createMarts } from './marts/marts.ts';
import type { PublishRequest, Publication } from './publish-request.ts';
import { sweepAfter, sweepLeftOvers } from './atomic-replace.ts';

export type { Publication } from './publish-request.ts';

/** What is the same for every publication. */
export interface Target extends Omit<PublishRequest, 'now' | 'today' | 'pruneCopies'> {
  /** At most one publication after a run in this time, in milliseconds; left out: after each that changed something. */
  everyMs?: number;
}

export interface PublishOptions {
  /** Are dated copies removed when they are old? Default true; false where the clock may be wrong. */
  pruneCopies?: boolean;
}

export interface Publisher {
  /** Absolute path of the published file. */
  file: string;
  /** As `dueAt`: may it be published now? */
  isDue(now: number): boolean;
  /**
   * From when on (milliseconds since 1970, at least `now`) what a reader does not see yet may be published without a request:
   * `everyMs` after the last time, but for the first time of a day. A new day is something that a reader does not see. Null
   * where there is nothing.
   */
  dueAt(now: number): number | null;
  /** Is there anything in the live file that a reader of the published one does not see yet? A new day is nothing here. */
  isBehind(now: number): boolean;
  /** Removes what a killed publication left, unless another process publishes. */
  sweep(now: number): void;
  /**
   * Publishes now, in a process of its own; the old file stands until the new one is whole. Throws InterruptedError when
   * the signal aborts, else as `publish` does.
   */
  publish(now: number, signal: AbortSignal, options?: PublishOptions): Promise<Publication>;
}

/** A publisher into a file. Throws ConfigError where columns are left out that cannot be; what stands there, `publish` refuses. */
export function createPublisher({ everyMs = 0, ...wished }: Target): Publisher {
  const target = { ...wished, file: resolveLink(wished.file) };
  createMarts(target); // refuses columns that cannot be left out
  const calendar = createCalendar(target.timezone);
  const orderAt = (now: number, pruneCopies = true): PublishRequest => ({
    ...target,
    pruneCopies,
    now,
    today: calendar.dayAt(now),
  });
  const whenDue = (now: number) => dueAt(orderAt(now), everyMs);
  return {
    file: target.file,
    isDue: (now) => whenDue(now) === now,
    dueAt: whenDue,
    isBehind: (now) => hasNews({ ...orderAt(now), today: publishedFact(target.file, 'today') ?? '' }),
    sweep: (now) => sweep(orderAt(now)),
    publish: (now, signal, { pruneCopies } = {}) => publishApart(orderAt(now, pruneCopies), signal),
  };
}

function dueAt(order: PublishRequest, everyMs: number): number | null {
  if (!hasNews(order)) return null;
  const publishedAt = publishedFact(order.file, 'published_at');
  if (publishedAt === null || publishedFact(order.file, 'today') !== order.today) return order.now;
  const last = fromTimestamp(publishedAt);
  return last > order.now ? order.now : Math.max(order.now, last + everyMs); // a clock that was put back must not hold it up
}

function hasNews(order: PublishRequest): boolean {
  const published = publishedFact(order.file, 'fingerprint');
  if (published === null) return true;
  const { $client: live } = openReadOnly(order.live);
  try {
    return fingerprint(live, order) !== published;
  } finally {
    live.close();
  }
}

function sweep({ live, file, command, now }: PublishRequest): void {
  if (!existsSync(dirname(file))) return;
  const lock = tryLock(live, 'publish', command, now);
  if (lock) sweepLeftOvers(file);
  lock?.release();
}

async function publishApart(order: PublishRequest, signal: AbortSignal): Promise<Publication> {
  signal.throwIfAborted();
  openReadOnly(order.live).$client.close(); // refuses what is no live file of ours, or of an older format
  const child = forkDist('publishing/publish-child.js');
  const stop = () => child.kill('SIGKILL'); // it cannot hear anything else, and leaves the old file as it is
  signal.addEventListener('abort', stop, { once: true });
  try {
    const answer = await awaitMessage<Answer>(child, order);
    if ('ended' in answer) {
      sweepAfter(order.file, child.pid);
      throw signal.aborted ? toInterruptedError(signal) : endedEarly(answer.ended);
    }
    if ('error' in answer) throw deserializeError(answer.error);
    return answer.publication;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function endedEarly(how: string): WarehouseError {
  return new WarehouseError(
    `the process that publishes ended with ${how}; the published file stands as it was`,
  );
}
