/** Sends what waits to the webhook: in its order, again and again until it is taken. */
import { counted } from '../lib/words.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { GIVE_UP_MS, type Incidents, type Sent } from '../warehouse/incidents.ts';
import { call, hostOf, type Call } from './call.ts';

export interface DeliveryParts {
  webhook: string;
  incidents: Pick<Incidents, 'claim' | 'settle' | 'giveUp'>;
  clock: Clock;
  logger: Logger;
  deadlineMs: number;
  /** Breaks off what is under way; it may be sent again at once. */
  signal: AbortSignal;
}

const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 3_600_000;

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
    const error = await call({ url: webhook, body: message.body, deadlineMs, signal } satisfies Call);
    const waitMs = signal.aborted ? 0 : waitAfter(message.attempts);
    const sent: Sent = error === null ? { error } : { error, nextAt: clock.now() + waitMs };
    incidents.settle(message.id, sent, clock.now());
    if (!signal.aborted || error === null) note(error);
    return error === null;
  }

  return async () => {
    const lost = incidents.giveUp(clock.now());
    const days = GIVE_UP_MS / 86_400_000;
    if (lost > 0) logger.error(`${counted(lost, 'message')} to ${place} given up: not taken in ${days} days`);
    while (!signal.aborted && (await sendNext()));
  };
}
