import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InterruptedError, ParkedError, RefusedError, TransientError } from '../../../src/lib/errors.ts';
import { RETRY_POLICY, retryDelay, type RetryPolicy } from '../../../src/service/client/retry.ts';

const policies = fc.record({
  attempts: fc.integer({ min: 1, max: 20 }),
  baseMs: fc.integer({ min: 0, max: 10_000 }),
  capMs: fc.integer({ min: 0, max: 100_000 }),
});
const attempts = fc.integer({ min: 1, max: 40 });
const chances = fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000);

const transient = new TransientError('hiccup', { fault: 'status', status: 500 });
const refusal = new RefusedError('no', { fault: 'refused', code: 'Nope' });

function delays(error: unknown, policy: RetryPolicy, random = 1) {
  return [1, 2, 3, 4, 5].map((attempt) => retryDelay(error, attempt, random, policy, false));
}

describe('retryDelay', () => {
  it('doubles its ceiling up to the cap and ends with the attempts', () => {
    expect(delays(transient, RETRY_POLICY)).toEqual([500, 1000, 2000, 4000, null]);
    expect(delays(transient, { attempts: 5, baseMs: 500, capMs: 1500 })).toEqual([
      500,
      1000,
      1500,
      1500,
      null,
    ]);
  });

  it('is null from the last attempt on, for any failure', () => {
    const errors = fc.constantFrom<unknown>(transient, refusal, new Error('other'));
    fc.assert(
      fc.property(
        errors,
        attempts,
        chances,
        policies,
        fc.boolean(),
        (error, attempt, random, policy, paused) => {
          fc.pre(attempt >= policy.attempts);
          expect(retryDelay(error, attempt, random, policy, paused)).toBeNull();
        },
      ),
    );
  });

  it('is from 0 to the cap', () => {
    fc.assert(
      fc.property(attempts, chances, policies, (attempt, random, policy) => {
        const delay = retryDelay(transient, attempt, random, policy, false);
        fc.pre(delay !== null);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(policy.capMs);
      }),
    );
  });

  it.each([
    [0, 'a pause may heal it', ['status', 'redirect', 'refused']],
    [null, 'no pause heals it', ['final', 'too_large', 'encoding', 'connection']],
  ] as const)('is %s for a refusal in an answer that asks to wait: %s', (delay, _what, faults) => {
    for (const fault of faults)
      expect(retryDelay(new RefusedError('no', { fault }), 2, 1, RETRY_POLICY, true)).toBe(delay);
    expect(retryDelay(transient, 2, 1, RETRY_POLICY, true)).toBe(0); // the budget waits
  });

  it('allows one retry for a retryable errorInfo code, and none for another', () => {
    expect(delays(refusal, RETRY_POLICY)).toEqual([500, null, null, null, null]);
    for (const fault of ['status', 'redirect', 'too_large'] as const) {
      expect(delays(new RefusedError('no', { fault }), RETRY_POLICY)).toEqual(Array(5).fill(null));
    }
  });

  it.each([new ParkedError('later', 1), new InterruptedError('stop'), new TypeError('x'), null, 'x'])(
    'is null for an error that is not a failure of the service: %s',
    (error) => {
      for (const paused of [false, true]) expect(retryDelay(error, 1, 0.5, RETRY_POLICY, paused)).toBeNull();
    },
  );
});
