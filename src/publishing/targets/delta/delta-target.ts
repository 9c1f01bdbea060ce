/** A lake of Delta tables as a target. */
import { randomUUID } from 'node:crypto';
import type { LakeTargetConfig } from '../../../config/config.ts';
import { errorCode, errorLine, hintLine } from '../../../lib/errors.ts';
import { formatLakePlace, listLakeSecrets } from '../../../lib/lake-place.ts';
import { redact } from '../../../lib/redact.ts';
import { COUNTED } from '../changes.ts';
import type { Source } from '../source.ts';
import { StoreError, type Store } from '../stores/store.ts';
import type { Loaded, Target, TargetAccess, TargetCheck, TargetFailure } from '../target.ts';
import { listDifferences } from '../verify.ts';
import { countRecords } from './files.ts';
import { ConflictError, filesOf, openLake, tidy, type Lake } from './lake.ts';
import { loadAccount, loadShared, removeAccount } from './load.ts';
import { LOADS, readClaims } from './loads.ts';
import { findDifferences } from './verify.ts';

/** How often a load begins again that met another writer of the same rows. */
const TRIES = 10;
/** As many as a load writes again for one that changed, and as few as a reader likes. */
const FILE_ROWS = 100_000;

export async function openDeltaAccess(config: LakeTargetConfig): Promise<TargetAccess> {
  return createAccess(config, await openLake(config));
}

function createAccess(config: LakeTargetConfig, lake: Lake): TargetAccess {
  const describe = (error: unknown) => describeError(error, config);
  return {
    readAccounts: async () => {
      const { snapshot } = await lake.getLog(LOADS);
      return new Map([...readClaims(snapshot)].map(([account, { state }]) => [account, state]));
    },
    countRows: async (account) => {
      const counts: Record<string, number> = {};
      for (const table of COUNTED) {
        const { snapshot } = await lake.getLog(table);
        counts[table] = countRecords(filesOf(snapshot, 'account', account));
      }
      return counts;
    },
    check: async () => {
      try {
        return [
          toCheck('connection', true, formatLakePlace(config.place)),
          ...(await checkStore(lake.store)),
        ];
      } catch (error) {
        const { message, hint } = describe(error);
        return [toCheck('connection', false, message, hint)];
      }
    },
    describe,
    close: () => Promise.resolve(),
  };
}

/** `worker` is shown to others; `fileRows`: about how many rows a file of a large table has. */
export async function openDeltaTarget(
  config: LakeTargetConfig,
  source: Source,
  worker: string,
  { fileRows = FILE_ROWS } = {},
): Promise<Target> {
  const lake = await openLake(config);
  const context = { lake, source, target: config.name, worker, fileRows };
  return {
    ...createAccess(config, lake),
    load: (account, options) => retry(lake, () => loadAccount(context, account, options)),
    loadShared: async () => {
      const loaded = await retry(lake, () => loadShared(context));
      const keepMs = Math.max(config.keepMs, 2 * config.loadTimeoutMs); // files of a load that goes on stay
      await tidy(lake, keepMs, lake.listChanged());
      return loaded;
    },
    remove: (account) => retry(lake, () => removeAccount(context, account)),
    verify: (account) => listDifferences(findDifferences(context, account)),
  };
}

async function retry(lake: Lake, work: () => Promise<Loaded>): Promise<Loaded> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConflictError) || tries === TRIES) throw error;
      lake.forgetLogs();
    }
  }
}

function describeError(error: unknown, { place }: LakeTargetConfig): TargetFailure {
  const clean = (text: string) => redact(text, listLakeSecrets(place));
  if (error instanceof ConflictError)
    return { message: 'other workers load the same account all the time', hint: null, code: 'CONFLICT' };
  const hint = error instanceof StoreError ? error.hint : hintLine(error);
  return { message: clean(errorLine(error)), hint: hint && clean(hint), code: errorCode(error) || null };
}

/** Writes an object that no reader sees, and deletes it. Throws StoreError. */
async function checkStore(store: Store): Promise<TargetCheck[]> {
  const key = `_check-${randomUUID()}`;
  const write = (text: string) => store.putIfAbsent(key, [Buffer.from(text)]);
  try {
    const [isFirst, isSecond] = [await write('one'), await write('two')];
    const isThere =
      (await store.get(key)) !== null && (await store.list('')).some((file) => file.key === key);
    await store.remove(key);
    const isConditional = isFirst && !isSecond;
    const ignored = `${store.name} ignores the header If-None-Match: two workers could overwrite each other's commits`;
    return [
      toCheck(
        'rights',
        isThere,
        isThere ? 'files can be written, read, listed and deleted' : 'a file that was written is not there',
      ),
      isConditional
        ? toCheck('put-if-absent', true, 'a file that exists is not overwritten')
        : toCheck('put-if-absent', false, ignored, 'take a store that knows conditional writes'),
    ];
  } finally {
    await store.remove(key).catch(() => undefined);
  }
}

const toCheck = (
  subject: string,
  isOk: boolean,
  result: string,
  hint: string | null = null,
): TargetCheck => ({
  ...{ subject, isOk, result, hint },
});
