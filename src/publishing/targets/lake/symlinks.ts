/** Lists of the files of an owner for readers that take a list: Athena, Trino, Hive, Presto, Redshift Spectrum. */
import type { Manifest } from './documents.ts';
import type { Lake } from './lake.ts';
import { toSymlinkKey } from './layout.ts';

/** One address a line for each table, also for those that have no file now. Throws StoreError. */
export async function writeSymlinks({ store }: Lake, { owner, tables }: Manifest): Promise<void> {
  for (const { table, slices } of tables) {
    const keys = slices.flatMap(({ files }) => files.map(({ key }) => key));
    const lines = keys.map((key) => `${store.toUri(key)}\n`).join('');
    await store.put(toSymlinkKey(table, owner), [Buffer.from(lines)]);
  }
}
