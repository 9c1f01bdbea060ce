/** Changes lines of the modules where a wrong one costs data. `npm run mutate -- --mutate FILE` looks at one file. */
export default {
  mutate: [
    'src/sync/videos/{proof,page-contents,boundary-read,quick-walk,walk-state}.ts',
    'src/sync/storage/{date-ranges,classify-days,correction}.ts',
    'src/budget/pauses.ts',
    'src/service/client/retry.ts',
    'src/app/due.ts',
    'src/lib/cron-ticks.ts',
    'src/health/catalogue.ts',
  ],
  plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation/vitest.config.ts' },
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  concurrency: Number(process.env.MUTATE_PROCESSES ?? 2),
  incremental: true,
  incrementalFile: 'data/mutation.json',
  ignorePatterns: ['data', 'dist', 'docs', 'test/*/node_modules'],
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, reportTests: false },
  thresholds: { high: 95, low: 90, break: 90 },
};
