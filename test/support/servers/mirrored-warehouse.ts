/** A warehouse that is synced over HTTP and served over HTTP: another one can be synced from it. */
import { FIGURES } from '../../../src/lib/service-fields.ts';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Config, ServerConfig, StorageAuth } from '../../../src/config/config.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { openWebServer } from '../../../src/web/process/compose.ts';
import type { RunSummary } from '../../../src/sync/run.ts';
import { readRows } from '../fixtures/live-file.ts';
import { createTestConfig } from '../fixtures/test-config.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { silentProgress } from '../../../src/sync/context.ts';
import { openPipeline } from '../../../src/app/pipeline.ts';

export interface MirrorOptions {
  url: string;
  packages: readonly number[];
  pageSize: number;
  clock: Clock;
  /** First day to book. */
  since: string;
  server?: Partial<ServerConfig>;
  /** Default `none`. */
  storageAuth?: StorageAuth;
}

export interface MirroredWarehouse {
  live: string;
  config: Config & { server: ServerConfig };
  sync(): Promise<RunSummary>;
  /** Serves the live file, which must exist, until the end of the test; returns its address. */
  serve(): Promise<string>;
  query(sql: string): Record<string, unknown>[];
  /** Closes the server before the end of the test. */
  close(): Promise<void>;
}

/** A warehouse in a temporary folder, with storage from the same service and unlimited requests. */
export function createMirrored(options: MirrorOptions): MirroredWarehouse {
  const { clock, url, packages, pageSize, since, storageAuth = 'none' } = options;
  const live = join(temporaryFolder(), 'vodhouse.db');
  const storage = { auth: storageAuth, since, optional: FIGURES };
  const config = {
    ...createTestConfig({ url, packages, pageSize, storage }, live),
    server: { host: '127.0.0.1', port: 0, keys: [], title: null, trustProxy: false, ...options.server },
  };
  const logger = createLogger({ level: 'silent', format: 'text', secrets: [] });
  const pipeline = openPipeline(config, { clock, logger, progress: silentProgress, command: 'test' });
  const closers = [() => pipeline.close()];
  const close = async () => {
    for (const end of closers.splice(0)) await end();
  };
  onTestFinished(close);
  return {
    live,
    config,
    sync: () => pipeline.run({ trigger: 'manual', signal: new AbortController().signal }),
    serve: async () => {
      const serving = await openWebServer(config, { clock, workerDeadReason: () => null, onError: fail });
      closers.unshift(() => serving.close());
      return serving.url;
    },
    query: (sql) => readRows(live, sql),
    close,
  };
}

function fail(error: unknown): void {
  throw error;
}
