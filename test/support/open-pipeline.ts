/** A pipeline over a real file and real HTTP, with a clock that the test moves. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import type { Config, LimitsConfig } from '../../src/config/config.ts';
import { InterruptedError } from '../../src/lib/errors.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { silentProgress, type Progress } from '../../src/sync/progress.ts';
import type { RunSummary } from '../../src/sync/run.ts';
import { openPipeline, type RunWish } from '../../src/worker.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

export interface PipelineWishes {
  url: string;
  packages?: readonly number[];
  pageSize?: number;
  concurrency?: number;
  /** Left out: nothing limits how many requests are sent. */
  limits?: Partial<LimitsConfig>;
  removalBrake?: number;
  resumeWithinMs?: number;
  /** Boundary reads of a walk, as a share of its pages. */
  boundaryReads?: number;
  /** Nothing is logged: writing lines takes longer than a small walk. */
  silent?: boolean;
  clock?: VirtualClock;
  progress?: Progress;
  folder?: string;
}

export interface TestPipeline {
  clock: VirtualClock;
  file: string;
  log: string[];
  run(wish?: Partial<RunWish>): Promise<RunSummary>;
  /** Ends the run under way after the page in flight. */
  stop(): void;
  /** Takes the file away from under the run, as if the process had been killed: whatever comes after throws. */
  crash(): void;
  /** What a reader's own connection finds. */
  query<T>(sql: string, ...parameters: unknown[]): T[];
  close(): Promise<void>;
}

export const START = '2026-03-10T12:00:00Z';

export function configOf(wishes: PipelineWishes, warehouse: string): Config {
  const { url, packages = [101], pageSize = 5, concurrency = 4 } = wishes;
  return {
    file: 'test',
    warehouse,
    timezone: 'Asia/Seoul',
    durationUnit: 'ms',
    accounts: [
      {
        name: 'main',
        videoList: { baseUrl: url, key: 'test-key', pageSize },
        storage: null,
        packages: packages.map((id) => ({ id, name: null })),
        limits: {
          concurrency,
          perSecond: null,
          perMinute: null,
          perDay: null,
          maxWaitMs: 120_000,
          restrictedCodes: [],
          finalCodes: [],
          ...wishes.limits,
        },
      },
    ],
    schedule: { full: '0 * * * *', quick: null },
    walk: {
      removalBrake: wishes.removalBrake ?? 1,
      resumeWithinMs: wishes.resumeWithinMs ?? 7 * 86_400_000,
      boundaryReads: wishes.boundaryReads ?? 0.05,
    },
    publish: null,
    retention: { requestsDays: 35, runsDays: 90 },
    server: null,
    notify: null,
    secrets: ['test-key'],
  };
}

/** Opens a pipeline until the test is over. With `removalBrake` left out, nothing but a whole package is held back. */
export function openTestPipeline(wishes: PipelineWishes): TestPipeline {
  const file = join(wishes.folder ?? temporaryFolder(), 'vodhouse.db');
  const clock = wishes.clock ?? createVirtualClock(START);
  const log: string[] = [];
  const logger = createLogger({
    level: wishes.silent ? 'silent' : 'info',
    format: 'text',
    secrets: [],
    write: (line) => void log.push(line),
  });
  const progress = wishes.progress ?? silentProgress;
  const pipeline = openPipeline(configOf(wishes, file), { clock, logger, progress, command: 'test' });
  const reader = new Database(file, { readonly: true });
  let controller = new AbortController();
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    reader.close();
    await pipeline.close();
  };
  onTestFinished(close);
  return {
    clock,
    file,
    log,
    run: (wish = {}) => {
      controller = new AbortController();
      return pipeline.run({ trigger: 'manual', signal: controller.signal, ...wish });
    },
    stop: () => controller.abort(new InterruptedError('stopped by the test')),
    crash: () => pipeline.warehouse.close(),
    query: <T>(sql: string, ...parameters: unknown[]) => reader.prepare(sql).all(...parameters) as T[],
    close,
  };
}
