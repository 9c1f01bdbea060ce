import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest, or waits longest, begins first: else one of them ends alone. All others follow by their size. */
const FIRST = [
  'browser/every-page',
  'packaging/install',
  'crash/crashes',
  'deploy/image',
  'cli/commands/start-replaced-file',
  'sync/videos/model',
  'targets/equal',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    const listNamed = (name: string) => bySize.filter(({ moduleId }) => moduleId.includes(`/test/${name}.`));
    return [...new Set([...FIRST.flatMap(listNamed), ...bySize])];
  }
}

/** `npm run test:slow`: what is too slow for `npm test`, or needs Debian packages that `npm test` names at its end. */
export default defineConfig({
  test: {
    include: ['test/**/*.{slow,property}.test.ts'],
    isolate: false, // modules are loaded once a worker
    maxWorkers: 4, // many wait: for an installation, a timer, another process
    sequence: { sequencer: LongestFirst },
    testTimeout: 600_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000, interval: 20 } }, // a busy machine gets enough time
    globalSetup: ['test/support/temporary-files.ts', 'test/support/install-readers.ts'],
  },
});
