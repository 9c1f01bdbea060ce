/** Writes the data files of a table: half of them in a second process, because encoding keeps one core busy. */
import { runInChild } from '../../../lib/child-process.ts';
import type { LakePlace } from '../../../lib/lake-place.ts';
import { openSource, type Source } from '../source.ts';
import { openStore } from '../stores/open-store.ts';
import type { Store } from '../stores/store.ts';
import type { AddFile } from './actions.ts';
import { addFile, encodeSlice, type Slice } from './files.ts';
import type { DeltaTable } from './tables.ts';

type Owner = Pick<AddFile, 'partitionValues'>;

/** Plain values: they are sent to the second process. */
export interface WriteRequest extends Owner {
  place: LakePlace;
  file: string;
  publicationId: string;
  deltaTable: DeltaTable;
  slices: readonly Slice[];
}

/** The actions that add the files. Throws StoreError. */
export async function writeFiles(
  { store, place }: { store: Store; place: LakePlace },
  source: Source,
  deltaTable: DeltaTable,
  slices: readonly Slice[],
  owner: Owner,
): Promise<AddFile[]> {
  const [own, others] = [0, 1].map((half) => slices.filter((_, index) => index % 2 === half));
  const request = { place, file: source.file, publicationId: source.publicationId, deltaTable, ...owner };
  const helped =
    others?.length === 0
      ? Promise.resolve([])
      : runInChild<AddFile[]>(
          'publishing/targets/delta/write-child.js',
          { ...request, slices: others },
          new AbortController().signal,
          (reason) => new Error(reason),
        ).catch(() => null); // then this process writes them
  const written = await writeAll(store, source, { ...request, slices: own ?? [] });
  return [
    ...written,
    ...((await helped) ?? (await writeAll(store, source, { ...request, slices: others ?? [] }))),
  ];
}

async function writeAll(
  store: Store,
  { db }: Source,
  { deltaTable, slices, partitionValues }: Pick<WriteRequest, 'deltaTable' | 'slices' | 'partitionValues'>,
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
  const source = openSource(request.file);
  if (source.publicationId !== request.publicationId) throw new Error('the published file was replaced');
  return writeAll(await openStore(request.place), source, request);
}
