/** Writes the data files of a table: half of them in a second process, because encoding keeps one core busy. */
import { runInChild } from '../../../lib/child-process.ts';
import type { LakePlace } from '../../../lib/lake-place.ts';
import { openSource, type Source } from '../source.ts';
import type { AddFile } from './actions.ts';
import { writeSlices, type WriteRequest } from './files.ts';
import { openStore, type Lake } from './lake.ts';

/** What the second process opens by itself. */
type Opened = { place: LakePlace } & Pick<Source, 'file' | 'publicationId'>;

/** Returns the actions that add the files. Throws TargetError. */
export async function writeFiles(
  { store, place }: Pick<Lake, 'store' | 'place'>,
  { db, file, publicationId }: Source,
  wanted: WriteRequest,
): Promise<AddFile[]> {
  const takeHalf = (half: 0 | 1): WriteRequest => ({
    ...wanted,
    slices: wanted.slices.filter((_, index) => index % 2 === half),
  });
  const [own, others] = [takeHalf(0), takeHalf(1)];
  const helped =
    others.slices.length === 0
      ? []
      : writeInChild({ ...others, place, file, publicationId }).catch(() => null);
  const written = await writeSlices(store, db, own);
  return [...written, ...((await helped) ?? (await writeSlices(store, db, others)))];
}

const writeInChild = (request: WriteRequest & Opened): Promise<AddFile[]> =>
  runInChild(
    'publishing/child.js',
    { task: 'write-slices', args: [request] },
    new AbortController().signal,
    (reason) => new Error(reason),
  );

/** In the second process. Throws Error if a newer published file has taken the place of the one that is loaded. */
export async function writeForParent({ place, file, ...request }: WriteRequest & Opened): Promise<AddFile[]> {
  const { db, publicationId } = openSource(file);
  if (publicationId !== request.publicationId) throw new Error('the published file was replaced');
  return writeSlices(openStore(place), db, request);
}
