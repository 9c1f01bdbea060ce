/** Deletes what no reader needs any more: old commits, files that were removed long ago, files of loads that were killed. */
import type { Lake } from './lake.ts';

/** `keepMs`: how long readers of an older version may go on. Throws StoreError. */
export async function tidy(lake: Lake, keepMs: number, tables: readonly string[]): Promise<void> {
  for (const table of tables) await tidyTable(lake, table, keepMs);
}

async function tidyTable({ store, getLog }: Lake, table: string, keepMs: number): Promise<void> {
  const log = await getLog(table);
  const keptSince = Date.now() - keepMs;
  const { files, removed } = log.snapshot;
  for (const { key, ageMs } of await store.list(`${table}/`)) {
    const path = key.slice(table.length + 1);
    const gone = removed.get(path);
    const isExpired = gone ? gone.deletionTimestamp < keptSince : ageMs > keepMs;
    if (path.startsWith('part-') && !files.has(path) && isExpired) await store.remove(key);
  }
  if (!(await log.checkpoint(keptSince))) return;
  for (const { key, ageMs } of await store.list(log.folder)) {
    const version = Number(/(\d{20})\.(?:json|checkpoint\.parquet)$/.exec(key)?.[1] ?? Infinity);
    if (version < log.getCheckpointVersion() && ageMs > keepMs) await store.remove(key);
  }
}
