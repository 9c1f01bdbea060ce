import { defineConfig } from 'vitest/config';

/** `npm test`: all that is done in under two minutes. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.{slow,property}.test.ts'],
    // the second one says at the end what was left out
    globalSetup: ['test/support/temporary-files.ts', 'test/support/report-slow-tests.ts'],
    maxWorkers: 2,
    isolate: false, // modules are loaded once a worker, not once a file: a third less time
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000, interval: 20 } }, // a busy machine gets enough time
  },
});
