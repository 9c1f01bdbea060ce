import { defineConfig } from 'vitest/config';

/** `npm run test:slow`: what is too slow for `npm test`, or needs Debian packages that `npm test` names at its end. */
export default defineConfig({
  test: {
    include: ['test/**/*.{slow,property}.test.ts'],
    isolate: false, // modules are loaded once a worker
    maxWorkers: 3, // many wait: for an installation, a timer, another process
    testTimeout: 600_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000, interval: 20 } }, // a busy machine gets enough time
    globalSetup: ['test/support/temporary-files.ts', 'test/support/install-readers.ts'],
  },
});
