/** Lists of the files of an owner for readers that take a list: Athena, Trino, Hive, Presto, Redshift Spectrum. */
import type { Manifest } from './documents.ts';
import type { Lake } from './lake.ts';
import { toSymlinkKey } from './layout.ts';

/**
 * One address a line for each table. A list is empty where the table has no file now; also where the last load had the table
 * (`before`), and this one has not. Throws StoreError.
 */
export async function writeSymlinks(
  { store }: Lake,
  { owner, tables }: Manifest,
  before: readonly string[],
): Promise<void> {
  const lists = new Map(before.map((table) => [table, '']));
  for (const { table, slices } of tables) {
    const keys = slices.flatMap(({ files }) => files.map(({ key }) => key));
    lists.set(table, keys.map((key) => `${store.toUri(key)}\n`).join(''));
  }
  for (const [table, lines] of lists) await store.put(toSymlinkKey(table, owner), [Buffer.from(lines)]);
}
