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
});
