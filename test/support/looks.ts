import type { Catalogue, VideoPage, VideoRecord } from '../../src/service/server/catalogue.ts';
import type { StorageDay } from '../../src/service/storage.ts';

/** The records of a page, whether as objects or as JSON. */
export function recordsOf({ records }: Pick<VideoPage, 'records'>): readonly VideoRecord[] {
  return records instanceof Uint8Array
    ? (JSON.parse(Buffer.from(records).toString()) as VideoRecord[])
    : records;
}

/** All videos of a package by id, past HTTP. Throws where the catalogue refuses. */
export async function allRecords(catalogue: Catalogue, packageId: number): Promise<readonly VideoRecord[]> {
  const sort = { item: 'id', direction: 'asc' } as const;
  const query = { packageId, sort, page: 1, pageSize: 1_000_000 };
  const page = await catalogue.videos(query, new AbortController().signal);
  if ('refused' in page) throw new Error(page.message);
  return recordsOf(page);
}

/** The days of a range, the oldest first, past HTTP. Throws where the catalogue refuses. */
export async function allDays(
  catalogue: Catalogue,
  from: string,
  to: string,
): Promise<readonly StorageDay[]> {
  const found = await catalogue.storage({ from, to, direction: 'asc' });
  if ('refused' in found) throw new Error(found.message);
  return found.days;
}
