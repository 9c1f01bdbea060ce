/** Whether a lake can be loaded: its place, rights, writes that keep what is there, and whose the accounts are. */
import { randomUUID } from 'node:crypto';
import type { TargetCheck } from '../target.ts';
import type { Store } from '../stores/store.ts';

/** Writes an object that no reader sees, and deletes it. Throws StoreError. */
export async function checkStore(store: Store): Promise<TargetCheck[]> {
  const key = `_check-${randomUUID()}`;
  const write = (text: string) => store.putIfAbsent(key, [Buffer.from(text)]);
  try {
    const [isFirst, isSecond] = [await write('one'), await write('two')];
    const isListed = (await store.list('')).some((file) => file.key === key);
    const read = await store.get(key);
    await store.remove(key);
    const isGone = (await store.get(key)) === null;
    return [
      isListed && isGone && read !== null
        ? toCheck('rights', true, 'files can be written, read, listed and deleted')
        : toCheck(
            'rights',
            false,
            'a file that was written is not listed, or one that was deleted is still there',
          ),
      isFirst && !isSecond
        ? toCheck('put-if-absent', true, 'a file that exists is not overwritten')
        : toCheck(
            'put-if-absent',
            false,
            `${store.name} ignores the header If-None-Match: two workers could overwrite each other's commits`,
            'take a store that knows conditional writes',
          ),
    ];
  } finally {
    await store.remove(key).catch(() => undefined);
  }
}

export const toCheck = (
  subject: string,
  isOk: boolean,
  result: string,
  hint: string | null = null,
): TargetCheck => ({
  ...{ subject, isOk, result, hint },
});
