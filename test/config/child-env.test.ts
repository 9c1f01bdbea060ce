import { afterEach, describe, expect, test, vi } from 'vitest';
import { childEnvWithout } from '../../src/config/env-vars.ts';

describe('the environment for another process', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('is the current one without variables that hold a secret', () => {
    vi.stubEnv('VODHOUSE_TEST_KEY', 'canary-key');
    vi.stubEnv('VODHOUSE_TEST_URL', 'https://example.test/?key=canary-key&more');
    vi.stubEnv('VODHOUSE_TEST_PLAIN', 'plain');
    const environment = childEnvWithout(['', 'canary-key']);
    expect(JSON.stringify(environment)).not.toContain('canary-key');
    expect(environment).toMatchObject({ VODHOUSE_TEST_PLAIN: 'plain', PATH: process.env['PATH'] });
  });

  test('has no proxy whose password is written with percent signs', () => {
    vi.stubEnv('VODHOUSE_TEST_PROXY', 'http://user:canary%40%2fkey@proxy.test:3128');
    expect(childEnvWithout(['canary@/key'])).not.toHaveProperty('VODHOUSE_TEST_PROXY');
  });
});
