/** Which requests are retried, and when. Pure. */
import { RefusedError, TransientError, type FaultKind } from '../../lib/errors.ts';

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
 * The refusals after which a request is repeated if the service asked for a pause. A response that is too
 * large is not among them, because the next one would be too large as well.
 */
const HEALED_BY_PAUSE: readonly FaultKind[] = ['status', 'redirect', 'refused'];

/**
 * Milliseconds to wait before the next attempt; null if there is none. `attempt` counts from 1, `random` is
 * from 0 to 1. Transient faults pause for a random part of a doubling ceiling. A refusal by `errorInfo` or
 * `message` is retried once, because its codes are unknown (docs/service.md 7). `isPaused`: the budget waits,
 * because the service asked for a pause.
 */
export function retryDelay(
  error: unknown,
  attempt: number,
  random: number,
  policy: RetryPolicy,
  isPaused: boolean,
): number | null {
  if (attempt >= policy.attempts) return null;
  const isHealed = ({ fault }: RefusedError) =>
    isPaused ? HEALED_BY_PAUSE.includes(fault) : fault === 'refused' && attempt === 1;
  const mayRecover = error instanceof TransientError || (error instanceof RefusedError && isHealed(error));
  if (!mayRecover) return null;
  return isPaused ? 0 : random * Math.min(policy.capMs, policy.baseMs * 2 ** (attempt - 1));
}
