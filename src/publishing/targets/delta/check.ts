/** Whether a lake can be loaded: its place, rights, and writes that keep what is there. */
import { randomUUID } from 'node:crypto';
import type { TargetCheck } from '../target.ts';
import type { Store } from '../stores/store.ts';

/** Writes an object that no reader sees, and deletes it. Throws StoreError. */
export async function checkStore(store: Store): Promise<TargetCheck[]> {
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

export const toCheck = (
  subject: string,
  isOk: boolean,
  result: string,
  hint: string | null = null,
): TargetCheck => ({
  ...{ subject, isOk, result, hint },
});
