/** Delivers the messages of the outbox to the webhook: in their order, with retries. */
import { DAY_MS, fromTimestamp, type Clock } from '../lib/clock.ts';
import type { Proxies } from '../lib/http/proxies.ts';
import type { Logger } from '../lib/logger.ts';
import { hostOf, httpCall } from './http-call.ts';
import { MAX_RETRY_MS, type ClaimedMessage, type Outbox } from './outbox.ts';

export interface DeliveryParts {
  webhook: string;
  outbox: Pick<Outbox, 'claim' | 'settle'>;
  clock: Clock;
  logger: Logger;
  proxies: Proxies;
  deadlineMs: number;
  /** Interrupts the attempt under way; that message may be sent again at once. */
  signal: AbortSignal;
}

const FIRST_RETRY_MS = 30_000;
const GIVE_UP_DAYS = 7;

/** Milliseconds from a failed attempt to the next one; the first attempt is 1. */
export function getRetryDelay(attempts: number): number {
  return Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 20));
}

/** Creates a function that sends all messages that are due, up to the first failure. One call at a time. */
export function createDelivery(parts: DeliveryParts): () => Promise<void> {
  const { webhook, outbox, clock, logger, proxies, deadlineMs, signal } = parts;
  const host = hostOf(webhook);
  const target = `the webhook at ${host}`;
  let lastError: string | null = null;

  /** Logs changes only, not every attempt. */
  function logResult(error: string | null): void {
    if (error === lastError) return;
    if (error === null) logger.info({ event: 'webhook_accepts', host }, `${target} accepts messages again`);
    else {
      const message = `${target} did not accept a message: ${error}; it is retried`;
      logger.warn({ event: 'webhook_refuses', host, error }, message);
    }
    lastError = error;
  }

  async function sendNext(): Promise<boolean> {
    const message = outbox.claim(clock.now());
    if (!message) return false;
    const error = await httpCall({ url: webhook, proxies, body: message.body, deadlineMs, signal });
    const result = error === null ? { error } : { error, nextAt: getNextAttempt(message) };
    outbox.settle(message.id, result, clock.now());
    if (!signal.aborted || error === null) logResult(error);
    if (result.nextAt === null)
      logger.error(
        { event: 'webhook_given_up', host, error },
        `1 message to ${target} given up: not accepted in ${GIVE_UP_DAYS} days`,
      );
    return error === null;
  }

  /** Null gives the message up. */
  function getNextAttempt({ attempts, createdAt }: ClaimedMessage): number | null {
    const now = clock.now();
    if (signal.aborted) return now;
    const isExpired = now - fromTimestamp(createdAt) > GIVE_UP_DAYS * DAY_MS;
    return isExpired ? null : now + getRetryDelay(attempts);
  }

  return async () => {
    while (!signal.aborted && (await sendNext()));
  };
}
