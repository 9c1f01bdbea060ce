/** Looks whether a lake can be loaded: its place, rights, conditional writes, clock, and who has each account. */
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { LakeTargetConfig } from '../../../config/config.ts';
import { isLoopback } from '../../../lib/loopback.ts';
import { failed, passed, type CheckRequest, type TargetCheck } from '../check-result.ts';
import { describeHolder, judgeClock } from '../common-checks.ts';
import { readStoreHolders } from './holders.ts';
import { toFolderError } from './folder-errors.ts';
import { describeLakeError } from './lake-errors.ts';
import { WORKERS } from './layout.ts';
import { toEndpoint } from './s3/s3-address.ts';
import type { LakePlace, Store } from './store.ts';
import { withStore } from './with-store.ts';

const DEADLINE_MS = 15_000;
/** No names of JSON, so no reader opens one; without a dot, which hides files of a folder from its list. */
const PROBES = `${WORKERS}check-`;
/** No check takes so long: its object was left. */
const LEFT_MS = 3_600_000;

/**
 * Writes an object of its own, which no reader sees, and deletes it. Does not throw: an error of the store is a
 * result, and so is one that has not answered after `deadlineMs` milliseconds.
 */
export async function checkTarget(
  request: CheckRequest<LakeTargetConfig>,
  deadlineMs = DEADLINE_MS,
): Promise<TargetCheck[]> {
  const { target, accounts } = request;
  const done: TargetCheck[] = [];
  try {
    await assertPlace(target.place);
    await withStore(target.place, deadlineMs, async (store) => {
      const holders = new Map((await readStoreHolders(store)).map((holder) => [holder.account, holder]));
      done.push(judgeConnection(target.place));
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

const READABLE =
  'rows, and a session token, can be read on the way: take an `endpoint:` that begins with https://';

function judgeConnection(place: LakePlace): TargetCheck {
  const result = describePlace(place);
  const url = place.kind === 's3' ? toEndpoint(place) : null;
  if (url?.protocol !== 'http:' || isLoopback(url.hostname)) return passed('connection', result);
  return { asked: 'connection', state: 'warning', result: `${result}, without TLS`, hint: READABLE };
}

/** Throws StoreError where a folder is missing. */
async function assertPlace(place: LakePlace): Promise<void> {
  if (place.kind !== 'folder') return;
  try {
    const found = await stat(place.path);
    if (!found.isDirectory()) throw Object.assign(new Error('no folder'), { code: 'ENOTDIR' });
  } catch (error) {
    throw toFolderError(error, place.path);
  }
}

/** May objects be written, listed and deleted, and do conditional writes keep what is there? Throws StoreError. */
async function checkWrites(store: Store): Promise<TargetCheck[]> {
  const key = `${PROBES}${randomUUID()}`;
  try {
    const conditions = await checkConditions(store, key);
    const isListed = await findProbe(store, key);
    await store.remove([key]);
    const isGone = (await store.get(key)) === null;
    return [judgeRights(isListed, isGone), conditions];
  } catch (error) {
    await store.remove([key]).catch(() => undefined);
    throw error;
  }
}

function judgeRights(isListed: boolean, isGone: boolean): TargetCheck {
  if (!isListed)
    return failed(
      'rights',
      'an object that was written is not in the list',
      'take a store that lists at once',
    );
  if (!isGone)
    return failed(
      'rights',
      'an object that was deleted is still there',
      'end what keeps deleted objects in the bucket: a cache before the store, or a lock of its objects',
    );
  return passed('rights', 'objects can be written and deleted');
}

const LOST_WRITES =
  'two workers that load one account could overwrite each other there: let one worker load it';

async function checkConditions(store: Store, key: string): Promise<TargetCheck> {
  const write = (text: string) => [Buffer.from(text)];
  const asked = 'conditional writes';
  const etag = await store.putIfAbsent(key, write('one'));
  const again = await store.putIfAbsent(key, write('two'));
  const replaced = etag === null ? null : await store.replace(key, write('three'), etag);
  const late = etag === null ? null : await store.replace(key, write('four'), etag);
  const ignored = [...(again === null ? [] : ['If-None-Match']), ...(late === null ? [] : ['If-Match'])];
  if (ignored.length > 0) {
    const result = `the store ignores ${ignored.join(' and ')}: it writes over what it should keep`;
    return failed(asked, result, LOST_WRITES);
  }
  if (etag === null || replaced === null)
    return failed(asked, 'the store refuses a write that it should carry out', 'take another store');
  return passed(asked, 'kept');
}

/** Is the object in the list? Deletes those of checks that were broken off. */
async function findProbe(store: Store, key: string): Promise<boolean> {
  const left: string[] = [];
  let isListed = false;
  for await (const found of store.list(WORKERS)) {
    isListed ||= found.key === key;
    const ageMs = store.now() - found.modifiedAtMs;
    if (found.key.startsWith(PROBES) && found.key !== key && ageMs > LEFT_MS) left.push(found.key);
  }
  await store.remove(left);
  return isListed;
}
