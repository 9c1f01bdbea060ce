import { defineConfig } from 'vitest/config';

/** The tests that `npm run mutate` runs for each change: fast ones, and two of the random histories. */
export default defineConfig({
  test: {
    include: [
      'test/sync/**/*.test.ts',
      'test/budget/*.test.ts',
      'test/service/client/retr*.test.ts',
      'test/app/{*due,ticks}.test.ts',
      'test/lib/cron-ticks.test.ts',
      'test/health/*.test.ts',
      'test/lake/*.test.ts',
      'test/warehouse/*.test.ts',
    ],
    exclude: ['**/*.slow.test.ts', '**/!(quick-histories|budget-windows).property.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
