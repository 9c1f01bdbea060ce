/** Looks whether a lake can be loaded: its place, rights, conditional writes, clock, and who has each account. */
import { randomUUID } from 'node:crypto';
import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { LakeTargetConfig } from '../../../config/config.ts';
import { errorCode } from '../../../lib/errors.ts';
import { failed, passed, type CheckRequest, type TargetCheck } from '../check-result.ts';
import { describeHolder, judgeClock } from '../common-checks.ts';
import { readStoreHolders } from './fleet.ts';
import { toFolderError } from './folder-errors.ts';
import { describeLakeError } from './lake-errors.ts';
import { WORKERS } from './layout.ts';
import type { LakePlace, Store } from './store.ts';
import { withStore } from './with-store.ts';

const DEADLINE_MS = 15_000;

/**
 * Writes an object of its own, which no reader sees, and deletes it; a folder that is not there yet is not made. Does not
 * throw: an error of the store is a result.
 */
export async function checkTarget(request: CheckRequest<LakeTargetConfig>): Promise<TargetCheck[]> {
  const { target, accounts } = request;
  const done: TargetCheck[] = [];
  try {
    if (await isToBeMade(target.place)) {
      const first = passed('connection', `${describePlace(target.place)}: the first load makes it`);
      return [first, ...accounts.map((account) => describeHolder(account, undefined, request))];
    }
    await withStore(target.place, DEADLINE_MS, async (store) => {
      const holders = new Map((await readStoreHolders(store)).map((holder) => [holder.account, holder]));
      done.push(passed('connection', describePlace(target.place)));
      done.push(...(await checkWrites(store)));
      done.push(judgeClock(store.now() - Date.now(), 'store'));
      done.push(...accounts.map((account) => describeHolder(account, holders.get(account), request)));
    });
    return done;
  } catch (error) {
    const { message, hint } = describeLakeError(error, target.place);
    const asked = done.length === 0 ? 'connection' : 'rights';
    return [...done, failed(asked, message, hint)];
  }
}

function describePlace(place: LakePlace): string {
  if (place.kind === 'folder') return `folder ${place.path}`;
  const { bucket, endpoint, region } = place;
  return `bucket ${bucket} at ${endpoint ?? `AWS, ${region}`}`;
}

/** A folder that is missing, in one that this user may write. Throws StoreError where it cannot be made. */
async function isToBeMade(place: LakePlace): Promise<boolean> {
  if (place.kind !== 'folder') return false;
  const { path } = place;
  try {
    const found = await stat(path);
    if (!found.isDirectory()) throw Object.assign(new Error('no folder'), { code: 'ENOTDIR' });
    return false;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw toFolderError(error, path);
  }
  const parent = dirname(path);
  try {
    await access(parent, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    throw toFolderError(error, parent);
  }
}

const LOST_WRITES =
  'two workers that load one account could overwrite each other there: let one worker load it';

/** May objects be written and deleted, and do conditional writes keep what is there? Throws StoreError. */
async function checkWrites(store: Store): Promise<TargetCheck[]> {
  const key = `${WORKERS}.check-${randomUUID()}`;
  const write = (text: string) => [Buffer.from(text)];
  try {
    const etag = await store.putIfAbsent(key, write('one'));
    const again = await store.putIfAbsent(key, write('two'));
    const replaced = etag === null ? null : await store.replace(key, write('three'), etag);
    const late = etag === null ? null : await store.replace(key, write('four'), etag);
    const isKept = etag !== null && again === null && replaced !== null && late === null;
    await store.remove([key]);
    return [
      passed('rights', 'objects can be written and deleted'),
      isKept
        ? passed('conditional writes', 'kept')
        : failed('conditional writes', 'the store writes over what it should keep', LOST_WRITES),
    ];
  } catch (error) {
    await store.remove([key]).catch(() => undefined);
    throw error;
  }
}
