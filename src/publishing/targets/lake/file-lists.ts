/** What is for readers beside the pointers: lists of the present files, SQL for engines, and files without rows. */
import pLimit from 'p-limit';
import { createParquetFile } from '../../parquet/parquet-file.ts';
import { SHAPE } from '../../fingerprint.ts';
import { parsePointer, type Pointer } from './documents.ts';
import type { Lake } from './lake.ts';
import { EMPTY, POINTERS, toFileListKey, toPointerKey, toSqlKey } from './layout.ts';
import { listLakeTables, listLakeViews, type LakeSqlTable } from './sql/lake-tables.ts';
import { ENGINES, writeSql } from './sql/sql-files.ts';
import { StoreError } from './store.ts';

const AT_ONCE = 8;

/** Every pointer of the lake, and the keys of those that cannot be read: damaged, or of a newer version. Throws StoreError. */
export async function listPointers({
  store,
}: Pick<Lake, 'store'>): Promise<{ pointers: Pointer[]; unreadable: string[] }> {
  const keys: string[] = [];
  for await (const { key } of store.list(POINTERS)) if (key.endsWith('.json')) keys.push(key);
  const limit = pLimit(AT_ONCE);
  const unreadable: string[] = [];
  const found = await Promise.all(
    keys.map((key) =>
      limit(async () => {
        const object = await store.get(key);
        const pointer = object && tryParse(key, object.body);
        if (object && !pointer) unreadable.push(key);
        return pointer && toPointerKey(pointer.owner) === key ? pointer : null; // else a copy that another program made
      }),
    ),
  );
  return { pointers: found.filter((pointer) => pointer !== null), unreadable };
}

function tryParse(key: string, body: Uint8Array): Pointer | null {
  try {
    return parsePointer(key, body);
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
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
  const { pointers, unreadable } = await listPointers(lake);
  const present = new Map(keys.map((key, index) => [key, before[index]?.body ?? new Uint8Array()]));
  const texts = new Map([
    ...toLists(lake, tables, pointers, (key) => keepLines(present.get(key), unreadable)),
    ...(unreadable.length === 0 ? toSql(lake, tables, pointers) : []),
  ]);
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

/** The lines of a list whose pointer cannot be read now: of another account, whose files are there. */
function keepLines(list: Uint8Array | undefined, unreadable: readonly string[]): string[] {
  const parts = unreadable.map((key) => key.slice(POINTERS.length, -'.json'.length));
  const isKept = (line: string) =>
    parts.some((part) =>
      part === 'all' ? /\/data\/[^/=]+\/[^/=]+$/.test(line) : line.includes(`/${part}/`),
    );
  return Buffer.from(list ?? [])
    .toString('utf8')
    .split('\n')
    .filter(isKept);
}

/** The present files of each table, by the key of its list. `keep`: more lines of a list. */
function toLists(
  { store }: Lake,
  tables: readonly LakeSqlTable[],
  pointers: readonly Pointer[],
  keep: (key: string) => string[],
): [key: string, text: string][] {
  return tables.map(({ name, emptyKey }) => {
    const key = toFileListKey(name);
    const lines = [emptyKey, ...listPresent(pointers, name)].map((file) => store.toUri(file));
    return [key, [...lines, ...keep(key)].map((line) => `${line}\n`).join('')];
  });
}

const listPresent = (pointers: readonly Pointer[], table: string): string[] =>
  pointers.flatMap((pointer) => pointer.files[table] ?? []);

/** The SQL of each engine by its key. A newer version's stays as it is. */
function toSql(
  { store }: Lake,
  tables: readonly LakeSqlTable[],
  pointers: readonly Pointer[],
): Iterable<[key: string, text: string]> {
  const shape = Number(pointers.find(({ owner }) => owner === 'all')?.facts.shape ?? 0);
  if (shape > SHAPE) return [];
  const files = new Map(tables.map(({ name }) => [name, listPresent(pointers, name)] as const));
  const root = `${store.toUri('').replace(/\/$/, '')}/`;
  return writeSql({ tables, views: listLakeViews(), root, files });
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
