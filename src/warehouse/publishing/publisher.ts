/** Publishing as the rest of vodhouse sees it: one interface, so that a second target can stand behind it. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { createCalendar } from '../../lib/calendar.ts';
import { InterruptedError, WarehouseError } from '../../lib/errors.ts';
import { revived } from '../../lib/told.ts';
import { answerOf, forkBuilt } from '../../lib/built.ts';
import type { Answer } from './child.ts';
import { openFileToRead } from '../file.ts';
import { targetOf } from '../paths.ts';
import { tryLock } from '../lock.ts';
import { fingerprint, publishedFact } from './facts.ts';
import { createMarts } from './marts/all.ts';
import type { Order, Publication } from './order.ts';
import { refuseForeign, sweepAfter, sweepLeftOvers } from './swap.ts';

export type { Publication } from './order.ts';

/** What is the same for every publication. */
export type Target = Omit<Order, 'now' | 'today'>;

export interface Publisher {
  /** Is there anything in the live file that a reader of the published one does not see yet? A new day is something. */
  isDue(now: number): boolean;
  /** As `isDue`, but for the day. */
  isBehind(now: number): boolean;
  /** Removes what a killed publication left, unless another process publishes. */
  sweep(now: number): void;
  /**
   * Publishes now, in a process of its own; the old file stands until the new one is whole. Throws InterruptedError when
   * the signal aborts, else as `publish` does.
   */
  publish(now: number, signal: AbortSignal): Promise<Publication>;
}

/** A publisher into a file. Throws ConfigError where the target cannot be served. */
export function createPublisher(wished: Target): Publisher {
  const target = { ...wished, file: targetOf(wished.file) };
  createMarts(target); // refuses columns that cannot be left out
  refuseForeign(target.file);
  const calendar = createCalendar(target.timezone);
  const orderAt = (now: number): Order => ({ ...target, now, today: calendar.dayAt(now) });
  return {
    isDue: (now) => isDue(orderAt(now)),
    isBehind: (now) => isDue({ ...orderAt(now), today: publishedFact(target.file, 'today') ?? '' }),
    sweep: (now) => sweep(orderAt(now)),
    publish: (now, signal) => publishApart(orderAt(now), signal),
  };
}

function isDue(order: Order): boolean {
  const published = publishedFact(order.file, 'fingerprint');
  if (published === null) return true;
  const { $client: live } = openFileToRead(order.live);
  try {
    return fingerprint(live, order) !== published;
  } finally {
    live.close();
  }
}

function sweep({ live, file, command, now }: Order): void {
  if (!existsSync(dirname(file))) return;
  const lock = tryLock(live, 'publish', command, now);
  if (lock) sweepLeftOvers(file);
  lock?.release();
}

async function publishApart(order: Order, signal: AbortSignal): Promise<Publication> {
  signal.throwIfAborted();
  openFileToRead(order.live).$client.close(); // refuses what is no live file of ours, or of an older format
  const child = forkBuilt('warehouse/publishing/child.js');
  const stop = () => child.kill('SIGKILL'); // it cannot hear anything else, and leaves the old file as it is
  signal.addEventListener('abort', stop, { once: true });
  try {
    const answer = await answerOf<Answer>(child, order);
    if ('ended' in answer) {
      sweepAfter(order.file, child.pid);
      throw signal.aborted ? interruptedBy(signal) : endedEarly(answer.ended);
    }
    if ('error' in answer) throw revived(answer.error);
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

function interruptedBy({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new InterruptedError('stopped before the end');
}
