/** Sends what waits to the webhook: in its order, again and again until it is taken. */
import { fromTimestamp, type Clock, DAY_MS } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { LONGEST_WAIT_MS, type ClaimedMessage, type Incidents } from './outbox.ts';
import { httpCall, hostOf, type Call } from './http-call.ts';

export interface DeliveryParts {
  webhook: string;
  incidents: Pick<Incidents, 'claim' | 'settle'>;
  clock: Clock;
  logger: Logger;
  deadlineMs: number;
  /** Breaks off what is under way; it may be sent again at once. */
  signal: AbortSignal;
}

const FIRST_WAIT_MS = 30_000;
const GIVE_UP_DAYS = 7;

/** Milliseconds from a failed attempt to the next one: the first is attempt 1. */
export function waitAfter(attempts: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, 20));
}

/** Gives what sends all that is due, up to the first message that is not taken. One at a time. */
export function createDelivery(parts: DeliveryParts): () => Promise<void> {
  const { webhook, incidents, clock, logger, signal } = parts;
  const place = `the webhook at ${hostOf(webhook)}`;
  let trouble: string | null = null;

  /** Told when it begins or changes, not at every attempt. */
  function note(error: string | null): void {
    if (error === trouble) return;
    if (error === null) logger.info(`${place} takes messages again`);
    else logger.warn(`${place} did not take a message: ${error}; it is tried again`);
    trouble = error;
  }

  async function sendNext(): Promise<boolean> {
    const message = incidents.claim(clock.now());
    if (!message) return false;
    const { deadlineMs } = parts;
    const error = await httpCall({ url: webhook, body: message.body, deadlineMs, signal } satisfies Call);
    const sent = error === null ? { error } : { error, nextAt: nextAt(message) };
    incidents.settle(message.id, sent, clock.now());
    if (!signal.aborted || error === null) note(error);
    if (sent.nextAt === null)
      logger.error(`1 message to ${place} given up: not taken in ${GIVE_UP_DAYS} days`);
    return error === null;
  }

  /** When what was not taken may be sent again; null where that has been tried for too long. */
  function nextAt({ attempts, createdAt }: ClaimedMessage): number | null {
    const now = clock.now();
    if (signal.aborted) return now;
    const isLost = now - fromTimestamp(createdAt) > GIVE_UP_DAYS * DAY_MS;
    return isLost ? null : now + waitAfter(attempts);
  }

  return async () => {
    while (!signal.aborted && (await sendNext()));
  };
}
