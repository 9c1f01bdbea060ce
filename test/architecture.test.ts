import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findBreaches, findCircles, type SourceFile } from './support/import-rules.ts';

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
  });
});

/** Lines that break a rule, and the expected message. */
const BAD: [path: string, line: string, message: string][] = [
  [
    'sync/run.ts',
    `import { work } from '../app/worker.ts';`,
    'sync/run.ts imports app/worker.ts: imports only point down',
  ],
  [
    'sync/run.ts',
    `import type { Pipeline } from '../app/worker.ts';`,
    'sync/run.ts imports app/worker.ts: imports only point down',
  ],
  [
    'sync/run.ts',
    `export { check } from '../cli/commands/check.ts';`,
    'sync/run.ts imports cli/commands/check.ts: imports only point down',
  ],
  [
    'sync/storage/book.ts',
    `import { due } from '../../app/due.ts';`,
    'sync/storage/book.ts imports app/due.ts: imports only point down',
  ],
  [
    'health/report.ts',
    `await import('../sync/run.ts');`,
    'health/report.ts imports sync/run.ts: imports only point down',
  ],
  [
    'database/connection.ts',
    `import type { Video } from '../service/videos.ts';`,
    'database/connection.ts imports service/videos.ts: imports only point down',
  ],
  [
    'service/client/client.ts',
    `import {\n  openFile,\n} from '../../database/connection.ts';`,
    'service/client/client.ts imports database/connection.ts: imports only point down',
  ],
  [
    'service/client/client.ts',
    `import { routes } from '../server/routes.ts';`,
    'service/client/client.ts imports service/server/routes.ts: client and server are strangers',
  ],
  [
    'service/server/api-keys.ts',
    `import type { Budget } from '../client/budget-port.ts';`,
    'service/server/api-keys.ts imports service/client/budget-port.ts: client and server are strangers',
  ],
  [
    'lib/clock.ts',
    `import type { Config } from '../database/connection.ts';`,
    'lib/clock.ts imports database/connection.ts: imports only point down',
  ],
  [
    'sync/run.ts',
    `import { loadConfig } from '../config/load.ts';`,
    'sync/run.ts imports more than types from config/load.ts',
  ],
  [
    'sync/run.ts',
    `import { type Config, loadConfig } from '../config/load.ts';`,
    'sync/run.ts imports more than types from config/load.ts',
  ],
  [
    'config/load.ts',
    `import { openFile } from '../database/connection.ts';`,
    'config/load.ts imports database/connection.ts: imports only point down',
  ],
  [
    'lib/clock.ts',
    `import pkg from '../../package.json';`,
    'lib/clock.ts imports ../../package.json, which lies outside src',
  ],
  [
    'sync/run.ts',
    `import { request } from 'undici';`,
    'sync/run.ts imports undici, whose home is service/client/ or lib/http/',
  ],
  [
    'sync/run.ts',
    `import Database from 'better-sqlite3';`,
    'sync/run.ts imports better-sqlite3, whose home is database/sqlite.ts',
  ],
  [
    'cli/exit.ts',
    `import { eq } from 'drizzle-orm';`,
    'cli/exit.ts imports drizzle-orm, whose home is warehouse/ or queries/ or publishing/ or backup/ or budget/ or database/ or alerts/',
  ],
  [
    'cli/exit.ts',
    `import { drizzle } from 'drizzle-orm/better-sqlite3';`,
    'cli/exit.ts imports drizzle-orm/better-sqlite3, whose home is warehouse/ or queries/ or publishing/ or backup/ or budget/ or database/ or alerts/',
  ],
  [
    'cli/start.ts',
    `import cron from 'node-cron';`,
    'cli/start.ts imports node-cron, whose home is app/ or lib/cron-ticks.ts',
  ],
  [
    'service/client/client.ts',
    `import { fastify } from 'fastify';`,
    'service/client/client.ts imports fastify, whose home is web/ or service/server/',
  ],
  ['cli/start.ts', `import { pino } from 'pino';`, 'cli/start.ts imports pino, whose home is lib/'],
  ['cli/start.ts', `const key = process.env['KEY'];`, 'cli/start.ts reads process.env'],
  ['sync/run.ts', `process.stderr.write('hello');`, 'sync/run.ts writes to the terminal'],
  ['lib/format.ts', `process.stdout.write('hello');`, 'lib/format.ts writes to the terminal'],
  ['cli/start.ts', `console.log('hello');`, 'cli/start.ts writes to the console'],
  ['lib/clock.ts', `export default 7;`, 'lib/clock.ts has a default export'],
  ['lib/clock.ts', `const a = 7;\nexport { a as default };`, 'lib/clock.ts has a default export'],
  ['lib/clock.ts', 'const a = 7;\n'.repeat(301), 'lib/clock.ts has 301 lines, more than 300'],
];

describe('a made-up line', () => {
  it.each(BAD)('in %s is found: %s', (path, text, message) => {
    expect(findBreaches([{ path, text }])).toEqual([message]);
  });

  it('is found where a room imports both the service and the live file', () => {
    const files = [
      { path: 'sandbox/one.ts', text: `import type { Video } from '../service/videos.ts';` },
      { path: 'sandbox/other.ts', text: `import { openFile } from '../database/connection.ts';` },
    ];
    expect(findBreaches(files)).toEqual([
      'sandbox/one.ts knows the service and sandbox/other.ts the live file: only cli, app, sync, web may know both',
    ]);
  });

  it.each([
    ['import', 'import'],
    ['import type', 'import'],
    ['import', 'import type'],
  ])('is found where it closes a cycle: %s and %s', (one, other) => {
    const files = [
      { path: 'lib/one.ts', text: `${one} { Two } from './two.ts';` },
      { path: 'lib/two.ts', text: `${other} { One } from './one.ts';` },
    ];
    expect(findCircles(files)).toEqual(['lib/one.ts imports lib/two.ts imports lib/one.ts']);
  });

  it.each([
    [
      'cli/main.ts',
      `import { work } from '../app/worker.ts';\nimport { loadConfig } from '../config/load.ts';`,
    ],
    [
      'app/worker.ts',
      `import { openFile } from '../database/connection.ts';\nimport { createServiceClient } from '../service/client/client.ts';`,
    ],
    [
      'sync/run.ts',
      `import type { Config } from '../config/config.ts';\nimport { type Key } from '../config/config.ts';`,
    ],
    [
      'sync/run.ts',
      `import { readVideo } from '../service/videos.ts';\nimport { openFile } from '../database/connection.ts';`,
    ],
    ['service/client/client.ts', `import { FIGURES } from '../storage.ts';\nimport { Agent } from 'undici';`],
    ['lib/logger.ts', `import { pino } from 'pino';\nprocess.stderr.write('hello');`],
    [
      'lib/clock.ts',
      `// import { work } from '../app/worker.ts';\n/* export default\nconsole.log() is not used */`,
    ],
    ['lib/clock.ts', 'const a = 7;\n'.repeat(300)],
  ])('in %s that breaks no rule is accepted', (path, text) => {
    expect(findBreaches([{ path, text }])).toEqual([]);
  });
});
