/** Compares what a lake has of an owner with what its last load wrote, and with the published file. */
import type { Source } from '../source.ts';
import { hash, type LakeFile, type Manifest } from './documents.ts';
import { readManifest } from './head.ts';
import type { Lake } from './lake.ts';
import { dataPrefix, type LakeOwner } from './layout.ts';
import { listFiles, type Head } from './pointer.ts';
import { writeSymlinks } from './symlinks.ts';

/** Files that differ are named up to this number. */
const MAX_NAMED = 5;

/**
 * The differences in words; none where every file is as it was written, and the tables have as many rows as the published
 * file. `counts`: the rows of each table there. Lists of files are written again. Throws StoreError.
 */
export async function findDifferences(
  lake: Lake,
  owner: LakeOwner,
  head: Head,
  counts: ReadonlyMap<string, number>,
): Promise<string[]> {
  const manifest = await readManifest(lake, head);
  if (manifest === null) return [`${head.pointer.manifest} is gone, or is not as it was written`];
  const differences = [...compareCounts(manifest, counts), ...(await compareFiles(lake, owner, manifest))];
  if (differences.length === 0) await writeSymlinks(lake, manifest, []);
  const others = differences.length - MAX_NAMED;
  return others > 0 ? [...differences.slice(0, MAX_NAMED), `and ${others} more`] : differences;
}

function compareCounts({ tables }: Manifest, counts: ReadonlyMap<string, number>): string[] {
  const theirs = new Map(
    tables.map((each) => [each.table, listFiles(each).reduce((sum, { rows }) => sum + rows, 0)] as const),
  );
  return [...counts].flatMap(([table, count]) =>
    theirs.get(table) === count
      ? []
      : `${table}: ${theirs.get(table) ?? 0} rows in the target, ${count} in the file`,
  );
}

async function compareFiles(lake: Lake, owner: LakeOwner, { tables }: Manifest): Promise<string[]> {
  const differences: string[] = [];
  for (const each of tables) {
    const files = new Map(listFiles(each).map((file) => [file.key, file]));
    for await (const { key, bytes, etag } of lake.store.list(dataPrefix(each.table, owner))) {
      const file = files.get(key);
      if (!file) continue;
      files.delete(key);
      if (bytes !== file.bytes) differences.push(`${key} has ${bytes} bytes in place of ${file.bytes}`);
      else if (!(await hasContents(lake, file, etag)))
        differences.push(`${key} has other contents than were written`);
    }
    differences.push(...[...files.keys()].map((key) => `${key} is gone`));
  }
  return differences;
}

/** An object store tells of other contents by its ETag; the files of a folder are read. */
async function hasContents({ store }: Lake, file: LakeFile, etag: string | null): Promise<boolean> {
  if (etag !== null) return etag === file.etag;
  const found = await store.get(file.key);
  return found !== null && hash(found.body) === file.sha256;
}

/** The number of rows of each table of an owner in the published file. */
export function countRows(
  { db }: Source,
  tables: readonly { name: string; where: string; parameters: object }[],
): Map<string, number> {
  return new Map(
    tables.map(({ name, where, parameters }) => [
      name,
      db.prepare(`select count(*) from main."${name}" t where ${where}`).pluck().get(parameters) as number,
    ]),
  );
}
