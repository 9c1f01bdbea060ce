/** What is for readers beside the pointers: lists of the present files, SQL for engines, and files without rows. */
import pLimit from 'p-limit';
import { createParquetFile } from '../../parquet/parquet-file.ts';
import { SHAPE } from '../../fingerprint.ts';
import { parsePointer, type Pointer } from './documents.ts';
import type { Lake } from './lake.ts';
import { EMPTY, POINTERS, toFileListKey, toSqlKey } from './layout.ts';
import { listLakeTables, listLakeViews, type LakeSqlTable } from './sql/lake-tables.ts';
import { ENGINES, writeSql } from './sql/sql-files.ts';

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

/**
 * How often files are written that another worker wrote at the same moment. More are of no use: whoever wrote the second one read
 * the pointers after the first one was there, and so after those of this worker.
 */
const TRIES = 3;

/**
 * Writes `files/<table>.txt` (one address a line; the first one is a file without rows) and `sql/<engine>.sql` where they are
 * not as the pointers say. Reads each pointer once, unless another worker writes them, too. Throws StoreError.
 */
export async function writeFileLists(lake: Lake): Promise<void> {
  const tables = listLakeTables();
  await writeEmptyFiles(lake, tables);
  let keys = [...tables.map(({ name }) => toFileListKey(name)), ...Object.keys(ENGINES).map(toSqlKey)];
  for (let tries = 1; tries <= TRIES && keys.length > 0; tries++) keys = await writeOnce(lake, tables, keys);
}

/** Gives the keys that another writer changed in between. */
async function writeOnce(
  lake: Lake,
  tables: readonly LakeSqlTable[],
  keys: readonly string[],
): Promise<string[]> {
  const { store } = lake;
  const limit = pLimit(AT_ONCE);
  // before the pointers: so what is replaced below was written from older ones
  const before = await Promise.all(keys.map((key) => limit(() => store.get(key))));
  const texts = toTexts(lake, tables, await listPointers(lake));
  const written = await Promise.all(
    keys.map((key, index) =>
      limit(async () => {
        const [text, found] = [texts.get(key), before[index] ?? null];
        if (text === undefined || (found && Buffer.from(found.body).toString('utf8') === text)) return true;
        const body = [Buffer.from(text)];
        const etag = await (found ? store.replace(key, body, found.etag) : store.putIfAbsent(key, body));
        return etag !== null;
      }),
    ),
  );
  return keys.filter((_key, index) => written[index] === false);
}

/** The texts by their keys. A newer version's SQL stays as it is. */
function toTexts(
  { store }: Lake,
  tables: readonly LakeSqlTable[],
  pointers: readonly Pointer[],
): Map<string, string> {
  const files = new Map(
    tables.map(({ name }) => [name, pointers.flatMap((pointer) => pointer.files[name] ?? [])] as const),
  );
  const lists = tables.map(({ name, emptyKey }) => {
    const keys = [emptyKey, ...(files.get(name) ?? [])];
    return [toFileListKey(name), keys.map((key) => `${store.toUri(key)}\n`).join('')] as const;
  });
  const shape = Number(pointers.find(({ owner }) => owner === 'all')?.facts.shape ?? 0);
  const root = `${store.toUri('').replace(/\/$/, '')}/`;
  const sql = shape > SHAPE ? [] : writeSql({ tables, views: listLakeViews(), root, files });
  return new Map([...lists, ...sql]);
}

/** Writes those that are not there. */
async function writeEmptyFiles({ store }: Lake, tables: readonly LakeSqlTable[]): Promise<void> {
  const known = new Set<string>();
  for await (const { key } of store.list(EMPTY)) known.add(key);
  for (const { name, columns, required, emptyKey } of tables) {
    if (known.has(emptyKey)) continue;
    const facts = { 'vodhouse.table': name, 'vodhouse.shape': String(SHAPE) };
    const file = createParquetFile({ columns, required, facts, compression: 'snappy' });
    await store.putIfAbsent(emptyKey, [file.finish()]);
  }
}
