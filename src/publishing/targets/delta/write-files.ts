/** Writes the data files of a table: half of them in a second process, because encoding keeps one core busy. */
import type { Database } from '../../../database/sqlite.ts';
import { runInChild } from '../../../lib/child-process.ts';
import type { LakePlace } from '../../../lib/lake-place.ts';
import { openSource, type Source } from '../source.ts';
import { openStore } from '../stores/open-store.ts';
import type { Store } from '../stores/store.ts';
import type { AddFile } from './actions.ts';
import { addFile, encodeSlice, type Slice } from './files.ts';
import type { Lake } from './lake.ts';
import type { DeltaTable } from './tables.ts';

/** Which files to write, as plain values: they are sent to the second process. */
export interface WriteRequest {
  place: LakePlace;
  file: string;
  publicationId: string;
  deltaTable: DeltaTable;
  partitionValues: AddFile['partitionValues'];
  slices: readonly Slice[];
}

/** The actions that add the files. Throws StoreError. */
export async function writeFiles(
  { store, place }: Pick<Lake, 'store' | 'place'>,
  { db, file, publicationId }: Source,
  wanted: Pick<WriteRequest, 'deltaTable' | 'partitionValues' | 'slices'>,
): Promise<AddFile[]> {
  const takeHalf = (half: 0 | 1): WriteRequest => ({
    ...{ ...wanted, place, file, publicationId },
    slices: wanted.slices.filter((_, index) => index % 2 === half),
  });
  const [own, others] = [takeHalf(0), takeHalf(1)];
  const helped = others.slices.length === 0 ? Promise.resolve([]) : writeInChild(others).catch(() => null);
  const written = await writeAll(store, db, own);
  return [...written, ...((await helped) ?? (await writeAll(store, db, others)))];
}

const writeInChild = (request: WriteRequest): Promise<AddFile[]> =>
  runInChild(
    'publishing/targets/delta/write-child.js',
    request,
    new AbortController().signal,
    (reason) => new Error(reason),
  );

async function writeAll(
  store: Store,
  db: Database,
  { deltaTable, slices, partitionValues }: WriteRequest,
): Promise<AddFile[]> {
  const added: AddFile[] = [];
  for (const slice of slices) {
    const file = encodeSlice(db, deltaTable, slice);
    added.push(await addFile(store, deltaTable.table.name, file, { partitionValues, tags: slice.tags }));
  }
  return added;
}

/** In the second process. Throws Error if a newer published file has taken the place of the one that is loaded. */
export async function writeForParent(request: WriteRequest): Promise<AddFile[]> {
  const { db, publicationId } = openSource(request.file);
  if (publicationId !== request.publicationId) throw new Error('the published file was replaced');
  return writeAll(await openStore(request.place), db, request);
}
