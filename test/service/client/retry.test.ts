import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InterruptedError, ParkedError, RefusedError, TransientError } from '../../../src/lib/errors.ts';
import {
  isRestriction,
  RETRY_POLICY,
  retryAfterMs,
  retryDelay,
  type RetryPolicy,
} from '../../../src/service/client/retry.ts';

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
  return [1, 2, 3, 4, 5].map((attempt) => retryDelay(error, attempt, random, policy));
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
      fc.property(errors, attempts, chances, policies, (error, attempt, random, policy) => {
        fc.pre(attempt >= policy.attempts);
        expect(retryDelay(error, attempt, random, policy)).toBeNull();
      }),
    );
  });

  it('is from 0 to the cap, whatever time the service gives: the budget obeys that', () => {
    const waits = fc.option(fc.integer({ min: 0, max: 10 ** 9 }), { nil: undefined });
    fc.assert(
      fc.property(attempts, chances, policies, waits, (attempt, random, policy, retryAfterMs) => {
        const error = new TransientError('later', { fault: 'status', status: 503, retryAfterMs });
        const delay = retryDelay(error, attempt, random, policy);
        expect(delay).toBe(retryDelay(transient, attempt, random, policy));
        fc.pre(delay !== null);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(policy.capMs);
      }),
    );
  });

  it('allows one retry for a retryable errorInfo code, and none for another', () => {
    expect(delays(refusal, RETRY_POLICY)).toEqual([500, null, null, null, null]);
    for (const fault of ['status', 'redirect', 'too_large'] as const) {
      expect(delays(new RefusedError('no', { fault }), RETRY_POLICY)).toEqual(Array(5).fill(null));
    }
  });

  it.each([new ParkedError('later', 1), new InterruptedError('stop'), new TypeError('x'), null, 'x'])(
    'is null for an error that is not a failure of the service: %s',
    (error) => expect(retryDelay(error, 1, 0.5, RETRY_POLICY)).toBeNull(),
  );
});

describe('isRestriction', () => {
  const status = (code: number, retryAfterMs?: number) =>
    new TransientError('later', { fault: 'status', status: code, retryAfterMs });

  const restricted = new TransientError('slow down', { fault: 'restricted' });

  it.each([
    [
      true,
      'a 429, a time to wait, a restricted code',
      [status(429), status(429, 0), status(503, 5_000), restricted],
    ],
    [false, 'everything else', [status(500), status(503), refusal, new ParkedError('later', 1), null, 'x']],
  ])('is %s for %s', (expected, _what, errors) => {
    expect(new Set(errors.map(isRestriction))).toEqual(new Set([expected]));
  });
});

describe('retryAfterMs', () => {
  const now = Date.parse('2026-03-01T09:00:00Z');

  it('reads every number of whole seconds, and every HTTP date; a past one means no wait', () => {
    const dates = fc.date({ min: new Date(0), max: new Date('2099-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999 }), dates, (seconds, date) => {
        expect(retryAfterMs(` ${seconds} `, now)).toBe(seconds * 1000);
        const second = Math.floor(date.getTime() / 1000) * 1000;
        expect(retryAfterMs(date.toUTCString(), now)).toBe(Math.max(0, second - now));
      }),
    );
    expect(retryAfterMs('Sunday, 01-Mar-26 09:00:05 GMT', now)).toBe(5_000);
    expect(retryAfterMs('Sun 01 Mar 2026 09:00:05 GMT', now)).toBe(5_000);
    expect(retryAfterMs(['7', '9'], now)).toBe(7_000);
  });

  const UNREADABLE = [
    '',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    'soon',
    '2026-03-01',
    'Sun, 99 Foo 2026 GMT',
    'on Sun, 01 Mar 2026 09:00:05 GMT',
    'Sun, 01 Mar 2026 09:00:05 GMT+1',
    '99999999999',
  ];
  it.each([undefined, ...UNREADABLE])('is undefined for "%s"', (value) =>
    expect(retryAfterMs(value, now)).toBeUndefined(),
  );

  it('is undefined or a finite number from 0 up for any text', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const ms = retryAfterMs(value, now) ?? 0;
        expect(Number.isFinite(ms) && ms >= 0).toBe(true);
      }),
    );
  });
});
