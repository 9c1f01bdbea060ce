import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findBreaches, findCircles, findFolderCircles, type SourceFile } from './support/import-rules.ts';

const SRC = fileURLToPath(new URL('../src', import.meta.url));

function sourceFiles(): SourceFile[] {
  const paths = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.tsx?$/.test(path),
  );
  return paths.map((path) => ({
    path: path.replaceAll('\\', '/'),
    text: readFileSync(join(SRC, path), 'utf8'),
  }));
}

describe('the source', () => {
  it('keeps the import rules', () => {
    expect(sourceFiles().length).toBeGreaterThan(50);
    expect(findBreaches(sourceFiles())).toEqual([]);
  });

  it('has no import cycle, of types either', () => {
    expect(findCircles(sourceFiles())).toEqual([]);
    expect(findFolderCircles(sourceFiles())).toEqual([]);
  });
});

/** Lines that break a rule, and a part of the message. */
const BAD: [path: string, line: string, message: string][] = [
  ['sync/run.ts', `import type { Pipeline } from '../app/worker.ts';`, 'only point down'],
  ['sync/run.ts', `export { check } from '../cli/commands/check.ts';`, 'only point down'],
  ['health/report.ts', `await import('../sync/run.ts');`, 'only point down'],
  [
    'service/client/client.ts',
    `import {\n  openFile,\n} from '../../database/connection.ts';`,
    'only point down',
  ],
  ['config/load.ts', `import { openFile } from '../database/connection.ts';`, 'only point down'],
  ['lib/redact.ts', `import '../publishing/targets/postgres/postgres-url.ts';`, 'only point down'],
  ['publishing/targets/load-report.ts', `import '../../database/connection.ts';`, 'only point down'],
  ['service/client/client.ts', `import { routes } from '../server/routes.ts';`, 'are strangers'],
  ['sync/run.ts', `import { type Config, loadConfig } from '../config/load.ts';`, 'more than types'],
  ['lib/clock.ts', `import pkg from '../../package.json';`, 'lies outside src'],
  ['sync/run.ts', `import { request } from 'undici';`, 'imports undici, whose home is'],
  ['cli/exit.ts', `import { drizzle } from 'drizzle-orm/better-sqlite3';`, 'whose home is warehouse/'],
  ['cli/start.ts', `const key = process.env['KEY'];`, 'reads process.env'],
  ['sync/run.ts', `process.stderr.write('hello');`, 'writes to the terminal'],
  ['cli/start.ts', `console.log('hello');`, 'writes to the console'],
  ['lib/clock.ts', `const a = 7;\nexport { a as default };`, 'has a default export'],
  ['lib/clock.ts', 'const a = 7;\n'.repeat(301), 'has 301 lines, more than 300'],
];

/** Lines that break no rule. */
const GOOD: [path: string, line: string][] = [
  ['config/load.ts', `import { hidePassword } from '../publishing/targets/postgres/postgres-url.ts';`],
  [
    'cli/main.ts',
    `import { work } from '../app/worker.ts';\nimport { loadConfig } from '../config/load.ts';`,
  ],
  [
    'sync/run.ts',
    `import { readVideo } from '../service/videos.ts';\nimport { openFile } from '../database/connection.ts';`,
  ],
  [
    'sync/run.ts',
    `import type { Config } from '../config/config.ts';\nimport { type Key } from '../config/config.ts';`,
  ],
  ['service/client/client.ts', `import { FIGURES } from '../storage.ts';\nimport { Agent } from 'undici';`],
  ['lib/logger.ts', `import { pino } from 'pino';\nprocess.stderr.write('hello');`],
  [
    'lib/clock.ts',
    `// import { work } from '../app/worker.ts';\n/* export default\nconsole.log() is not used */`,
  ],
];

describe('a made-up line', () => {
  it.each(BAD)('in %s is found: %s', (path, text, message) => {
    expect(findBreaches([{ path, text }])).toEqual([expect.stringContaining(message)]);
  });

  it.each(GOOD)('in %s that breaks no rule is accepted: %s', (path, text) => {
    expect(findBreaches([{ path, text }])).toEqual([]);
  });

  it('is found where a room imports both the service and the live file', () => {
    const files = [
      { path: 'sandbox/one.ts', text: `import type { Video } from '../service/videos.ts';` },
      { path: 'sandbox/other.ts', text: `import { openFile } from '../database/connection.ts';` },
    ];
    expect(findBreaches(files)).toEqual([expect.stringContaining('sandbox/one.ts knows the service')]);
  });

  it('is found where it closes a cycle, of types too', () => {
    const files = [
      { path: 'lib/one.ts', text: `import type { Two } from './two.ts';` },
      { path: 'lib/two.ts', text: `import { One } from './one.ts';` },
    ];
    expect(findCircles(files)).toEqual(['lib/one.ts imports lib/two.ts imports lib/one.ts']);
  });

  it('finds folders of a room that import each other', () => {
    const files = [
      { path: 'publishing/one.ts', text: `import { Two } from './marts/two.ts';` },
      { path: 'publishing/marts/two.ts', text: `import type { Three } from '../three.ts';` },
    ];
    expect(findFolderCircles(files)).toEqual(['publishing imports publishing/marts imports publishing']);
  });
});
