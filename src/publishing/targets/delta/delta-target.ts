/** A lake of Delta tables as a target. */
import { randomUUID } from 'node:crypto';
import type { LakeTargetConfig } from '../../../config/config.ts';
import { ConfigError } from '../../../lib/errors.ts';
import type { Store } from '../stores/store.ts';
import { TargetError, type Target } from '../target.ts';
import { listDifferences } from '../verify.ts';
import { countRecords } from './files.ts';
import { ConflictError, filesOf, openLake, tidy } from './lake.ts';
import { loadAccount, loadShared, removeAccount } from './load.ts';
import { LOADS, readClaims } from './loads.ts';
import { findDifferences } from './verify.ts';

/** How often a load is tried that meets another writer of the same rows. */
const TRIES = 10;
/**
 * Rows of a data file. A load writes a whole file again where one of its rows changed, so a file must not be
 * too large; and readers are slow with many small ones.
 */
const FILE_ROWS = 100_000;

/** `fileRows`: about how many rows a file of a large table has. See `Target`. */
export function openDeltaTarget(
  config: LakeTargetConfig,
  worker: string,
  { fileRows = FILE_ROWS, signal }: { fileRows?: number; signal?: AbortSignal | undefined } = {},
): Target {
  const lake = openLake(config, signal);
  const context = { lake, command: config.command, worker, fileRows };

  async function retry(work: () => Promise<number>): Promise<number> {
    for (let tries = 1; tries <= TRIES; tries++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
        lake.forgetLogs();
      }
    }
    throw new TargetError('other workers load the same account all the time', { code: 'CONFLICT' });
  }

  return {
    readAccounts: async () => {
      const { snapshot } = await lake.getLog(LOADS);
      return new Map([...readClaims(snapshot)].map(([account, { state }]) => [account, state]));
    },
    countVideos: async (account) => {
      const { snapshot } = await lake.getLog('all_videos');
      return countRecords(filesOf(snapshot, 'account', account));
    },
    check: () => checkStore(lake.store),
    load: (source, account, options) => retry(() => loadAccount({ ...context, source }, account, options)),
    loadShared: async (source, isRebuilt) => {
      const rows = await retry(() => loadShared({ ...context, source }, isRebuilt));
      // at least as long as any load takes: the files of a load that has not ended are not deleted
      const keepMs = Math.max(config.keepMs, 2 * config.loadTimeoutMs);
      for (const table of lake.listChanged()) await tidy(lake, table, keepMs);
      return rows;
    },
    remove: (source, account) => retry(() => removeAccount({ ...context, source }, account)),
    verify: (source, account) => listDifferences(findDifferences({ ...context, source }, account)),
  };
}

/** Writes an object that no reader sees, twice, and deletes it. Throws TargetError and ConfigError. */
async function checkStore(store: Store): Promise<string> {
  const key = `_check-${randomUUID()}`;
  const write = (text: string) => store.putIfAbsent(key, [Buffer.from(text)]);
  try {
    const [isFirst, isSecond] = [await write('one'), await write('two')];
    const isListed = (await store.list('')).some((file) => file.key === key);
    if (!isFirst || isSecond || !isListed || (await store.get(key)) === null)
      throw new ConfigError(
        `${store.name} ignores the header If-None-Match: two workers could overwrite each other's commits`,
        { hint: 'take a store that knows conditional writes' },
      );
  } finally {
    await store.remove(key).catch(() => undefined);
  }
  return `${store.name}: files can be written, read, listed and deleted, and none that exists is overwritten`;
}
