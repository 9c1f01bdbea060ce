/** The present files of each table, of all accounts and warehouses, for readers that take one list. */
import pLimit from 'p-limit';
import { parsePointer, type Pointer } from './documents.ts';
import type { Lake } from './lake.ts';
import { POINTERS, toFileListKey } from './layout.ts';

const AT_ONCE = 8;

/** Every pointer of the lake. Throws StoreError. */
export async function listPointers({ store }: Pick<Lake, 'store'>): Promise<Pointer[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(POINTERS)) if (key.endsWith('.json')) keys.push(key);
  const limit = pLimit(AT_ONCE);
  const found = await Promise.all(
    keys.map((key) =>
      limit(async () => {
        const object = await store.get(key);
        return object && parsePointer(key, object.body);
      }),
    ),
  );
  return found.filter((pointer) => pointer !== null);
}

/** Writes `files/<table>.txt` anew: one address a line. Throws StoreError. */
export async function writeFileLists(lake: Lake, tables: readonly string[]): Promise<void> {
  const pointers = await listPointers(lake);
  for (const table of tables) {
    const keys = pointers.flatMap(({ files }) => files[table] ?? []);
    const lines = keys.map((key) => `${lake.store.toUri(key)}\n`).join('');
    await lake.store.put(toFileListKey(table), [Buffer.from(lines)]);
  }
}
