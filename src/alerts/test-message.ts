/** The message of `vodhouse check --notify`: that of an incident, but of none (docs/alerts.md). */
import { hostname } from 'node:os';
import type { Config } from '../config/config.ts';
import { toTimestamp } from '../lib/clock.ts';
import { redactAll } from '../lib/redact.ts';
import { hostOf, httpCall } from './http-call.ts';

/** What a webhook answered to a test message. */
export interface TestResult {
  /** Of its address only the host: the rest may be a secret. */
  host: string;
  /** Null: it accepted the message. */
  error: string | null;
}

const DEADLINE_MS = 10_000;

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
  const error = await httpCall({ url: webhook, proxies, body, deadlineMs: DEADLINE_MS, signal });
  return { host: hostOf(webhook), error };
}
