/** Sends the messages that wait in the incidents to the webhook: begins, reminders and ends, with retries. */
import { hostname } from 'node:os';
import type { Config, NotifyConfig } from '../config/config.ts';
import { toTimestamp, type Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { redactAll } from '../lib/redact.ts';
import { hostOf, httpCall } from './http-call.ts';
import type { IncidentRows } from './incident-rows.ts';
import { buildPost, chooseNext } from './messages.ts';

export interface DeliveryParts {
  config: Config & { notify: NotifyConfig };
  webhook: string;
  incidents: Pick<IncidentRows, 'claim' | 'settle'>;
  clock: Clock;
  logger: Logger;
  /** Interrupts the attempt under way; that message may be sent again at once. */
  signal: AbortSignal;
}

/** Creates a function that sends all messages that are due, up to the first failure. One call at a time. */
export function createDelivery(parts: DeliveryParts): () => Promise<void> {
  const { config, webhook, incidents, clock, logger, signal } = parts;
  const { events, remindAfterMs } = config.notify;
  const host = hostOf(webhook);
  const target = `the webhook at ${host}`;
  let lastError: string | null = null;

  /** Logs a result only where it differs from the one before. */
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
    const claimed = incidents.claim((waiting) => chooseNext(waiting, events), remindAfterMs, clock.now());
    if (claimed.length === 0) return false;
    const { event, state, ...post } = buildPost(claimed, config);
    const body = JSON.stringify({ event, state, ...redactAll(post, config.secrets) });
    const error = await httpCall({ url: webhook, proxies: config.proxies, body, signal });
    const isInterrupted = error !== null && signal.aborted;
    incidents.settle(claimed, error, isInterrupted, clock.now());
    if (!isInterrupted) logResult(error);
    return error === null;
  }

  return async () => {
    while (!signal.aborted && (await sendNext()));
  };
}

/** What a webhook answered to a test message. */
export interface TestResult {
  /** The host of its address; the rest of the address may be a secret. */
  host: string;
  /** Null: it accepted the message. */
  error: string | null;
}

/** Posts a test message at `now` (ms) once, without the outbox. Never throws. */
export async function sendTestMessage(
  webhook: string,
  { secrets, proxies }: Pick<Config, 'secrets' | 'proxies'>,
  now: number,
): Promise<TestResult> {
  const text = `Test message of vodhouse on ${hostname()}: nothing is wrong`;
  const message = { account: null, package_id: null, text, since: toTimestamp(now), details: {} };
  const body = JSON.stringify({ event: 'test', state: 'begun', ...redactAll(message, secrets) });
  const { signal } = new AbortController();
  const error = await httpCall({ url: webhook, proxies, body, signal });
  return { host: hostOf(webhook), error };
}
