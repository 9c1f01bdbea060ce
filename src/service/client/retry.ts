/** Which requests are retried, and when. Pure. */
import { RefusedError, TransientError } from '../../lib/errors.ts';

export interface RetryPolicy {
  /** Attempts in all, the first included. */
  attempts: number;
  /** Ceiling of the first pause in milliseconds; it doubles each time. */
  baseMs: number;
  /** Ceiling of any pause in milliseconds that the service did not request. */
  capMs: number;
}

export const RETRY_POLICY: RetryPolicy = { attempts: 5, baseMs: 500, capMs: 30_000 };

/**
 * Milliseconds to wait before the next attempt; null if there is none. `attempt` counts from 1, `random` is from 0 to 1.
 * Transient faults pause for a random part of a doubling ceiling; the budget decides how long a restriction pauses. A refusal
 * by `errorInfo` or `message` is retried once, because its codes are unknown (docs/service.md 7).
 */
export function retryDelay(
  error: unknown,
  attempt: number,
  random: number,
  policy: RetryPolicy,
): number | null {
  if (attempt >= policy.attempts) return null;
  const ceiling = Math.min(policy.capMs, policy.baseMs * 2 ** (attempt - 1));
  if (error instanceof TransientError) return random * ceiling;
  const mayRecover = error instanceof RefusedError && error.fault === 'refused' && attempt === 1;
  return mayRecover ? random * ceiling : null;
}

/** A sign that the service restricts the account: 429, a time to wait, or a code that the config calls restricted. */
export function isRestriction(error: unknown): error is TransientError {
  if (!(error instanceof TransientError)) return false;
  return error.status === 429 || error.retryAfterMs !== undefined || error.fault === 'restricted';
}

/**
 * Milliseconds that a `Retry-After` header asks for, given as seconds or as a date; undefined if it is neither.
 * `now` (milliseconds since 1970) is the response's own `Date` if it has one: then both are of the same clock.
 */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  const value = [header].flat()[0]?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = /^[A-Za-z]{3,9},? .*GMT$/.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
