import { defineConfig } from 'vitest/config';

/** The tests that `npm run mutate` runs for each change: fast ones, and of the random histories those of quick walks. */
export default defineConfig({
  test: {
    include: [
      'test/sync/**/*.test.ts',
      'test/budget/pauses*.test.ts',
      'test/budget/budget.test.ts',
      'test/service/client/retr*.test.ts',
      'test/app/*due.test.ts',
      'test/lib/cron-ticks.test.ts',
      'test/health/*.test.ts',
      'test/lake/*.test.ts',
      'test/warehouse/*.test.ts',
    ],
    exclude: ['**/*.slow.test.ts', '**/!(quick-histories).property.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
