/** A warehouse that is synced over HTTP and served over HTTP: another one can be synced from it. */
import { onTestFinished } from 'vitest';
import type { ServerConfig, StorageAuth } from '../../../src/config/config.ts';
import { FIGURES } from '../../../src/service/service-fields.ts';
import { openWebServer } from '../../../src/web/server.ts';
import type { VirtualClock } from '../clocks/virtual-clock.ts';
import { openTestPipeline } from '../fixtures/open-pipeline.ts';
import { createServerConfig } from '../fixtures/test-config.ts';

export interface MirrorOptions {
  url: string;
  packages: readonly number[];
  pageSize: number;
  clock: VirtualClock;
  /** First day to book. */
  since: string;
  server?: Partial<ServerConfig>;
  /** Default `none`. */
  storageAuth?: StorageAuth;
}

export type MirroredWarehouse = ReturnType<typeof createMirrored>;

/** A warehouse with storage from the same service and unlimited requests. */
export function createMirrored({ since, server, storageAuth = 'none', ...options }: MirrorOptions) {
  const storage = { auth: storageAuth, since, optional: FIGURES, plausibleFactor: Infinity };
  const { config, query, run, close } = openTestPipeline({ ...options, storage, silent: true });
  let closeServer = () => Promise.resolve();
  return {
    sync: () => run(),
    query: (sql: string) => query<Record<string, unknown>>(sql),
    /** Serves the live file until the end of the test; returns its address. */
    serve: async (): Promise<string> => {
      const surroundings = { clock: options.clock, workerDeadReason: () => null, onError: fail };
      const own = { ...config, server: createServerConfig(server) };
      const serving = await openWebServer(own, surroundings);
      closeServer = () => serving.close();
      onTestFinished(() => closeServer());
      return serving.url;
    },
    /** Closes all before the end of the test. */
    close: async () => {
      await closeServer();
      closeServer = () => Promise.resolve();
      close();
    },
  };
}

function fail(error: unknown): never {
  throw error;
}
